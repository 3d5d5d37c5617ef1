/*===- Memory.h - Memory of the process --------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* For tests with the artifact `heavy`, most of which are weights.            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef QCC_TEST_CAPI_MEMORY_H
#define QCC_TEST_CAPI_MEMORY_H

#include "Check.h"

#include <sys/mman.h>
#include <unistd.h>

enum { weightBytes = 32 << 20 };

/// How much the files in memory hold that artifacts are loaded from, in bytes.
static inline int64_t memoryOfFiles(void) {
  int64_t bytes = 0, page = sysconf(_SC_PAGESIZE);
  static unsigned char resident[weightBytes >> 10];
  FILE *maps = fopen("/proc/self/maps", "r");
  CHECK(maps != NULL);
  for (char line[4096]; maps && fgets(line, sizeof(line), maps);) {
    unsigned long begin = 0, end = 0;
    if (!strstr(line, "memfd:qcc-artifact") ||
        sscanf(line, "%lx-%lx", &begin, &end) != 2)
      continue;
    CHECK((end - begin) / page <= sizeof(resident));
    CHECK(mincore((void *)begin, end - begin, resident) == 0);
    for (unsigned long i = 0; i < (end - begin) / page; ++i)
      bytes += resident[i] & 1 ? page : 0;
  }
  if (maps)
    fclose(maps);
  return bytes;
}

#endif // QCC_TEST_CAPI_MEMORY_H
