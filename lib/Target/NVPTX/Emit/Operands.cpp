//===- Operands.cpp - The operands of a contraction -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operands.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

OpFoldResult Operands::sizeOf(unsigned loop) {
  AffineMap map = op.getOutMaps().front();
  AffineExpr dim = code.rewriter.getAffineDimExpr(loop);
  assert(map.getResultPosition(dim) && "results have all parallel dimensions");
  return memref::getMixedSize(code.rewriter, code.loc, op.getOuts().front(),
                              *map.getResultPosition(dim));
}

Value Operands::lhs(const Point &point) {
  SmallVector<Value> operands{op.getLhs()};
  SmallVector<AffineMap> maps{op.getLhsMap()};
  llvm::append_range(operands, op.getLhsOperands());
  llvm::append_range(maps, op.getLhsOperandMaps());
  return code.loadByte(operands, maps, op.getLhsPrologue(), point);
}

Value Operands::rhs(const Point &point) {
  SmallVector<Value> operands{op.getRhs()};
  SmallVector<AffineMap> maps{op.getRhsMap()};
  llvm::append_range(operands, op.getRhsOperands());
  llvm::append_range(maps, op.getRhsOperandMaps());
  return code.loadByte(operands, maps, op.getRhsPrologue(), point);
}

Value Operands::lhsZeroPoint(const Point &point) {
  Value zeroPoint = op.getLhsZeroPoint();
  return zeroPoint ? code.load(zeroPoint, op.getLhsZeroPointMap(), point)
                   : Value();
}

Value Operands::rhsZeroPoint(const Point &point) {
  Value zeroPoint = op.getRhsZeroPoint();
  return zeroPoint ? code.load(zeroPoint, op.getRhsZeroPointMap(), point)
                   : Value();
}

Value Operands::init(const Point &point) {
  if (op.getInit())
    return code.load(op.getInit(), op.getInitMap(), point);
  return arith::ConstantOp::create(
      code.rewriter, code.loc, code.rewriter.getZeroAttr(op.getTotalType()));
}

Value Operands::addGroup(Value sum, Value total, const Point &point) {
  SmallVector<Value> arguments{sum, total};
  for (auto [operand, map] :
       llvm::zip_equal(op.getGroupOperands(), op.getGroupMaps()))
    arguments.push_back(code.load(operand, map, point));
  return code.inlineRegion(op.getGroupEpilogue(), arguments).front();
}

void Operands::storeResults(Value accumulator, const Point &point) {
  SmallVector<Value> arguments{accumulator};
  for (auto [operand, map] :
       llvm::zip_equal(op.getEpilogueOperands(), op.getEpilogueMaps()))
    arguments.push_back(code.load(operand, map, point));
  SmallVector<Value> results = code.inlineRegion(op.getEpilogue(), arguments);
  for (auto [result, out, map] :
       llvm::zip_equal(results, op.getOuts(), op.getOutMaps()))
    code.store(result, out, map, point);
}
