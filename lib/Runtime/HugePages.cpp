//===- HugePages.cpp - Memory that few translations reach -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HugePages.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace qcc::rt {

bool hasHugePages() {
  // "always [madvise] never"; no file where the kernel has none.
  int file =
      open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  char text[64] = {};
  ssize_t size = read(file, text, sizeof(text) - 1);
  close(file);
  return size > 0 && !strstr(text, "[never]");
}

void adviseHugePages(void *memory, size_t size) {
  // The kernel wants whole small pages.
  size_t page = sysconf(_SC_PAGESIZE);
  auto begin = (reinterpret_cast<uintptr_t>(memory) + page - 1) & ~(page - 1);
  auto end = (reinterpret_cast<uintptr_t>(memory) + size) & ~(page - 1);
  if (begin < end)
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
}

std::shared_ptr<const char>
copyToHugePages(const char *data, size_t size,
                FunctionRef<void(const char *, size_t)> copied) {
  size_t page = sysconf(_SC_PAGESIZE);
  size_t length = (size + page - 1) & ~(page - 1);
  if (size == 0 || length > SIZE_MAX - hugePageSize || !hasHugePages())
    return nullptr;
  // Room to align; what is left at both ends goes back.
  void *room = mmap(nullptr, length + hugePageSize, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED)
    return nullptr;
  char *begin = static_cast<char *>(room);
  size_t before =
      -reinterpret_cast<uintptr_t>(begin) & (uintptr_t(hugePageSize) - 1);
  char *memory = begin + before;
  if (before > 0)
    munmap(begin, before);
  if (before < hugePageSize)
    munmap(memory + length, hugePageSize - before);
  adviseHugePages(memory, length);
  std::shared_ptr<const char> copy(
      memory, [memory, length](const char *) { munmap(memory, length); });
  // In parts, so that no more than one is held twice.
  constexpr size_t partSize = 2 * hugePageSize;
  for (size_t at = 0; at < size; at += partSize) {
    size_t count = std::min(partSize, size - at);
    memcpy(memory + at, data + at, count);
    copied(data + at, count);
  }
  mprotect(memory, length, PROT_READ);
  return copy;
}

} // namespace qcc::rt
