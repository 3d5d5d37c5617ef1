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

#include "GuardedMemory.h"
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using qcc::reference::ElementType;
using qcc::reference::TensorValue;

namespace qcc::sweep {

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
  std::memset(bytes, kFill, pages);
  return bytes + offsetFor(size, alignment);
}

static void unmapGuarded(void *memory, size_t size, size_t alignment) {
  munmap(static_cast<uint8_t *>(memory) - offsetFor(size, alignment),
         pagesFor(size) + kPage);
}

TensorValue allocateGuarded(ElementType type,
                            const std::vector<int64_t> &shape) {
  TensorValue value;
  value.type = type;
  value.shape = shape;
  size_t size = value.byteSize(), alignment = type.bytes();
  value.bytes = std::shared_ptr<uint8_t>(
      mapGuarded(size, alignment), [=](uint8_t *memory) {
        if (memory)
          unmapGuarded(memory, size, alignment);
      });
  return value;
}

TensorValue copyGuarded(const TensorValue &value) {
  TensorValue copy = allocateGuarded(value.type, value.shape);
  std::memcpy(copy.bytes.get(), value.bytes.get(), value.byteSize());
  return copy;
}

bool isFrontIntact(const TensorValue &value) {
  size_t front = offsetFor(value.byteSize(), value.type.bytes());
  const uint8_t *begin = value.bytes.get() - front;
  for (size_t i = 0; i < front; ++i)
    if (begin[i] != kFill)
      return false;
  return true;
}

rt::Allocator guardedAllocator() {
  rt::Allocator allocator;
  allocator.allocate = [](size_t size, size_t alignment, void *) -> void * {
    return mapGuarded(size, alignment);
  };
  allocator.deallocate = [](void *memory, size_t size, size_t alignment,
                            void *) { unmapGuarded(memory, size, alignment); };
  allocator.context = nullptr;
  return allocator;
}

static const std::string *crashDescription;

static void onCrash(int signal) {
  if (crashDescription) {
    auto put = [](const char *text, size_t size) {
      if (write(STDERR_FILENO, text, size) < 0)
        _exit(1);
    };
    put("crashed in ", 11);
    put(crashDescription->data(), crashDescription->size());
    put("\n", 1);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void reportCrashes(const std::string *description) {
  crashDescription = description;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    std::signal(signal, onCrash);
}

} // namespace qcc::sweep
