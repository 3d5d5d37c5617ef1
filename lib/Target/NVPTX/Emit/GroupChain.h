//===- GroupChain.h - Chains over groups of K -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each result of a contraction with groups of K is a chain over the groups
// (N3), in f32. A thread has the totals of its results in registers.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_GROUPCHAIN_H
#define QCC_LIB_TARGET_NVPTX_EMIT_GROUPCHAIN_H

#include "FragmentEpilogue.h"

namespace qcc::nvptx {

/// The totals of a tile in front of all groups: for each row, at the columns of
/// all runs. `tile` needs no sums.
llvm::SmallVector<mlir::Value> initialTotals(ScalarCode &code,
                                             kernel::ContractOp op,
                                             const FragmentTile &tile);

/// Takes the sums of a group into the totals. `tile` has the sums.
void addGroup(ScalarCode &code, kernel::ContractOp op, FragmentTile tile,
              mlir::Value group, llvm::MutableArrayRef<mlir::Value> totals);

/// Makes the totals what the epilogue takes.
void setTotals(FragmentTile &tile, llvm::ArrayRef<mlir::Value> totals);

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_GROUPCHAIN_H
