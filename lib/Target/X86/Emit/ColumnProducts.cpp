//===- ColumnProducts.cpp - Surplus products of column pairs --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnProducts.h"
#include "../Atoms/Dot.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

ColumnProducts::ColumnProducts(KernelBuilder &builder, Contraction &contraction)
    : builder(builder), contraction(contraction) {
  if (contraction.atom.hasPairs())
    products = contraction.allocate(builder, {contraction.nc},
                                    builder.rewriter.getI32Type());
}

Value ColumnProducts::position(Value column, int64_t j) {
  return builder.add(
      builder.mul(builder.sub(column, firstColumn), contraction.nr),
      j * builder.lanes);
}

void ColumnProducts::prepare(ArrayRef<Value> batch, Value first, Value last) {
  firstColumn = first;
  if (!areNeeded())
    return;
  assert(contraction.words % 2 == 0 && "words come in pairs");
  int64_t vectors = contraction.nr / builder.lanes;
  builder.forEach(first, last, 1, [&](Value column) {
    SmallVector<Value> zeros(vectors, builder.splat(0));
    SmallVector<Value> sums = builder.carry(
        0, contraction.words / 2, zeros, [&](Value pair, ValueRange sums) {
          SmallVector<Value> next;
          for (int64_t j = 0; j < vectors; ++j) {
            Value words[2];
            for (int64_t w = 0; w < 2; ++w) {
              SmallVector<Value> at(batch);
              at.append({column, builder.add(builder.mul(pair, 2), w),
                         builder.index(j * builder.lanes)});
              words[w] = vector::LoadOp::create(builder.rewriter, builder.loc,
                                                builder.accumulatorType(),
                                                contraction.op.getRhs(), at);
            }
            next.push_back(multiplyAccumulate(builder.rewriter, builder.loc,
                                              contraction.atom, sums[j],
                                              words[0], words[1]));
          }
          return next;
        });
    for (int64_t j = 0; j < vectors; ++j) {
      Value negative = arith::SubIOp::create(builder.rewriter, builder.loc,
                                             builder.splat(0), sums[j]);
      vector::StoreOp::create(builder.rewriter, builder.loc, negative, products,
                              ValueRange{position(column, j)});
    }
  });
}

Value ColumnProducts::load(const Tile &tile, int64_t j) {
  return vector::LoadOp::create(builder.rewriter, builder.loc,
                                builder.accumulatorType(), products,
                                ValueRange{position(tile.column, j)});
}
