//===- FileIO.h - Reading at offsets, writing at once -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files that report what went wrong. An output file appears under its name only
// when it is complete.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_SUPPORT_FILEIO_H
#define QCC_SUPPORT_FILEIO_H

#include "qcc/Base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace qcc {

/// A regular file, open for reading. Messages do not repeat its name.
class InputFile {
public:
  static rt::Result<InputFile> open(const std::string &path);
  InputFile(InputFile &&other) noexcept;
  InputFile &operator=(InputFile &&other) noexcept;
  ~InputFile();

  const std::string &path() const { return path_; }
  int64_t size() const { return size_; }

  /// All of [offset, offset + size), or a failure.
  rt::Status read(void *data, int64_t size, int64_t offset) const;

private:
  InputFile() = default;
  int fd_ = -1;
  int64_t size_ = 0;
  std::string path_;
};

/// All bytes of a regular file of at most `limit` bytes. Messages name the file
/// and the limit.
rt::Result<std::string> readWholeFile(const std::string &path, int64_t limit);

/// Writes to a temporary file beside `path`, which takes its place on commit().
/// Without a commit, or after a failure, nothing is left behind. A file that is
/// not a regular one (/dev/null, a pipe) is written directly.
class OutputFile {
public:
  static rt::Result<OutputFile> create(const std::string &path);
  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&other) noexcept;
  ~OutputFile();

  rt::Status write(const void *data, int64_t size);
  rt::Status commit();

private:
  OutputFile() = default;
  void discard();
  rt::Status failed(const char *what);

  int fd_ = -1;
  std::string path_;      ///< As the caller wrote it, for messages.
  std::string target_;    ///< With symbolic links followed.
  std::string temporary_; ///< Empty where it is written directly.
};

/// Writes a whole file, or leaves what was there.
rt::Status writeFile(const std::string &path, std::string_view bytes);

} // namespace qcc

#endif // QCC_SUPPORT_FILEIO_H
