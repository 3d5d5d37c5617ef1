//===- CountingAllocator.h - An allocator hook that counts ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_RUNTIME_COUNTINGALLOCATOR_H
#define QCC_TEST_UNIT_RUNTIME_COUNTINGALLOCATOR_H

#include "qcc/Runtime/Allocator.h"

#include <atomic>

namespace qcc::rt::test {

struct CountingAllocator {
  std::atomic<int> allocations{0};
  std::atomic<int64_t> live{0}; ///< Bytes.

  Allocator hook() {
    Allocator allocator;
    allocator.allocate = [](size_t size, size_t alignment, void *self) {
      auto &counter = *static_cast<CountingAllocator *>(self);
      ++counter.allocations;
      counter.live += size;
      Allocator base = defaultAllocator();
      return base.allocate(size, alignment, base.context);
    };
    allocator.deallocate = [](void *memory, size_t size, size_t alignment,
                              void *self) {
      static_cast<CountingAllocator *>(self)->live -= size;
      Allocator base = defaultAllocator();
      base.deallocate(memory, size, alignment, base.context);
    };
    allocator.context = this;
    return allocator;
  }
};

} // namespace qcc::rt::test

#endif // QCC_TEST_UNIT_RUNTIME_COUNTINGALLOCATOR_H
