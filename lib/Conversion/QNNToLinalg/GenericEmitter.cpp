//===- GenericEmitter.cpp - linalg.generic ops of formulas ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include "qcc/Dialect/Utils/Notes.h"

using namespace mlir;
using namespace qcc;
using Kind = qnn::QuantParams::Kind;

unsigned GenericEmitter::addInput(Value tensor, AffineMap map) {
  inputs.push_back(tensor);
  maps.push_back(map);
  return inputs.size() - 1;
}

unsigned GenericEmitter::addInput(Value tensor) {
  return addInput(tensor, builder.getMultiDimIdentityMap(loops));
}

/// [C] as [groups, C / groups].
static Value expandChannels(OpBuilder &builder, Location loc, Value tensor,
                            int64_t groups) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto expanded =
      type.clone(ArrayRef<int64_t>{groups, type.getDimSize(0) / groups});
  DenseElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant)))
    return arith::ConstantOp::create(builder, loc, constant.reshape(expanded));
  return tensor::ExpandShapeOp::create(builder, loc, expanded, tensor,
                                       ArrayRef<ReassociationIndices>{{0, 1}});
}

/// [N, L] as [L, N].
static Value transpose(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Attribute value;
  if (matchPattern(tensor, m_Constant(&value)))
    if (TypedAttr transposed = transposeConstant(value, {1, 0}))
      return arith::ConstantOp::create(builder, loc, transposed);
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  Value empty = tensor::EmptyOp::create(builder, loc, {columns, rows},
                                        type.getElementType());
  return linalg::TransposeOp::create(builder, loc, tensor, empty,
                                     ArrayRef<int64_t>{1, 0})
      ->getResult(0);
}

GenericEmitter::Reader GenericEmitter::addTensor(Kind kind, int64_t axis,
                                                 Value tensor) {
  SmallVector<AffineExpr> exprs;
  if (kind == Kind::PerChannel) {
    exprs.push_back(builder.getAffineDimExpr(axis));
    if (groups != 1) {
      tensor = expandChannels(builder, loc, tensor, groups);
      exprs.push_back(builder.getAffineDimExpr(axis + 1));
    }
  }
  bool isOfWeight = kind == Kind::PerGroup && axis != -1;
  if (kind == Kind::PerRow || (kind == Kind::PerGroup && !isOfWeight))
    for (int64_t d = 0; d + 1 < rank; ++d)
      exprs.push_back(builder.getAffineDimExpr(d));
  if (kind == Kind::PerGroup)
    exprs.push_back(builder.getAffineDimExpr(rank));
  if (isOfWeight) {
    // Columns become innermost, as kernels have them in their lanes.
    tensor = transpose(builder, loc, tensor);
    exprs.push_back(builder.getAffineDimExpr(axis));
  }
  // What is left has size 1.
  size_t tensorRank = cast<RankedTensorType>(tensor.getType()).getRank();
  exprs.resize(tensorRank, builder.getAffineConstantExpr(0));
  unsigned number =
      addInput(tensor, AffineMap::get(loops, 0, exprs, builder.getContext()));
  return
      [number](OpBuilder &, Location, ValueRange args) { return args[number]; };
}

GenericEmitter::Reader GenericEmitter::addChannels(Value tensor, int64_t axis) {
  return addTensor(Kind::PerChannel, axis, tensor);
}

GenericEmitter::Reader GenericEmitter::add(const Param &param) {
  if (param.op != Param::Op::Leaf) {
    Reader a = add(param.args[0]), b = add(param.args[1]);
    return [op = param.op, a, b](OpBuilder &builder, Location loc,
                                 ValueRange args) {
      Value x = a(builder, loc, args), y = b(builder, loc, args);
      return emitOp(builder, loc, op, x, y);
    };
  }
  if (param.isConstant() && param.kind == Kind::PerTensor)
    return [value = param.values.front()](OpBuilder &builder, Location loc,
                                          ValueRange) {
      return floatConstant(builder, loc, value);
    };
  Value tensor = param.tensor;
  if (!tensor) {
    auto type = RankedTensorType::get({(int64_t)param.values.size()},
                                      builder.getF32Type());
    tensor = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, ArrayRef<float>(param.values)));
  }
  return addTensor(param.kind, param.axis, tensor);
}

GenericEmitter::Reader GenericEmitter::add(const ZeroPoint &zeroPoint) {
  if (zeroPoint.constant)
    return [value = *zeroPoint.constant](OpBuilder &builder, Location loc,
                                         ValueRange) {
      return intConstant(builder, loc, value);
    };
  return addTensor(zeroPoint.kind, zeroPoint.axis, zeroPoint.tensor);
}

Value GenericEmitter::build(Value init, unsigned reductions, StringRef origin,
                            Body body, AffineMap resultMap) {
  SmallVector<AffineMap> allMaps = maps;
  if (!resultMap)
    resultMap = builder.getMultiDimIdentityMap(loops).dropResults(
        llvm::to_vector(llvm::seq<int64_t>(loops - reductions, loops)));
  allMaps.push_back(resultMap);
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  for (unsigned i = 0; i < reductions; ++i)
    iterators[loops - 1 - i] = utils::IteratorType::reduction;
  auto op = linalg::GenericOp::create(
      builder, loc, init.getType(), inputs, init, allMaps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value result = body(b, loc, args);
        linalg::YieldOp::create(b, loc, result);
      });
  if (!origin.empty())
    op->setAttr(kOriginAttr, builder.getStringAttr(origin));
  return op.getResult(0);
}
