//===- Decisions.h - Messages about what passes decide ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass that chooses between forms says what it chose, where and why, by
// LDBG() of LLVM. The debug type of these messages is the name of the pass.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_PIPELINES_DECISIONS_H
#define QCC_PIPELINES_DECISIONS_H

#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace qcc {

/// Prints to stderr what the passes of these names decide from now on;
/// NAME:2 also prints what NAME considers. Returns false in a build without
/// assertions, whose passes have no messages.
bool printDecisions(llvm::ArrayRef<std::string> passes);

} // namespace qcc

#endif // QCC_PIPELINES_DECISIONS_H
