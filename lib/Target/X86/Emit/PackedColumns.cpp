//===- PackedColumns.cpp - Columns that floats are multiplied by ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedColumns.h"
#include "PackWords.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

PackedColumns::PackedColumns(KernelBuilder &builder, Contraction &contraction)
    : builder(builder), contraction(contraction) {
  if (areNarrow() || (areInPlace() && !contraction.op.getRhsPrologue().empty()))
    prologue.emplace(contraction.op.getRhsPrologue());
}

int64_t PackedColumns::stepsOfWord() const {
  return contraction.config.hasNibbles() ? kNibblesOfWord
         : areInPlace()                  ? builder.lanes
                                         : 1;
}

Value PackedColumns::widen(Value vector, const VectorPosition &position) {
  if (!prologue)
    return vector;
  SmallVector<Value> arguments{vector};
  for (auto [operand, map] : llvm::zip_equal(
           contraction.op.getRhsOperands(), contraction.op.getRhsOperandMaps()))
    arguments.push_back(
        readVector(builder.rewriter, builder.loc, operand, map, position));
  return prologue->emit(builder, arguments).front();
}

SmallVector<Value> PackedColumns::turn(const Tile &tile, int64_t j,
                                       const StepOfK &step) {
  kernel::ContractOp op = contraction.op;
  OpBuilder &rewriter = builder.rewriter;
  unsigned n = contraction.roles.n, k = op.getReductionDims().back();
  VectorPosition position = tile.at(builder, contraction, 0, j);
  Value first = position.index[n];
  position.vectorDim = k;
  position.inBounds = true;
  auto readColumn = [&](int64_t column, int64_t offset, int64_t count) {
    position.index[n] = builder.add(first, column);
    // Columns that do not exist are copies of the last one.
    if (tile.masked)
      position.index[n] = builder.min(
          position.index[n], builder.sub(contraction.n, builder.index(1)));
    position.index[k] = builder.add(step.index[k], offset);
    position.lanes = count;
    return readVector(rewriter, builder.loc, op.getRhs(), op.getRhsMap(),
                      position);
  };
  SmallVector<Value> columns;
  for (int64_t column = 0; prologue && column < builder.lanes; ++column)
    columns.push_back(widen(readColumn(column, 0, builder.lanes), position));
  auto read = [&](int64_t column, int64_t offset) -> Value {
    Value quad = prologue ? vector::ExtractStridedSliceOp::create(
                                rewriter, builder.loc, columns[column],
                                {offset}, {4}, {1})
                                .getResult()
                          : readColumn(column, offset, 4);
    return vector::BitCastOp::create(rewriter, builder.loc,
                                     builder.vectorType(4, 32), quad);
  };
  // The next tile of columns comes while the rows of this one are multiplied.
  position.index[k] = step.index[k];
  for (int64_t column = 0; column < builder.lanes && !tile.masked; ++column) {
    position.index[n] = builder.add(first, contraction.nr + column);
    memref::PrefetchOp::create(
        rewriter, builder.loc, op.getRhs(),
        operandIndices(rewriter, builder.loc, op.getRhsMap(), position.index),
        /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }
  // A load that joins 128 bits costs no shuffle.
  SmallVector<Value> vectors;
  for (int64_t offset = 0; offset < builder.lanes; offset += 4) {
    SmallVector<Value> rows;
    for (int64_t row = 0; row < 4; ++row) {
      SmallVector<Value> quads;
      for (int64_t column = row; column < builder.lanes; column += 4)
        quads.push_back(read(column, offset));
      rows.push_back(joinQuads(builder, quads));
    }
    llvm::append_range(vectors, transposeQuads(builder, rows));
  }
  for (Value &vector : vectors)
    vector = vector::BitCastOp::create(rewriter, builder.loc,
                                       builder.accumulatorType(), vector);
  return vectors;
}

/// Nibble `number` of each word, signed, as bytes. The prologue extends these
/// again, which costs nothing: LLVM sees that the words are the same.
static Value unpackNibble(KernelBuilder &builder, Value words, int64_t number) {
  OpBuilder &rewriter = builder.rewriter;
  Location loc = builder.loc;
  auto type = cast<VectorType>(words.getType());
  Value high = arith::ShLIOp::create(rewriter, loc, words,
                                     builder.splat(type, 28 - 4 * number));
  Value nibble =
      arith::ShRSIOp::create(rewriter, loc, high, builder.splat(type, 28));
  return arith::TruncIOp::create(rewriter, loc,
                                 builder.vectorType(builder.lanes, 8), nibble);
}

Value PackedColumns::read(const Tile &tile, int64_t j, const StepOfK &step) {
  if (areInPlace()) {
    turned.resize(std::max<size_t>(turned.size(), j + 1));
    if (step.part == 0)
      turned[j] = turn(tile, j, step);
    return turned[j][step.part];
  }
  kernel::ContractOp op = contraction.op;
  Value word = stepsOfWord() == 1
                   ? step.word
                   : builder.div(step.word, builder.index(stepsOfWord()));
  SmallVector<Value> at(tile.batch);
  at.append({tile.column, word, builder.index(j * builder.lanes)});
  auto type =
      VectorType::get({builder.lanes},
                      cast<MemRefType>(op.getRhs().getType()).getElementType());
  Value vector = vector::LoadOp::create(builder.rewriter, builder.loc, type,
                                        op.getRhs(), at);
  if (stepsOfWord() != 1)
    vector = unpackNibble(builder, vector, step.part);
  VectorPosition position = tile.at(builder, contraction, 0, j);
  for (int64_t dim : op.getReductionDims())
    position.index[dim] = step.index[dim];
  return widen(vector, position);
}
