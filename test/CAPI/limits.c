/*===- limits.c - Refusals of the system, with reasons -------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* An undamaged artifact that cannot be loaded: the status says what the      *|
|* system lacks, and never to compile the program again.                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/limits %capi/program.so %t.folder
// UNSUPPORTED: sanitizer

#define _GNU_SOURCE

#include "Check.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static qccModule module;

/// `more` descriptors can still be opened.
static void limitFiles(unsigned more) {
  int next = open("/dev/null", O_RDONLY);
  CHECK(next >= 0);
  close(next);
  struct rlimit limit = {next + more, next + more};
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void noFileDescriptors(const char *path) {
  // One for the file; the system's loader needs another.
  limitFiles(1);
  CHECK_FAILS(qccModuleLoadFile(path, NULL, &module), QCC_STATUS_IO_ERROR,
              "the system's loader refused it (Too many open files); close "
              "files, or raise the limit of open files (RLIMIT_NOFILE)");
  limitFiles(0);
  CHECK_FAILS(qccModuleLoadFile(path, NULL, &module), QCC_STATUS_IO_ERROR,
              "it cannot be opened (Too many open files); close files");
  CHECK_FAILS(qccModuleLoadMemory("text", 4, NULL, &module),
              QCC_STATUS_IO_ERROR,
              "a file in memory cannot be created (Too many open files)");
}

static void noAddressSpace(const char *path) {
  struct rlimit limit = {1, 1};
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  CHECK_FAILS(qccModuleLoadFile(path, NULL, &module), QCC_STATUS_OUT_OF_MEMORY,
              "the system's loader refused it (Cannot allocate memory); free "
              "memory, or raise the limits of the process (RLIMIT_AS)");
  qccThreadPool pool = NULL;
  CHECK_FAILS(qccThreadPoolCreate(3, &pool), QCC_STATUS_OUT_OF_MEMORY,
              "cannot start thread 1 of 3 (");
}

/// Not every system lets a process mount.
static void noExecution(const char *path, const char *folder) {
  mkdir(folder, 0700);
  if ((unshare(CLONE_NEWNS) != 0 &&
       unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
      mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("none", folder, "tmpfs", MS_NOEXEC, NULL) != 0) {
    puts("not tried: nothing can be mounted here");
    exit(0);
  }
  char command[4096], copy[2048];
  snprintf(copy, sizeof(copy), "%s/program.so", folder);
  snprintf(command, sizeof(command), "cp '%s' '%s'", path, copy);
  CHECK(system(command) == 0);
  CHECK_FAILS(qccModuleLoadFile(copy, NULL, &module), QCC_STATUS_IO_ERROR,
              "the system's loader refused it (Operation not permitted); check "
              "the permissions, and whether the file system is mounted noexec");
}

/// Each in a process of its own, whose limits end with it.
static void tryInChild(int which, char **argv) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (which == 0)
      noFileDescriptors(argv[1]);
    else if (which == 1)
      noAddressSpace(argv[1]);
    else
      noExecution(argv[1], argv[2]);
    exit(finishTest());
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  for (int which = 0; which < 3; ++which)
    tryInChild(which, argv);
  // Without limits it loads.
  CHECK_OK(qccModuleLoadFile(argv[1], NULL, &module));
  qccModuleDestroy(module);
  return finishTest();
}
