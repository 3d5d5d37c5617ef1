/*===- compile-weights.c - Weights from the caller's memory ---------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* By tensors and by a hook, and what is said where they do not fit.          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/compile-weights
// REQUIRES: compiler, x86-64-v3

#include "qcc-c/Compiler.h"

#include "Check.h"

enum { columns = 40 };

static const char program[] =
    "func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {\n"
    "  %a = arith.constant dense_resource<a> : tensor<40xf32>\n"
    "  %b = arith.constant dense_resource<b> : tensor<40xf32>\n"
    "  %y = arith.mulf %x, %a : tensor<40xf32>\n"
    "  %z = arith.addf %y, %b : tensor<40xf32>\n"
    "  return %z : tensor<40xf32>\n"
    "}\n";

static float a[columns], b[columns];

static qccStatus compileProgram(const qccCompileOptions *options,
                                qccArtifact *artifact) {
  return qccCompileText(program, strlen(program), options, artifact);
}

/// Runs what was compiled, with weights as above.
static void checkArtifact(qccArtifact artifact) {
  float x[columns], y[columns];
  for (int i = 0; i < columns; ++i)
    x[i] = (float)i;
  int64_t shape[1] = {columns};
  DLTensor xs = makeTensor(x, kDLFloat, 32, 1, shape);
  DLTensor ys = makeTensor(y, kDLFloat, 32, 1, shape);
  DLTensor *arguments[1] = {&xs}, *results[1] = {&ys};
  qccModule module = NULL;
  qccContext context = NULL;
  CHECK_OK(qccModuleLoadMemory(qccArtifactGetData(artifact),
                               qccArtifactGetSize(artifact), NULL, &module));
  CHECK_OK(qccContextCreate(module, NULL, NULL, &context));
  CHECK_OK(qccContextRun(context, arguments, 1, results, 1));
  for (int i = 0; i < columns; ++i)
    CHECK(y[i] == x[i] * a[i] + b[i]);
  qccContextDestroy(context);
  qccModuleDestroy(module);
  qccArtifactDestroy(artifact);
}

static void compileTensors(void) {
  int64_t shape[1] = {columns}, strides[1] = {2}, wrong[2] = {4, 10};
  // Elements that are not aligned, either.
  static char room[sizeof(b) + 1];
  memcpy(room + 1, b, sizeof(b));
  DLTensor as = makeTensor(a, kDLFloat, 32, 1, shape);
  DLTensor bs = makeTensor(room, kDLFloat, 32, 1, shape);
  bs.byte_offset = 1;
  qccWeightTensor weights[3] = {qccWeightTensorInit(), qccWeightTensorInit(),
                                qccWeightTensorInit()};
  weights[0].name = "b";
  weights[0].tensor = &bs;
  weights[1].name = "unused";
  weights[2].name = "a";
  weights[2].tensor = &as;
  qccCompileOptions options = qccCompileOptionsInit();
  options.weightTensors = weights;
  options.numWeightTensors = 3;
  qccArtifact artifact = NULL;
  CHECK_OK(compileProgram(&options, &artifact));
  checkArtifact(artifact);

  artifact = NULL;
  as.strides = strides;
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_PROGRAM,
              "<memory>:2:8: error: weight 'a' (40xf32): its tensor is "
              "strided; make it compact");
  as.strides = NULL;
  as.ndim = 2;
  as.shape = wrong;
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_PROGRAM,
              "weight 'a' (40xf32): it was given as 4x10xf32; make them the "
              "same");
  as.ndim = 1;
  as.shape = shape;
  as.dtype.bits = 64;
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_PROGRAM,
              "it was given as 40xf64");
  as.dtype.bits = 32;
  as.data = NULL;
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_PROGRAM,
              "its data is a null pointer");
  as.data = a;
  as.device.device_type = kDLCUDA;
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_PROGRAM,
              "its tensor is not in host memory");
  as.device.device_type = kDLCPU;
  as.byte_offset = UINT64_MAX - 7;
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_PROGRAM,
              "its byte_offset or size leads out of memory");
  as.byte_offset = 0;
  as.ndim = 65;
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_PROGRAM,
              "its tensor has 65 dimensions; a tensor has 0 to 64");
  as.ndim = 1;
  options.numWeightTensors = 2;
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_PROGRAM,
              "weight 'a' (40xf32): none of the 2 given tensors has this name");
  weights[1].name = "b";
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_ARGUMENT,
              "weightTensors[1]: there is another one of the name 'b'");
  weights[1].name = NULL;
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_ARGUMENT,
              "weightTensors[1]: it has no name");
  options.weights = "random:1";
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_ARGUMENT,
              "weights come from one place");
  CHECK(artifact == NULL);
}

enum Answer { right, refused, tooFew, nothing };

typedef struct Hook {
  enum Answer answer;
  int asked, lent;
} Hook;

static void giveBack(void *self) { --((Hook *)self)->lent; }

static qccStatus find(void *self, const qccWeightRequest *request,
                      qccWeightBytes *bytes) {
  Hook *hook = self;
  ++hook->asked;
  CHECK(request->rank == 1 && request->dims[0] == columns);
  CHECK(request->dtype.code == kDLFloat && request->dtype.bits == 32 &&
        request->dtype.lanes == 1);
  CHECK(request->numBytes == sizeof(a));
  if (hook->answer == refused)
    return qccStatusCreate(QCC_STATUS_IO_ERROR, "the store is closed");
  if (hook->answer == nothing)
    return NULL;
  ++hook->lent;
  bytes->data = strcmp(request->name, "a") == 0 ? a : b;
  bytes->numBytes = request->numBytes - (hook->answer == tooFew ? 4 : 0);
  bytes->giveBack = giveBack;
  bytes->context = hook;
  return NULL;
}

static void compileHook(void) {
  Hook state = {right, 0, 0};
  qccWeightHook hook = qccWeightHookInit();
  hook.context = &state;
  qccCompileOptions options = qccCompileOptionsInit();
  options.weightHook = &hook;
  qccArtifact artifact = NULL;
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_ARGUMENT,
              "weightHook is given, but its function is a null pointer");
  hook.find = find;
  CHECK_OK(compileProgram(&options, &artifact));
  CHECK(state.asked == 2 && state.lent == 0);
  checkArtifact(artifact);

  artifact = NULL;
  state.answer = refused;
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_PROGRAM,
              "weight 'a' (40xf32): the hook has none: the store is closed");
  state.answer = tooFew;
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_PROGRAM,
              "weight 'b' (40xf32): the hook gave 156 bytes, but it has 160");
  state.answer = nothing;
  CHECK_FAILS(compileProgram(&options, &artifact), QCC_STATUS_INVALID_PROGRAM,
              "weight 'a' (40xf32): the hook gave a null pointer");
  CHECK(artifact == NULL && state.lent == 0);
}

int main(void) {
  for (int i = 0; i < columns; ++i) {
    a[i] = (float)(i + 1);
    b[i] = (float)(3 * i - 50);
  }
  compileTensors();
  compileHook();
  return finishTest();
}
