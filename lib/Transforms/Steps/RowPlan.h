//===- RowPlan.h - Blocks of rows, or steps apart ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a group of ops (RowGroup.h) is faster as one step, and how many rows
// its blocks have. Rationale/Attention.md has the measurements.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_STEPS_ROWPLAN_H
#define QCC_LIB_TRANSFORMS_STEPS_ROWPLAN_H

#include "RowGroup.h"
#include "qcc/Target/Target.h"
#include <variant>

namespace qcc {

struct RowPlan {
  unsigned blockedRow; ///< the row dimension that is cut in blocks
  int64_t size;        ///< rows of a block
};

/// Decides whether a group with contractions is faster as one step. Returns why
/// not, for people; an empty text if its temporaries fit the cache anyway.
std::variant<RowPlan, std::string> planContractions(const RowGroup &group,
                                                    const Target &target);

/// Decides how a group without contractions runs as one step; nothing if its
/// steps stay apart.
std::optional<RowPlan> planReductions(const RowGroup &group,
                                      const Target &target);

/// The bytes of a temporary; `unknown` if they are not known.
int64_t bytesOf(mlir::memref::AllocOp alloc, int64_t unknown);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_STEPS_ROWPLAN_H
