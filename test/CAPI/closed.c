/*===- closed.c - A runtime that its host has closed ----------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* After dlclose a result is deleted, and threads that wait are woken by a    *|
|* signal: the code of both is still there.                                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: cp %lib/libqcc_runtime.so %t.copy.so
// RUN: %capi/closed %t.copy.so %capi/program.so
// A sanitizer keeps libraries that are closed.
// UNSUPPORTED: sanitizer

#define _GNU_SOURCE

#include "Check.h"

#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static void ignoreSignal(int signal) { (void)signal; }

/// Interrupts whatever the other threads wait for.
static int signalThreads(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/task");
  CHECK(folder != NULL);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    int thread = atoi(entry->d_name);
    if (thread == 0 || thread == getpid())
      continue;
    CHECK(syscall(SYS_tgkill, getpid(), thread, SIGPROF) == 0);
    ++count;
  }
  if (folder)
    closedir(folder);
  return count;
}

static DLManagedTensor *allocateResult(void *handle, const char *artifact) {
  qccStatus (*load)(const char *, const qccModuleOptions *, qccModule *);
  qccStatus (*create)(qccModule, const char *, const qccContextOptions *,
                      qccContext *);
  qccStatus (*allocate)(qccContext, DLTensor *const *, size_t,
                        DLManagedTensor **, size_t);
  void (*destroyContext)(qccContext);
  void (*destroyModule)(qccModule);
  *(void **)&load = dlsym(handle, "qccModuleLoadFile");
  *(void **)&create = dlsym(handle, "qccContextCreate");
  *(void **)&allocate = dlsym(handle, "qccContextAllocateResults");
  *(void **)&destroyContext = dlsym(handle, "qccContextDestroy");
  *(void **)&destroyModule = dlsym(handle, "qccModuleDestroy");

  int32_t x[4] = {0};
  int64_t shape[1] = {4};
  DLTensor xs = makeTensor(x, kDLInt, 32, 1, shape);
  DLTensor *arguments[1] = {&xs};
  qccModule module = NULL;
  qccContext context = NULL;
  DLManagedTensor *result = NULL;
  CHECK_OK(load(artifact, NULL, &module));
  CHECK_OK(create(module, "increment", NULL, &context));
  CHECK_OK(allocate(context, arguments, 1, &result, 1));
  destroyContext(context);
  destroyModule(module);
  return result;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  struct sigaction action; // Without SA_RESTART.
  memset(&action, 0, sizeof(action));
  action.sa_handler = ignoreSignal;
  sigaction(SIGPROF, &action, NULL);

  void *handle = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  CHECK(handle != NULL);
  if (!handle)
    return finishTest();
  DLManagedTensor *result = allocateResult(handle, argv[2]);
  qccStatus (*createPool)(int32_t, qccThreadPool *);
  *(void **)&createPool = dlsym(handle, "qccThreadPoolCreate");
  qccStatus (*getDefaultPool)(qccThreadPool *);
  *(void **)&getDefaultPool = dlsym(handle, "qccThreadPoolGetDefault");
  int32_t (*getNumThreads)(qccThreadPool);
  *(void **)&getNumThreads = dlsym(handle, "qccThreadPoolGetNumThreads");
  qccThreadPool pool = NULL, ofProcess = NULL;
  CHECK_OK(createPool(3, &pool));
  CHECK_OK(getDefaultPool(&ofProcess));
  int numThreads = getNumThreads(pool) - 1 + getNumThreads(ofProcess) - 1;
  usleep(10000); // Until they wait.
  dlclose(handle);

  CHECK(result != NULL);
  if (result)
    result->deleter(result);
  CHECK(signalThreads() == numThreads);
  usleep(10000);
  return finishTest();
}
