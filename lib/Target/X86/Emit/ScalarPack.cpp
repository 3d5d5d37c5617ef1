//===- ScalarPack.cpp - kernel.pack element by element --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarPack.h"
#include "VectorRegion.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

static Value i32(KernelBuilder &builder, int64_t value) {
  return arith::ConstantIntOp::create(builder.rewriter, builder.loc, value, 32);
}

/// The element at (batch, column, segment, k), extended to i32, plus the
/// offset; the bits of one that is a float.
static Value element(KernelBuilder &builder, kernel::PackOp op,
                     ArrayRef<Value> batch, Value column, Value segment,
                     Value k) {
  OpBuilder &rewriter = builder.rewriter;
  Location loc = builder.loc;
  SmallVector<Value> at(batch);
  at.push_back(column);
  llvm::append_range(
      at, builder.delinearize(segment, op.getReductionSizes().drop_back()));
  at.push_back(k);
  auto load = [&](unsigned operand) -> Value {
    AffineMap map =
        cast<AffineMapAttr>(op.getIndexingMaps()[operand]).getValue();
    return memref::LoadOp::create(rewriter, loc, op->getOperand(operand),
                                  operandIndices(rewriter, loc, map, at));
  };
  Value value = load(0);
  if (!op.getPrologue().empty()) {
    SmallVector<Value> arguments{value};
    for (unsigned i = 0; i < op.getIns().size(); ++i)
      arguments.push_back(load(1 + i));
    value = inlineOnScalars(rewriter, op.getPrologue(), arguments)[0];
  }
  Type type = rewriter.getI32Type();
  if (value.getType().isF32())
    return arith::BitcastOp::create(rewriter, loc, type, value);
  value = op.getUnsignedSource()
              ? arith::ExtUIOp::create(rewriter, loc, type, value).getResult()
              : arith::ExtSIOp::create(rewriter, loc, type, value);
  int64_t offset = op.getOffset().value_or(0);
  return offset == 0 ? value
                     : arith::AddIOp::create(rewriter, loc, value,
                                             i32(builder, offset));
}

void qcc::x86::emitScalarPack(KernelBuilder &builder, kernel::PackOp op,
                              ArrayRef<Value> batch, Value tile, Value n) {
  OpBuilder &rewriter = builder.rewriter;
  Location loc = builder.loc;
  int64_t segmentSize = op.getReductionSizes().back(),
          segmentWords = op.getSegmentWords(), words = op.getWords(),
          nr = op.getNR(), kr = op.getKR(), bits = 32 / kr;
  OpBuilder::InsertionGuard guard(rewriter);
  auto lanes = scf::ForOp::create(rewriter, loc, builder.index(0),
                                  builder.index(nr), builder.index(1));
  rewriter.setInsertionPointToStart(lanes.getBody());
  Value lane = lanes.getInductionVar();
  Value column = builder.add(builder.mul(tile, nr), lane);
  Value inside = builder.less(column, n);
  auto packWord = [&](Value index, ValueRange sums) {
    Value word = i32(builder, 0), sum = sums.front();
    Value segment = builder.index(0), wordOfSegment = index;
    if (words != segmentWords) {
      segment = builder.div(index, builder.index(segmentWords));
      wordOfSegment = builder.rem(index, builder.index(segmentWords));
    }
    for (int64_t r = 0; r < kr; ++r) {
      Value at = builder.add(builder.mul(wordOfSegment, kr), r);
      Value valid = inside;
      if (segmentSize != segmentWords * kr)
        valid =
            arith::AndIOp::create(rewriter, loc, inside,
                                  builder.less(at, builder.index(segmentSize)));
      auto branch = scf::IfOp::create(rewriter, loc, rewriter.getI32Type(),
                                      valid, /*withElseRegion=*/true);
      {
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPointToStart(branch.thenBlock());
        scf::YieldOp::create(rewriter, loc,
                             element(builder, op, batch, column, segment, at));
        rewriter.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(rewriter, loc, i32(builder, 0));
      }
      Value part = branch.getResult(0);
      if (op.getSums())
        sum = arith::AddIOp::create(rewriter, loc, sum, part);
      if (bits != 32) {
        part = arith::AndIOp::create(rewriter, loc, part,
                                     i32(builder, (int64_t(1) << bits) - 1));
        part =
            arith::ShLIOp::create(rewriter, loc, part, i32(builder, bits * r));
      }
      word = arith::OrIOp::create(rewriter, loc, word, part);
    }
    SmallVector<Value> at(batch);
    at.append({tile, index, lane});
    Type type = cast<MemRefType>(op.getPacked().getType()).getElementType();
    memref::StoreOp::create(
        rewriter, loc, rewriter.createOrFold<arith::BitcastOp>(loc, type, word),
        op.getPacked(), at);
    return SmallVector<Value>{sum};
  };
  Value sum = builder.carry(0, words, i32(builder, 0), packWord).front();
  if (!op.getSums())
    return;
  SmallVector<Value> at(batch);
  at.push_back(column);
  memref::StoreOp::create(rewriter, loc, sum, op.getSums(), at);
}
