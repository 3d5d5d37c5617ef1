//===- HeapCount.cpp - Counts what the heap hands out ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// malloc and its like are replaced by ones that count and hand on to glibc's;
// operator new comes here too. Sanitizers bring a heap of their own.
//
//===----------------------------------------------------------------------===//

#include "HeapCount.h"
#include "../Support/Sanitized.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

static std::atomic<int64_t> count{0};

int64_t qcc::rt::test::heapAllocations() { return count.load(); }

#if QCC_TEST_SANITIZED

bool qcc::rt::test::countsHeap() { return false; }

#else

bool qcc::rt::test::countsHeap() { return true; }

#define QCC_TEST_HEAP extern "C" __attribute__((visibility("default")))

extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
}

QCC_TEST_HEAP void *malloc(size_t size) {
  ++count;
  return __libc_malloc(size);
}
QCC_TEST_HEAP void *calloc(size_t number, size_t size) {
  ++count;
  return __libc_calloc(number, size);
}
QCC_TEST_HEAP void *realloc(void *memory, size_t size) {
  ++count;
  return __libc_realloc(memory, size);
}
QCC_TEST_HEAP void *memalign(size_t alignment, size_t size) {
  ++count;
  return __libc_memalign(alignment, size);
}
QCC_TEST_HEAP void *aligned_alloc(size_t alignment, size_t size) {
  ++count;
  return __libc_memalign(alignment, size);
}
QCC_TEST_HEAP int posix_memalign(void **memory, size_t alignment, size_t size) {
  ++count;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

#endif // QCC_TEST_SANITIZED
