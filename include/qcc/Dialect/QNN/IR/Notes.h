//===- Notes.h - What is noted on ops for people ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Discardable attributes that travel with an op so that `qcc explain` can say
// what ran and why. No pass decides by them.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_NOTES_H
#define QCC_DIALECT_QNN_IR_NOTES_H

#include "llvm/ADT/StringRef.h"

namespace qcc {

/// The op of the source program.
inline constexpr llvm::StringLiteral kOriginAttr = "qcc.origin";
/// Why the op is in no kernel.
inline constexpr llvm::StringLiteral kRefusedAttr = "qcc.refused";

} // namespace qcc

#endif // QCC_DIALECT_QNN_IR_NOTES_H
