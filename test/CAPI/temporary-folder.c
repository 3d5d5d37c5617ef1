/*===- temporary-folder.c - Compilations need no folder -------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Where TMPDIR is full, read-only or mounted noexec, programs are compiled,  *|
|* loaded and run all the same. Who writes the artifact there learns the true *|
|* reason, and nothing is left behind.                                        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/temporary-folder %t.folder
// REQUIRES: compiler, x86-64-v3
// UNSUPPORTED: sanitizer

#define _GNU_SOURCE

#include "Doubling.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum State { full, readOnly, noExecution, numStates };

static void makeFolder(enum State state, const char *folder) {
  mkdir(folder, 0700);
  // Room for an artifact where nothing else is in the way.
  const char *size = state == noExecution ? "size=8m" : "size=8k";
  if ((unshare(CLONE_NEWNS) != 0 &&
       unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
      mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("none", folder, "tmpfs", state == readOnly ? MS_RDONLY : MS_NOEXEC,
            size) != 0) {
    puts("not tried: nothing can be mounted here");
    exit(0);
  }
  if (state != full)
    return;
  char path[4096];
  static const char bytes[1 << 16];
  snprintf(path, sizeof(path), "%s/rest", folder);
  int file = open(path, O_WRONLY | O_CREAT, 0600);
  CHECK(file >= 0 && write(file, bytes, sizeof(bytes)) > 0);
  close(file);
}

static int numFiles(const char *folder) {
  int count = 0;
  DIR *opened = opendir(folder);
  CHECK(opened != NULL);
  for (struct dirent *entry; opened && (entry = readdir(opened)) != NULL;)
    count += entry->d_name[0] != '.';
  if (opened)
    closedir(opened);
  return count;
}

static void compileIn(enum State state, const char *folder) {
  makeFolder(state, folder);
  setenv("TMPDIR", folder, 1);
  int before = numFiles(folder);
  qccArtifact artifact = NULL;
  CHECK_OK(compileDoubling(&artifact));
  qccModule module = loadDoubling(artifact);
  runDoubling(module);
  CHECK(numFiles(folder) == before);

  char path[4096];
  snprintf(path, sizeof(path), "%s/program.so", folder);
  if (state == noExecution) {
    CHECK_OK(qccArtifactWriteFile(artifact, path));
    CHECK_FAILS(qccModuleLoadFile(path, NULL, &module), QCC_STATUS_IO_ERROR,
                "whether the file system is mounted noexec");
    qccModuleOptions options = qccModuleOptionsInit();
    options.flags = QCC_MODULE_PRIVATE_COPY;
    CHECK_OK(qccModuleLoadFile(path, &options, &module));
    runDoubling(module);
  } else {
    CHECK_FAILS(qccArtifactWriteFile(artifact, path), QCC_STATUS_IO_ERROR,
                state == full ? "No space left on device"
                              : "Read-only file system");
    CHECK(numFiles(folder) == before);
  }
  qccArtifactDestroy(artifact);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  // Each in a process of its own, whose mounts end with it.
  for (int state = 0; state < numStates; ++state) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      compileIn((enum State)state, argv[1]);
      exit(finishTest());
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
  return finishTest();
}
