/*===- fork.c - Children of a process that has compiled -------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A compilation leaves no thread behind, so that a child has all that the    *|
|* parent has: it ends, compiles and runs.                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/fork
// REQUIRES: compiler, x86-64-v3
// UNSUPPORTED: sanitizer

#define _GNU_SOURCE

#include "qcc-c/Compiler.h"

#include "Check.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char program[] =
    "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %y = arith.addf %x, %x : tensor<?xf32>\n"
    "  return %y : tensor<?xf32>\n"
    "}\n";

static int numThreads(void) {
  int threads = 0;
  char line[256];
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof(line), file))
    if (sscanf(line, "Threads: %d", &threads) == 1)
      break;
  if (file)
    fclose(file);
  return threads;
}

static qccArtifact compileProgram(void) {
  qccArtifact artifact = NULL;
  CHECK_OK(qccCompileText(program, strlen(program), NULL, &artifact));
  return artifact;
}

static void runProgram(qccArtifact artifact) {
  float x[3] = {1, 2, 3}, y[3];
  int64_t shape[1] = {3};
  DLTensor xs = makeTensor(x, kDLFloat, 32, 1, shape);
  DLTensor ys = makeTensor(y, kDLFloat, 32, 1, shape);
  DLTensor *arguments[1] = {&xs}, *results[1] = {&ys};
  qccModule module = NULL;
  qccContext context = NULL;
  CHECK_OK(qccModuleLoadMemory(qccArtifactGetData(artifact),
                               qccArtifactGetSize(artifact), NULL, &module));
  CHECK_OK(qccContextCreate(module, NULL, NULL, &context));
  CHECK_OK(qccContextRun(context, arguments, 1, results, 1));
  CHECK(y[0] == 2 && y[1] == 4 && y[2] == 6);
  qccContextDestroy(context);
  qccModuleDestroy(module);
}

enum { ends, compiles, runs, numDeeds };

/// Ends as a program does, which also runs what libraries left for the end.
static void doInChild(int deed, qccArtifact artifact) {
  if (deed == compiles)
    qccArtifactDestroy(compileProgram());
  if (deed == runs)
    runProgram(artifact);
  exit(deed == ends ? 0 : finishTest());
}

int main(void) {
  enum { muchTooLong = 30 }; // seconds
  qccArtifact artifact = compileProgram();
  CHECK(numThreads() == 1);
  for (int deed = 0; deed < numDeeds; ++deed) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      alarm(muchTooLong);
      doInChild(deed, artifact);
    }
    int status = -1;
    struct rusage usage;
    CHECK(wait4(child, &status, 0, &usage) == child);
    CHECK(status == 0);
    // Of a processor: other processes may have some, too.
    CHECK(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec < 1);
  }
  qccArtifactDestroy(artifact);
  return finishTest();
}
