//===- ContractParts.h - Parts of a kernel.contract -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fused contraction has many operands, each with a map. Passes that change
// its operands take it apart, change the parts and build it again. The parts
// name what passes change; the other attributes travel as they are.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_CONTRACTION_CONTRACTPARTS_H
#define QCC_TRANSFORMS_CONTRACTION_CONTRACTPARTS_H

#include "mlir/IR/PatternMatch.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "llvm/ADT/SmallBitVector.h"

namespace qcc {

/// Index, on a contraction: the number n of groups of the program that it has
/// in one. Of n products, n - 1 are by zeros. Written by merge-groups, read
/// when operations are counted.
inline constexpr llvm::StringLiteral kMergedGroupsAttr = "qcc.merged_groups";

/// An operand and its indexing map; no operand if `value` is null. `rhs_sums`
/// has no map.
struct MappedOperand {
  mlir::Value value;
  mlir::AffineMap map;
  explicit operator bool() const { return static_cast<bool>(value); }
};

struct ContractParts {
  MappedOperand lhs, rhs, rhsSums, init, lhsZeroPoint, rhsZeroPoint;
  llvm::SmallVector<MappedOperand> lhsOperands, rhsOperands, groupOperands,
      epilogueOperands, outs;
  llvm::SmallVector<int64_t> reductionDims, reductionSizes;
  llvm::SmallVector<std::string> fused;
  /// Layers and types of the results in the source program, one for each of
  /// `outs`.
  llvm::SmallVector<ValueInfo> values;
  /// The op's other attributes, by their names in KernelOps.td; `create` writes
  /// those that are fields above. Code that changes the order or count of
  /// `epilogueOperands` clears their ranges in `facts`; code that changes the
  /// dimensions of `lhs` clears its border.
  kernel::ContractOp::Properties attributes;

  static ContractParts of(kernel::ContractOp op);

  /// All operands that have a map, in the order of the op's maps.
  llvm::SmallVector<MappedOperand *> operands();

  /// Changes the facts of `attributes`.
  void updateFacts(llvm::function_ref<void(kernel::Facts &)> change);

  /// Removes `loops`, which have one iteration; the maps get 0 in their place.
  void dropLoops(const llvm::SmallBitVector &loops);

  /// Creates the op with empty regions. The caller fills in the epilogue, and
  /// prologues if the op has any.
  kernel::ContractOp create(mlir::OpBuilder &builder, mlir::Location loc) const;

  /// Creates the op with the regions of `old`.
  kernel::ContractOp createFrom(mlir::RewriterBase &rewriter,
                                kernel::ContractOp old) const;
};

} // namespace qcc

#endif // QCC_TRANSFORMS_CONTRACTION_CONTRACTPARTS_H
