//===- LhsRows.cpp - The load side of the main loop -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LhsRows.h"
#include "../Atoms/Dot.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

LhsRows::LhsRows(KernelBuilder &builder, Contraction &contraction,
                 int64_t capacity)
    : builder(builder), contraction(contraction), borders(contraction) {
  // Where lanes lie along K, CollectedBlocks computes the sums of both
  // operands.
  if (contraction.needsRowSums() && !contraction.layout.lanesAlongK)
    rowSums = contraction.allocate(
        builder,
        contraction.op.hasGroups()
            ? SmallVector<int64_t>{capacity, contraction.segments}
            : SmallVector<int64_t>{capacity},
        builder.rewriter.getI32Type());
  if (contraction.atom.hasPairs())
    rowProducts = contraction.allocate(builder, {capacity},
                                       builder.rewriter.getI32Type());
}

SmallVector<Value> LhsRows::loopsAt(ArrayRef<Value> outer, Value row,
                                    Value segment, Value offset) {
  SmallVector<Value> at(outer);
  if (contraction.roles.m)
    at[*contraction.roles.m] = row;
  ArrayRef<int64_t> dims = contraction.op.getReductionDims(),
                    sizes = contraction.op.getReductionSizes();
  for (auto [dim, index] : llvm::zip_first(
           dims.drop_back(), builder.delinearize(segment, sizes.drop_back())))
    at[dim] = index;
  at[dims.back()] = offset;
  return at;
}

SmallVector<Value> LhsRows::reduceParts(const Tile &tile,
                                        ValueRange accumulators,
                                        ReducePart reducePart) {
  auto [first, last] = borders.segmentsOf(builder, tile);
  SmallVector<ZeroBorders::Part> parts = borders.partsOf(tile);
  // One loop goes through all segments of which everything is multiplied.
  if (parts.size() == 1)
    return builder.carry(first, last, accumulators,
                         [&](Value segment, ValueRange current) {
                           return reducePart(segment, parts.front(), current);
                         });
  Value size = builder.index(borders.groupSize());
  return builder.carry(
      builder.div(first, size), builder.div(last, size), accumulators,
      [&](Value group, ValueRange current) {
        SmallVector<Value> next(current);
        for (const ZeroBorders::Part &part : parts)
          if (llvm::is_contained(part.rows, true))
            next = builder.carry(
                part.firstSegment, part.lastSegment, next,
                [&](Value segment, ValueRange current) {
                  return reducePart(
                      builder.add(builder.mul(group, size), segment), part,
                      current);
                });
        return next;
      });
}

Value LhsRows::rowSum(Value row, Value group) {
  SmallVector<Value> at{builder.sub(row, firstRow)};
  if (group)
    at.push_back(group);
  return memref::LoadOp::create(builder.rewriter, builder.loc, rowSums, at);
}

Value LhsRows::rowProduct(Value row) {
  return memref::LoadOp::create(builder.rewriter, builder.loc, rowProducts,
                                builder.sub(row, firstRow));
}

Value LhsRows::addWords(Value sum, Value stored) {
  // Each element times 1: 1 has the same form in all atoms, as either operand.
  int64_t bits = 32 / contraction.kr, ones = 0;
  for (int64_t i = 0; i < contraction.kr; ++i)
    ones |= int64_t(1) << (bits * i);
  Value words = vector::BitCastOp::create(builder.rewriter, builder.loc,
                                          builder.accumulatorType(), stored);
  Value left = words, right = builder.splat(ones);
  // Signed bytes, which are not moved everywhere, are right operands of the
  // instruction.
  if (contraction.op.getLhsUnsigned() == (contraction.layout.lhsShift != 0))
    std::swap(left, right);
  return multiplyAccumulate(builder.rewriter, builder.loc, contraction.atom,
                            sum, left, right);
}

void LhsRows::storeRowSum(Value row, Value sum, Value group) {
  Value total = vector::ReductionOp::create(builder.rewriter, builder.loc,
                                            vector::CombiningKind::ADD, sum);
  SmallVector<Value> at{builder.sub(row, firstRow)};
  if (group)
    at.push_back(group);
  memref::StoreOp::create(builder.rewriter, builder.loc, total, rowSums, at);
}

void LhsRows::emitRowSums(Value row,
                          function_ref<Value(Value, Value)> addSegment) {
  if (contraction.op.hasGroups()) {
    builder.forEach(builder.index(0), builder.index(contraction.segments), 1,
                    [&](Value group) {
                      Value sum = addSegment(group, builder.splat(0));
                      if (rowSums)
                        storeRowSum(row, sum, group);
                    });
    return;
  }
  SmallVector<Value> sum = builder.carry(
      0, contraction.segments, builder.splat(0),
      [&](Value segment, ValueRange sums) {
        return SmallVector<Value>{addSegment(segment, sums.front())};
      });
  if (rowSums)
    storeRowSum(row, sum.front());
}

void LhsRows::storeRowProduct(Value row, Value sum) {
  Value total = vector::ReductionOp::create(builder.rewriter, builder.loc,
                                            vector::CombiningKind::ADD, sum);
  Value zero =
      arith::ConstantIntOp::create(builder.rewriter, builder.loc, 0, 32);
  memref::StoreOp::create(
      builder.rewriter, builder.loc,
      arith::SubIOp::create(builder.rewriter, builder.loc, zero, total),
      rowProducts, builder.sub(row, firstRow));
}

std::unique_ptr<LhsRows> qcc::x86::makeRows(KernelBuilder &builder,
                                            Contraction &contraction) {
  return contraction.config.readsLhsInPlace()
             ? makeInPlaceRows(builder, contraction)
             : makePanelRows(builder, contraction, contraction.mc);
}
