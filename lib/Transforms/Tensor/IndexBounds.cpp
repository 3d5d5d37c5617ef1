//===- IndexBounds.cpp - The range of an affine expression ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexBounds.h"

using namespace mlir;
using namespace qcc;

std::optional<IndexBounds> qcc::boundsOf(AffineExpr expr,
                                         ArrayRef<AffineExpr> last) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return IndexBounds{getAffineConstantExpr(0, expr.getContext()),
                       last[dim.getPosition()]};
  if (isa<AffineConstantExpr>(expr))
    return IndexBounds{expr, expr};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<IndexBounds> lhs = boundsOf(binary.getLHS(), last);
  std::optional<IndexBounds> rhs = boundsOf(binary.getRHS(), last);
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return IndexBounds{lhs->low + rhs->low, lhs->high + rhs->high};
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!constant)
    return std::nullopt;
  int64_t factor = constant.getValue();
  if (expr.getKind() == AffineExprKind::Mul)
    return factor >= 0 ? IndexBounds{lhs->low * factor, lhs->high * factor}
                       : IndexBounds{lhs->high * factor, lhs->low * factor};
  if (factor <= 0)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return IndexBounds{lhs->low.floorDiv(factor), lhs->high.floorDiv(factor)};
  if (expr.getKind() == AffineExprKind::CeilDiv)
    return IndexBounds{lhs->low.ceilDiv(factor), lhs->high.ceilDiv(factor)};
  auto low = dyn_cast<AffineConstantExpr>(lhs->low);
  auto high = dyn_cast<AffineConstantExpr>(lhs->high);
  if (low && high && low.getValue() >= 0 && high.getValue() < factor)
    return lhs;
  return IndexBounds{getAffineConstantExpr(0, expr.getContext()),
                     getAffineConstantExpr(factor - 1, expr.getContext())};
}

bool qcc::isNonNegative(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  return !binary ||
         (isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS()));
}
