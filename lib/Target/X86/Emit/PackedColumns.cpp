//===- PackedColumns.cpp - Columns that floats are multiplied by ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedColumns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

PackedColumns::PackedColumns(KernelBuilder &builder, Contraction &contraction)
    : builder(builder), contraction(contraction) {
  if (contraction.config.getRhs() != RhsSource::Packed)
    prologue.emplace(contraction.op.getRhsPrologue());
}

int64_t PackedColumns::stepsOfWord() const {
  return contraction.config.hasNibbles() ? kNibblesOfWord : 1;
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
  if (!prologue)
    return vector;
  if (stepsOfWord() != 1)
    vector = unpackNibble(builder, vector, step.nibble);
  VectorPosition position = tile.at(builder, contraction, 0, j);
  for (int64_t dim : op.getReductionDims())
    position.index[dim] = step.index[dim];
  SmallVector<Value> arguments{vector};
  for (auto [operand, map] :
       llvm::zip_equal(op.getRhsOperands(), op.getRhsOperandMaps()))
    arguments.push_back(
        readVector(builder.rewriter, builder.loc, operand, map, position));
  return prologue->emit(builder, arguments).front();
}
