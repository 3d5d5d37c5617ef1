//===- Memory.h - How much memory there is ----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operating system grants more memory than there is, and kills a process
// that uses it. Code that needs much memory asks here before it allocates. What
// is here allocates nothing on the heap.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_BASE_MEMORY_H
#define QCC_BASE_MEMORY_H

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace qcc::rt {

/// Bytes that can be used without swapping; INT64_MAX where the system does not
/// say.
inline int64_t availableMemory() {
  char text[4096];
  int file = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return INT64_MAX;
  ssize_t length = read(file, text, sizeof(text) - 1);
  close(file);
  text[length < 0 ? 0 : length] = '\0';
  const char *field = strstr(text, "MemAvailable:");
  return field ? strtoll(field + strlen("MemAvailable:"), nullptr, 10) * 1024
               : INT64_MAX;
}

/// Bytes of memory that the process holds for itself: resident, and not of
/// files; 0 where the system does not say.
inline int64_t privateMemory() {
  char text[256];
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  ssize_t length = read(file, text, sizeof(text) - 1);
  close(file);
  text[length < 0 ? 0 : length] = '\0';
  // All of it, what is resident, and what of that is of files, in pages.
  char *at = text;
  strtoll(at, &at, 10);
  int64_t resident = strtoll(at, &at, 10);
  int64_t ofFiles = strtoll(at, &at, 10);
  return (resident - ofFiles) * sysconf(_SC_PAGESIZE);
}

/// Whether `bytes` bytes can be allocated. For small amounts the system is not
/// asked.
inline bool hasMemoryFor(uint64_t bytes) {
  constexpr uint64_t small = uint64_t(64) << 20;
  if (bytes <= small)
    return true;
  if (bytes > uint64_t(availableMemory()))
    return false;
  // The process may have a limit of its own.
  void *memory = malloc(bytes);
  free(memory);
  return memory != nullptr;
}

} // namespace qcc::rt

#endif // QCC_BASE_MEMORY_H
