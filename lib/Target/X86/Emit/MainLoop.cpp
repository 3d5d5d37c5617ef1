//===- MainLoop.cpp - The accumulators of one register tile ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MainLoop.h"
#include "../Atoms/Dot.h"
#include "InitialAccumulators.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

SmallVector<Value> qcc::x86::emitMainLoop(KernelBuilder &builder,
                                          Contraction &contraction,
                                          LhsRows &rows,
                                          ColumnProducts &columns,
                                          const Tile &tile) {
  InitialAccumulators accumulators(builder, contraction, rows, &columns, tile);
  int64_t stepWords = contraction.atom.hasPairs() ? 2 : 1;
  SmallVector<Value> initial;
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.vectors; ++j) {
      Value value = accumulators.emit(i, j);
      initial.push_back(value ? value : builder.splat(0));
    }
  return rows.reduce(
      tile, initial,
      [&](Value word, LhsRows::LeftWord left, ValueRange accumulators) {
        SmallVector<std::array<Value, 2>> right(tile.vectors);
        SmallVector<Value> next;
        for (int64_t j = 0; j < tile.vectors; ++j)
          for (int64_t w = 0; w < stepWords; ++w) {
            SmallVector<Value> at(tile.batch);
            at.append({tile.column, builder.add(word, w),
                       builder.index(j * builder.lanes)});
            right[j][w] = vector::LoadOp::create(builder.rewriter, builder.loc,
                                                 builder.accumulatorType(),
                                                 contraction.op.getRhs(), at);
          }
        for (int64_t i = 0; i < tile.rows; ++i) {
          std::array<Value, 2> words;
          for (int64_t w = 0; w < stepWords; ++w)
            words[w] = left(i, w);
          for (int64_t j = 0; j < tile.vectors; ++j) {
            Value current = accumulators[i * tile.vectors + j];
            next.push_back(
                contraction.atom.hasPairs()
                    ? multiplyPairs(builder.rewriter, builder.loc,
                                    contraction.atom, current, words, right[j])
                    : multiplyAccumulate(builder.rewriter, builder.loc,
                                         contraction.atom, current, words[0],
                                         right[j][0]));
          }
        }
        return next;
      });
}
