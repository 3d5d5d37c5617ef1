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

/// One factor of the product: extend(input) - zeroPoint.
struct Factor {
  mlir::OpOperand *input = nullptr;
  bool isUnsigned = false;
  mlir::Value zeroPoint; // null: 0
};

/// Whether the generic is an int8 contraction at all; only then is a failure
/// to form worth a reason.
bool matchContraction(mlir::linalg::GenericOp op, Factor &lhs, Factor &rhs);

/// Turns an int8 contraction into a kernel.contract with nothing around it:
///
///   linalg.generic ins(%x, %w) outs(%zeros) {
///     acc + (extsi(x) - zx) * (extsi(w) - zw)
///   }
/// =>
///   kernel.contract lhs(%x) rhs(%w) lhs_zero_point(%zx) rhs_zero_point(%zw)
///     outs(%empty) epilogue { yield %acc }
void formContraction(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op);

/// The operands that are lhs and rhs of the contraction that is formed of an
/// int8 contraction; nulls if the generic is no int8 contraction.
std::pair<mlir::OpOperand *, mlir::OpOperand *>
int8Operands(mlir::linalg::GenericOp op);

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

//===----------------------------------------------------------------------===//
// FoldUnitLoops.cpp
//===----------------------------------------------------------------------===//

/// An operand of a generic, whose map has no terms of loops of one iteration
/// where it has sums: windows of 1 x 1 are no windows.
MappedOperand withoutUnitTerms(mlir::RewriterBase &rewriter,
                               mlir::linalg::GenericOp op,
                               mlir::OpOperand *operand);

/// Leaves out the loops of one iteration, except the columns and one reduction:
///
///   maps (b, m, n, k) -> (b, m, k), (k, n), (b, m, n) with one b
/// =>
///   maps (m, n, k) -> (0, m, k), (k, n), (0, m, n)
kernel::ContractOp foldUnitLoops(mlir::RewriterBase &rewriter,
                                 kernel::ContractOp op);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_CONTRACTION_CONTRACTIONREWRITES_H
