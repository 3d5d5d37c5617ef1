//===- SystemFailure.h - Failures of the system, with remedies ------------===//
//-*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One place that knows remedies for the errors of the system. The number of the
// error is handed over, since making a message may change errno.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_BASE_SYSTEMFAILURE_H
#define QCC_BASE_SYSTEMFAILURE_H

#include "qcc/Base/Status.h"

#include <cerrno>
#include <cstring>

namespace qcc::rt {

/// "`what` (No such file or directory); ..." for an error of the system.
inline Status systemFailure(const std::string &what, int error) {
  std::string text = what + " (" + strerror(error) + "); ";
  switch (error) {
  case ENOMEM:
    return outOfMemory(text + "free memory, or raise the limits of the process "
                              "(RLIMIT_AS) or of its container");
  case EMFILE:
  case ENFILE:
    return ioError(text + "close files, or raise the limit of open files "
                          "(RLIMIT_NOFILE)");
  case EAGAIN:
    return outOfMemory(text + "end threads, or raise the limit of threads "
                              "(RLIMIT_NPROC, or of the container)");
  case EACCES:
  case EPERM:
    return ioError(text + "check the permissions, and whether the file system "
                          "is mounted noexec");
  case ENOENT:
    return ioError(text + "mount /proc, which loading needs");
  default:
    return ioError(text + "check the disk");
  }
}

} // namespace qcc::rt

#endif // QCC_BASE_SYSTEMFAILURE_H
