/*===- copies.c - Several copies of the runtime in a process --------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The dynamic loader remembers the names of what it has loaded, for all      *|
|* copies of the runtime. Each copy runs the artifact that it was asked for,  *|
|* also where a copy was closed and opened again, where no file system /proc  *|
|* is mounted, and where a file was replaced under its name.                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: cp %lib/libqcc_runtime.so %t.copy.so
// RUN: %capi/copies %t.copy.so %capi/program.so %capi/other.so %t.replaced.so
// A sanitizer keeps libraries that are closed.
// UNSUPPORTED: sanitizer

#define _GNU_SOURCE

#include "Check.h"

#include <dlfcn.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

/// The functions of a copy of the runtime.
typedef struct Runtime {
  qccStatus (*load)(const char *, const qccModuleOptions *, qccModule *);
  qccStatus (*create)(qccModule, const char *, const qccContextOptions *,
                      qccContext *);
  qccStatus (*run)(qccContext, DLTensor *const *, size_t, DLTensor *const *,
                   size_t);
} Runtime;

static const Runtime linked = {qccModuleLoadFile, qccContextCreate,
                               qccContextRun};

static void *openCopy(const char *path, Runtime *runtime) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK(handle != NULL);
  if (!handle)
    exit(finishTest());
  memset(runtime, 0, sizeof(*runtime));
  *(void **)&runtime->load = dlsym(handle, "qccModuleLoadFile");
  *(void **)&runtime->create = dlsym(handle, "qccContextCreate");
  *(void **)&runtime->run = dlsym(handle, "qccContextRun");
  CHECK(runtime->load != linked.load);
  return handle;
}

/// How much the program increments by. Its module stays loaded.
static int32_t incrementBy(const Runtime *runtime, const char *path) {
  int32_t x = 40, y = 0;
  int64_t shape[1] = {1};
  DLTensor xs = makeTensor(&x, kDLInt, 32, 1, shape);
  DLTensor ys = makeTensor(&y, kDLInt, 32, 1, shape);
  DLTensor *arguments[1] = {&xs}, *results[1] = {&ys};
  qccModule module = NULL;
  qccContext context = NULL;
  CHECK_OK(runtime->load(path, NULL, &module));
  CHECK_OK(runtime->create(module, "increment", NULL, &context));
  CHECK_OK(runtime->run(context, arguments, 1, results, 1));
  return y - x;
}

static void replaceFile(const char *from, const char *to) {
  char command[4096];
  snprintf(command, sizeof(command), "cp '%s' '%s.new' && mv '%s.new' '%s'",
           from, to, to, to);
  CHECK(system(command) == 0);
}

/// Not every system lets a process have a file system of its own; 0: this one
/// does not.
static int hideProc(void) {
  return (unshare(CLONE_NEWNS) == 0 ||
          unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
         mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         mount("none", "/proc", "tmpfs", 0, NULL) == 0;
}

static int runWithoutProc(char **argv) {
  if (!hideProc()) {
    puts("not tried: /proc cannot be hidden here");
    return 0;
  }
  CHECK(access("/proc/self", F_OK) != 0);
  replaceFile(argv[2], argv[4]);
  CHECK(incrementBy(&linked, argv[4]) == 1);
  replaceFile(argv[3], argv[4]);
  CHECK(incrementBy(&linked, argv[4]) == 2);
  return finishTest();
}

int main(int argc, char **argv) {
  if (argc < 5)
    return 2;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0)
    exit(runWithoutProc(argv));
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);

  Runtime copy;
  void *handle = openCopy(argv[1], &copy);
  CHECK(incrementBy(&linked, argv[2]) == 1);
  CHECK(incrementBy(&copy, argv[3]) == 2);
  CHECK(incrementBy(&copy, argv[2]) == 1);
  CHECK(incrementBy(&linked, argv[3]) == 2);

  dlclose(handle);
  handle = openCopy(argv[1], &copy);
  CHECK(incrementBy(&copy, argv[2]) == 1);
  CHECK(incrementBy(&copy, argv[3]) == 2);
  dlclose(handle);
  return finishTest();
}
