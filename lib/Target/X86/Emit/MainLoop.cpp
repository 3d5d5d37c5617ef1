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
                                          LhsRows &rows, const Tile &tile) {
  InitialAccumulators accumulators(builder, contraction, rows, tile);
  SmallVector<Value> initial;
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.vectors; ++j) {
      Value value = accumulators.emit(i, j);
      initial.push_back(value ? value : builder.splat(0));
    }
  return rows.reduce(
      tile, initial,
      [&](Value word, function_ref<Value(int64_t)> left,
          ValueRange accumulators) {
        SmallVector<Value> right, next;
        for (int64_t j = 0; j < tile.vectors; ++j) {
          SmallVector<Value> at(tile.batch);
          at.append({tile.column, word, builder.index(j * builder.lanes)});
          right.push_back(vector::LoadOp::create(builder.rewriter, builder.loc,
                                                 builder.accumulatorType(),
                                                 contraction.op.getRhs(), at));
        }
        for (int64_t i = 0; i < tile.rows; ++i) {
          Value word = left(i);
          for (int64_t j = 0; j < tile.vectors; ++j)
            next.push_back(multiplyAccumulate(
                builder.rewriter, builder.loc, contraction.atom,
                accumulators[i * tile.vectors + j], word, right[j]));
        }
        return next;
      });
}
