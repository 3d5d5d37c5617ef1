/*===- Doubling.h - A program that is quick to compile -----------*- C -*-===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* For tests of what happens around a compilation.                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef QCC_TEST_CAPI_DOUBLING_H
#define QCC_TEST_CAPI_DOUBLING_H

#include "qcc-c/Compiler.h"

#include "Check.h"

static const char doubling[] =
    "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %y = arith.addf %x, %x : tensor<?xf32>\n"
    "  return %y : tensor<?xf32>\n"
    "}\n";

static inline qccStatus compileDoubling(qccArtifact *artifact) {
  return qccCompileText(doubling, strlen(doubling), NULL, artifact);
}

static inline qccModule loadDoubling(qccArtifact artifact) {
  qccModule module = NULL;
  CHECK_OK(qccModuleLoadMemory(qccArtifactGetData(artifact),
                               qccArtifactGetSize(artifact), NULL, &module));
  return module;
}

/// Runs the program, checks what it computes, and destroys the module.
static inline void runDoubling(qccModule module) {
  float x[3] = {1, 2, 3}, y[3] = {0};
  int64_t shape[1] = {3};
  DLTensor xs = makeTensor(x, kDLFloat, 32, 1, shape);
  DLTensor ys = makeTensor(y, kDLFloat, 32, 1, shape);
  DLTensor *arguments[1] = {&xs}, *results[1] = {&ys};
  qccContext context = NULL;
  CHECK_OK(qccContextCreate(module, NULL, NULL, &context));
  CHECK_OK(qccContextRun(context, arguments, 1, results, 1));
  CHECK(y[0] == 2 && y[1] == 4 && y[2] == 6);
  qccContextDestroy(context);
  qccModuleDestroy(module);
}

#endif // QCC_TEST_CAPI_DOUBLING_H
