/*===- start-run.c - Start a run, and do something else meanwhile ---------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Usage: start-run MODEL.so                                                  *|
|*                                                                            *|
|* Runs the entry that adds to integers (`increment`) again and again on the  *|
|* same memory: the caller waits for the first run, and each run that ends    *|
|* starts the next.                                                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <qcc-c/Runtime.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { numRuns = 100 };

/* What the completion hook needs. */
typedef struct Chain {
  qccContext context;
  DLTensor tensor;
  atomic_int numDone;
} Chain;

static void check(qccStatus status) {
  if (!status)
    return;
  fprintf(stderr, "start-run: %s\n", qccStatusGetMessage(status));
  qccStatusDestroy(status);
  exit(1);
}

/* Called by the thread of the run; the context is free by then. */
static void startNext(void *self, qccStatus status) {
  Chain *chain = (Chain *)self;
  if (status) {
    fprintf(stderr, "start-run: %s\n", qccStatusGetMessage(status));
    exit(1);
  }
  if (atomic_fetch_add(&chain->numDone, 1) + 1 == numRuns)
    return;
  qccCompletionHook completion = qccCompletionHookInit();
  completion.context = chain;
  completion.done = startNext;
  DLTensor *tensors[1] = {&chain->tensor};
  check(qccContextStart(chain->context, tensors, 1, tensors, 1, NULL,
                        &completion, NULL));
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: start-run MODEL.so\n");
    return 2;
  }
  qccModule module = NULL;
  check(qccModuleLoadFile(argv[1], NULL, &module));
  static Chain chain;
  check(qccContextCreate(module, "increment", NULL, &chain.context));
  int32_t values[4] = {0, 10, 20, 30};
  int64_t shape[1] = {4};
  chain.tensor.data = values;
  chain.tensor.device.device_type = kDLCPU;
  chain.tensor.dtype.code = kDLInt;
  chain.tensor.dtype.bits = 32;
  chain.tensor.dtype.lanes = 1;
  chain.tensor.ndim = 1;
  chain.tensor.shape = shape;

  /* A run for which the caller waits, up to ten seconds. */
  DLTensor *tensors[1] = {&chain.tensor};
  qccRunOptions options = qccRunOptionsInit();
  options.timeoutNanoseconds = 10000000000;
  qccRun run = NULL;
  check(qccContextStart(chain.context, tensors, 1, tensors, 1, &options, NULL,
                        &run));
  printf("the run goes on by itself\n");
  check(qccRunWait(run));
  qccRunDestroy(run);
  printf("after one run: %d %d\n", (int)values[0], (int)values[3]);

  /* Runs that start one another. Destroying the context waits for the last. */
  startNext(&chain, NULL);
  while (atomic_load(&chain.numDone) < numRuns)
    usleep(100);
  qccContextDestroy(chain.context);
  qccModuleDestroy(module);
  printf("after %d runs: %d %d\n", numRuns, (int)values[0], (int)values[3]);
  return 0;
}
