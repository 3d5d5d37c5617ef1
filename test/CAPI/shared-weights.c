/*===- shared-weights.c - Equal weights are in memory once ----------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Two artifacts with the same weights, and a third that says it has them but *|
|* does not: in memory of an allocator, in copies of the artifacts and in     *|
|* huge pages.                                                                *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/shared-weights %capi/heavy.so %capi/twin.so %capi/unlike.so
// UNSUPPORTED: sanitizer

#define _GNU_SOURCE

#include "Check.h"
#include "Memory.h"

static char **paths;

static qccModule load(int which, const qccModuleOptions *options) {
  qccModule module = NULL;
  CHECK_OK(qccModuleLoadFile(paths[which], options, &module));
  CHECK(increment(module) == (which < 2 ? 5 : 6));
  return module;
}

typedef struct Heap {
  int made, live;
  bool full;
} Heap;

static void *allocate(void *self, size_t size, size_t alignment) {
  Heap *heap = self;
  void *memory = NULL;
  if (heap->full || posix_memalign(&memory, alignment, size) != 0)
    return NULL;
  CHECK(size == weightBytes);
  ++heap->made;
  ++heap->live;
  return memory;
}

static void deallocate(void *self, void *memory, size_t size,
                       size_t alignment) {
  Heap *heap = self;
  (void)size, (void)alignment;
  --heap->live;
  free(memory);
}

static void shareMemoryOfAllocator(void) {
  Heap heap = {0, 0, true}, other = {0, 0, false};
  qccAllocator allocator = {sizeof(allocator), &heap, allocate, NULL};
  qccModuleOptions options = qccModuleOptionsInit();
  options.weightAllocator = &allocator;
  qccModule module = NULL;
  CHECK_FAILS(qccModuleLoadFile(paths[0], &options, &module),
              QCC_STATUS_INVALID_ARGUMENT,
              "a function of weightAllocator is a null pointer");
  allocator.deallocate = deallocate;
  CHECK_FAILS(qccModuleLoadFile(paths[0], &options, &module),
              QCC_STATUS_OUT_OF_MEMORY,
              "weights: the allocator has no 33554432 bytes");
  CHECK(module == NULL);
  heap.full = false;

  module = load(0, &options);
  CHECK(heap.made == 1);
  qccModule twin = load(1, &options), again = load(0, &options);
  CHECK(heap.made == 1);
  qccModule unlike = load(2, &options);
  CHECK(heap.made == 2);
  // Another allocator is another memory.
  qccAllocator second = {sizeof(second), &other, allocate, deallocate};
  options.weightAllocator = &second;
  qccModule elsewhere = load(0, &options);
  CHECK(other.made == 1 && heap.made == 2);
  qccModuleDestroy(elsewhere);
  CHECK(other.live == 0);

  // The memory goes with the last that uses it, which may be a context.
  qccContext context = NULL;
  CHECK_OK(qccContextCreate(twin, "increment", NULL, &context));
  qccModuleDestroy(unlike);
  CHECK(heap.live == 1);
  qccModuleDestroy(module);
  qccModuleDestroy(again);
  CHECK(increment(twin) == 5 && heap.live == 1);
  qccModuleDestroy(twin);
  CHECK(heap.live == 1);
  qccContextDestroy(context);
  CHECK(heap.live == 0);
}

/// Anonymous memory of the process, in bytes.
static int64_t privateMemory(void) {
  long long resident = 0, ofFiles = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%*d %lld %lld", &resident, &ofFiles) == 2);
  if (file)
    fclose(file);
  return (resident - ofFiles) * sysconf(_SC_PAGESIZE);
}

/// Both kinds of memory that the runtime itself has for weights.
static void shareMemoryOfRuntime(int32_t pages) {
  qccModuleOptions options = qccModuleOptionsInit();
  options.weightPages = pages;
  options.flags = QCC_MODULE_PRIVATE_COPY;
  int64_t before = privateMemory() + memoryOfFiles();
  qccModule module = load(0, &options);
  int64_t one = privateMemory() + memoryOfFiles() - before;
  qccModule twin = load(1, &options);
  int64_t two = privateMemory() + memoryOfFiles() - before;
  printf("%lld bytes for one module, %lld for two\n", (long long)one,
         (long long)two);
  CHECK(one >= weightBytes);
  CHECK(two < weightBytes + weightBytes / 10);
  qccModule unlike = load(2, &options);
  CHECK(privateMemory() + memoryOfFiles() - before >= 2 * weightBytes);
  qccModuleDestroy(module);
  CHECK(increment(twin) == 5);
  CHECK(increment(unlike) == 6);
  // What was lent by a module that is gone is lent on.
  qccModule again = load(0, &options);
  CHECK(privateMemory() + memoryOfFiles() - before <
        2 * weightBytes + weightBytes / 10);
  qccModuleDestroy(twin);
  qccModuleDestroy(unlike);
  CHECK(increment(again) == 5);
  qccModuleDestroy(again);
  CHECK(privateMemory() + memoryOfFiles() - before < weightBytes / 10);
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  paths = argv + 1;
  shareMemoryOfAllocator();
  shareMemoryOfRuntime(QCC_WEIGHT_PAGES_FILE);
  shareMemoryOfRuntime(QCC_WEIGHT_PAGES_HUGE);
  return finishTest();
}
