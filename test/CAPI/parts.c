/*===- parts.c - Long steps of runs that may end early --------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* They are done in parts, which changes no bit of the results.               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/parts
// REQUIRES: compiler, x86-64-v3

#include "qcc-c/Compiler.h"

#include "Check.h"

enum { rows = 500, depth = 600, columns = 700 };

/// A product of floats, one of int8 with constant weights, and a reduction of
/// each row: 700 million operations.
static const char program[] =
    "!x = !quant.uniform<i8:f32, 3.000000e-02>\n"
    "!w = !quant.uniform<i8:f32, 7.000000e-02>\n"
    "!y = !quant.uniform<i8:f32, 1.100000e+00>\n"
    "func.func @main(%a: tensor<500x600xf32>, %b: tensor<600x700xf32>)\n"
    "    -> (tensor<500x700xf32>, tensor<500x700x!y>) {\n"
    "  %zero = arith.constant 0.0 : f32\n"
    "  %empty = tensor.empty() : tensor<500x700xf32>\n"
    "  %init = linalg.fill ins(%zero : f32)\n"
    "      outs(%empty : tensor<500x700xf32>) -> tensor<500x700xf32>\n"
    "  %product = linalg.matmul\n"
    "      ins(%a, %b : tensor<500x600xf32>, tensor<600x700xf32>)\n"
    "      outs(%init : tensor<500x700xf32>) -> tensor<500x700xf32>\n"
    "  %q = qnn.quantize %a : tensor<500x600xf32> -> tensor<500x600x!x>\n"
    "  %w = arith.constant dense_resource<w> : tensor<700x600x!w>\n"
    "  %y = qnn.linear %q, %w : tensor<500x600x!x>, tensor<700x600x!w>\n"
    "      -> tensor<500x700x!y>\n"
    "  return %product, %y : tensor<500x700xf32>, tensor<500x700x!y>\n"
    "}\n";

static float a[rows][depth], b[depth][columns];
static float product[2][rows][columns];
static int8_t linear[2][rows][columns];

static qccModule compileProgram(void) {
  qccCompileOptions options = qccCompileOptionsInit();
  options.weights = "random:7";
  qccArtifact artifact = NULL;
  qccModule module = NULL;
  CHECK_OK(qccCompileText(program, strlen(program), &options, &artifact));
  CHECK_OK(qccModuleLoadMemory(qccArtifactGetData(artifact),
                               qccArtifactGetSize(artifact), NULL, &module));
  qccArtifactDestroy(artifact);
  return module;
}

static void fillArguments(void) {
  uint32_t state = 1;
  for (size_t i = 0; i < sizeof(a) / sizeof(float); ++i) {
    state = state * 1664525u + 1013904223u;
    (&a[0][0])[i] = (float)(int32_t)(state >> 8) * 0x1p-22f - 2;
  }
  for (size_t i = 0; i < sizeof(b) / sizeof(float); ++i) {
    state = state * 1664525u + 1013904223u;
    (&b[0][0])[i] = (float)(int32_t)(state >> 8) * 0x1p-23f - 1;
  }
}

/// Into the first or the second of the results.
static void run(qccContext context, int which, const qccRunOptions *options) {
  int64_t as[2] = {rows, depth}, bs[2] = {depth, columns},
          ys[2] = {rows, columns};
  DLTensor tensors[4] = {makeTensor(a, kDLFloat, 32, 2, as),
                         makeTensor(b, kDLFloat, 32, 2, bs),
                         makeTensor(product[which], kDLFloat, 32, 2, ys),
                         makeTensor(linear[which], kDLInt, 8, 2, ys)};
  DLTensor *arguments[2] = {&tensors[0], &tensors[1]};
  DLTensor *results[2] = {&tensors[2], &tensors[3]};
  CHECK_OK(
      qccContextRunWithOptions(context, arguments, 2, results, 2, options));
}

int main(void) {
  fillArguments();
  qccModule module = compileProgram();
  qccRunOptions options = qccRunOptionsInit();
  CHECK_OK(qccCancelTokenCreate(&options.cancel));
  options.timeoutNanoseconds = INT64_MAX;
  for (int threads = 1; threads <= 3; ++threads) {
    qccContextOptions contextOptions = qccContextOptionsInit();
    contextOptions.threads = threads;
    qccContext context = NULL;
    CHECK_OK(qccContextCreate(module, NULL, &contextOptions, &context));
    int64_t work = 0;
    qccContextInfo info = qccContextInfoInit();
    memset(product, 0, sizeof(product));
    memset(linear, 0, sizeof(linear));
    run(context, 0, NULL);
    run(context, 1, &options);
    CHECK_OK(qccContextGetInfo(context, &info));
    for (size_t i = 0; i < info.numSteps; ++i) {
      qccStepInfo step = qccStepInfoInit();
      CHECK_OK(qccContextGetStep(context, i, &step));
      if (step.operations > work)
        work = step.operations;
    }
    CHECK(work > 2 * threads * (64 << 20)); // Several parts for each thread.
    CHECK(memcmp(product[0], product[1], sizeof(product[0])) == 0);
    CHECK(memcmp(linear[0], linear[1], sizeof(linear[0])) == 0);
    CHECK(product[0][7][9] != 0);
    qccContextDestroy(context);
  }
  qccCancelTokenDestroy(options.cancel);
  qccModuleDestroy(module);
  return finishTest();
}
