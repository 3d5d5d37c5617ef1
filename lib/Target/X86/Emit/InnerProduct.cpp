//===- InnerProduct.cpp - Blocks whose lanes lie along K ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For few columns, and where the right operand is not worth packing. Each
// accumulator has a result of its own, whose sum is spread over its lanes: the
// products of a tile are accumulators over K and then the sums of their lanes
// (SumLanes.h).
//
// Where a side may be shorter than a tile its last row stands in for what is
// missing.
//
//===----------------------------------------------------------------------===//

#include "../Atoms/Dot.h"
#include "CollectedBlocks.h"
#include "Strategies.h"
#include "SumLanes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

namespace {
class InnerProduct : public CollectedBlocks {
public:
  InnerProduct(KernelBuilder &builder, Contraction &contraction)
      : CollectedBlocks(builder, contraction) {}

private:
  using Vectors = SmallVector<std::function<Value(Value step, int64_t count)>>;

  void emitProducts(const GridPart &part) override;
  void emitSums(const GridPart &part, Side &side) override;

  OperandAlongK operandOf(const GridPart &part, const Side &side);
  /// The vectors of a tile from `first` on.
  Vectors readTile(const OperandAlongK &operand, const Side &side, Value first);
  /// The accumulators of all pairs, left ones outside; `left` are those of
  /// `operand`.
  SmallVector<Value> multiply(const OperandAlongK &operand, const Vectors &left,
                              const Vectors &right);
  /// The sums of the lanes of accumulators, to consecutive elements.
  void storeSums(ValueRange accumulators, Value memref, SmallVector<Value> at);
};
} // namespace

OperandAlongK InnerProduct::operandOf(const GridPart &part, const Side &side) {
  if (&side == &rows)
    return OperandAlongK::left(builder, contraction, part, panel.get());
  return OperandAlongK::right(builder, contraction, part);
}

InnerProduct::Vectors InnerProduct::readTile(const OperandAlongK &operand,
                                             const Side &side, Value first) {
  Vectors vectors;
  for (int64_t i = 0; i < side.tile; ++i) {
    Value row = builder.add(first, i);
    if (!side.canMoveBack)
      row = builder.min(row, builder.sub(side.size, builder.index(1)));
    vectors.push_back([&operand, row](Value step, int64_t count) {
      return operand.read(row, step, count);
    });
  }
  return vectors;
}

SmallVector<Value> InnerProduct::multiply(const OperandAlongK &operand,
                                          const Vectors &left,
                                          const Vectors &right) {
  int64_t size = builder.lanes * contraction.kr;
  SmallVector<Value> zeros(left.size() * right.size(), builder.splat(0));
  auto addStep = [&](Value step, ValueRange accumulators, int64_t count) {
    SmallVector<Value> a, b, next;
    for (const auto &read : left)
      a.push_back(read(step, count));
    for (const auto &read : right)
      b.push_back(read(step, count));
    for (Value x : a)
      for (Value y : b)
        next.push_back(multiplyAccumulate(
            builder.rewriter, builder.loc, contraction.atom,
            accumulators[next.size()], operand.isUnsigned ? x : y,
            operand.isUnsigned ? y : x));
    return next;
  };
  int64_t whole = contraction.segmentSize / size,
          rest = contraction.segmentSize % size,
          steps = contraction.segmentWords / builder.lanes;
  return builder.carry(
      0, contraction.segments, zeros, [&](Value segment, ValueRange current) {
        Value first = builder.mul(segment, steps);
        SmallVector<Value> accumulators = builder.carry(
            0, whole, current, [&](Value step, ValueRange current) {
              return addStep(builder.add(first, step), current, size);
            });
        if (rest != 0)
          accumulators = addStep(builder.add(first, whole), accumulators, rest);
        return accumulators;
      });
}

void InnerProduct::storeSums(ValueRange accumulators, Value memref,
                             SmallVector<Value> at) {
  Value first = at.back();
  for (size_t i = 0; i < accumulators.size(); i += builder.lanes) {
    ValueRange some = accumulators.slice(
        i, std::min<size_t>(builder.lanes, accumulators.size() - i));
    Value sums = vector::ExtractStridedSliceOp::create(
        builder.rewriter, builder.loc, sumLanes(builder, some),
        ArrayRef<int64_t>{0}, ArrayRef<int64_t>{(int64_t)some.size()},
        ArrayRef<int64_t>{1});
    at.back() = builder.add(first, i);
    vector::StoreOp::create(builder.rewriter, builder.loc, sums, memref, at);
  }
}

void InnerProduct::emitSums(const GridPart &part, Side &side) {
  OperandAlongK operand = operandOf(part, side);
  Vectors ones{[&](Value, int64_t count) {
    return onesAlongK(builder, contraction, count);
  }};
  forEachTile(side, [&](Value first, Value place) {
    storeSums(multiply(operand, readTile(operand, side, first), ones),
              side.sums, {place});
  });
}

void InnerProduct::emitProducts(const GridPart &part) {
  Side &outer = across(), &inner = along();
  OperandAlongK outerOperand = operandOf(part, outer),
                innerOperand = operandOf(part, inner);
  forEachTile(outer, [&](Value outerFirst, Value row) {
    forEachTile(inner, [&](Value innerFirst, Value place) {
      SmallVector<Value> accumulators =
          multiply(outerOperand, readTile(outerOperand, outer, outerFirst),
                   readTile(innerOperand, inner, innerFirst));
      for (int64_t i = 0; i < outer.tile; ++i)
        storeSums(ValueRange(accumulators).slice(i * inner.tile, inner.tile),
                  results, {builder.add(row, i), place});
    });
  });
}

void qcc::x86::emitInnerProduct(KernelBuilder &builder,
                                Contraction &contraction) {
  InnerProduct blocks(builder, contraction);
  emitCollectedGrid(builder, contraction, blocks);
}
