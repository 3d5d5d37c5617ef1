/*===- tensors.c - Refusals of a call ------------------------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/tensors %capi/program.so

#include "Check.h"

enum { rows = 5, columns = 4 };

/// A good call of main, of which each test spoils something.
typedef struct Call {
  float x[rows][columns], y[rows][columns], bias[columns];
  int64_t xShape[2], biasShape[1], yShape[2];
  DLTensor xs, biases, ys;
  DLTensor *arguments[2], *results[1];
} Call;

static qccContext context;

static void reset(Call *call) {
  memset(call, 0, sizeof(*call));
  call->xShape[0] = call->yShape[0] = rows;
  call->xShape[1] = call->yShape[1] = call->biasShape[0] = columns;
  call->xs = makeTensor(call->x, kDLFloat, 32, 2, call->xShape);
  call->biases = makeTensor(call->bias, kDLFloat, 32, 1, call->biasShape);
  call->ys = makeTensor(call->y, kDLFloat, 32, 2, call->yShape);
  call->arguments[0] = &call->xs;
  call->arguments[1] = &call->biases;
  call->results[0] = &call->ys;
}

#define RUN(call)                                                              \
  qccContextRun(context, (call)->arguments, 2, (call)->results, 1)

/// The call is refused with this text, and the next good one is not.
#define CHECK_REFUSED(call, text)                                              \
  do {                                                                         \
    CHECK_FAILS(RUN(call), QCC_STATUS_INVALID_ARGUMENT, text);                 \
    reset(call);                                                               \
    CHECK_OK(RUN(call));                                                       \
  } while (0)

static void counts(Call *call) {
  CHECK_FAILS(qccContextRun(context, call->arguments, 1, call->results, 1),
              QCC_STATUS_INVALID_ARGUMENT,
              "the entry has 2 arguments, but the call has 1");
  CHECK_FAILS(qccContextRun(context, call->arguments, 2, call->results, 0),
              QCC_STATUS_INVALID_ARGUMENT,
              "the entry has 1 results, but the call has 0");
  CHECK_FAILS(qccContextRun(context, NULL, 2, call->results, 1),
              QCC_STATUS_INVALID_ARGUMENT,
              "the array of arguments is a null pointer");
  CHECK_FAILS(qccContextRun(context, call->arguments, 2, NULL, 1),
              QCC_STATUS_INVALID_ARGUMENT,
              "the array of results is a null pointer");
  CHECK_FAILS(qccContextPlan(context, call->arguments, 1),
              QCC_STATUS_INVALID_ARGUMENT, "but the call has 1");
  DLManagedTensor *results[2];
  CHECK_FAILS(
      qccContextAllocateResults(context, call->arguments, 2, results, 2),
      QCC_STATUS_INVALID_ARGUMENT,
      "the entry has 1 results, but the call has 2");
  CHECK_FAILS(qccContextAllocateResults(context, call->arguments, 2, NULL, 1),
              QCC_STATUS_INVALID_ARGUMENT,
              "the array of results is a null pointer");
}

static void nullPointers(Call *call) {
  call->arguments[1] = NULL;
  CHECK_REFUSED(call, "argument 1 is a null pointer");
  call->results[0] = NULL;
  CHECK_REFUSED(call, "result 0 is a null pointer");
  call->xs.shape = NULL;
  CHECK_REFUSED(call, "argument 0 has no shape: its pointer is null");
  call->xs.data = NULL;
  CHECK_REFUSED(call, "argument 0 ('x') has no data: its pointer is null");
  call->xs.data = NULL;
  call->xs.byte_offset = 64;
  CHECK_REFUSED(call, "argument 0 ('x') has no data: its pointer is null");
  call->ys.data = NULL;
  CHECK_REFUSED(call, "result 0 has no data: its pointer is null");
}

static void elementTypes(Call *call) {
  call->xs.dtype.code = kDLInt;
  CHECK_REFUSED(call, "argument 0 ('x') has elements of type i32, but the "
                      "program wants f32");
  call->ys.dtype.bits = 16;
  CHECK_REFUSED(call, "result 0 has elements of type f16, but the program "
                      "wants f32");
  call->biases.dtype.code = kDLComplex;
  CHECK_REFUSED(call, "argument 1 ('bias') has elements of type type code 5");
  call->xs.dtype.lanes = 4;
  CHECK_REFUSED(call, "argument 0 has elements of 4 lanes");
}

static void shapes(Call *call) {
  call->xShape[1] = 3;
  CHECK_REFUSED(call, "argument 0 ('x') is 5x3xf32, but the program wants "
                      "?x4xf32: dimension 1 must be 4");
  call->xs.ndim = 1;
  CHECK_REFUSED(call, "of rank 1, but the program wants ?x4xf32, of rank 2");
  call->xShape[0] = -1;
  CHECK_REFUSED(call, "which has a negative dimension");
  call->xShape[0] = INT64_MAX / 2;
  CHECK_REFUSED(call, "or too many elements");
  call->xs.ndim = -1;
  CHECK_REFUSED(call, "argument 0 has -1 dimensions; a tensor has 0 to 64");
  call->xs.ndim = 65;
  CHECK_REFUSED(call, "argument 0 has 65 dimensions; a tensor has 0 to 64");
  call->yShape[0] = 4;
  CHECK_REFUSED(call, "result 0 is 4x4xf32, but for these inputs it must be "
                      "5x4xf32");
  call->xShape[0] = call->yShape[0] = 1001;
  CHECK_REFUSED(call, "the program cannot run with these shapes: at most 1000 "
                      "rows fit");
}

static void strides(Call *call) {
  int64_t wide[2] = {8, 1}, transposed[2] = {1, rows}, row[2] = {77, 1},
          repeated[2] = {0, 1}, backwards[2] = {-4, 1};
  call->xs.strides = wide;
  CHECK_REFUSED(call, "argument 0 has the strides (8, 1), which are not those "
                      "of a compact row-major tensor; copy it");
  call->ys.strides = transposed;
  CHECK_REFUSED(call, "result 0 has the strides (1, 5)");
  call->xs.strides = repeated;
  CHECK_REFUSED(call, "argument 0 has the strides (0, 1)");
  call->xs.strides = backwards;
  CHECK_REFUSED(call, "argument 0 has the strides (-4, 1)");

  // Along a dimension of one element any stride will do.
  call->xs.strides = call->ys.strides = row;
  call->xShape[0] = call->yShape[0] = 1;
  CHECK_OK(RUN(call));
  reset(call);
}

static void memory(Call *call) {
  call->xs.device.device_type = kDLCUDA;
  CHECK_REFUSED(call,
                "argument 0 ('x') is on a device of DLPack's type 2, but the "
                "program runs on the CPU; copy it to host memory");
  call->ys.device.device_type = kDLROCM;
  CHECK_REFUSED(call, "result 0 is on a device of DLPack's type 10");
  call->xs.byte_offset = 2;
  CHECK_REFUSED(call, "argument 0 ('x') is not aligned to its elements");
  // Sums of pointer and offset that overflow, or lead where no memory can be.
  call->xs.byte_offset = UINT64_MAX - 3;
  CHECK_REFUSED(call, "argument 0 has the byte_offset 18446744073709551612 and "
                      "the type and shape 5x4xf32, which lead out of memory");
  call->ys.byte_offset = (uint64_t)1 << 63;
  CHECK_REFUSED(call, "result 0 has the byte_offset 9223372036854775808");
  call->ys.byte_offset = INT64_MAX - (uint64_t)(uintptr_t)call->y;
  CHECK_REFUSED(call, "result 0 has the byte_offset");
  call->xs.data = (void *)(uintptr_t)(INTPTR_MAX - 15);
  CHECK_REFUSED(call, "argument 0 has the byte_offset 0 and the type");
  call->ys.data = call->x;
  CHECK_REFUSED(call, "result 0 overlaps the memory of argument 0 ('x'), which "
                      "the program does not compute in place");
  call->ys.data = &call->x[1];
  CHECK_REFUSED(call, "result 0 overlaps the memory of argument 0 ('x')");
  call->biases.data = &call->y[rows - 1];
  CHECK_REFUSED(call, "result 0 overlaps the memory of argument 1 ('bias')");
}

/// In place is the very same memory, not memory that is shifted.
static void shiftedInPlace(qccModule module) {
  qccContext increment = NULL;
  CHECK_OK(qccContextCreate(module, "increment", NULL, &increment));
  int32_t values[4] = {0};
  int64_t shape[1] = {3};
  DLTensor from = makeTensor(values, kDLInt, 32, 1, shape);
  DLTensor to = makeTensor(values + 1, kDLInt, 32, 1, shape);
  DLTensor *arguments[1] = {&from}, *results[1] = {&to};
  CHECK_FAILS(qccContextRun(increment, arguments, 1, results, 1),
              QCC_STATUS_INVALID_ARGUMENT,
              "result 0 overlaps the memory of argument 0");
  qccContextDestroy(increment);
}

static void options(qccModule module) {
  qccContext other = NULL;
  qccContextOptions options = qccContextOptionsInit();
  CHECK_FAILS(qccContextCreate(module, "other", NULL, &other),
              QCC_STATUS_NOT_FOUND, "the program has no entry 'other'");
  CHECK_FAILS(qccContextCreate(module, NULL, NULL, NULL),
              QCC_STATUS_INVALID_ARGUMENT,
              "the handle of the context is a null pointer");
  options.threads = -1;
  CHECK_FAILS(qccContextCreate(module, NULL, &options, &other),
              QCC_STATUS_INVALID_ARGUMENT, "number of threads is negative");
  options.threads = 1 << 20;
  CHECK_FAILS(qccContextCreate(module, NULL, &options, &other),
              QCC_STATUS_INVALID_ARGUMENT, "a pool of 1048576 threads");
  options.size = 3;
  CHECK_FAILS(qccContextCreate(module, NULL, &options, &other),
              QCC_STATUS_INVALID_ARGUMENT, "`size` of a structure is 3");
  CHECK(other == NULL);
}

int main(int argc, char **argv) {
  qccModule module = loadProgram(argc, argv);
  CHECK_OK(qccContextCreate(module, "main", NULL, &context));
  static Call call;
  reset(&call);
  CHECK_OK(RUN(&call));
  counts(&call);
  nullPointers(&call);
  elementTypes(&call);
  shapes(&call);
  strides(&call);
  memory(&call);
  qccContextDestroy(context);
  shiftedInPlace(module);
  options(module);
  qccModuleDestroy(module);
  return finishTest();
}
