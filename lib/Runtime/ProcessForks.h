//===- ProcessForks.h - Whether threads were left behind --------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A child of fork() has a copy of the objects that own threads, and none of the
// threads.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_PROCESSFORKS_H
#define QCC_LIB_RUNTIME_PROCESSFORKS_H

#include <cstdint>

namespace qcc::rt {

/// How many forks lie between this process and the one that called this first.
/// What owns threads remembers the count, and has lost them where it differs.
uint32_t countForks();

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_PROCESSFORKS_H
