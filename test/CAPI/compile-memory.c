/*===- compile-memory.c - How often a compilation holds the weights -------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What a program with 300 MB of weights needs beyond one with few is a small *|
|* multiple of the weights: by the C API and by the driver, where one tensor  *|
|* has all of them and where several share them. Each compilation is measured *|
|* in a process of its own. The processor is named: its artifacts hold as     *|
|* many bytes as the program, while those for AVX2 hold 16 bits per weight.   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/compile-memory qcc %t
// REQUIRES: compiler, x86-64-v3
// Memory is counted, of which a sanitizer takes more.
// UNSUPPORTED: sanitizer

#define _GNU_SOURCE

#include "qcc-c/Compiler.h"

#include "Check.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { columns = 4096, numLayers = 8, fewRows = 8, manyRows = 9216 };

static const char *const processor = "cascadelake";
static const char *compiler, *folder;
static char program[8192], weightsPath[4096], programPath[4096],
    artifactPath[4096];

/// Layers side by side, each with weights of its own.
static void writeProgram(int layers, int rows) {
  size_t at = 0;
#define ADD(...)                                                               \
  at += (size_t)snprintf(program + at, sizeof(program) - at, __VA_ARGS__)
  ADD("!x = !quant.uniform<i8:f32, 3.0e-02>\n"
      "!w = !quant.uniform<i8:f32, 7.0e-02>\n"
      "func.func @main(%%x: tensor<4x%dx!x>) -> (",
      columns);
  for (int i = 0; i < layers; ++i)
    ADD("%stensor<4x%dxf32>", i ? ", " : "", rows);
  ADD(") {\n");
  for (int i = 0; i < layers; ++i)
    ADD("  %%w%d = arith.constant dense_resource<w%d> : tensor<%dx%dx!w>\n"
        "  %%y%d = qnn.linear %%x, %%w%d : tensor<4x%dx!x>, "
        "tensor<%dx%dx!w> -> tensor<4x%dxf32>\n",
        i, i, rows, columns, i, i, columns, rows, columns, rows);
  ADD("  return ");
  for (int i = 0; i < layers; ++i)
    ADD("%s%%y%d", i ? ", " : "", i);
  ADD(" : ");
  for (int i = 0; i < layers; ++i)
    ADD("%stensor<4x%dxf32>", i ? ", " : "", rows);
  ADD("\n}\n");
#undef ADD
  CHECK(at < sizeof(program));
}

static void checkArtifact(qccStatus status, qccArtifact artifact,
                          size_t weights) {
  CHECK_OK(status);
  CHECK(qccArtifactGetSize(artifact) > weights);
  qccArtifactDestroy(artifact);
}

static void compileRandom(int layers, int rows) {
  qccCompileOptions options = qccCompileOptionsInit();
  options.target = processor;
  options.weights = "random:7";
  qccArtifact artifact = NULL;
  checkArtifact(qccCompileText(program, strlen(program), &options, &artifact),
                artifact, (size_t)layers * (size_t)rows * columns);
}

/// The weights are the caller's, of which the compiler needs no copy.
static void compileLent(int layers, int rows) {
  size_t bytes = (size_t)rows * columns;
  char *data = malloc(bytes * (size_t)layers);
  CHECK(data != NULL);
  // Tensors that are equal would be stored once.
  for (int i = 0; i < layers; ++i)
    memset(data + bytes * (size_t)i, 3 + i, bytes);
  int64_t shape[2] = {rows, columns};
  DLTensor tensors[numLayers];
  char names[numLayers][8];
  qccWeightTensor weights[numLayers];
  for (int i = 0; i < layers; ++i) {
    snprintf(names[i], sizeof(names[i]), "w%d", i);
    tensors[i] = makeTensor(data + (size_t)i * bytes, kDLInt, 8, 2, shape);
    weights[i] = qccWeightTensorInit();
    weights[i].name = names[i];
    weights[i].tensor = &tensors[i];
  }
  qccCompileOptions options = qccCompileOptionsInit();
  options.target = processor;
  options.weightTensors = weights;
  options.numWeightTensors = (size_t)layers;
  qccArtifact artifact = NULL;
  checkArtifact(qccCompileText(program, strlen(program), &options, &artifact),
                artifact, bytes * (size_t)layers);
  free(data);
}

/// A file of zeros, most of which takes no room on the disk. The tensors differ
/// in one element: equal ones would be stored once.
static void writeWeights(int layers, int rows) {
  char header[1024];
  size_t at = 1;
  long long bytes = (long long)rows * columns;
  header[0] = '{';
  for (int i = 0; i < layers; ++i)
    at += (size_t)snprintf(header + at, sizeof(header) - at,
                           "%s\"w%d\":{\"dtype\":\"I8\",\"shape\":[%d,%d],"
                           "\"data_offsets\":[%lld,%lld]}",
                           i ? "," : "", i, rows, columns, bytes * i,
                           bytes * (i + 1));
  header[at++] = '}';
  uint64_t length = at;
  int file = open(weightsPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  CHECK(file >= 0);
  CHECK(write(file, &length, 8) == 8);
  CHECK(write(file, header, at) == (ssize_t)at);
  CHECK(ftruncate(file, (off_t)(8 + at) + bytes * layers) == 0);
  for (int i = 0; i < layers; ++i) {
    char first = (char)i;
    CHECK(pwrite(file, &first, 1, (off_t)(8 + at) + bytes * i) == 1);
  }
  close(file);
  FILE *text = fopen(programPath, "w");
  CHECK(text && fputs(program, text) >= 0);
  if (text)
    fclose(text);
}

/// By the driver, which becomes this process.
static void compileByDriver(int layers, int rows) {
  writeWeights(layers, rows);
  char option[4200], mcpu[64];
  snprintf(option, sizeof(option), "--weights=%s", weightsPath);
  snprintf(mcpu, sizeof(mcpu), "--mcpu=%s", processor);
  execlp(compiler, compiler, "compile", programPath, option, mcpu, "-o",
         artifactPath, (char *)NULL);
  CHECK(!"the driver is there");
}

/// The largest memory of a process that compiles, in bytes.
static int64_t peakMemory(void (*compile)(int, int), int layers, int rows) {
  writeProgram(layers, rows);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    compile(layers, rows);
    _exit(numFailures > 0);
  }
  int status = -1;
  struct rusage usage;
  CHECK(wait4(child, &status, 0, &usage) == child);
  CHECK(status == 0);
  return (int64_t)usage.ru_maxrss << 10;
}

static void checkTimes(const char *what, void (*compile)(int, int), int layers,
                       double most) {
  int rows = manyRows * numLayers / layers;
  int64_t few = peakMemory(compile, layers, fewRows);
  int64_t many = peakMemory(compile, layers, rows);
  double weights = (double)layers * rows * columns;
  double times = (double)(many - few) / weights;
  printf("%s, %d tensors: %.2f times the weights\n", what, layers, times);
  CHECK(times < most);
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  compiler = argv[1];
  folder = argv[2];
  mkdir(folder, 0700);
  snprintf(weightsPath, sizeof(weightsPath), "%s/weights.safetensors", folder);
  snprintf(programPath, sizeof(programPath), "%s/program.mlir", folder);
  snprintf(artifactPath, sizeof(artifactPath), "%s/program.so", folder);
  checkTimes("C API", compileRandom, 1, 2.2);
  checkTimes("C API", compileRandom, numLayers, 1.3);
  // The weights that are lent count as well.
  checkTimes("C API, lent", compileLent, numLayers, 2.2);
  checkTimes("driver", compileByDriver, 1, 2.2);
  checkTimes("driver", compileByDriver, numLayers, 1.3);
  unlink(weightsPath);
  unlink(artifactPath);
  return finishTest();
}
