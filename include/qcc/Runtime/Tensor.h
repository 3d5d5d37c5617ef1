//===- Tensor.h - A view of a tensor ----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What callers hand to the runtime: memory they own, of the host or of a
// device, compact row-major and aligned to its element. `data` may be null
// where there are no elements. Up to eight dimensions, making one takes no
// memory from the heap.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_TENSOR_H
#define QCC_RUNTIME_TENSOR_H

#include "qcc/Artifact/DType.h"

#include <utility>

namespace qcc::rt {

/// Where memory is, in the numbers of DLPack's DLDevice.
struct MemoryLocation {
  int32_t type = 1;
  int32_t index = 0;

  bool operator==(const MemoryLocation &other) const {
    return type == other.type && index == other.index;
  }
  bool operator!=(const MemoryLocation &other) const {
    return !(*this == other);
  }
  bool isHost() const { return *this == MemoryLocation(); }
};

struct Tensor {
  void *data = nullptr;
  DType dtype;
  Shape shape;
  MemoryLocation location; ///< The host if nothing else is said.

  Tensor() = default;
  Tensor(void *data, DType dtype, Shape shape)
      : data(data), dtype(dtype), shape(std::move(shape)) {}

  std::optional<int64_t> elements() const { return numElements(shape); }
  std::optional<int64_t> bytes() const { return numBytes(dtype, shape); }
  std::string describe() const { return rt::describe(dtype, shape); }
};

} // namespace qcc::rt

#endif // QCC_RUNTIME_TENSOR_H
