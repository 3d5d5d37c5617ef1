//===- HostTensor.cpp - A tensor that owns its memory ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only allocation of tensor memory.
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/HostTensor.h"
#include "qcc/Base/Memory.h"

#include <algorithm>

namespace qcc {

rt::Result<HostTensor> HostTensor::create(rt::DType dtype,
                                          std::vector<int64_t> shape) {
  std::optional<int64_t> elements = rt::numElements(shape);
  std::optional<int64_t> bytes = rt::numBytes(dtype, shape);
  if (!elements || !bytes)
    return rt::invalidArgument(
        "the shape " + rt::describe(dtype, shape) +
        " has a negative dimension or too many elements");
  HostTensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.elements_ = *elements;
  void *memory = nullptr;
  constexpr size_t alignment = 64;
  if (!rt::hasMemoryFor(*bytes) ||
      posix_memalign(&memory, alignment,
                     std::max<int64_t>(*bytes, alignment)) != 0)
    return rt::outOfMemory("there are no " + std::to_string(*bytes) +
                           " bytes of memory for a tensor of " +
                           tensor.describe());
  tensor.data_.reset(memory);
  return tensor;
}

} // namespace qcc
