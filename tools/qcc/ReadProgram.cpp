//===- ReadProgram.cpp - The bytes of a program ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file on disk is mapped. What comes from a pipe or a terminal is read, and
// may have no end, so that it has a limit.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "common/Text.h"
#include "qcc/Base/Memory.h"
#include "qcc/Support/FileFormat.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace qcc;
using namespace qcc::driver;

using Buffer = std::unique_ptr<llvm::MemoryBuffer>;

/// The most that is read of what cannot be mapped.
static constexpr size_t kStreamLimit = size_t(1) << 30;

namespace {
/// Closes a descriptor, unless it is the standard input.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number > STDIN_FILENO)
      close(number);
  }
};
} // namespace

/// Reads a descriptor to its end; only a file is sure to have one. `what` names
/// it in messages.
static rt::Result<Buffer> readStream(int number, bool isFile,
                                     const std::string &name,
                                     const std::string &what) {
  constexpr size_t kChunk = 1 << 16;
  llvm::SmallVector<char, 0> bytes;
  for (;;) {
    size_t before = bytes.size();
    if (before > kStreamLimit && !isFile)
      return rt::invalidArgument(
          what + " has more than " + tools::byteSize(kStreamLimit) +
          ", which is all that is read of a pipe; write the "
          "program to a file and give that");
    bytes.resize_for_overwrite(before + kChunk);
    ssize_t count = read(number, bytes.data() + before, kChunk);
    if (count < 0 && errno != EINTR)
      return rt::ioError(what + " cannot be read (" + strerror(errno) + ")");
    bytes.truncate(before + std::max<ssize_t>(count, 0));
    if (count == 0)
      break;
    // No format begins so, but /dev/zero does.
    if (!bytes.empty() && bytes.front() == '\0')
      return rt::invalidArgument(what + " begins with a zero byte, as neither "
                                        "MLIR nor an ONNX model does; name "
                                        "another file");
  }
  return Buffer(std::make_unique<llvm::SmallVectorMemoryBuffer>(
      std::move(bytes), name, /*RequiresNullTerminator=*/true));
}

rt::Result<Buffer> driver::readProgram(const std::string &path) {
  bool isStandard = path == "-";
  std::string what = isStandard ? "the standard input" : "'" + path + "'";
  Descriptor file{isStandard ? STDIN_FILENO
                             : open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat info;
  if (file.number < 0 || fstat(file.number, &info) != 0)
    return rt::ioError(what + " cannot be opened (" + strerror(errno) +
                       "); check the name and the permissions");
  if (S_ISDIR(info.st_mode))
    return rt::invalidArgument(
        what + ": " +
        refuseFileFormat(path, FileUse::Program).value_or("this is a folder"));
  bool isDevice = S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode);
  if (isDevice && !isStandard && !isatty(file.number))
    return rt::invalidArgument(what + " is a device; name a file");
  if (!S_ISREG(info.st_mode) || isStandard)
    return readStream(file.number, S_ISREG(info.st_mode),
                      isStandard ? "<stdin>" : path, what);
  // Files whose last page is full are copied, since the text needs an end.
  bool isCopied = info.st_size % sysconf(_SC_PAGESIZE) == 0;
  if (isCopied && !rt::hasMemoryFor(info.st_size))
    return rt::outOfMemory(what + " has " + std::to_string(info.st_size) +
                           " bytes, for which there is not enough memory");
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return rt::ioError(what + " cannot be read (" +
                       buffer.getError().message() + ")");
  return std::move(*buffer);
}
