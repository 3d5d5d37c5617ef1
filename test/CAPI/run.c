/*===- run.c - Planning, running, results
----------------------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/run %capi/program.so

#include "Check.h"

enum { rows = 5, columns = 4 };

static float x[rows][columns], y[rows][columns];
static float bias[columns] = {1, 2, 3, 4};
static int64_t rowsShape[2] = {rows, columns}, biasShape[1] = {columns};

static qccContext createContext(qccModule module, const char *entry,
                                const qccContextOptions *options) {
  qccContext context = NULL;
  CHECK_OK(qccContextCreate(module, entry, options, &context));
  if (!context)
    exit(finishTest());
  return context;
}

static int isRight(const float *result, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (result[i] != 2 * (&x[0][0])[i] + bias[i % columns])
      return 0;
  return 1;
}

static void runMain(qccModule module) {
  qccContextOptions options = qccContextOptionsInit();
  options.threads = 2;
  options.profile = true;
  qccContext context = createContext(module, NULL, &options);
  DLTensor xs = makeTensor(x, kDLFloat, 32, 2, rowsShape);
  DLTensor biases = makeTensor(bias, kDLFloat, 32, 1, biasShape);
  DLTensor ys = makeTensor(y, kDLFloat, 32, 2, rowsShape);
  DLTensor *arguments[2] = {&xs, &biases}, *results[1] = {&ys};

  // Sizes before any are planned.
  int64_t shape[2] = {-7, -7};
  CHECK_FAILS(qccContextGetResultShape(context, 0, shape, 2),
              QCC_STATUS_INVALID_ARGUMENT, "the sizes are not known yet");
  CHECK(shape[0] == -7);
  qccStepInfo step = qccStepInfoInit();
  CHECK_OK(qccContextGetStep(context, 0, &step));
  CHECK(step.operations == -1 && step.bytes == 8 && step.nanoseconds == 0);

  CHECK_OK(qccContextPlan(context, arguments, 2));
  CHECK_OK(qccContextGetResultShape(context, 0, shape, 2));
  CHECK(shape[0] == rows && shape[1] == columns);

  CHECK_OK(qccContextRun(context, arguments, 2, results, 1));
  CHECK(isRight(&y[0][0], rows * columns));
  CHECK_OK(qccContextGetStep(context, 0, &step));
  CHECK(strcmp(step.name, "main.twice") == 0);
  CHECK(strcmp(step.layer, "dense1") == 0);
  CHECK(strcmp(step.location, "model.mlir:3:8") == 0);
  CHECK(step.operations == rows * columns && step.nanoseconds > 0);
  CHECK(step.parallel);
  CHECK_OK(qccContextGetStep(context, 1, &step));
  CHECK(strcmp(step.layer, "") == 0 && strcmp(step.location, "") == 0);
  CHECK_FAILS(qccContextGetStep(context, 2, &step), QCC_STATUS_INVALID_ARGUMENT,
              "there is no step 2; the entry has 2");
  qccContextInfo info = qccContextInfoInit();
  CHECK_OK(qccContextGetInfo(context, &info));
  CHECK(strcmp(info.entry, "main") == 0 && info.threads == 2);
  CHECK(info.numSteps == 2);
  CHECK(info.weightBytes == 0);
  CHECK(info.arenaBytes == rows * columns * (int64_t)sizeof(float));

  // Other shapes, compact strides, an offset.
  int64_t two[2] = {2, columns}, strides[2] = {columns, 1};
  xs.shape = ys.shape = two;
  xs.strides = strides;
  ys.byte_offset = 2 * sizeof(y[0]);
  memset(y, 0, sizeof(y));
  CHECK_OK(qccContextRun(context, arguments, 2, results, 1));
  CHECK(y[1][0] == 0 && isRight(y[2], 2 * columns) && y[4][0] == 0);
  CHECK_OK(qccContextGetResultShape(context, 0, shape, 2));
  CHECK(shape[0] == 2);
  CHECK_FAILS(qccContextGetResultShape(context, 1, shape, 2),
              QCC_STATUS_INVALID_ARGUMENT, "there is no result 1");
  CHECK_FAILS(qccContextGetResultShape(context, 0, shape, 1),
              QCC_STATUS_INVALID_ARGUMENT, "there is room for 1 dimensions");
  CHECK_FAILS(qccContextGetResultShape(context, 0, NULL, 2),
              QCC_STATUS_INVALID_ARGUMENT, "dimensions is a null pointer");
  qccContextDestroy(context);
}

static void zeroSizes(qccModule module) {
  qccContext context = createContext(module, NULL, NULL);
  int64_t shape[2] = {0, columns}, anyStrides[2] = {99, 99};
  DLTensor xs = makeTensor(NULL, kDLFloat, 32, 2, shape);
  xs.strides = anyStrides;
  DLTensor biases = makeTensor(bias, kDLFloat, 32, 1, biasShape);
  DLTensor ys = makeTensor(NULL, kDLFloat, 32, 2, shape);
  DLTensor *arguments[2] = {&xs, &biases}, *results[1] = {&ys};
  CHECK_OK(qccContextRun(context, arguments, 2, results, 1));
  DLManagedTensor *owned = NULL;
  CHECK_OK(qccContextAllocateResults(context, arguments, 2, &owned, 1));
  CHECK(owned && owned->dl_tensor.shape[0] == 0);
  results[0] = &owned->dl_tensor;
  CHECK_OK(qccContextRun(context, arguments, 2, results, 1));
  owned->deleter(owned);
  qccContextDestroy(context);

  context = createContext(module, "nothing", NULL);
  CHECK_OK(qccContextRun(context, NULL, 0, NULL, 0));
  CHECK_OK(qccContextAllocateResults(context, NULL, 0, NULL, 0));
  qccContextDestroy(context);
}

static void inPlace(qccModule module) {
  qccContext context = createContext(module, "increment", NULL);
  int32_t values[3] = {1, 2, 3}, others[3] = {0};
  int64_t shape[1] = {3};
  DLTensor tensor = makeTensor(values, kDLInt, 32, 1, shape);
  DLTensor other = makeTensor(others, kDLInt, 32, 1, shape);
  DLTensor *argument[1] = {&tensor}, *result[1] = {&other};
  CHECK_OK(qccContextRun(context, argument, 1, result, 1));
  CHECK(values[2] == 3 && others[2] == 4);
  CHECK_OK(qccContextRun(context, argument, 1, argument, 1));
  CHECK(values[0] == 2 && values[2] == 4);
  qccContextDestroy(context);
}

static void failingSteps(qccModule module) {
  qccContext context = createContext(module, "refuse", NULL);
  int32_t values[3] = {0}, others[3];
  int64_t shape[1] = {3};
  DLTensor tensor = makeTensor(values, kDLInt, 32, 1, shape);
  DLTensor other = makeTensor(others, kDLInt, 32, 1, shape);
  DLTensor *argument[1] = {&tensor}, *result[1] = {&other};
  for (int i = 0; i < 2; ++i)
    CHECK_FAILS(qccContextRun(context, argument, 1, result, 1),
                QCC_STATUS_KERNEL_FAILED,
                "step 'refuse.step0' failed: the table of steps is only a "
                "test");
  qccContextDestroy(context);
}

/// Results outlive context and module.
static void ownedResults(qccModule module) {
  qccContext context = createContext(module, "main", NULL);
  DLTensor xs = makeTensor(x, kDLFloat, 32, 2, rowsShape);
  DLTensor biases = makeTensor(bias, kDLFloat, 32, 1, biasShape);
  DLTensor *arguments[2] = {&xs, &biases};
  DLManagedTensor *owned = NULL;
  CHECK_OK(qccContextAllocateResults(context, arguments, 2, &owned, 1));
  DLTensor *results[1] = {&owned->dl_tensor};
  CHECK_OK(qccContextRun(context, arguments, 2, results, 1));
  qccContextDestroy(context);
  qccModuleDestroy(module);

  DLTensor result = owned->dl_tensor;
  CHECK(result.ndim == 2 && result.shape[0] == rows);
  CHECK(result.strides[0] == columns && result.strides[1] == 1);
  CHECK(result.dtype.code == kDLFloat && result.dtype.bits == 32);
  CHECK(result.dtype.lanes == 1 && result.byte_offset == 0);
  CHECK(result.device.device_type == kDLCPU && result.device.device_id == 0);
  CHECK((uintptr_t)result.data % 64 == 0);
  CHECK(isRight(result.data, rows * columns));
  owned->deleter(owned);
}

int main(int argc, char **argv) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      x[i][j] = (float)(10 * i + j);
  qccModule module = loadProgram(argc, argv);
  runMain(module);
  zeroSizes(module);
  inPlace(module);
  failingSteps(module);
  ownedResults(module);
  return finishTest();
}
