//===- Contractions.h - Types of contractions -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_STABLEHLO_OPS_CONTRACTIONS_H
#define QCC_LIB_FRONTEND_STABLEHLO_OPS_CONTRACTIONS_H

#include "../OpImporter.h"

namespace qcc::stablehlo {

/// The loops of a contraction, and the maps of its operands.
struct ContractionLoops {
  explicit ContractionLoops(OpImporter &n) : n(n) {}

  AffineExpr add(mlir::utils::IteratorType kind) {
    iterators.push_back(kind);
    return n.b.getAffineDimExpr(iterators.size() - 1);
  }
  AffineMap map(ArrayRef<AffineExpr> exprs) const {
    return AffineMap::get(iterators.size(), 0, exprs, n.b.getContext());
  }

  OpImporter &n;
  SmallVector<mlir::utils::IteratorType> iterators;
};

/// Sums of products of operands 0 and 1 of the op, which `x` and `y` are in the
/// order that `maps` read, as the element type that the op declares. Bytes are
/// summed as i32 and other integers as the result's; f16 and bf16 as f32.
/// `depth` is the number of products of a sum, if it is known.
GraphValue contract(OpImporter &n, GraphValue &x, GraphValue &y,
                    const ContractionLoops &loops, ArrayRef<AffineMap> maps,
                    const Shape &shape, std::optional<int64_t> depth);

} // namespace qcc::stablehlo

#endif // QCC_LIB_FRONTEND_STABLEHLO_OPS_CONTRACTIONS_H
