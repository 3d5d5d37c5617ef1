//===- Files.cpp - The files that a command reads and writes --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Files.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

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

rt::Status CommandFiles::check() const {
  for (size_t i = 0; i < writes_.size(); ++i) {
    rt::Status status = checkWrite(writes_[i], i);
    if (!status.isOk())
      return status;
  }
  return rt::Status::ok();
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
  static std::string reason;
  errno = 0;
  if (fflush(stdout) != 0 && reason.empty())
    reason = strerror(errno);
  if (ferror(stdout) && reason.empty())
    reason = "an earlier write failed";
  return reason.empty() ? rt::Status::ok() : standardOutputFailed(reason);
}

} // namespace qcc::tools
