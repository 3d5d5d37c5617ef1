//===- ByteSource.h - Bytes of a file or of memory --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What reads the form of an artifact does not care where it lies.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_ARTIFACT_BYTESOURCE_H
#define QCC_ARTIFACT_BYTESOURCE_H

#include "qcc/Base/SystemFailure.h"

#include <cstdint>
#include <unistd.h>

namespace qcc::rt {

class ByteSource {
public:
  explicit ByteSource(uint64_t size) : size_(size) {}
  virtual ~ByteSource() = default;

  uint64_t size() const { return size_; }

  bool contains(uint64_t offset, uint64_t size) const {
    return offset <= size_ && size <= size_ - offset;
  }

  /// Copies bytes that contains() says are there.
  virtual Status read(void *data, size_t size, uint64_t offset) const = 0;

private:
  uint64_t size_;
};

class MemorySource : public ByteSource {
public:
  MemorySource(const void *bytes, uint64_t size)
      : ByteSource(size), bytes_(static_cast<const char *>(bytes)) {}

  Status read(void *data, size_t size, uint64_t offset) const override {
    memcpy(data, bytes_ + offset, size);
    return Status::ok();
  }

private:
  const char *bytes_;
};

/// By pread: nothing is mapped, so a file that shrinks is an error and no
/// SIGBUS.
class FileSource : public ByteSource {
public:
  FileSource(int file, uint64_t size) : ByteSource(size), file_(file) {}

  Status read(void *data, size_t size, uint64_t offset) const override {
    char *bytes = static_cast<char *>(data);
    while (size > 0) {
      ssize_t count = pread(file_, bytes, size, offset);
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return systemFailure("it cannot be read", errno);
      if (count == 0)
        return ioError("it became shorter while it was read; write artifacts "
                       "under another name and rename them");
      bytes += count;
      size -= count;
      offset += count;
    }
    return Status::ok();
  }

private:
  int file_;
};

} // namespace qcc::rt

#endif // QCC_ARTIFACT_BYTESOURCE_H
