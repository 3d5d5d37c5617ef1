//===- Elements.cpp - An operand as bytes, prologue applied ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "PackWords.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc::x86;

Elements::Elements(Region &region, ArrayRef<Value> operands,
                   ArrayRef<AffineMap> maps)
    : operands(operands), maps(maps) {
  if (!region.empty())
    prologue.emplace(region);
}

Elements Elements::ofLhs(kernel::ContractOp op) {
  SmallVector<Value> operands{op.getLhs()};
  llvm::append_range(operands, op.getLhsOperands());
  SmallVector<AffineMap> maps{op.getLhsMap()};
  llvm::append_range(maps, op.getLhsOperandMaps());
  return Elements(op.getLhsPrologue(), operands, maps);
}

Value Elements::read(KernelBuilder &builder, const VectorPosition &position) {
  assert(operands.size() == maps.size() && "a map for each operand");
  SmallVector<Value> arguments;
  for (auto [operand, map] : llvm::zip(operands, maps))
    arguments.push_back(
        readVector(builder.rewriter, builder.loc, operand, map, position));
  return prologue ? prologue->emit(builder, arguments).front()
                  : arguments.front();
}

Value Elements::pack(KernelBuilder &builder, ValueRange vectors) {
  assert(prologue && "elements without a prologue are bytes already");
  return prologue->pack(builder, 0, vectors);
}

Value Elements::interleave(KernelBuilder &builder, ValueRange rows) {
  Value words = interleaveBytes(builder, rows, prologue->range(0));
  auto type = cast<VectorType>(words.getType());
  Value bytes = vector::BitCastOp::create(
      builder.rewriter, builder.loc,
      builder.vectorType(4 * type.getNumElements(), 8), words);
  return vector::BitCastOp::create(builder.rewriter, builder.loc, type,
                                   prologue->lookUp(builder, 0, bytes));
}

Value Elements::readBytes(KernelBuilder &builder, VectorPosition position,
                          int64_t size, int64_t count) {
  if (!prologue) {
    position.lanes = size;
    position.inBounds = count >= size;
    return read(builder, position);
  }
  // A vector of the prologue has an element in each 32-bit lane.
  SmallVector<Value> parts;
  Value first = position.index[position.vectorDim];
  position.lanes = builder.lanes;
  for (int64_t i = 0; i < size; i += builder.lanes) {
    if (i >= count) {
      parts.push_back(builder.splat(areWide()
                                        ? builder.accumulatorType()
                                        : builder.vectorType(builder.lanes, 8),
                                    0));
      continue;
    }
    position.index[position.vectorDim] = builder.add(first, i);
    position.inBounds = count - i >= builder.lanes;
    parts.push_back(read(builder, position));
  }
  if (areWide())
    return pack(builder, parts);
  assert(llvm::isPowerOf2_64(parts.size()) && "halves are joined");
  while (parts.size() > 1) {
    SmallVector<Value> joined;
    for (size_t i = 0; i < parts.size(); i += 2) {
      int64_t half = cast<VectorType>(parts[i].getType()).getNumElements();
      joined.push_back(vector::ShuffleOp::create(
          builder.rewriter, builder.loc, parts[i], parts[i + 1],
          llvm::to_vector(llvm::seq<int64_t>(0, 2 * half))));
    }
    parts = joined;
  }
  return parts.front();
}
