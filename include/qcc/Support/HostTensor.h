//===- HostTensor.h - A tensor that owns its memory -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is read from files, made at random, or handed from the runtime to the
// reference: compact row-major, little endian, 64-byte aligned.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_SUPPORT_HOSTTENSOR_H
#define QCC_SUPPORT_HOSTTENSOR_H

#include "qcc/Artifact/DType.h"
#include "qcc/Base/Status.h"

#include <cstdlib>
#include <memory>

namespace qcc {

class HostTensor {
public:
  HostTensor() = default;

  /// Uninitialized memory; fails on impossible shapes and where there is not
  /// enough memory.
  static rt::Result<HostTensor> create(rt::DType dtype,
                                       std::vector<int64_t> shape);

  rt::DType dtype() const { return dtype_; }
  const std::vector<int64_t> &shape() const { return shape_; }
  int64_t numElements() const { return elements_; }
  int64_t numBytes() const { return elements_ * dtype_.size(); }

  /// Never null, also where there are no elements.
  void *data() { return data_.get(); }
  const void *data() const { return data_.get(); }
  template <typename T> T *as() { return static_cast<T *>(data()); }
  template <typename T> const T *as() const {
    return static_cast<const T *>(data());
  }

  /// "2x3xf32"
  std::string describe() const { return rt::describe(dtype_, shape_); }

private:
  struct Free {
    void operator()(void *memory) const { free(memory); }
  };

  rt::DType dtype_;
  std::vector<int64_t> shape_;
  int64_t elements_ = 0;
  std::unique_ptr<void, Free> data_;
};

} // namespace qcc

#endif // QCC_SUPPORT_HOSTTENSOR_H
