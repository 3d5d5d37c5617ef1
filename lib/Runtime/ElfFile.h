//===- ElfFile.h - A look at a shared object before it is loaded *- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dynamic loader maps what the headers say, and dies of SIGBUS where the
// file is shorter. So the headers are read and checked before.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_ELFFILE_H
#define QCC_LIB_RUNTIME_ELFFILE_H

#include "qcc/Runtime/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qcc::rt {

/// A loaded, readable part of a shared object.
struct ElfSegment {
  uint64_t address; ///< Relative to where the object is loaded.
  int64_t size;     ///< In memory.
};

/// Checks that `path` is a complete ELF64 shared object for x86-64.
Result<std::vector<ElfSegment>> readElfSegments(const std::string &path);

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_ELFFILE_H
