//===- LoadMemory.cpp - Artifacts in memory -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file without a name: there is one loader, and what it maps stays after the
// file is closed.
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/Module.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace qcc::rt {

static Status writeAll(int file, const void *data, size_t size) {
  auto *bytes = static_cast<const char *>(data);
  while (size > 0) {
    ssize_t written = write(file, bytes, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return ioError(std::string("cannot write a file in memory: ") +
                     strerror(errno));
    bytes += written;
    size -= written;
  }
  return Status::ok();
}

Result<std::shared_ptr<const Module>>
Module::load(const void *data, size_t size, const ModuleOptions &options) {
  if (!data && size > 0)
    return invalidArgument("the artifact in memory is a null pointer");
  int file = memfd_create("qcc-artifact", MFD_CLOEXEC);
  if (file < 0)
    return ioError(std::string("cannot create a file in memory: ") +
                   strerror(errno));
  ModuleOptions named = options;
  if (named.name.empty())
    named.name = "the artifact in memory";
  Status status = writeAll(file, data, size);
  Result<std::shared_ptr<const Module>> module =
      status.isOk() ? open("/proc/self/fd/" + std::to_string(file), named)
                    : Result<std::shared_ptr<const Module>>(status);
  close(file);
  return module;
}

} // namespace qcc::rt
