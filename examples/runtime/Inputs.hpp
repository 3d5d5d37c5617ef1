//===- Inputs.hpp - Made-up arguments of any program ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EXAMPLES_INPUTS_HPP
#define QCC_EXAMPLES_INPUTS_HPP

#include <qcc/runtime.hpp>

#include <cstring>
#include <vector>

/// Memory of the application, and views of it for the runtime.
struct Inputs {
  std::vector<std::vector<float>>
      memory; ///< Aligned for any element up to f32.
  std::vector<qcc::TensorView> views;

  /// `rows` stands for every dynamic dimension.
  Inputs(const qcc::Module &module, int64_t rows) {
    for (size_t i = 0; i < module.entry().numArguments; ++i) {
      qccTensorInfo info = module.argument("", i);
      std::vector<int64_t> shape(info.dims, info.dims + info.rank);
      size_t bytes = info.dtype.bits / 8;
      for (int64_t &dim : shape) {
        dim = dim < 0 ? rows : dim;
        bytes *= size_t(dim);
      }
      memory.emplace_back(bytes / sizeof(float) + 1);
      std::vector<float> &data = memory.back();
      if (qcc::isSameType(info.dtype, qcc::elementType<float>()))
        for (size_t k = 0; k < data.size(); ++k)
          data[k] = float(k % 13) / 4;
      else
        std::memset(data.data(), 3, bytes);
      views.emplace_back(data.data(), info.dtype, shape.data(), shape.size());
    }
  }
};

/// Whether the results of two runs are the same, bit for bit.
inline bool isSame(const std::vector<qcc::Tensor> &a,
                   const std::vector<qcc::Tensor> &b) {
  bool same = a.size() == b.size();
  for (size_t i = 0; same && i < a.size(); ++i)
    same = a[i].shape() == b[i].shape() &&
           std::memcmp(a[i].rawData(), b[i].rawData(),
                       a[i].size() * (a[i].type().bits / 8)) == 0;
  return same;
}

#endif // QCC_EXAMPLES_INPUTS_HPP
