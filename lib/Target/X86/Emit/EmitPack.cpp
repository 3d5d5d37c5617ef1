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
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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
  void emitScalars(ArrayRef<Value> batch, Value tile, Value n);

  /// Whether the source is bytes that lie side by side along loop `dim`.
  bool isContiguous(unsigned dim);
  /// A tile of which all columns exist, in vectors of words.
  void emitVectors(ArrayRef<Value> batch, Value tile);
  /// The words of `lanes` columns from `column` on, for `words` words from
  /// `word` on of which only `count` elements exist; columns in lanes.
  SmallVector<Value> acrossColumns(ArrayRef<Value> batch, Value column,
                                   Value word, int64_t words, int64_t count);
  SmallVector<Value> alongK(ArrayRef<Value> batch, Value column, Value word,
                            int64_t count);
  /// Elements as they are stored, 4 / KR bytes each; zeros from `count` on.
  Value toStored(Value bytes, int64_t count);
  /// `sum` plus the elements of a word, lane by lane.
  Value addElements(Value sum, Value word);
  Value splat(VectorType type, int64_t value) {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            type, builder.getIntegerAttr(type.getElementType(), value)));
  }
  VectorType vectorType(int64_t size, unsigned bits) {
    return VectorType::get({size}, builder.getIntegerType(bits));
  }
  int64_t lanes() const { return nr % 16 == 0 ? 16 : 8; }

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

bool PackEmitter::isContiguous(unsigned dim) {
  auto type = cast<MemRefType>(op.getSource().getType());
  AffineMap map = mapOf(0);
  return op.getPrologue().empty() && op.getReductionSizes().size() == 1 &&
         nr % 8 == 0 && kr != 1 && type.isLastDimUnitStride() &&
         map.getNumResults() > 0 &&
         map.getResults().back() == getAffineDimExpr(dim, op.getContext());
}

Value PackEmitter::toStored(Value bytes, int64_t count) {
  auto type = cast<VectorType>(bytes.getType());
  int64_t size = type.getNumElements();
  if (kr == 2) {
    type = vectorType(size, 16);
    bytes = op.getUnsignedSource()
                ? arith::ExtUIOp::create(builder, loc, type, bytes).getResult()
                : arith::ExtSIOp::create(builder, loc, type, bytes);
  }
  int64_t offset = op.getOffset().value_or(0);
  if (offset == 0)
    return bytes; // zeros are read from `count` on
  unsigned bits = 32 / kr;
  int64_t wrapped = llvm::SignExtend64(offset, bits);
  Value moved =
      arith::AddIOp::create(builder, loc, bytes, splat(type, wrapped));
  if (count >= size)
    return moved;
  Value mask = vector::ConstantMaskOp::create(builder, loc, vectorType(size, 1),
                                              ArrayRef<int64_t>{count});
  return arith::SelectOp::create(builder, loc, mask, moved, splat(type, 0));
}

SmallVector<Value> PackEmitter::acrossColumns(ArrayRef<Value> batch,
                                              Value column, Value word,
                                              int64_t words, int64_t count) {
  VectorType type = vectorType(lanes(), 32);
  SmallVector<Value> result;
  for (int64_t w = 0; w < words; ++w) {
    Value sum;
    for (int64_t r = 0; r < std::min(kr, count - w * kr); ++r) {
      Value k = builder.createOrFold<arith::AddIOp>(
          loc, builder.createOrFold<arith::MulIOp>(loc, word, index(kr)),
          index(w * kr + r));
      SmallVector<Value> at(batch);
      at.append({column, k});
      Value stored =
          toStored(readVector(builder, loc, op.getSource(), mapOf(0),
                              {at, numBatch, unsigned(lanes()), true}),
                   lanes());
      Value part = arith::ExtUIOp::create(builder, loc, type, stored);
      if (r != 0)
        part =
            arith::ShLIOp::create(builder, loc, part, splat(type, 32 / kr * r));
      sum = sum ? arith::OrIOp::create(builder, loc, sum, part).getResult()
                : part;
    }
    result.push_back(sum);
  }
  return result;
}

SmallVector<Value> PackEmitter::alongK(ArrayRef<Value> batch, Value column,
                                       Value word, int64_t count) {
  SmallVector<Value> rows;
  int64_t size = lanes() * kr;
  for (int64_t i = 0; i < lanes(); ++i) {
    SmallVector<Value> at(batch);
    at.push_back(builder.createOrFold<arith::AddIOp>(loc, column, index(i)));
    at.push_back(builder.createOrFold<arith::MulIOp>(loc, word, index(kr)));
    Value stored =
        toStored(readVector(builder, loc, op.getSource(), mapOf(0),
                            {at, numBatch + 1, unsigned(size), count >= size}),
                 count);
    rows.push_back(vector::BitCastOp::create(builder, loc,
                                             vectorType(lanes(), 32), stored));
  }
  // Blocks of 1, 2, 4 .. lanes change sides until the matrix is transposed.
  for (int64_t d = 1; d < lanes(); d *= 2)
    for (int64_t i = 0; i < lanes(); ++i) {
      if (i & d)
        continue;
      SmallVector<int64_t> low, high;
      for (int64_t l = 0; l < lanes(); ++l) {
        low.push_back(l & d ? lanes() + l - d : l);
        high.push_back(l & d ? lanes() + l : l + d);
      }
      Value a = rows[i], b = rows[i + d];
      rows[i] = vector::ShuffleOp::create(builder, loc, a, b, low);
      rows[i + d] = vector::ShuffleOp::create(builder, loc, a, b, high);
    }
  rows.resize(llvm::divideCeil(std::min(count, size), kr));
  return rows;
}

Value PackEmitter::addElements(Value sum, Value word) {
  auto type = cast<VectorType>(word.getType());
  bool isSigned = !op.getUnsignedSource() || op.getOffset();
  unsigned bits = 32 / kr;
  for (int64_t r = 0; r < kr; ++r) {
    Value part = arith::ShLIOp::create(builder, loc, word,
                                       splat(type, 32 - bits * (r + 1)));
    Value amount = splat(type, 32 - bits);
    part = isSigned
               ? arith::ShRSIOp::create(builder, loc, part, amount).getResult()
               : arith::ShRUIOp::create(builder, loc, part, amount);
    sum = arith::AddIOp::create(builder, loc, sum, part);
  }
  return sum;
}

void PackEmitter::emitVectors(ArrayRef<Value> batch, Value tile) {
  bool along = isContiguous(numBatch + 1);
  int64_t k = op.getReductionSize(), step = along ? lanes() : 1;
  int64_t whole = k / (step * kr), rest = k - whole * step * kr;
  VectorType type = vectorType(lanes(), 32);
  auto groups =
      scf::ForOp::create(builder, loc, index(0), index(nr), index(lanes()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(groups.getBody());
  Value first = groups.getInductionVar();
  Value column = arith::AddIOp::create(
      builder, loc, arith::MulIOp::create(builder, loc, tile, index(nr)),
      first);
  auto store = [&](Value word, ValueRange vectors, Value sum) {
    for (auto [i, vector] : llvm::enumerate(vectors)) {
      SmallVector<Value> at(batch);
      at.append({tile, builder.createOrFold<arith::AddIOp>(loc, word, index(i)),
                 first});
      vector::StoreOp::create(builder, loc, vector, op.getPacked(), at);
      sum = addElements(sum, vector);
    }
    return sum;
  };
  auto pack = [&](Value word, int64_t count) {
    return along ? alongK(batch, column, word, count)
                 : acrossColumns(batch, column, word, 1, count);
  };
  Value sum = splat(type, 0);
  auto loop = scf::ForOp::create(builder, loc, index(0), index(whole), index(1),
                                 ValueRange{sum});
  {
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value word = builder.createOrFold<arith::MulIOp>(
        loc, loop.getInductionVar(), index(step));
    Value next =
        store(word, pack(word, step * kr), loop.getRegionIterArgs()[0]);
    scf::YieldOp::create(builder, loc, next);
  }
  sum = loop.getResult(0);
  if (rest != 0)
    sum = store(index(whole * step), pack(index(whole * step), rest), sum);
  int64_t filled = llvm::divideCeil(k, kr);
  SmallVector<Value> zeros(op.getWords() - filled, splat(type, 0));
  store(index(filled), zeros, sum);
  SmallVector<Value> sumAt(batch);
  sumAt.push_back(column);
  vector::StoreOp::create(builder, loc, sum, op.getSums(), sumAt);
}

void PackEmitter::emitScalars(ArrayRef<Value> batch, Value tile, Value n) {
  int64_t k = op.getReductionSize(), words = op.getWords();
  OpBuilder::InsertionGuard guard(builder);
  auto columnLoop =
      scf::ForOp::create(builder, loc, index(0), index(nr), index(1));
  builder.setInsertionPointToStart(columnLoop.getBody());
  Value lane = columnLoop.getInductionVar();
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
}

void PackEmitter::emit() {
  builder.setInsertionPoint(op);
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

  if (!isContiguous(numBatch) && !isContiguous(numBatch + 1)) {
    emitScalars(batch, tile, n);
    return builder.eraseOp(op);
  }
  auto size = getConstantIntValue(n);
  if (size && *size % nr == 0) {
    emitVectors(batch, tile);
    return builder.eraseOp(op);
  }
  // Not all columns of the last tile exist.
  Value isWhole = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, tile,
      builder.createOrFold<arith::DivUIOp>(loc, n, index(nr)));
  auto branch = scf::IfOp::create(builder, loc, isWhole,
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitVectors(batch, tile);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitScalars(batch, tile, n);
  builder.eraseOp(op);
}

void qcc::x86::emitPack(RewriterBase &rewriter, kernel::PackOp op) {
  PackEmitter(rewriter, op).emit();
}
