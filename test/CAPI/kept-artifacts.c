/*===- kept-artifacts.c - Artifacts of all minor versions -----------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Usage: kept-artifacts FOLDER. Loads the artifact of each minor version up  *|
|* to the runtime's, which Artifacts/keep.py made when it was the newest, and *|
|* runs it.                                                                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/kept-artifacts %S/Artifacts
// REQUIRES: x86-64-v3

#include "Check.h"

enum { maxRows = 70, inner = 4, columns = 3 };

static qccContext createContext(qccModule module, const char *entry,
                                int32_t threads) {
  qccContextOptions options = qccContextOptionsInit();
  options.threads = threads;
  qccContext context = NULL;
  CHECK_OK(qccContextCreate(module, entry, &options, &context));
  return context;
}

/// x * weights + bias, as kept.mlir has them.
static int32_t layerOf(const int8_t *row, int column) {
  static const int32_t weights[inner][columns] = {
      {1, -2, 3}, {4, 5, -6}, {-7, 8, 9}, {10, -11, 12}};
  int32_t sum = 100 * (column + 1);
  for (int k = 0; k < inner; ++k)
    sum += row[k] * weights[k][column];
  return sum;
}

static void runLayer(qccModule module, int32_t threads) {
  static int8_t x[maxRows][inner];
  static int32_t y[maxRows][columns];
  qccContext context = createContext(module, "layer", threads);
  for (int i = 0; i < maxRows * inner; ++i)
    (&x[0][0])[i] = (int8_t)(37 * i - 128);
  int64_t shape[2] = {0, inner}, yShape[2] = {0, columns};
  DLTensor xs = makeTensor(x, kDLInt, 8, 2, shape);
  DLTensor ys = makeTensor(y, kDLInt, 32, 2, yShape);
  DLTensor *arguments[1] = {&xs}, *results[1] = {&ys};
  for (int rows = 0; rows <= maxRows; rows += 7) {
    shape[0] = yShape[0] = rows;
    memset(y, -1, sizeof(y));
    CHECK_OK(qccContextRun(context, arguments, 1, results, 1));
    int wrong = 0;
    for (int i = 0; i < maxRows; ++i)
      for (int j = 0; j < columns; ++j)
        wrong += y[i][j] != (i < rows ? layerOf(x[i], j) : -1);
    CHECK(wrong == 0);
  }
  qccContextDestroy(context);
}

static void runTwice(qccModule module) {
  float x[19], y[19];
  for (int i = 0; i < 19; ++i)
    x[i] = (float)i / 3;
  qccContext context = createContext(module, "twice", 1);
  int64_t shape[1] = {19};
  DLTensor xs = makeTensor(x, kDLFloat, 32, 1, shape);
  DLTensor ys = makeTensor(y, kDLFloat, 32, 1, shape);
  DLTensor *arguments[1] = {&xs}, *results[1] = {&ys};
  CHECK_OK(qccContextRun(context, arguments, 1, results, 1));
  for (int i = 0; i < 19; ++i)
    CHECK(y[i] == 2 * x[i]);
  qccContextDestroy(context);
}

/// What was added since version 4.0.
static void inspect(qccModule module, int32_t minorVersion) {
  qccModuleInfo info = qccModuleInfoInit();
  CHECK_OK(qccModuleGetInfo(module, &info));
  CHECK(info.artifactVersion == 4);
  CHECK(info.artifactMinorVersion == minorVersion);
  qccTensorInfo x = qccTensorInfoInit(), y = qccTensorInfoInit();
  CHECK_OK(qccModuleGetArgument(module, "layer", 0, &x));
  CHECK_OK(qccModuleGetResult(module, "layer", 0, &y));
  CHECK(strcmp(x.name, "x") == 0 && x.dims[0] == -1 && y.dims[0] == -1);
  bool hasNames = minorVersion >= 1;
  CHECK(info.numMetadata == (hasNames ? 2 : 0));
  CHECK(strcmp(x.dimNames[0], hasNames ? "batch" : "") == 0);
  CHECK(strcmp(x.dimNames[1], "") == 0);
  CHECK(strcmp(y.dimNames[0], hasNames ? "batch" : "") == 0);
  const char *author = qccModuleFindMetadata(module, "author");
  CHECK(hasNames ? author && strcmp(author, "qcc") == 0 : !author);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  CHECK(qccGetArtifactVersion() == 4);
  for (int32_t minor = 0; minor <= qccGetArtifactMinorVersion(); ++minor) {
    char path[4096];
    snprintf(path, sizeof(path), "%s/version-4.%d.so", argv[1], minor);
    qccModule module = NULL;
    CHECK_OK(qccModuleLoadFile(path, NULL, &module));
    if (!module)
      continue;
    inspect(module, minor);
    runLayer(module, 1);
    runLayer(module, 3);
    runTwice(module);
    qccModuleDestroy(module);
  }
  return finishTest();
}
