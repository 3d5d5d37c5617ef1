//===- Allocator.h - Where the runtime gets memory --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hook: the host application may own the memory of arenas, scratch and
// results. AlignedBuffer is the runtime's only owner of such memory.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_ALLOCATOR_H
#define QCC_RUNTIME_ALLOCATOR_H

#include "qcc/Base/Status.h"

#include <cstddef>
#include <cstdint>

namespace qcc::rt {

/// Arenas, scratch and results are aligned to a cache line.
constexpr size_t memoryAlignment = 64;

inline int64_t roundUpToAlignment(int64_t size) {
  constexpr int64_t mask = int64_t(memoryAlignment) - 1;
  return (size + mask) & ~mask;
}

struct Allocator {
  /// Returns null on failure. `size` > 0; `alignment` is a power of two.
  void *(*allocate)(size_t size, size_t alignment, void *context);
  void (*deallocate)(void *memory, size_t size, size_t alignment,
                     void *context);
  void *context;
};

/// The C library's heap; blocks of 4 MiB and more ask for huge pages.
Allocator defaultAllocator();

/// Aligned memory that only grows.
class AlignedBuffer {
public:
  explicit AlignedBuffer(const Allocator &allocator = defaultAllocator())
      : allocator_(allocator) {}
  AlignedBuffer(AlignedBuffer &&other) noexcept;
  AlignedBuffer &operator=(AlignedBuffer &&other) noexcept;
  AlignedBuffer(const AlignedBuffer &) = delete;
  AlignedBuffer &operator=(const AlignedBuffer &) = delete;
  ~AlignedBuffer() { reset(); }

  /// Makes at least `size` bytes available; the contents are lost if it grows.
  Status reserve(int64_t size);
  void reset();

  char *data() const { return data_; }
  int64_t capacity() const { return capacity_; }

private:
  Allocator allocator_;
  char *data_ = nullptr;
  int64_t capacity_ = 0;
};

} // namespace qcc::rt

#endif // QCC_RUNTIME_ALLOCATOR_H
