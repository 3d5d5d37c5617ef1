/*===- other-llvm.c - The compiler beside another LLVM --------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A library that exports functions of LLVM to the whole process is opened    *|
|* first. libqcc compiles if it is opened so that it looks among its own      *|
|* libraries first; otherwise it says why it does not.                        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/other-llvm %lib/libqcc.so.1 %capi/libother-llvm.so deep
// RUN: %capi/other-llvm %lib/libqcc.so.1 %capi/libother-llvm.so
// REQUIRES: compiler, x86-64-v3
// A sanitizer refuses RTLD_DEEPBIND.
// UNSUPPORTED: sanitizer

#define _GNU_SOURCE
#include "qcc-c/Compiler.h"

#include "Doubling.h"

#include <dlfcn.h>

typedef qccStatus (*CompileText)(const char *, size_t,
                                 const qccCompileOptions *, qccArtifact *);

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s LIBQCC OTHER [deep]\n", argv[0]);
    return 2;
  }
  void *other = dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL);
  void *libqcc =
      dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | (argc > 3 ? RTLD_DEEPBIND : 0));
  if (!other || !libqcc) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  CompileText compileText;
  const void *(*getData)(qccArtifact);
  size_t (*getSize)(qccArtifact);
  void (*destroy)(qccArtifact);
  *(void **)&compileText = dlsym(libqcc, "qccCompileText");
  *(void **)&getData = dlsym(libqcc, "qccArtifactGetData");
  *(void **)&getSize = dlsym(libqcc, "qccArtifactGetSize");
  *(void **)&destroy = dlsym(libqcc, "qccArtifactDestroy");
  qccArtifact artifact = NULL;
  if (argc == 3) {
    for (int i = 0; i < 2; ++i) {
      CHECK_FAILS(compileText(doubling, strlen(doubling), NULL, &artifact),
                  QCC_STATUS_UNSUPPORTED, "other-llvm.so");
      CHECK_FAILS(compileText(doubling, strlen(doubling), NULL, &artifact),
                  QCC_STATUS_UNSUPPORTED, "RTLD_DEEPBIND");
    }
    return finishTest();
  }
  CHECK_OK(compileText(doubling, strlen(doubling), NULL, &artifact));
  qccModule module = NULL;
  CHECK_OK(
      qccModuleLoadMemory(getData(artifact), getSize(artifact), NULL, &module));
  destroy(artifact);
  runDoubling(module);
  return finishTest();
}
