//===- ContractParts.h - Taking a kernel.contract apart ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fused contraction has many operands, each with a map. Passes that change
// its operands take it apart, change the parts and build it again.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_CONTRACTION_CONTRACTPARTS_H
#define QCC_TRANSFORMS_CONTRACTION_CONTRACTPARTS_H

#include "mlir/IR/PatternMatch.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "llvm/ADT/SmallBitVector.h"

namespace qcc {

/// An operand and its indexing map; no operand where `value` is null.
struct MappedOperand {
  mlir::Value value;
  mlir::AffineMap map;
  explicit operator bool() const { return static_cast<bool>(value); }
};

struct ContractParts {
  MappedOperand lhs, rhs;
  mlir::Value rhsSums;
  MappedOperand init, lhsZeroPoint, rhsZeroPoint;
  llvm::SmallVector<MappedOperand> lhsOperands, rhsOperands, epilogueOperands,
      outs;
  llvm::SmallVector<int64_t> reductionDims, reductionSizes;
  bool lhsUnsigned = false, rhsUnsigned = false;
  llvm::SmallVector<std::string> fused;
  /// What the source program says of each result: as many as `outs`.
  llvm::SmallVector<ValueInfo> values;
  /// The value range of a constant right operand, where it is noted.
  mlir::DenseI64ArrayAttr rhsRange;
  /// Of `epilogueOperands`; what changes their numbers clears it.
  mlir::DenseF64ArrayAttr epilogueRanges;
  /// Of `lhs`; what changes its dimensions clears it.
  mlir::DenseI64ArrayAttr zeroBorder;
  /// The padding that windows of `lhs` reach into, and its value.
  mlir::DenseI64ArrayAttr lhsPadding;
  mlir::IntegerAttr lhsPaddingValue;
  kernel::LoweringConfigAttrInterface config;

  static ContractParts of(kernel::ContractOp op);

  /// All operands that have a map, in the order of the op's maps.
  llvm::SmallVector<MappedOperand *> operands();

  /// Leaves out loops that have one iteration: the maps have 0 in their place.
  void dropLoops(const llvm::SmallBitVector &loops);

  /// Creates the op with empty regions; the caller fills in the epilogue, and
  /// prologues where there are some.
  kernel::ContractOp create(mlir::OpBuilder &builder, mlir::Location loc) const;

  /// Creates the op with the regions of `old`.
  kernel::ContractOp createFrom(mlir::RewriterBase &rewriter,
                                kernel::ContractOp old) const;
};

} // namespace qcc

#endif // QCC_TRANSFORMS_CONTRACTION_CONTRACTPARTS_H
