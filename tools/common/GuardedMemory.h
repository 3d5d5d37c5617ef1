//===- GuardedMemory.h - Memory that notices stray accesses --- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that ends at a page which cannot be touched: a kernel that reads or
// writes past a tensor's end is caught at once. In front of it lie bytes that
// must not change.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_GUARDEDMEMORY_H
#define QCC_TOOLS_COMMON_GUARDEDMEMORY_H

#include "qcc/Runtime/Allocator.h"
#include "qcc/Runtime/Tensor.h"

#include <memory>

namespace qcc::tools {

/// A tensor in guarded memory, filled with bytes that a kernel has to
/// overwrite. There is no data where memory does not suffice.
class GuardedTensor {
public:
  GuardedTensor(rt::DType dtype, const rt::Shape &shape);
  /// The same value in guarded memory.
  static GuardedTensor copy(const rt::Tensor &value);

  const rt::Tensor &tensor() const { return tensor_; }

  /// Whether the bytes in front of it are as they were.
  bool isFrontIntact() const;

private:
  rt::Tensor tensor_;
  size_t size_ = 0;
  std::shared_ptr<void> memory_;
};

/// For a context's temporaries.
rt::Allocator guardedAllocator();

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_GUARDEDMEMORY_H
