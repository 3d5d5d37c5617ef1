//===- OperandAlongK.cpp - Vectors of elements of K -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandAlongK.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

/// Elements of a step.
static int64_t stepSize(KernelBuilder &builder, Contraction &contraction) {
  return builder.lanes * contraction.kr;
}

/// Whether nothing follows the elements of K in their dimension of an operand.
/// The windows of a convolution along W are parts of a line.
static bool endsWithK(AffineMap map, unsigned dim) {
  return llvm::any_of(map.getResults(), [&](AffineExpr expr) {
    auto single = dyn_cast<AffineDimExpr>(expr);
    return single && single.getPosition() == dim;
  });
}

/// The bytes of a step of an operand where it lies; 0 past K.
static Value readBytes(KernelBuilder &builder, Contraction &contraction,
                       Value memref, AffineMap map, SmallVector<Value> at,
                       Value step, int64_t count) {
  int64_t size = stepSize(builder, contraction);
  unsigned dim = contraction.op.getReductionDims().front();
  auto read = [&](Value offset, bool isWhole) {
    at[dim] = offset;
    return readVector(builder.rewriter, builder.loc, memref, map,
                      {at, dim, unsigned(size), isWhole});
  };
  if (count == size)
    return read(builder.mul(step, size), true);
  bool hasMaskedLoads = builder.lanes == 16;
  if (hasMaskedLoads || contraction.k < size) {
    // The mask of a load ends where the dimension does.
    Value bytes = read(builder.mul(step, size), false);
    return endsWithK(map, dim) ? bytes : builder.clearFrom(bytes, count);
  }
  // The last bytes of the row are the high end of its last vector.
  Value last = read(builder.index(contraction.k - size), true);
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < size; ++i)
    order.push_back(size - count + i);
  return vector::ShuffleOp::create(
      builder.rewriter, builder.loc, last,
      builder.splat(cast<VectorType>(last.getType()), 0), order);
}

Value qcc::x86::toStored(KernelBuilder &builder, Contraction &contraction,
                         Value bytes, bool isUnsigned, int64_t shift) {
  auto type = cast<VectorType>(bytes.getType());
  if (contraction.kr == 2) {
    VectorType shorts = builder.vectorType(type.getNumElements(), 16);
    if (isUnsigned)
      return arith::ExtUIOp::create(builder.rewriter, builder.loc, shorts,
                                    bytes);
    return arith::ExtSIOp::create(builder.rewriter, builder.loc, shorts, bytes);
  }
  if (shift == 0)
    return bytes;
  return arith::XOrIOp::create(builder.rewriter, builder.loc, bytes,
                               builder.splat(type, -128));
}

OperandAlongK OperandAlongK::left(KernelBuilder &builder,
                                  Contraction &contraction,
                                  const GridPart &part, LhsRows *panel) {
  kernel::ContractOp op = contraction.op;
  bool isUnsigned = op.getLhsUnsigned();
  OperandAlongK operand;
  operand.isUnsigned = isUnsigned != (contraction.layout.lhsShift != 0);
  if (panel) {
    operand.read = [&builder, &contraction, panel](Value row, Value step,
                                                   int64_t count) {
      int64_t size = stepSize(builder, contraction);
      Tile tile;
      tile.row = row;
      TileSource source = panel->tileSource(tile, 0, builder.mul(step, size));
      Value vector =
          vector::LoadOp::create(builder.rewriter, builder.loc,
                                 builder.vectorType(size, 32 / contraction.kr),
                                 source.memref, source.indices);
      return count == size ? vector : builder.clearFrom(vector, count);
    };
    return operand;
  }
  SmallVector<Value> loops = part.loops;
  operand.read = [&builder, &contraction, op, isUnsigned,
                  loops](Value row, Value step, int64_t count) mutable {
    SmallVector<Value> at = loops;
    if (contraction.roles.m)
      at[*contraction.roles.m] = row;
    Value bytes = readBytes(builder, contraction, op.getLhs(), op.getLhsMap(),
                            at, step, count);
    return toStored(builder, contraction, bytes, isUnsigned,
                    contraction.layout.lhsShift);
  };
  return operand;
}

OperandAlongK OperandAlongK::right(KernelBuilder &builder,
                                   Contraction &contraction,
                                   const GridPart &part) {
  kernel::ContractOp op = contraction.op;
  bool isUnsigned = op.getRhsUnsigned();
  OperandAlongK operand;
  operand.isUnsigned = isUnsigned != (contraction.layout.rhsShift != 0);
  if (!op.isPacked()) {
    SmallVector<Value> loops = part.loops;
    operand.read = [&builder, &contraction, op, isUnsigned,
                    loops](Value row, Value step, int64_t count) mutable {
      SmallVector<Value> at = loops;
      at[contraction.roles.n] = row;
      Value bytes = readBytes(builder, contraction, op.getRhs(), op.getRhsMap(),
                              at, step, count);
      return toStored(builder, contraction, bytes, isUnsigned,
                      contraction.layout.rhsShift);
    };
    return operand;
  }
  // [batch..., column, word, 1]: the last two are one.
  SmallVector<ReassociationIndices> groups;
  for (size_t i = 0; i <= part.batch.size(); ++i)
    groups.push_back({(int64_t)i});
  groups.push_back(
      {(int64_t)part.batch.size() + 1, (int64_t)part.batch.size() + 2});
  Value words = memref::CollapseShapeOp::create(builder.rewriter, builder.loc,
                                                op.getRhs(), groups);
  SmallVector<Value> batch = part.batch;
  operand.read = [&builder, words, batch](Value row, Value step, int64_t) {
    SmallVector<Value> at = batch;
    at.push_back(row);
    at.push_back(builder.mul(step, builder.lanes));
    return vector::LoadOp::create(builder.rewriter, builder.loc,
                                  builder.accumulatorType(), words, at)
        .getResult();
  };
  return operand;
}

Value qcc::x86::onesAlongK(KernelBuilder &builder, Contraction &contraction,
                           int64_t count) {
  int64_t size = stepSize(builder, contraction);
  VectorType type = builder.vectorType(size, 32 / contraction.kr);
  SmallVector<APInt> values;
  for (int64_t i = 0; i < size; ++i)
    values.push_back(APInt(32 / contraction.kr, i < count));
  return arith::ConstantOp::create(builder.rewriter, builder.loc,
                                   DenseElementsAttr::get(type, values));
}
