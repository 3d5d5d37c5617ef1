//===- Notes.h - Notes on ops for people ------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes leave these attributes on ops; `qcc explain` says by them what ran and
// why. Attributes survive rewrites that copy discardable attributes or clone
// bodies. Losing one of these costs information in `qcc explain`.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_UTILS_NOTES_H
#define QCC_DIALECT_UTILS_NOTES_H

#include "llvm/ADT/StringRef.h"

namespace qcc {

/// String: the op of the source program. Written by the pass that replaces it.
inline constexpr llvm::StringLiteral kOriginAttr = "qcc.origin";
/// The origin of ops that are in no source program: channels-last stores a
/// value in another order of dimensions.
inline constexpr llvm::StringLiteral kLayoutChange = "change of layout";
/// String: why the op is in no kernel. Written by the pass that gives up.
inline constexpr llvm::StringLiteral kRefusedAttr = "qcc.refused";

} // namespace qcc

#endif // QCC_DIALECT_UTILS_NOTES_H
