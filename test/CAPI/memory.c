/*===- memory.c - The allocator and log hooks
------------------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/memory %capi/program.so

#include "Check.h"

enum { rows = 9, columns = 4 };

/// A heap that counts, and says no if told to.
typedef struct Heap {
  int allocations, live, refused;
  bool full, misaligned;
  size_t bytes;
} Heap;

static void *allocate(void *self, size_t size, size_t alignment) {
  Heap *heap = self;
  void *memory = NULL;
  if (heap->full || posix_memalign(&memory, 2 * alignment, size + 1) != 0) {
    ++heap->refused;
    return NULL;
  }
  ++heap->allocations;
  ++heap->live;
  heap->bytes += size;
  return heap->misaligned ? (char *)memory + 1 : memory;
}

static void deallocate(void *self, void *memory, size_t size,
                       size_t alignment) {
  Heap *heap = self;
  (void)alignment;
  --heap->live;
  heap->bytes -= size;
  free(heap->misaligned ? (char *)memory - 1 : memory);
}

static void countLines(void *lines, const char *message) {
  CHECK(strlen(message) > 0 && !strchr(message, '\n'));
  ++*(int *)lines;
}

static float x[rows][columns], y[rows][columns], bias[columns];

int main(int argc, char **argv) {
  qccModule module = loadProgram(argc, argv);
  Heap heap = {0, 0, 0, false, false, 0};
  int lines = 0;
  qccContextOptions options = qccContextOptionsInit();
  qccAllocator allocator = qccAllocatorInit();
  allocator.context = &heap;
  allocator.allocate = allocate;
  options.allocator = &allocator;
  qccContext context = NULL;
  CHECK_FAILS(qccContextCreate(module, NULL, &options, &context),
              QCC_STATUS_INVALID_ARGUMENT,
              "one function of the allocator is a null pointer");
  allocator.deallocate = deallocate;
  qccLogHook log = qccLogHookInit();
  log.context = &lines;
  log.log = countLines;
  options.log = &log;
  CHECK_OK(qccContextCreate(module, NULL, &options, &context));
  CHECK(heap.allocations == 0);

  int64_t shape[2] = {rows, columns}, biasShape[1] = {columns};
  DLTensor xs = makeTensor(x, kDLFloat, 32, 2, shape);
  DLTensor biases = makeTensor(bias, kDLFloat, 32, 1, biasShape);
  DLTensor ys = makeTensor(y, kDLFloat, 32, 2, shape);
  DLTensor *arguments[2] = {&xs, &biases}, *results[1] = {&ys};

  // The arena comes from the hook, once.
  CHECK_OK(qccContextRun(context, arguments, 2, results, 1));
  CHECK(heap.allocations == 1);
  CHECK(heap.bytes == rows * columns * sizeof(float));
  CHECK(lines >= 1);
  int before = lines;
  for (int i = 0; i < 10; ++i)
    CHECK_OK(qccContextRun(context, arguments, 2, results, 1));
  CHECK(heap.allocations == 1 && lines == before);

  // So do results, which outlive the context.
  DLManagedTensor *owned = NULL;
  CHECK_OK(qccContextAllocateResults(context, arguments, 2, &owned, 1));
  CHECK(heap.allocations == 2 && heap.live == 2);
  results[0] = &owned->dl_tensor;
  CHECK_OK(qccContextRun(context, arguments, 2, results, 1));
  qccContextDestroy(context);
  CHECK(heap.live == 1);
  owned->deleter(owned);
  CHECK(heap.live == 0 && heap.bytes == 0);
  results[0] = &ys;

  // No memory is a status, and later there may be some.
  context = NULL;
  CHECK_OK(qccContextCreate(module, NULL, &options, &context));
  heap.full = true;
  CHECK_FAILS(qccContextRun(context, arguments, 2, results, 1),
              QCC_STATUS_OUT_OF_MEMORY,
              "temporaries of 'main': the allocator has no 144 bytes");
  owned = NULL;
  CHECK_FAILS(qccContextAllocateResults(context, arguments, 2, &owned, 1),
              QCC_STATUS_OUT_OF_MEMORY,
              "result 0: the allocator has no 144 bytes");
  CHECK(owned == NULL && heap.refused == 2);
  heap.full = false;
  heap.misaligned = true;
  CHECK_FAILS(qccContextRun(context, arguments, 2, results, 1),
              QCC_STATUS_INVALID_ARGUMENT,
              "the allocator returned memory that is not aligned");
  CHECK(heap.live == 0);
  heap.misaligned = false;
  CHECK_OK(qccContextRun(context, arguments, 2, results, 1));
  qccContextDestroy(context);
  CHECK(heap.live == 0);
  qccModuleDestroy(module);
  return finishTest();
}
