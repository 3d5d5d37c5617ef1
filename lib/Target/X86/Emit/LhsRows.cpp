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
    : builder(builder), contraction(contraction) {
  // Where lanes lie along K, CollectedBlocks computes the sums of both
  // operands.
  if (contraction.needsRowSums() && !contraction.config.isInnerProduct())
    rowSums = contraction.allocate(builder, {capacity},
                                   builder.rewriter.getI32Type());
  if (contraction.atom.hasPairs())
    rowProducts = contraction.allocate(builder, {capacity},
                                       builder.rewriter.getI32Type());
}

SmallVector<Value> LhsRows::loopsAt(ArrayRef<Value> outer, Value row, Value run,
                                    Value offset) {
  SmallVector<Value> at(outer);
  if (contraction.roles.m)
    at[*contraction.roles.m] = row;
  ArrayRef<int64_t> dims = contraction.op.getReductionDims(),
                    sizes = contraction.op.getReductionSizes();
  for (auto [dim, index] : llvm::zip_first(
           dims.drop_back(), builder.delinearize(run, sizes.drop_back())))
    at[dim] = index;
  at[dims.back()] = offset;
  return at;
}

/// How many words of a run repay bounds of the loop over runs that are
/// computed.
constexpr int64_t kLeastRunWords = 16;

std::pair<Value, Value> LhsRows::runsOf(const Tile &tile) {
  kernel::ContractOp op = contraction.op;
  std::pair<Value, Value> all{builder.index(0),
                              builder.index(contraction.runs)};
  std::optional<ArrayRef<int64_t>> border = op.getZeroBorder();
  unsigned dim = op.getReductionDims().front();
  // Atoms with pairs multiply sums of elements of both operands; what is
  // shifted or computed by a prologue is not 0; and a run is one step of the
  // loop.
  if (!border || dim == runDim() || contraction.runWords < kLeastRunWords ||
      contraction.atom.hasPairs() || contraction.lhsShift != 0 ||
      !op.getLhsPrologue().empty())
    return all;
  for (auto [d, expr] : llvm::enumerate(op.getLhsMap().getResults())) {
    SmallVector<int64_t> factors =
        *kernel::windowFactors(expr, op.getNumLoops());
    int64_t low = (*border)[2 * d], high = (*border)[2 * d + 1];
    bool variesInTile =
        contraction.roles.m && factors[*contraction.roles.m] != 0;
    bool isAlone = llvm::count_if(op.getReductionDims(), [&](int64_t loop) {
                     return factors[loop] != 0;
                   }) == 1;
    if (factors[dim] == 0 || !isAlone || variesInTile || low + high == 0)
      continue;
    // The window of the tile begins at `start`: its element i lies inside of
    // the border if low <= start + i * factor < size - high.
    Value start = builder.index(0);
    for (auto [loop, factor] : llvm::enumerate(factors))
      if (factor != 0 && !op.isReduction(loop))
        start = builder.add(start, builder.mul(tile.loops[loop], factor));
    Value size = builder.rewriter.createOrFold<memref::DimOp>(builder.loc,
                                                              op.getLhs(), d);
    auto firstFrom = [&](Value place) {
      Value distance = builder.max(builder.sub(place, start), builder.index(0));
      Value index =
          builder.min(builder.ceilDiv(distance, builder.index(factors[dim])),
                      builder.index(op.getReductionSizes().front()));
      return builder.mul(index,
                         contraction.runs / op.getReductionSizes().front());
    };
    return {firstFrom(builder.index(low)), firstFrom(builder.add(size, -high))};
  }
  return all;
}

Value LhsRows::rowSum(Value row) {
  return memref::LoadOp::create(builder.rewriter, builder.loc, rowSums,
                                builder.sub(row, firstRow));
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
  if (contraction.op.getLhsUnsigned() == (contraction.lhsShift != 0))
    std::swap(left, right);
  return multiplyAccumulate(builder.rewriter, builder.loc, contraction.atom,
                            sum, left, right);
}

void LhsRows::storeRowSum(Value row, Value sum) {
  Value total = vector::ReductionOp::create(builder.rewriter, builder.loc,
                                            vector::CombiningKind::ADD, sum);
  memref::StoreOp::create(builder.rewriter, builder.loc, total, rowSums,
                          builder.sub(row, firstRow));
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
