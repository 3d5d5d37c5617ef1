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
#include "common/Files.h"
#include "qcc/Base/Memory.h"
#include "qcc/Support/FileFormat.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace qcc;
using namespace qcc::driver;

using Buffer = std::unique_ptr<llvm::MemoryBuffer>;

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

/// Opens and reads a program, which `what` names in messages.
static rt::Result<Buffer> readBytes(const std::string &path,
                                    const std::string &what) {
  bool isStandard = path == "-";
  Descriptor file{isStandard ? STDIN_FILENO
                             : open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat info;
  if (file.number < 0 || fstat(file.number, &info) != 0)
    return rt::invalidArgument(what + " cannot be opened (" + strerror(errno) +
                               "); check the name and the permissions");
  if (S_ISDIR(info.st_mode))
    return rt::invalidArgument(
        what + ": " +
        refuseFileFormat(path, FileUse::Program).value_or("this is a folder"));
  bool isDevice = S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode);
  if (isDevice && !isStandard && !isatty(file.number))
    return rt::invalidArgument(what + " is a device; name a file");
  if (!S_ISREG(info.st_mode) || isStandard) {
    // Only a file is sure to have an end.
    rt::Result<std::string> bytes = tools::readStream(
        file.number, what,
        S_ISREG(info.st_mode) ? SIZE_MAX - 1 : tools::kStreamLimit);
    if (!bytes.isOk())
      return bytes.status();
    return Buffer(llvm::MemoryBuffer::getMemBufferCopy(
        *bytes, isStandard ? "<stdin>" : path));
  }
  // Files whose last page is full are copied, since the text needs an end.
  bool isCopied = info.st_size % sysconf(_SC_PAGESIZE) == 0;
  if (isCopied && !rt::hasMemoryFor(info.st_size))
    return rt::outOfMemory(what + " has " + std::to_string(info.st_size) +
                           " bytes, for which there is not enough memory");
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return rt::invalidArgument(what + " cannot be read (" +
                               buffer.getError().message() + ")");
  return std::move(*buffer);
}

rt::Result<Buffer> driver::readProgram(const std::string &path) {
  std::string what = path == "-" ? "the standard input" : "'" + path + "'";
  rt::Result<Buffer> buffer = readBytes(path, what);
  if (buffer.isOk() && (*buffer)->getBuffer().empty())
    return rt::invalidArgument(
        what + " is empty; give an ONNX model or a program of MLIR");
  return buffer;
}
