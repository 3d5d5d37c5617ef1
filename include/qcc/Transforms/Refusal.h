//===- Refusal.h - Why a fast path was not taken ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Discardable attributes that travel with an op so that `qcc explain` can say
// what ran and why: `qcc.origin`, the op of the source program, and
// `qcc.refused`, why the fast path did not apply.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_REFUSAL_H
#define QCC_TRANSFORMS_REFUSAL_H

#include "llvm/ADT/Twine.h"
#include <string>

namespace mlir {
class Operation;
} // namespace mlir

namespace qcc {

inline constexpr llvm::StringLiteral kOriginAttr = "qcc.origin";
inline constexpr llvm::StringLiteral kRefusedAttr = "qcc.refused";

/// Records why `op` takes no fast path; the first reason stays.
void refuse(mlir::Operation *op, const llvm::Twine &reason);

/// What an op does, for people: its `qcc.origin`, or for a linalg.generic the
/// ops of its body ("mulf+addf"), or its name.
std::string originOf(mlir::Operation *op);

} // namespace qcc

#endif // QCC_TRANSFORMS_REFUSAL_H
