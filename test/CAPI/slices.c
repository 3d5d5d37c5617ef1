/*===- slices.c - Runs of slices that lie apart ---------------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/slices %capi/program.so

#include "Check.h"

#include <unistd.h>

enum { rows = 5, columns = 4, pitch = 11, untouched = -7 };

/// Arguments and results are columns of one matrix.
static float matrix[rows][pitch], bias[columns] = {1, 2, 3, 4};
static int64_t xShape[2], yShape[2], biasShape[1] = {columns};
static int64_t xStrides[2], yStrides[2];
static DLTensor xs, biases, ys, *arguments[2] = {&xs, &biases},
                                *results[1] = {&ys};
static qccContext context;
static qccRunOptions options;

static void reset(void) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < pitch; ++j)
      matrix[i][j] = j < columns ? (float)(10 * i + j) : untouched;
  xShape[0] = yShape[0] = rows;
  xShape[1] = yShape[1] = columns;
  xStrides[0] = yStrides[0] = pitch;
  xStrides[1] = yStrides[1] = 1;
  xs = makeTensor(&matrix[0][0], kDLFloat, 32, 2, xShape);
  ys = makeTensor(&matrix[0][5], kDLFloat, 32, 2, yShape);
  biases = makeTensor(bias, kDLFloat, 32, 1, biasShape);
  xs.strides = xStrides;
  ys.strides = yStrides;
  options = qccRunOptionsInit();
  options.flags = QCC_RUN_EACH_SLICE;
}

static qccStatus run(void) {
  return qccContextRunWithOptions(context, arguments, 2, results, 1, &options);
}

/// Row i of the results is that of row `source` of the arguments.
static int isRight(int i, int source) {
  int right = matrix[i][4] == untouched;
  for (int j = 0; j < columns; ++j)
    right &= matrix[i][5 + j] == 2 * (float)(10 * source + j) + bias[j];
  for (int j = 5 + columns; j < pitch; ++j)
    right &= matrix[i][j] == untouched;
  return right;
}

static void strides(void) {
  reset();
  CHECK_OK(run());
  for (int i = 0; i < rows; ++i)
    CHECK(isRight(i, i));
  // Each second row, of the arguments backwards.
  reset();
  xs.data = &matrix[4][0];
  xStrides[0] = yStrides[0] = 2 * pitch;
  xStrides[0] = -2 * pitch;
  xShape[0] = yShape[0] = 3;
  // Spans that overlap are columns of one matrix only with equal strides.
  CHECK_FAILS(run(), QCC_STATUS_INVALID_ARGUMENT,
              "result 0 overlaps the memory of argument 0");
  static float apart[rows][columns];
  ys.data = apart;
  yStrides[0] = columns;
  CHECK_OK(run());
  CHECK(apart[0][0] == 81 && apart[1][0] == 41 && apart[2][0] == 1);
  CHECK(apart[3][0] == 0);
  // One row again and again.
  xStrides[0] = 0;
  CHECK_OK(run());
  CHECK(apart[0][3] == apart[2][3] && apart[2][3] == 90);
  // Compact tensors, without strides.
  reset();
  static float dense[rows][columns];
  for (int i = 0; i < rows * columns; ++i)
    (&dense[0][0])[i] = matrix[i / columns][i % columns];
  xs.data = dense;
  xs.strides = NULL;
  CHECK_OK(run());
  for (int i = 0; i < rows; ++i)
    CHECK(isRight(i, i));
  // No slices.
  xShape[0] = yShape[0] = 0;
  CHECK_OK(run());
}

/// Strides that would write before a result, or lead out of memory.
static void badStrides(void) {
  reset();
  yStrides[0] = -pitch;
  ys.data = &matrix[rows - 1][5];
  CHECK_FAILS(run(), QCC_STATUS_INVALID_ARGUMENT,
              "result 0 has a negative stride of its outermost dimension");
  for (int i = 0; i < rows; ++i)
    CHECK(matrix[i][5] == untouched);
  // Along a dimension of one element any stride will do.
  xShape[0] = yShape[0] = 1;
  CHECK_OK(run());
  reset();
  xStrides[0] = INT64_MAX / 16;
  CHECK_FAILS(run(), QCC_STATUS_INVALID_ARGUMENT,
              "argument 0 has too many elements");
  xStrides[0] = -(INT64_MAX / 64);
  CHECK_FAILS(run(), QCC_STATUS_INVALID_ARGUMENT,
              "argument 0 has slices that lie");
  xStrides[0] = INT64_MIN;
  CHECK_FAILS(run(), QCC_STATUS_INVALID_ARGUMENT,
              "argument 0 has too many elements");
  // Types are looked at where nothing is run as well.
  reset();
  xShape[0] = yShape[0] = 0;
  xs.dtype.bits = 64;
  CHECK_FAILS(run(), QCC_STATUS_INVALID_ARGUMENT,
              "argument 0 has elements of type f64");
}

static void inPlace(qccModule module) {
  qccContext increment = NULL;
  CHECK_OK(qccContextCreate(module, "increment", NULL, &increment));
  int32_t values[6] = {0, 10, 20, 30, 40, 50};
  int64_t shape[1] = {3}, stride[1] = {2};
  DLTensor tensor = makeTensor(values, kDLInt, 32, 1, shape);
  tensor.strides = stride;
  DLTensor *both[1] = {&tensor};
  CHECK_OK(qccContextRunWithOptions(increment, both, 1, both, 1, &options));
  CHECK(values[0] == 1 && values[2] == 21 && values[4] == 41);
  CHECK(values[1] == 10 && values[3] == 30 && values[5] == 50);
  // The result of one slice would be the argument of the next.
  DLTensor shifted = tensor;
  shifted.data = values + 2;
  DLTensor *next[1] = {&shifted};
  CHECK_FAILS(qccContextRunWithOptions(increment, both, 1, next, 1, &options),
              QCC_STATUS_INVALID_ARGUMENT,
              "result 0 overlaps the memory of argument 0");
  // Started runs take the same flag.
  qccRun started = NULL;
  CHECK_OK(
      qccContextStart(increment, both, 1, both, 1, &options, NULL, &started));
  CHECK_OK(qccRunWait(started));
  qccRunDestroy(started);
  CHECK(values[4] == 42);
  qccContextDestroy(increment);
}

static void countStep(void *count, size_t step, const qccStepInfo *info) {
  (void)step;
  CHECK(info->operations == columns || info->operations == 0);
  ++*(int *)count;
  usleep(2000);
}

static void limits(void) {
  reset();
  int count = 0;
  qccStepHook hook = {sizeof(hook), &count, countStep};
  options.step = &hook;
  CHECK_OK(run());
  CHECK(count == 2 * rows);
  // The limit is that of all slices.
  options.timeoutNanoseconds = 7000000;
  CHECK_FAILS(run(), QCC_STATUS_TIMED_OUT, "slice ");
  options.timeoutNanoseconds = 0;
  CHECK_OK(qccCancelTokenCreate(&options.cancel));
  qccCancelTokenCancel(options.cancel);
  CHECK_FAILS(run(), QCC_STATUS_CANCELLED, "slice 0: the run was cancelled");
  qccCancelTokenDestroy(options.cancel);
}

static void refusals(qccModule module) {
  reset();
  CHECK_FAILS(qccContextRun(context, arguments, 2, results, 1),
              QCC_STATUS_INVALID_ARGUMENT,
              "argument 0 has the strides (11, 1), which are not those of a "
              "compact row-major tensor; copy it to compact memory, or run "
              "each slice by itself (an option of runs in C and C++)");
  xStrides[1] = 2;
  CHECK_FAILS(run(), QCC_STATUS_INVALID_ARGUMENT,
              "argument 0 has the strides (11, 2), which are not those of a "
              "compact row-major tensor; copy it to compact memory");
  reset();
  yStrides[0] = columns - 1;
  CHECK_FAILS(run(), QCC_STATUS_INVALID_ARGUMENT,
              "result 0 has slices that overlap one another");
  reset();
  yShape[0] = rows - 1;
  CHECK_FAILS(run(), QCC_STATUS_INVALID_ARGUMENT,
              "result 0 has 4 slices, but the tensors before it have 5");
  reset();
  xShape[1] = columns - 1;
  CHECK_FAILS(run(), QCC_STATUS_INVALID_ARGUMENT,
              "slice 0: argument 0 ('x') is 1x3xf32");
  reset();
  xs.ndim = 1;
  CHECK_FAILS(run(), QCC_STATUS_INVALID_ARGUMENT,
              "argument 0 is 5xf32, but the program wants ?x4xf32");
  reset();
  xs.data = NULL;
  CHECK_FAILS(run(), QCC_STATUS_INVALID_ARGUMENT, "its pointer is null");
  reset();
  xStrides[0] = INT64_MAX / 2;
  CHECK_FAILS(run(), QCC_STATUS_INVALID_ARGUMENT,
              "argument 0 has too many elements");
  reset();
  options.flags |= 1u << 30;
  CHECK_FAILS(run(), QCC_STATUS_UNSUPPORTED, "a flag is set");
  reset();
  DLManagedTensor *owned = NULL;
  CHECK_FAILS(qccContextCall(context, arguments, 2, &owned, 1, &options),
              QCC_STATUS_INVALID_ARGUMENT,
              "results of runs of each slice are not allocated");

  qccContext quantized = NULL;
  CHECK_OK(qccContextCreate(module, "quantized", NULL, &quantized));
  uint8_t x[2][3] = {{0}};
  int8_t y[2][3];
  int64_t shape[2] = {2, 3};
  DLTensor from = makeTensor(x, kDLUInt, 8, 2, shape);
  DLTensor to = makeTensor(y, kDLInt, 8, 2, shape);
  DLTensor *argument[1] = {&from}, *result[1] = {&to};
  CHECK_FAILS(
      qccContextRunWithOptions(quantized, argument, 1, result, 1, &options),
      QCC_STATUS_INVALID_ARGUMENT,
      "no argument of the entry has a dynamic outermost dimension");
  qccContextDestroy(quantized);
  CHECK_OK(qccContextCreate(module, "nothing", NULL, &quantized));
  CHECK_FAILS(qccContextRunWithOptions(quantized, NULL, 0, NULL, 0, &options),
              QCC_STATUS_INVALID_ARGUMENT,
              "the entry has no tensors that have slices");
  qccContextDestroy(quantized);
  reset();
  CHECK_OK(run());
  CHECK(isRight(4, 4));
}

int main(int argc, char **argv) {
  qccModule module = loadProgram(argc, argv);
  CHECK_OK(qccContextCreate(module, "main", NULL, &context));
  strides();
  badStrides();
  inPlace(module);
  limits();
  refusals(module);
  qccContextDestroy(context);
  qccModuleDestroy(module);
  return finishTest();
}
