//===- Sodium.cpp - The library that computes signatures ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sodium.h"

#include <dlfcn.h>
#include <mutex>
#include <string>

namespace qcc::rt {

/// The names that versions of it have, the latest first.
static constexpr const char *libraryNames[] = {"libsodium.so.26",
                                               "libsodium.so.23"};

/// Opens the library. The loader gives a text alone where it fails, or none
/// where there is no memory for it.
static Result<void *> openLibrary() {
  std::string reasons;
  bool lacksMemory = false;
  for (const char *name : libraryNames) {
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return library;
    const char *text = dlerror();
    std::string reason = text ? text : "out of memory";
    for (const char *part :
         {"annot allocate", "cannot create", "out of memory"})
      lacksMemory |= reason.find(part) != std::string::npos;
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  if (lacksMemory)
    return outOfMemory("libsodium cannot be opened (" + reasons + ")");
  return unsupported("signatures need libsodium, which cannot be opened (" +
                     reasons +
                     "); install it, on Debian the package libsodium23");
}

/// Finds all functions of the library, which stays loaded.
static Status findFunctions(void *library, Sodium &sodium) {
  const char *missing = nullptr;
#define QCC_SODIUM_FIND(symbol, member, result, parameters)                    \
  sodium.member =                                                              \
      reinterpret_cast<result(*) parameters>(dlsym(library, #symbol));         \
  if (!sodium.member)                                                          \
    missing = #symbol;
  QCC_SODIUM_FUNCTIONS(QCC_SODIUM_FIND)
#undef QCC_SODIUM_FIND
  if (missing)
    return unsupported(std::string("libsodium has no function ") + missing +
                       "; install version 1.0.12 of it or a later one");
  return Status::ok();
}

Result<const Sodium *> Sodium::open() {
  static std::mutex mutex;
  static Sodium sodium;
  static bool isOpen = false;
  std::lock_guard<std::mutex> lock(mutex);
  if (isOpen)
    return &sodium;
  Result<void *> library = openLibrary();
  if (!library.isOk())
    return library.status();
  Status status = findFunctions(*library, sodium);
  if (!status.isOk())
    return status;
  if (sodium.init() < 0)
    return ioError("libsodium does not start: the system gives no random "
                   "numbers");
  isOpen = true;
  return &sodium;
}

} // namespace qcc::rt
