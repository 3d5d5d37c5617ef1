/*===- no-memory-compile.c - The compiler on a heap that is used up -------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Requests for memory of a compilation fail, alone and with all that follow, *|
|* from its first to its last. Each time there is a status, nothing is        *|
|* printed, no file stays open, and the next compilation works.               *|
|*                                                                            *|
|* Some functions of MLIR write where malloc gave nothing, and crash. So few  *|
|* of the statuses are those of a crash.                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/no-memory-compile 2> %t.err
// RUN: count 0 < %t.err
// REQUIRES: compiler, x86-64-v3
// UNSUPPORTED: sanitizer

#include "Doubling.h"
#include "FailingMalloc.h"

#include <dirent.h>
#include <unistd.h>

static qccStatus compileProgram(void) {
  qccArtifact artifact = NULL;
  qccStatus status = compileDoubling(&artifact);
  CHECK((status == NULL) == (artifact != NULL));
  qccArtifactDestroy(artifact);
  return status;
}

/// Files that are open.
static int numFiles(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder && readdir(folder))
    ++count;
  if (folder)
    closedir(folder);
  return count;
}

int main(int argc, char **argv) {
  // On demand more points than a test has time for.
  long points = argc > 1 ? atol(argv[1]) : 60;
  alarm(argc > 1 ? 0 : 300); // A lock that is held hangs.
  CHECK_OK(compileProgram());
  failHeap(-1, false);
  CHECK_OK(compileProgram());
  long requests = numRequests;
  int files = numFiles();
  long noMemory = 0;
  for (long point = 0; point < points; ++point) {
    failHeap(requests * point / points, point % 2);
    qccStatus status = compileProgram();
    mendHeap();
    if (qccStatusGetCode(status) == QCC_STATUS_OUT_OF_MEMORY)
      ++noMemory;
    else
      CHECK(!status || strstr(qccStatusGetMessage(status), "crashed"));
    qccStatusDestroy(status);
    CHECK_OK(compileProgram());
  }
  printf("%ld requests, %ld points, %ld times no memory\n", requests, points,
         noMemory);
  CHECK(noMemory > points * 4 / 5);
  CHECK(numFiles() == files);
  return finishTest();
}
