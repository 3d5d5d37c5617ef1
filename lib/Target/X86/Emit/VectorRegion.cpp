//===- VectorRegion.cpp - Scalar regions on vectors -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorRegion.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/PackedClamps.h"
#include "qcc/Transforms/FloatUses.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

SmallVector<Value> qcc::x86::operandIndices(OpBuilder &builder, Location loc,
                                            AffineMap map,
                                            ArrayRef<Value> index) {
  SmallVector<Value> result;
  for (AffineExpr expr : map.getResults()) {
    Value sum;
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    auto add = [&](Value term, int64_t factor) {
      if (factor != 1)
        term = builder.createOrFold<arith::MulIOp>(loc, term, constant(factor));
      sum = sum ? builder.createOrFold<arith::AddIOp>(loc, sum, term) : term;
    };
    if (std::optional<kernel::GroupTerm> group = kernel::groupTerm(expr))
      add(builder.createOrFold<arith::DivUIOp>(loc, index[group->loop],
                                               constant(group->size)),
          group->stride);
    for (auto [loop, factor] :
         llvm::zip_equal(index, *kernel::windowFactors(expr, index.size()))) {
      if (factor != 0)
        add(loop, factor);
    }
    result.push_back(sum ? sum : constant(0));
  }
  return result;
}

/// The permutation map of a transfer along the result that is `vectorDim`, or a
/// null map if no permutation does that.
static AffineMap transferMap(AffineMap map, unsigned vectorDim) {
  std::optional<unsigned> result = kernel::resultAlong(map, vectorDim);
  if (!result)
    return {};
  return AffineMap::get(map.getNumResults(), 0,
                        getAffineDimExpr(*result, map.getContext()));
}

Value qcc::x86::readVector(OpBuilder &builder, Location loc, Value memref,
                           AffineMap map, const VectorPosition &position) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  auto type = VectorType::get({position.lanes}, element);
  SmallVector<Value> indices =
      operandIndices(builder, loc, map, position.index);
  AffineMap transfer = transferMap(map, position.vectorDim);
  if (!transfer) {
    Value scalar = memref::LoadOp::create(builder, loc, memref, indices);
    return vector::BroadcastOp::create(builder, loc, type, scalar);
  }
  Value padding = arith::ConstantOp::create(builder, loc, element,
                                            builder.getZeroAttr(element));
  return vector::TransferReadOp::create(builder, loc, type, memref, indices,
                                        padding, transfer,
                                        ArrayRef<bool>{position.inBounds});
}

void qcc::x86::writeVector(OpBuilder &builder, Location loc, Value vector,
                           Value memref, AffineMap map,
                           const VectorPosition &position) {
  SmallVector<Value> indices =
      operandIndices(builder, loc, map, position.index);
  vector::TransferWriteOp::create(builder, loc, vector, memref, indices,
                                  transferMap(map, position.vectorDim),
                                  ArrayRef<bool>{position.inBounds});
}

SmallVector<Value> qcc::x86::inlineOnScalars(OpBuilder &builder, Region &region,
                                             ValueRange arguments) {
  Block &block = region.front();
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value v) { return mapping.lookup(v); });
}

//===----------------------------------------------------------------------===//
// VectorRegion
//===----------------------------------------------------------------------===//

VectorRegion::VectorRegion(Region &region, ArrayRef<NumberRange> arguments)
    : region(region), valueRanges(region, arguments) {
  for (Value yielded : region.front().getTerminator()->getOperands()) {
    SmallVector<kernel::LookupOp> &after = lookups.emplace_back();
    while (auto lookup = yielded.getDefiningOp<kernel::LookupOp>()) {
      after.insert(after.begin(), lookup);
      yielded = lookup.getByte();
    }
    auto trunc = yielded.getDefiningOp<arith::TruncIOp>();
    bool toByte = trunc && trunc.getType().isInteger(8) &&
                  trunc.getIn().getType().isInteger(32);
    packable.push_back(toByte ? trunc.getIn() : Value());
    PackedClamps packed;
    if (toByte)
      packed = findPackedClamps(region, trunc, arguments);
    ranges.push_back(packed.range);
    omitted.insert_range(packed.clamps);
  }
  valueRanges = RegionRanges(region, arguments, omitted);
}

int64_t VectorRegion::size() const {
  int64_t count = 0;
  for (Operation &op : region.front().without_terminator())
    count += !op.hasTrait<OpTrait::ConstantLike>();
  return count;
}

/// Whether a value is a whole number whatever it rounds, so that a conversion
/// that rounds may take what is not rounded yet.
bool VectorRegion::isRoundedByConversion(Value value) const {
  if (value.getDefiningOp<math::RoundEvenOp>())
    return true;
  APFloat constant(0.0f);
  if (matchPattern(value, m_ConstantFloat(&constant)))
    return constant.isInteger();
  auto select = value.getDefiningOp<arith::SelectOp>();
  return select && passedUnlessNaN(select) &&
         isRoundedByConversion(select.getTrueValue()) &&
         isRoundedByConversion(select.getFalseValue());
}

Value VectorRegion::unrounded(KernelBuilder &builder, Value value,
                              IRMapping &mapping) {
  if (auto round = value.getDefiningOp<math::RoundEvenOp>())
    return mapping.lookup(round.getOperand());
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select)
    return mapping.lookup(value);
  // A number is NaN before it is rounded if it is after.
  Value tested = passedUnlessNaN(select);
  Value number = unrounded(builder, tested, mapping);
  if (!valueRanges.of(tested).canBeNaN)
    return number;
  Value other =
      unrounded(builder,
                tested == select.getTrueValue() ? select.getFalseValue()
                                                : select.getTrueValue(),
                mapping);
  Value ordered = arith::CmpFOp::create(
      builder.rewriter, builder.loc, arith::CmpFPredicate::ORD, number, number);
  return arith::SelectOp::create(builder.rewriter, builder.loc, ordered, number,
                                 other);
}

/// Emits an instruction of the target that does the conversion in fewer steps;
/// null if the target lacks one.
Value VectorRegion::emitConversion(KernelBuilder &builder, Operation &op,
                                   IRMapping &mapping) {
  auto convert = dyn_cast<arith::FPToSIOp>(op);
  // The conversion gives the least i32 for what does not fit.
  if (!convert || !convert.getType().isInteger(32) ||
      !convert.getIn().getType().isF32() ||
      !valueRanges.of(convert.getIn())
           .isWithin(std::numeric_limits<int32_t>::min(),
                     std::numeric_limits<int32_t>::max()) ||
      !isRoundedByConversion(convert.getIn()))
    return {};
  Value number = unrounded(builder, convert.getIn(), mapping);
  return LLVM::LrintOp::create(builder.rewriter, builder.loc,
                               builder.integerType(), number);
}

/// The number that `op` extends after it was truncated, if the number fits the
/// narrow type, so that truncating and extending it do not change it. Null
/// otherwise.
static Value fittingSource(Operation &op, const RegionRanges &valueRanges) {
  if (!isa<arith::ExtSIOp, arith::ExtUIOp>(op))
    return {};
  auto trunc = op.getOperand(0).getDefiningOp<arith::TruncIOp>();
  if (!trunc || trunc.getIn().getType() != op.getResult(0).getType())
    return {};
  double values = std::ldexp(1.0, trunc.getType().getIntOrFloatBitWidth());
  double least = isa<arith::ExtSIOp>(op) ? -values / 2 : 0;
  return valueRanges.of(trunc.getIn()).isWithin(least, least + values - 1)
             ? trunc.getIn()
             : Value();
}

SmallVector<Value> VectorRegion::emit(KernelBuilder &builder,
                                      ValueRange arguments) {
  Block &block = region.front();
  OpBuilder &rewriter = builder.rewriter;
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator()) {
    Attribute constant;
    if (matchPattern(&op, m_Constant(&constant))) {
      auto type = VectorType::get({builder.lanes}, op.getResult(0).getType());
      mapping.map(op.getResult(0), arith::ConstantOp::create(
                                       rewriter, op.getLoc(),
                                       DenseElementsAttr::get(type, constant)));
      continue;
    }
    if (omitted.contains(&op)) {
      mapping.map(op.getResult(0), mapping.lookup(op.getOperand(0)));
      continue;
    }
    if (auto select = dyn_cast<arith::SelectOp>(op))
      if (Value number = passedUnlessNaN(select);
          number && !valueRanges.of(number).canBeNaN) {
        mapping.map(select.getResult(), mapping.lookup(number));
        continue;
      }
    if (Value number = fittingSource(op, valueRanges)) {
      mapping.map(op.getResult(0), mapping.lookup(number));
      continue;
    }
    if (Value value = emitConversion(builder, op, mapping)) {
      mapping.map(op.getResult(0), value);
      continue;
    }
    Operation *clone = rewriter.clone(op, mapping);
    for (OpResult result : clone->getResults())
      result.setType(VectorType::get({builder.lanes}, result.getType()));
    // A maximum or minimum is one instruction where the sign of zero is unused.
    if (isa<arith::MaximumFOp, arith::MinimumFOp>(op) &&
        isZeroSignUnused(op.getResult(0)))
      clone->setAttr("fastmath",
                     arith::FastMathFlagsAttr::get(rewriter.getContext(),
                                                   arith::FastMathFlags::nsz));
  }
  SmallVector<Value> results;
  for (auto [yielded, source] :
       llvm::zip(block.getTerminator()->getOperands(), packable))
    results.push_back(mapping.lookup(source ? source : yielded));
  return results;
}

Value VectorRegion::pack(KernelBuilder &builder, unsigned result,
                         ValueRange vectors) {
  return lookUp(builder, result, packBytes(builder, vectors, ranges[result]));
}

Value VectorRegion::lookUp(KernelBuilder &builder, unsigned result,
                           Value bytes) {
  for (kernel::LookupOp lookup : lookups[result])
    bytes = kernel::LookupOp::create(builder.rewriter, lookup.getLoc(), bytes,
                                     lookup.getTable());
  return bytes;
}
