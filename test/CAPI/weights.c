/*===- weights.c - The memory of weights ----------------------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* However a module is loaded, its weights are in memory once, also while it  *|
|* is loaded.                                                                 *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/weights %capi/heavy.so
// UNSUPPORTED: sanitizer

#define _GNU_SOURCE

#include "Check.h"
#include "Memory.h"

#include <sys/resource.h>

/// The largest memory that the process has had, in bytes.
static int64_t peakMemory(void) {
  struct rusage usage;
  CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  return (int64_t)usage.ru_maxrss << 10;
}

/// Weights of a copy of their own are nowhere else in memory.
static void checkLoaded(qccModule module) {
  qccContext context = NULL;
  qccContextInfo info = qccContextInfoInit();
  CHECK_OK(qccContextCreate(module, "increment", NULL, &context));
  CHECK_OK(qccContextGetInfo(context, &info));
  qccContextDestroy(context);
  CHECK(info.weightBytes == weightBytes || info.weightBytes == 0);
  int64_t all = memoryOfFiles() + info.weightBytes;
  printf("%lld bytes of a copy, %lld bytes of both\n",
         (long long)info.weightBytes, (long long)all);
  CHECK(all >= info.weightBytes && all < weightBytes + weightBytes / 10);
  CHECK(increment(module) == 5);
  qccModuleDestroy(module);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  qccModuleOptions options = qccModuleOptionsInit();
  options.flags = QCC_MODULE_PRIVATE_COPY;
  qccModule module = NULL;
  int64_t before = peakMemory();
  CHECK_OK(qccModuleLoadFile(argv[1], &options, &module));
  // The file in memory counts where it is mapped.
  CHECK(peakMemory() - before < weightBytes + weightBytes / 2);
  checkLoaded(module);
  options.weightPages = QCC_WEIGHT_PAGES_FILE;
  CHECK_OK(qccModuleLoadFile(argv[1], &options, &module));
  checkLoaded(module);

  static char bytes[weightBytes + (1 << 20)];
  FILE *file = fopen(argv[1], "rb");
  CHECK(file != NULL);
  size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
  if (file)
    fclose(file);
  CHECK_OK(qccModuleLoadMemory(bytes, size, NULL, &module));
  checkLoaded(module);
  return finishTest();
}
