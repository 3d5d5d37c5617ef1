//===- GuardedMemory.cpp - Memory that notices stray accesses -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GuardedMemory.h.
//
//===----------------------------------------------------------------------===//

#include "common/GuardedMemory.h"

#include <cstring>
#include <sys/mman.h>

using namespace qcc;
using namespace qcc::tools;

static constexpr size_t kPage = 4096;
static constexpr uint8_t kFill = 0xA5;

/// The pages that hold `size` bytes, without the page behind them.
static size_t pagesFor(size_t size) { return (size / kPage + 1) * kPage; }

/// Where `size` bytes begin that end, up to alignment, at the guard page.
static size_t offsetFor(size_t size, size_t alignment) {
  return (pagesFor(size) - size) / alignment * alignment;
}

static uint8_t *mapGuarded(size_t size, size_t alignment) {
  size_t pages = pagesFor(size);
  void *memory = mmap(nullptr, pages + kPage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  auto *bytes = static_cast<uint8_t *>(memory);
  mprotect(bytes + pages, kPage, PROT_NONE);
  memset(bytes, kFill, pages);
  return bytes + offsetFor(size, alignment);
}

static void unmapGuarded(void *memory, size_t size, size_t alignment) {
  munmap(static_cast<uint8_t *>(memory) - offsetFor(size, alignment),
         pagesFor(size) + kPage);
}

GuardedTensor::GuardedTensor(rt::DType dtype, const rt::Shape &shape)
    : tensor_(nullptr, dtype, shape), size_(tensor_.bytes().value_or(0)) {
  size_t size = size_, alignment = dtype.size();
  memory_ =
      std::shared_ptr<void>(mapGuarded(size, alignment), [=](void *memory) {
        if (memory)
          unmapGuarded(memory, size, alignment);
      });
  tensor_.data = memory_.get();
}

GuardedTensor GuardedTensor::copy(const rt::Tensor &value) {
  GuardedTensor copy(value.dtype, value.shape);
  if (copy.tensor_.data && copy.size_)
    memcpy(copy.tensor_.data, value.data, copy.size_);
  return copy;
}

bool GuardedTensor::isFrontIntact() const {
  size_t front = offsetFor(size_, tensor_.dtype.size());
  const uint8_t *begin = static_cast<const uint8_t *>(tensor_.data) - front;
  for (size_t i = 0; i < front; ++i)
    if (begin[i] != kFill)
      return false;
  return true;
}

rt::Allocator tools::guardedAllocator() {
  rt::Allocator allocator;
  allocator.allocate = [](size_t size, size_t alignment, void *) -> void * {
    return mapGuarded(size, alignment);
  };
  allocator.deallocate = [](void *memory, size_t size, size_t alignment,
                            void *) { unmapGuarded(memory, size, alignment); };
  allocator.context = nullptr;
  return allocator;
}
