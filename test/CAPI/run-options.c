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

/// Told of the steps of main.
typedef struct Steps {
  qccContext other; ///< Runs within the hook.
  size_t next;
  int64_t operations, nanoseconds;
  int wrong;
} Steps;

static void seeStep(void *self, size_t step, const qccStepInfo *info) {
  Steps *steps = self;
  static const char *const names[] = {"main.twice", "main.add"};
  steps->wrong += step != steps->next || strcmp(info->name, names[step]) != 0;
  if (step == 0)
    steps->operations = info->operations;
  steps->nanoseconds += info->nanoseconds;
  ++steps->next;
  // A run that needs threads of the pool which this run has.
  int32_t y[3] = {0};
  DLTensor xs = makeTensor(x, kDLInt, 32, 1, shape);
  DLTensor ys = makeTensor(y, kDLInt, 32, 1, shape);
  DLTensor *arguments[1] = {&xs}, *results[1] = {&ys};
  CHECK_OK(qccContextRun(steps->other, arguments, 1, results, 1));
  steps->wrong += y[2] != 4;
}

static void stepsOfRuns(qccModule module) {
  float values[5][4] = {{1, 2, 3}}, bias[4] = {1}, y[5][4];
  int64_t rows[2] = {5, 4}, columns[1] = {4};
  DLTensor xs = makeTensor(values, kDLFloat, 32, 2, rows);
  DLTensor biases = makeTensor(bias, kDLFloat, 32, 1, columns);
  DLTensor ys = makeTensor(y, kDLFloat, 32, 2, rows);
  DLTensor *arguments[2] = {&xs, &biases}, *results[1] = {&ys};
  qccThreadPool pool = NULL;
  CHECK_OK(qccThreadPoolCreate(2, &pool));
  qccContextOptions options = qccContextOptionsInit();
  options.pool = pool;
  qccContext context = NULL;
  Steps steps = {NULL, 0, 0, 0, 0};
  CHECK_OK(qccContextCreate(module, "main", &options, &context));
  CHECK_OK(qccContextCreate(module, "increment", &options, &steps.other));
  qccStepHook hook = qccStepHookInit();
  hook.context = &steps;
  hook.afterStep = seeStep;
  qccRunOptions run = qccRunOptionsInit();
  run.step = &hook;
  CHECK_OK(qccContextRunWithOptions(context, arguments, 2, results, 1, &run));
  CHECK(steps.next == 2 && steps.wrong == 0 && steps.operations == 20);
  CHECK(steps.nanoseconds == 0);
  // The hook and the profile are those of one run.
  qccStepInfo info = qccStepInfoInit();
  steps.next = 0;
  run.profile = true;
  CHECK_OK(qccContextRunWithOptions(context, arguments, 2, results, 1, &run));
  CHECK(steps.next == 2 && steps.wrong == 0 && steps.nanoseconds > 0);
  CHECK_OK(qccContextGetStep(context, 0, &info));
  CHECK(info.nanoseconds > 0);
  CHECK_OK(qccContextRun(context, arguments, 2, results, 1));
  CHECK_OK(qccContextGetStep(context, 0, &info));
  CHECK(steps.next == 2 && info.nanoseconds == 0);
  hook.size = 1;
  CHECK_FAILS(qccContextRunWithOptions(context, arguments, 2, results, 1, &run),
              QCC_STATUS_INVALID_ARGUMENT, "`size` of a structure is 1");
  qccContextDestroy(context);
  qccContextDestroy(steps.other);
  qccThreadPoolDestroy(pool);
}

static void versionedResults(qccContext context) {
  DLTensor xs = makeTensor(x, kDLInt, 32, 1, shape);
  DLTensor *arguments[1] = {&xs}, *view = NULL;
  DLManagedTensorVersioned *results[2] = {NULL, NULL};
  CHECK_OK(qccContextCallVersioned(context, arguments, 1, results, 1, NULL));
  CHECK_OK(qccContextAllocateResultsVersioned(context, arguments, 1,
                                              results + 1, 1));
  for (int i = 0; i < 2; ++i) {
    CHECK(results[i]->version.major == DLPACK_MAJOR_VERSION);
    CHECK(results[i]->version.minor == DLPACK_MINOR_VERSION);
    CHECK(results[i]->flags == 0 && results[i]->dl_tensor.shape[0] == 3);
    CHECK(results[i]->dl_tensor.strides[0] == 1);
  }
  CHECK(((int32_t *)results[0]->dl_tensor.data)[2] == 4);

  // As tensors of another library: the result of one run goes into another.
  DLTensor *given[1] = {NULL}, *written[1] = {NULL};
  CHECK_OK(qccTensorGetView(results[0], false, given));
  CHECK_OK(qccTensorGetView(results[1], true, written));
  CHECK_OK(qccContextRun(context, given, 1, written, 1));
  CHECK(((int32_t *)results[1]->dl_tensor.data)[2] == 5);
  results[1]->flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  CHECK_OK(qccTensorGetView(results[1], false, &view));
  CHECK(view == &results[1]->dl_tensor);
  CHECK_FAILS(qccTensorGetView(results[1], true, &view),
              QCC_STATUS_INVALID_ARGUMENT, "the tensor is read-only");
  results[1]->version.major = 2;
  CHECK_FAILS(qccTensorGetView(results[1], false, &view),
              QCC_STATUS_UNSUPPORTED, "the tensor is of version 2 of DLPack");
  CHECK_FAILS(qccTensorGetView(NULL, false, &view), QCC_STATUS_INVALID_ARGUMENT,
              "the tensor is a null pointer");
  results[0]->deleter(results[0]);
  results[1]->deleter(results[1]);
  results[0] = NULL;
  CHECK_FAILS(qccContextCallVersioned(context, arguments, 0, results, 1, NULL),
              QCC_STATUS_INVALID_ARGUMENT, "but the call has 0");
  CHECK(results[0] == NULL);
}

int main(int argc, char **argv) {
  qccModule module = loadProgram(argc, argv);
  qccContext context = NULL;
  CHECK_OK(qccContextCreate(module, "increment", NULL, &context));
  runsWithOptions(context);
  calls(context);
  versionedResults(context);
  stepsOfRuns(module);
  qccContextDestroy(context);
  qccModuleDestroy(module);
  return finishTest();
}
