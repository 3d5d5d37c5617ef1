//===- EmitPack.cpp - kernel.pack to loops --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "VectorRegion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

namespace {
class PackEmitter {
public:
  PackEmitter(RewriterBase &builder, kernel::PackOp op)
      : builder(builder), op(op), loc(op.getLoc()), numBatch(op.getNumBatch()),
        nr(op.getNR()), kr(op.getKR()) {}

  void emit();

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value i32(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  }
  AffineMap mapOf(unsigned operand) {
    return cast<AffineMapAttr>(op.getIndexingMaps()[operand]).getValue();
  }
  /// The size of column dimension N.
  Value columns();
  /// The element at (batch, column, k), extended to i32.
  Value element(ArrayRef<Value> batch, Value column, Value k);

  RewriterBase &builder;
  kernel::PackOp op;
  Location loc;
  unsigned numBatch;
  int64_t nr, kr;
};
} // namespace

Value PackEmitter::columns() {
  AffineMap map = mapOf(0);
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr == getAffineDimExpr(numBatch, op.getContext()))
      return builder.createOrFold<memref::DimOp>(loc, op.getSource(), i);
  llvm_unreachable("the column dimension is one of the source");
}

Value PackEmitter::element(ArrayRef<Value> batch, Value column, Value k) {
  SmallVector<Value> at(batch);
  at.push_back(column);
  ArrayRef<int64_t> sizes = op.getReductionSizes();
  SmallVector<Value> ks(sizes.size());
  for (int64_t i = (int64_t)sizes.size() - 1; i >= 0; --i) {
    ks[i] = i == 0 ? k
                   : arith::RemUIOp::create(builder, loc, k, index(sizes[i]))
                         .getResult();
    if (i != 0)
      k = arith::DivUIOp::create(builder, loc, k, index(sizes[i]));
  }
  llvm::append_range(at, ks);
  auto load = [&](unsigned operand) -> Value {
    return memref::LoadOp::create(
        builder, loc, op->getOperand(operand),
        operandIndices(builder, loc, mapOf(operand), at));
  };
  Value value = load(0);
  if (!op.getPrologue().empty()) {
    SmallVector<Value> arguments{value};
    for (unsigned i = 0; i < op.getIns().size(); ++i)
      arguments.push_back(load(1 + i));
    value = inlineOnScalars(builder, op.getPrologue(), arguments)[0];
  }
  if (!op.getUnsignedSource())
    return arith::ExtSIOp::create(builder, loc, builder.getI32Type(), value);
  return arith::ExtUIOp::create(builder, loc, builder.getI32Type(), value);
}

void PackEmitter::emit() {
  builder.setInsertionPoint(op);
  int64_t k = op.getReductionSize(), words = op.getWords();
  Value n = columns();
  SmallVector<OpFoldResult> bounds;
  for (unsigned i = 0; i <= numBatch; ++i)
    bounds.push_back(getAsOpFoldResult(
        builder.createOrFold<memref::DimOp>(loc, op.getPacked(), i)));
  auto forall =
      scf::ForallOp::create(builder, loc, bounds, ValueRange{}, std::nullopt);
  builder.setInsertionPoint(forall.getTerminator());
  SmallVector<Value> batch =
      llvm::to_vector_of<Value>(forall.getInductionVars());
  Value tile = batch.pop_back_val();

  auto lanes = scf::ForOp::create(builder, loc, index(0), index(nr), index(1));
  builder.setInsertionPointToStart(lanes.getBody());
  Value lane = lanes.getInductionVar();
  Value column = arith::AddIOp::create(
      builder, loc, arith::MulIOp::create(builder, loc, tile, index(nr)), lane);
  Value inside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, column, n);
  auto loop = scf::ForOp::create(builder, loc, index(0), index(words), index(1),
                                 ValueRange{i32(0)});
  builder.setInsertionPointToStart(loop.getBody());
  Value word = i32(0), sum = loop.getRegionIterArgs()[0];
  for (int64_t r = 0; r < kr; ++r) {
    Value at = arith::AddIOp::create(
        builder, loc,
        arith::MulIOp::create(builder, loc, loop.getInductionVar(), index(kr)),
        index(r));
    Value valid = inside;
    if (k != words * kr) {
      Value inK = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        at, index(k));
      valid = arith::AndIOp::create(builder, loc, inside, inK);
    }
    auto branch = scf::IfOp::create(builder, loc, builder.getI32Type(), valid,
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      Value stored = element(batch, column, at);
      if (int64_t offset = op.getOffset().value_or(0))
        stored = arith::AddIOp::create(builder, loc, stored, i32(offset));
      scf::YieldOp::create(builder, loc, stored);
      builder.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(builder, loc, i32(0));
    }
    Value value = branch.getResult(0);
    sum = arith::AddIOp::create(builder, loc, sum, value);
    int64_t bits = 32 / kr;
    Value part = value;
    if (bits != 32) {
      part = arith::AndIOp::create(builder, loc, value,
                                   i32((int64_t(1) << bits) - 1));
      part = arith::ShLIOp::create(builder, loc, part, i32(bits * r));
    }
    word = arith::OrIOp::create(builder, loc, word, part);
  }
  SmallVector<Value> at(batch);
  at.append({tile, loop.getInductionVar(), lane});
  memref::StoreOp::create(builder, loc, word, op.getPacked(), at);
  scf::YieldOp::create(builder, loc, sum);
  builder.setInsertionPointAfter(loop);
  SmallVector<Value> sumAt(batch);
  sumAt.push_back(column);
  memref::StoreOp::create(builder, loc, loop.getResult(0), op.getSums(), sumAt);
  builder.eraseOp(op);
}

void qcc::x86::emitPack(RewriterBase &rewriter, kernel::PackOp op) {
  PackEmitter(rewriter, op).emit();
}
