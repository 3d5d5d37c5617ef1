//===- Allocator.cpp - Where the runtime gets memory ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The default allocator and the growing buffer.
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/Allocator.h"

#include "HugePages.h"
#include "qcc/Base/Memory.h"

#include <algorithm>
#include <cstdlib>

namespace qcc::rt {

Allocator defaultAllocator() {
  Allocator allocator;
  allocator.allocate = [](size_t size, size_t alignment, void *) -> void * {
    // Temporaries are read and written like weights; see HugePages.h.
    bool isLarge = size >= 2 * hugePageSize;
    void *memory = nullptr;
    if (!hasMemoryFor(size))
      return nullptr;
    if (posix_memalign(&memory,
                       isLarge ? std::max(alignment, hugePageSize) : alignment,
                       size) != 0)
      return nullptr;
    if (isLarge)
      adviseHugePages(memory, size);
    return memory;
  };
  allocator.deallocate = [](void *memory, size_t, size_t, void *) {
    free(memory);
  };
  allocator.context = nullptr;
  return allocator;
}

AlignedBuffer::AlignedBuffer(AlignedBuffer &&other) noexcept
    : allocator_(other.allocator_), data_(other.data_),
      capacity_(other.capacity_) {
  other.data_ = nullptr;
  other.capacity_ = 0;
}

AlignedBuffer &AlignedBuffer::operator=(AlignedBuffer &&other) noexcept {
  std::swap(allocator_, other.allocator_);
  std::swap(data_, other.data_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

Status AlignedBuffer::reserve(int64_t size) {
  if (size <= capacity_)
    return Status::ok();
  // The old block goes first: both together need not fit.
  reset();
  void *memory = allocator_.allocate(size, memoryAlignment, allocator_.context);
  if (!memory)
    return outOfMemory("the allocator has no " + std::to_string(size) +
                       " bytes; run smaller shapes or fewer contexts");
  if (reinterpret_cast<uintptr_t>(memory) % memoryAlignment != 0) {
    allocator_.deallocate(memory, size, memoryAlignment, allocator_.context);
    return invalidArgument("the allocator returned memory that is not aligned "
                           "to the 64 bytes it was asked for");
  }
  data_ = static_cast<char *>(memory);
  capacity_ = size;
  return Status::ok();
}

void AlignedBuffer::reset() {
  if (data_)
    allocator_.deallocate(data_, capacity_, memoryAlignment,
                          allocator_.context);
  data_ = nullptr;
  capacity_ = 0;
}

} // namespace qcc::rt
