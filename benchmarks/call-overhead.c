/*===- call-overhead.c - Cost of a small call for a host in C ------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Usage: call-overhead [LIMIT]. Runs the entry `twice` of a kept artifact,   *|
|* which adds each of 8 floats to itself, by the C interface: on the pool of  *|
|* the process, on the calling thread alone, with a time limit, and started   *|
|* and waited for. With a limit in nanoseconds, the exit code is 1 if the     *|
|* median of the first is above.                                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _POSIX_C_SOURCE 199309L

#include "qcc-c/Runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { numFloats = 8, numRounds = 201, numCalls = 1000 };

static float x[numFloats] = {1, 2, 3, 4, 5, 6, 7, 8}, y[numFloats];
static int64_t shape[1] = {numFloats};
static DLTensor xs, ys, *arguments[1] = {&xs}, *results[1] = {&ys};

static void check(qccStatus status) {
  if (!status)
    return;
  fprintf(stderr, "call-overhead: %s\n", qccStatusGetMessage(status));
  exit(2);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void run(qccContext context) {
  check(qccContextRun(context, arguments, 1, results, 1));
}

static void runWithLimit(qccContext context) {
  qccRunOptions options = qccRunOptionsInit();
  options.timeoutNanoseconds = 1000000000;
  check(qccContextRunWithOptions(context, arguments, 1, results, 1, &options));
}

static void startAndWait(qccContext context) {
  qccRun started = NULL;
  check(
      qccContextStart(context, arguments, 1, results, 1, NULL, NULL, &started));
  check(qccRunWait(started));
  qccRunDestroy(started);
}

static int compare(const void *a, const void *b) {
  double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

/// The median over rounds of many calls, in nanoseconds a call.
static double measure(qccModule module, const char *what, int32_t threads,
                      void (*call)(qccContext)) {
  static double times[numRounds];
  qccContextOptions options = qccContextOptionsInit();
  options.threads = threads;
  qccContext context = NULL;
  check(qccContextCreate(module, "twice", &options, &context));
  for (int round = 0; round < numRounds; ++round) {
    double start = now();
    for (int i = 0; i < numCalls; ++i)
      call(context);
    times[round] = (now() - start) / numCalls;
  }
  qccContextDestroy(context);
  qsort(times, numRounds, sizeof(times[0]), compare);
  printf("%-24s %8.0f ns a call (median), %8.0f ns (10%% quantile)\n", what,
         times[numRounds / 2], times[numRounds / 10]);
  return times[numRounds / 2];
}

int main(int argc, char **argv) {
  double limit = argc > 1 ? atof(argv[1]) : 0;
  qccModule module = NULL;
  check(qccModuleLoadFile(QCC_BENCH_ARTIFACT, NULL, &module));
  for (size_t i = 0; i < 2; ++i) {
    DLTensor *tensor = i == 0 ? &xs : &ys;
    tensor->data = i == 0 ? x : y;
    tensor->device.device_type = kDLCPU;
    tensor->dtype.code = kDLFloat;
    tensor->dtype.bits = 32;
    tensor->dtype.lanes = 1;
    tensor->ndim = 1;
    tensor->shape = shape;
  }
  double median = measure(module, "pool of the process", 0, run);
  measure(module, "one thread", 1, run);
  measure(module, "with a time limit", 0, runWithLimit);
  measure(module, "started, waited for", 0, startAndWait);
  qccModuleDestroy(module);
  return limit > 0 && median > limit;
}
