//===- JIT.cpp - Artifacts in memory to callable modules ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/JIT/JIT.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace qcc;

rt::Result<std::shared_ptr<const rt::Module>>
qcc::loadArtifact(const Artifact &artifact) {
  // A file without a name: what the loader maps stays after it is closed.
  int file = memfd_create("qcc-artifact", MFD_CLOEXEC);
  if (file < 0)
    return rt::ioError(std::string("cannot create a file in memory: ") +
                       std::strerror(errno));
  const char *data = artifact.data();
  size_t left = artifact.size();
  while (left > 0) {
    ssize_t written = write(file, data, left);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      int error = errno;
      close(file);
      return rt::ioError(std::string("cannot write a file in memory: ") +
                         std::strerror(error));
    }
    data += written;
    left -= written;
  }
  auto module = rt::Module::open("/proc/self/fd/" + std::to_string(file));
  close(file);
  return module;
}
