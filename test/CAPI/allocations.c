/*===- allocations.c - Runs that leave the heap alone
----------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The allocator hook does not see what the library itself takes from the C   *|
|* library's heap, so malloc is replaced by one that counts.                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/allocations %capi/program.so
// The sanitizer has a malloc of its own.
// UNSUPPORTED: sanitizer

#include "Check.h"

#include <stdatomic.h>

extern void *__libc_malloc(size_t size);

static atomic_long mallocs;

__attribute__((visibility("default"))) void *malloc(size_t size) {
  atomic_fetch_add(&mallocs, 1);
  return __libc_malloc(size);
}

int main(int argc, char **argv) {
  qccModule module = loadProgram(argc, argv);
  CHECK(mallocs > 0);
  for (int threads = 1; threads <= 2; ++threads) {
    qccContextOptions options = qccContextOptionsInit();
    options.threads = threads;
    options.profile = true;
    qccContext context = NULL;
    CHECK_OK(qccContextCreate(module, NULL, &options, &context));
    float x[3][4] = {{0}}, y[3][4], bias[4] = {0};
    int64_t shape[2] = {3, 4}, biasShape[1] = {4};
    DLTensor xs = makeTensor(x, kDLFloat, 32, 2, shape);
    DLTensor biases = makeTensor(bias, kDLFloat, 32, 1, biasShape);
    DLTensor ys = makeTensor(y, kDLFloat, 32, 2, shape);
    DLTensor *arguments[2] = {&xs, &biases}, *results[1] = {&ys};
    CHECK_OK(qccContextRun(context, arguments, 2, results, 1));
    long before = mallocs;
    for (int i = 0; i < 1000; ++i)
      CHECK_OK(qccContextRun(context, arguments, 2, results, 1));
    CHECK(mallocs == before);
    qccContextDestroy(context);
  }
  qccModuleDestroy(module);
  return finishTest();
}
