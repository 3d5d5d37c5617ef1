/*===- run-options.c - Options of one run, and calls that allocate --------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/run-options %capi/program.so

#include "Check.h"

static int32_t x[3] = {1, 2, 3};
static int64_t shape[1] = {3}, wrongShape[1] = {2};

static void runsWithOptions(qccContext context) {
  int32_t y[3] = {0};
  DLTensor xs = makeTensor(x, kDLInt, 32, 1, shape);
  DLTensor ys = makeTensor(y, kDLInt, 32, 1, shape);
  DLTensor *arguments[1] = {&xs}, *results[1] = {&ys};
  CHECK_OK(qccContextRunWithOptions(context, arguments, 1, results, 1, NULL));
  CHECK(y[2] == 4);

  qccRunOptions options = qccRunOptionsInit();
  CHECK_OK(qccCancelTokenCreate(&options.cancel));
  options.timeoutNanoseconds = INT64_MAX;
  y[2] = 0;
  CHECK_OK(
      qccContextRunWithOptions(context, arguments, 1, results, 1, &options));
  CHECK(y[2] == 4);
  // The token is that of one run.
  qccCancelTokenCancel(options.cancel);
  CHECK_FAILS(
      qccContextRunWithOptions(context, arguments, 1, results, 1, &options),
      QCC_STATUS_CANCELLED,
      "the run was cancelled before the end of step 1 of 1");
  CHECK_OK(qccContextRun(context, arguments, 1, results, 1));
  qccCancelTokenReset(options.cancel);
  options.timeoutNanoseconds = -5;
  CHECK_FAILS(
      qccContextRunWithOptions(context, arguments, 1, results, 1, &options),
      QCC_STATUS_INVALID_ARGUMENT, "the time limit of the run is negative");
  // The clock has moved on by the first step.
  options.timeoutNanoseconds = 1;
  CHECK_FAILS(
      qccContextRunWithOptions(context, arguments, 1, results, 1, &options),
      QCC_STATUS_TIMED_OUT, "the time limit of the run passed");
  CHECK(strcmp(qccStatusCodeGetName(QCC_STATUS_TIMED_OUT), "timed out") == 0);
  options.size = 0;
  CHECK_FAILS(
      qccContextRunWithOptions(context, arguments, 1, results, 1, &options),
      QCC_STATUS_INVALID_ARGUMENT, "`size` of a structure is 0");
  qccCancelTokenDestroy(options.cancel);
}

static void calls(qccContext context) {
  DLTensor xs = makeTensor(x, kDLInt, 32, 1, shape);
  DLTensor *arguments[1] = {&xs};
  DLManagedTensor *results[1] = {NULL};
  CHECK_OK(qccContextCall(context, arguments, 1, results, 1, NULL));
  CHECK(results[0] != NULL);
  const DLTensor *y = &results[0]->dl_tensor;
  CHECK(y->ndim == 1 && y->shape[0] == 3 && y->dtype.code == kDLInt);
  const int32_t *values = (const int32_t *)y->data;
  CHECK(values[0] == 2 && values[1] == 3 && values[2] == 4);
  results[0]->deleter(results[0]);

  // What fails leaves nothing.
  results[0] = NULL;
  qccRunOptions options = qccRunOptionsInit();
  CHECK_OK(qccCancelTokenCreate(&options.cancel));
  qccCancelTokenCancel(options.cancel);
  CHECK_FAILS(qccContextCall(context, arguments, 1, results, 1, &options),
              QCC_STATUS_CANCELLED, "");
  CHECK(results[0] == NULL);
  qccCancelTokenDestroy(options.cancel);
  CHECK_FAILS(qccContextCall(context, arguments, 1, results, 2, NULL),
              QCC_STATUS_INVALID_ARGUMENT,
              "the entry has 1 results, but the call has 2");
  CHECK_FAILS(qccContextCall(context, arguments, 1, NULL, 1, NULL),
              QCC_STATUS_INVALID_ARGUMENT,
              "the array of results is a null pointer");
  CHECK_FAILS(qccContextCall(context, arguments, 0, results, 1, NULL),
              QCC_STATUS_INVALID_ARGUMENT,
              "the entry has 1 arguments, but the call has 0");
  CHECK_FAILS(qccContextCall(NULL, arguments, 1, results, 1, NULL),
              QCC_STATUS_INVALID_ARGUMENT, "the context is a null pointer");
  xs.shape = wrongShape;
  xs.dtype.bits = 8;
  CHECK_FAILS(qccContextCall(context, arguments, 1, results, 1, NULL),
              QCC_STATUS_INVALID_ARGUMENT, "has elements of type i8");
  CHECK(results[0] == NULL);
}

int main(int argc, char **argv) {
  qccModule module = loadProgram(argc, argv);
  qccContext context = NULL;
  CHECK_OK(qccContextCreate(module, "increment", NULL, &context));
  runsWithOptions(context);
  calls(context);
  qccContextDestroy(context);
  qccModuleDestroy(module);
  return finishTest();
}
