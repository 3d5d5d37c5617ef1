//===- InitialAccumulators.h - Initial accumulators -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With u, s the stored elements and zu, zs the moved zero points (Atom),
// exactly in wrapping i32,
//
//   sum (u - zu)(s - zs) = sum u s - zu sum s - zs sum u + K zu zs
//
// Only the first term takes a loop. The other terms and the initial value are
// known before the loop: accumulators start from their sum, or it is added at
// the end. So is what an atom with pairs multiplies too much (Atoms/Dot.h).
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_INITIALACCUMULATORS_H
#define QCC_LIB_TARGET_X86_EMIT_INITIALACCUMULATORS_H

#include "ColumnProducts.h"
#include "LhsRows.h"
#include <functional>

namespace qcc::x86 {

class InitialAccumulators {
public:
  /// A vector of i32 for each vector of a tile.
  struct Term {
    bool onRow = false, onColumn = false; // what it depends on
    std::function<mlir::Value(int64_t i, int64_t j)> emit;
    bool isNegative = false;
  };

  /// `rows` has the rows of the tile prepared, `columns` its columns.
  InitialAccumulators(KernelBuilder &builder, Contraction &contraction,
                      LhsRows &rows, ColumnProducts *columns, const Tile &tile);
  /// With the sums over K of the stored elements of each operand, which are
  /// emitted where they are needed (Contraction::needsRowSums).
  InitialAccumulators(KernelBuilder &builder, Contraction &contraction,
                      const Tile &tile, const Term &lhsSums,
                      const Term &rhsSums);
  InitialAccumulators(const InitialAccumulators &) = delete;

  /// Emits the initial accumulators of vector j of row i of the tile; null if
  /// they are 0. A term is emitted once for each row or column where it does
  /// not depend on the other: what it needs must dominate every later use.
  mlir::Value emit(int64_t i, int64_t j);

private:
  void addTerms(const Term &lhsSums, const Term &rhsSums);
  /// Emits a term once for each place where it differs.
  Term once(const Term &term);
  Term operand(mlir::Value memref, mlir::AffineMap map, int64_t shift = 0);
  Term product(const Term &a, const Term &b);
  /// The sum of the terms that depend on rows and columns as the arguments say.
  Term sumOf(bool onRow, bool onColumn);
  mlir::Value apply(mlir::Value sum, const Term &term, int64_t i, int64_t j);

  KernelBuilder &builder;
  Contraction &contraction;
  Tile tile;
  llvm::SmallVector<Term> terms;
  /// What depends on columns only and on rows only is summed up first.
  llvm::SmallVector<Term, 3> parts;
};

/// The sums over K of the columns of a tile of the packed right operand.
InitialAccumulators::Term
columnSums(KernelBuilder &builder, Contraction &contraction, const Tile &tile);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_INITIALACCUMULATORS_H
