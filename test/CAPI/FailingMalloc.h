/*===- FailingMalloc.h - A heap that fails on demand ----------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Stands before the heap of the C library, for all of the process: counts    *|
|* what is allocated, and fails one request, or all from one on.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef QCC_TEST_CAPI_FAILINGMALLOC_H
#define QCC_TEST_CAPI_FAILINGMALLOC_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

/// Requests since failHeap, blocks that nobody has freed, and the request that
/// fails: none where it is negative.
static atomic_long numRequests, numBlocks, failingRequest = -1;
static atomic_bool failsOn;
/// Where it is not null, it is called before each request with its number, and
/// may make it fail.
static void (*beforeRequest)(long request);

/// Request `request` from now on fails, and, if told so, all after it.
static inline void failHeap(long request, bool andAllAfter) {
  failsOn = andAllAfter;
  numRequests = 0;
  failingRequest = request;
}

static inline void mendHeap(void) { failingRequest = -1; }

static inline bool requestFails(void) {
  long request = atomic_fetch_add(&numRequests, 1);
  if (beforeRequest)
    beforeRequest(request);
  long failing = failingRequest;
  return failing >= 0 && (failsOn ? request >= failing : request == failing);
}

static inline void *countBlock(void *memory) {
  if (memory)
    atomic_fetch_add(&numBlocks, 1);
  else
    errno = ENOMEM;
  return memory;
}

#define QCC_REPLACES __attribute__((visibility("default")))

QCC_REPLACES void *malloc(size_t size) {
  return countBlock(requestFails() ? NULL : __libc_malloc(size));
}

QCC_REPLACES void *calloc(size_t count, size_t size) {
  return countBlock(requestFails() ? NULL : __libc_calloc(count, size));
}

QCC_REPLACES void *realloc(void *memory, size_t size) {
  void *grown = requestFails() ? NULL : __libc_realloc(memory, size);
  return memory ? grown : countBlock(grown);
}

QCC_REPLACES void *aligned_alloc(size_t alignment, size_t size) {
  return countBlock(requestFails() ? NULL : __libc_memalign(alignment, size));
}

QCC_REPLACES int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *block = aligned_alloc(alignment, size);
  if (!block)
    return ENOMEM;
  *memory = block;
  return 0;
}

QCC_REPLACES void free(void *memory) {
  if (memory)
    atomic_fetch_sub(&numBlocks, 1);
  __libc_free(memory);
}

#endif // QCC_TEST_CAPI_FAILINGMALLOC_H
