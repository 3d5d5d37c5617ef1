//===- ContractionRewrites.h - Rewrites of contractions ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rewrites of form-contractions. Each says whether it was done; what keeps
// an op from it is recorded by refuse().
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_CONTRACTION_CONTRACTIONREWRITES_H
#define QCC_LIB_TRANSFORMS_CONTRACTION_CONTRACTIONREWRITES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qcc/Transforms/Contraction/ContractParts.h"

namespace mlir {
class DominanceInfo;
} // namespace mlir

namespace qcc {

//===----------------------------------------------------------------------===//
// MatchContraction.cpp
//===----------------------------------------------------------------------===//

/// One factor of the product: extend(input) - zeroPoint of integers; of floats
/// the input, or what the body computes from it.
struct Factor {
  mlir::OpOperand *input = nullptr;
  bool isUnsigned = false;
  mlir::Value zeroPoint; // null: 0
  mlir::Value computed;  // of the body; null: the input
};

/// Whether the generic is an int8 contraction at all; only then is a failure
/// to form worth a reason.
bool matchContraction(mlir::linalg::GenericOp op, Factor &lhs, Factor &rhs);

/// Turns a contraction into a kernel.contract with nothing around it, one of
/// floats only where `formsFloats` says so:
///
///   linalg.generic ins(%x, %w) outs(%zeros) {
///     acc + (extsi(x) - zx) * (extsi(w) - zw)
///   }
/// =>
///   kernel.contract lhs(%x) rhs(%w) lhs_zero_point(%zx) rhs_zero_point(%zw)
///     outs(%empty) epilogue { yield %acc }
void formContraction(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
                     bool formsFloats);

/// The operands that are lhs and rhs of the contraction that is formed of the
/// generic; nulls if it is no contraction of integers nor, where `formsFloats`
/// says so, one of floats that has columns enough for a kernel.
std::pair<mlir::OpOperand *, mlir::OpOperand *>
factorOperands(mlir::linalg::GenericOp op, bool formsFloats);

/// The op operand behind a block argument of a generic, or null.
mlir::OpOperand *inputOf(mlir::linalg::GenericOp op, mlir::Value value);

/// `inner` is a map of an op whose result, with map `result`, is read with map
/// `outer` by another op: the map by which that other op reads the operand.
mlir::AffineMap through(mlir::AffineMap inner, mlir::AffineMap result,
                        mlir::AffineMap outer);

/// Reads an operand through the movement that made it, and through reshapes
/// that add or take away dimensions of one element:
///
///   %t = linalg.transpose %x          read with map (d0, d1)
/// =>
///   %x                                read with map (d1, d0)
void absorbMovement(MappedOperand &operand);

/// Whether each element of a tensor is 0, or +0.0.
bool isZeroFill(mlir::Value value);

//===----------------------------------------------------------------------===//
// MatchFloats.cpp
//===----------------------------------------------------------------------===//

/// Whether the generic is a contraction of floats into accumulators of f32.
bool matchFloatContraction(mlir::linalg::GenericOp op, Factor &lhs,
                           Factor &rhs);

/// The tensor of a factor of floats: its input, or the result of a pass over
/// it that does what the body does.
mlir::Value computeFactor(mlir::RewriterBase &rewriter,
                          mlir::linalg::GenericOp op, const Factor &factor);

//===----------------------------------------------------------------------===//
// FuseNeighbours.cpp
//===----------------------------------------------------------------------===//

/// Takes the elementwise producer of an operand in as its prologue:
///
///   %q = linalg.generic ins(%x) { f(x) }
///   kernel.contract lhs(%q)
/// =>
///   kernel.contract lhs(%x) lhs_prologue { yield f(x) }
bool fuseProducer(mlir::RewriterBase &rewriter, kernel::ContractOp op,
                  bool isLhs);

/// Takes an elementwise consumer of a result in as a part of the epilogue:
///
///   %r = kernel.contract epilogue { yield g(acc) }
///   %y = linalg.generic ins(%r, %s) { f(r, s) }
/// =>
///   %r, %y = kernel.contract epilogue_ins(%s) epilogue {
///     yield g(acc), f(g(acc), s)
///   }
bool fuseConsumer(mlir::RewriterBase &rewriter, kernel::ContractOp op,
                  mlir::linalg::GenericOp consumer,
                  mlir::DominanceInfo &dominance);

/// Records on the neighbours of a contraction that stay outside why they do.
void explainNeighbours(kernel::ContractOp op);

/// Whether the body can be evaluated on vectors as it stands.
bool isMappable(mlir::linalg::GenericOp op);

/// Whether vectors of the element type can be loaded and stored: one element
/// takes whole bytes, of a width that does not depend on the target.
bool hasVectorElements(mlir::Value value);

/// The map from the consumer's loops to those of the contraction, by the first
/// operand that is a result of the contraction; null where no such operand has
/// each element once.
mlir::AffineMap mapToContraction(kernel::ContractOp op,
                                 mlir::linalg::GenericOp consumer);

/// Whether the consumer reads results of the contraction only where its
/// iteration computes them, and everything else by single dimensions.
bool readsInOneOrder(kernel::ContractOp op, mlir::linalg::GenericOp consumer,
                     mlir::AffineMap toContract);

/// Makes everything else that the consumer reads exist before the contraction;
/// fails where that is not possible.
mlir::LogicalResult moveOperandsBefore(mlir::RewriterBase &rewriter,
                                       kernel::ContractOp op,
                                       mlir::linalg::GenericOp consumer,
                                       mlir::DominanceInfo &dominance);

//===----------------------------------------------------------------------===//
// FuseGroups.cpp
//===----------------------------------------------------------------------===//

/// Takes the chain over groups of K in, which reads sums of integers of each
/// group:
///
///   %sums = kernel.contract epilogue { yield acc }        [groups, m, n] of
///   i32 %y = linalg.generic ins(%sums, %s) outs(%b) { f(sum, s, total) }
/// =>
///   %y = kernel.contract init(%b) group_ins(%s)
///     group_epilogue { yield f(acc, s, total) } epilogue { yield total }
bool fuseGroups(mlir::RewriterBase &rewriter, kernel::ContractOp op,
                mlir::linalg::GenericOp chain, mlir::DominanceInfo &dominance);

//===----------------------------------------------------------------------===//
// FoldUnitLoops.cpp
//===----------------------------------------------------------------------===//

/// `value`, which has the shape of an operand of a generic, as the generic
/// reads that operand; the map has no terms of loops of one iteration where it
/// has sums: windows of 1 x 1 are no windows.
MappedOperand withoutUnitTerms(mlir::RewriterBase &rewriter,
                               mlir::linalg::GenericOp op,
                               mlir::OpOperand *operand, mlir::Value value);

/// Leaves out the loops of one iteration, except the columns and one reduction:
///
///   maps (b, m, n, k) -> (b, m, k), (k, n), (b, m, n) with one b
/// =>
///   maps (m, n, k) -> (0, m, k), (k, n), (0, m, n)
kernel::ContractOp foldUnitLoops(mlir::RewriterBase &rewriter,
                                 kernel::ContractOp op);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_CONTRACTION_CONTRACTIONREWRITES_H
