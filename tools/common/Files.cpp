//===- Files.cpp - The files that a command reads and writes --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Files.h"

#include "common/Text.h"
#include "qcc/Support/FileFormat.h"
#include "qcc/Support/FileIO.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qcc::tools {

static std::string inodeText(const struct stat &info) {
  return std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino);
}

/// Equal for two paths of one file. Empty for what is not a file on disk, such
/// as /dev/null, and where the folder does not exist.
static std::string identityOf(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0)
    return S_ISREG(info.st_mode) ? inodeText(info) : "";
  // The file does not exist yet: its folder and its name.
  size_t slash = path.rfind('/');
  std::string folder =
      slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (stat(folder.c_str(), &info) != 0)
    return "";
  return inodeText(info) + "/" +
         (slash == std::string::npos ? path : path.substr(slash + 1));
}

CommandFiles::Use CommandFiles::makeUse(const std::string &path,
                                        const std::string &by) {
  return {path, by, path.empty() || path == "-" ? "" : identityOf(path)};
}

void CommandFiles::reads(const std::string &path, const std::string &reader) {
  reads_.push_back(makeUse(path, reader));
}

void CommandFiles::writes(const std::string &path, const std::string &writer) {
  writes_.push_back(makeUse(path, writer));
}

/// Compares with all that is read and the first `otherWrites` of what is
/// written.
rt::Status CommandFiles::checkWrite(const Use &written,
                                    size_t otherWrites) const {
  if (written.identity.empty())
    return rt::Status::ok();
  for (const Use &read : reads_)
    if (read.identity == written.identity)
      return rt::invalidArgument("'" + written.by + "' would overwrite '" +
                                 read.path + "', which is " + read.by +
                                 "; name another file");
  for (size_t i = 0; i < otherWrites; ++i)
    if (writes_[i].identity == written.identity)
      return rt::invalidArgument("'" + written.by + "' would overwrite what '" +
                                 writes_[i].by + "' writes; name another file");
  return rt::Status::ok();
}

rt::Status CommandFiles::checkWrite(const std::string &path,
                                    const std::string &writer) const {
  return checkWrite(makeUse(path, writer), writes_.size());
}

bool CommandFiles::writesStandardOutput() const {
  return std::any_of(writes_.begin(), writes_.end(),
                     [](const Use &use) { return use.path == "-"; });
}

/// Refuses a second use of "-"; `message` says why.
rt::Status CommandFiles::checkStream(const std::vector<Use> &uses,
                                     const std::string &message) {
  const Use *first = nullptr;
  for (const Use &use : uses) {
    if (use.path != "-")
      continue;
    if (first)
      return rt::invalidArgument("'-' is " + first->by + " and " + use.by +
                                 ", but " + message + "; name a file");
    first = &use;
  }
  return rt::Status::ok();
}

rt::Status CommandFiles::check() const {
  rt::Status status =
      checkStream(reads_, "the standard input is read only once");
  if (status.isOk())
    status = checkStream(writes_, "the standard output takes one of them");
  if (!status.isOk())
    return status;
  for (size_t i = 0; i < writes_.size(); ++i) {
    status = checkWrite(writes_[i], i);
    if (!status.isOk())
      return status;
  }
  return rt::Status::ok();
}

/// Why the standard output could not be written, from the first failure on.
static std::string &outputFailure() {
  static std::string reason;
  return reason;
}

rt::Status writeOutput(const std::string &path, std::string_view bytes) {
  if (path != "-")
    return writeFile(path, bytes);
  if (isBinary(bytes) && isatty(STDOUT_FILENO))
    return rt::ioError("the output is binary, and the standard output is a "
                       "terminal; name a file, or redirect the output");
  errno = 0;
  if (fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() &&
      outputFailure().empty())
    outputFailure() = strerror(errno);
  // The end of the command reports what could not be written.
  return rt::Status::ok();
}

rt::Result<std::string> readStream(int descriptor, const std::string &what,
                                   size_t limit) {
  std::string bytes;
  constexpr size_t kChunk = 1 << 16;
  for (;;) {
    size_t before = bytes.size();
    if (before > limit)
      return rt::invalidArgument(what + " has more than " +
                                 byteSize(int64_t(limit)) +
                                 ", which is all that is read of a pipe; write "
                                 "it to a file and give that");
    bytes.resize(before + kChunk);
    ssize_t count = read(descriptor, bytes.data() + before, kChunk);
    if (count < 0 && errno != EINTR)
      return rt::invalidArgument(what + " cannot be read (" + strerror(errno) +
                                 ")");
    bytes.resize(before + std::max<ssize_t>(count, 0));
    if (count == 0)
      return bytes;
    // No format begins so, but /dev/zero does.
    constexpr size_t kZeros = 16;
    if (bytes.size() >= kZeros && bytes.find_first_not_of('\0') >= kZeros)
      return rt::invalidArgument(what + " begins with zeros, as no format does "
                                        "that qcc reads; name another file");
  }
}

/// Puts a file in memory in the place of the standard input.
static rt::Status replaceStandardInput(const std::string &bytes) {
  auto failed = [](const char *what) {
    return rt::ioError(std::string("the standard input cannot be ") + what +
                       " (" + strerror(errno) + "); name a file");
  };
  int file = memfd_create("standard input", MFD_CLOEXEC);
  if (file < 0)
    return failed("kept in memory");
  rt::Status status;
  for (size_t at = 0; at < bytes.size() && status.isOk();) {
    ssize_t written = write(file, bytes.data() + at, bytes.size() - at);
    if (written >= 0)
      at += size_t(written);
    else if (errno != EINTR)
      status = failed("kept in memory");
  }
  if (status.isOk() && dup2(file, STDIN_FILENO) < 0)
    status = failed("replaced");
  close(file);
  return status;
}

rt::Status resolveStandardInput(std::string &path) {
  if (path != "-")
    return rt::Status::ok();
  path = "/dev/stdin";
  struct stat info;
  if (fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode))
    return rt::Status::ok();
  rt::Result<std::string> bytes =
      readStream(STDIN_FILENO, "the standard input");
  return bytes.isOk() ? replaceStandardInput(*bytes) : bytes.status();
}

void ignoreWriteSignals() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

rt::Status standardOutputFailed(const std::string &reason) {
  return rt::ioError("the standard output cannot be written (" + reason + ")");
}

rt::Status flushStandardOutput() {
  // A failure is repeated, with its reason, by each later call.
  std::string &reason = outputFailure();
  errno = 0;
  if (fflush(stdout) != 0 && reason.empty())
    reason = strerror(errno);
  if (ferror(stdout) && reason.empty())
    reason = "an earlier write failed";
  return reason.empty() ? rt::Status::ok() : standardOutputFailed(reason);
}

} // namespace qcc::tools
