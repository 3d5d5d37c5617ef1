/*===- compile-memory.c - How often a compilation holds the weights -------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What a program with weights needs beyond one with few is a small multiple  *|
|* of the weights.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/compile-memory
// REQUIRES: compiler, x86-64-v3
// UNSUPPORTED: sanitizer

#include "qcc-c/Compiler.h"

#include "Check.h"

#include <sys/resource.h>

enum { fewRows = 64, columns = 4096, manyRows = 24576 };

/// The largest memory that the process has had, in bytes.
static int64_t peakMemory(void) {
  struct rusage usage;
  CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  return (int64_t)usage.ru_maxrss << 10;
}

static size_t compileLinear(int rows) {
  char program[1024];
  snprintf(program, sizeof(program),
           "!x = !quant.uniform<i8:f32, 3.0e-02>\n"
           "!w = !quant.uniform<i8:f32, 7.0e-02>\n"
           "func.func @main(%%x: tensor<4x%dx!x>) -> tensor<4x%dxf32> {\n"
           "  %%w = arith.constant dense_resource<w> : tensor<%dx%dx!w>\n"
           "  %%y = qnn.linear %%x, %%w : tensor<4x%dx!x>, tensor<%dx%dx!w>\n"
           "      -> tensor<4x%dxf32>\n"
           "  return %%y : tensor<4x%dxf32>\n"
           "}\n",
           columns, rows, rows, columns, columns, rows, columns, rows, rows);
  qccCompileOptions options = qccCompileOptionsInit();
  options.weights = "random:7";
  qccArtifact artifact = NULL;
  CHECK_OK(qccCompileText(program, strlen(program), &options, &artifact));
  size_t size = qccArtifactGetSize(artifact);
  qccArtifactDestroy(artifact);
  return size;
}

int main(void) {
  int64_t weights = (int64_t)manyRows * columns;
  CHECK(compileLinear(fewRows) > 0);
  int64_t before = peakMemory();
  CHECK(compileLinear(manyRows) > (size_t)weights);
  double times = (double)(peakMemory() - before) / (double)weights;
  printf("%.2f times the weights\n", times);
  CHECK(times < 3.3);
  return finishTest();
}
