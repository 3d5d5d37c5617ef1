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
// A sanitizer has threads of its own, which a child does not have.
// UNSUPPORTED: sanitizer

#define _GNU_SOURCE

#include "Doubling.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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
  CHECK_OK(compileDoubling(&artifact));
  return artifact;
}

enum { ends, compiles, runs, numDeeds };

/// Ends as a program does, which also runs what libraries left for the end.
static void doInChild(int deed, qccArtifact artifact) {
  if (deed == compiles)
    qccArtifactDestroy(compileProgram());
  if (deed == runs)
    runDoubling(loadDoubling(artifact));
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
