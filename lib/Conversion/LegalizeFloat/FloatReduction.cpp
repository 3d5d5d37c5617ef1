//===- FloatReduction.cpp - Float reductions and their combines -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"
#include "qcc/Conversion/LegalizeFloat/FloatOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qcc;

std::optional<FloatCombine> qcc::getFloatCombine(Operation *op) {
  return TypeSwitch<Operation *, std::optional<FloatCombine>>(op)
      .Case([](arith::AddFOp) { return FloatCombine::Add; })
      .Case([](arith::MulFOp) { return FloatCombine::Mul; })
      .Case([](arith::MaximumFOp) { return FloatCombine::Maximum; })
      .Case([](arith::MinimumFOp) { return FloatCombine::Minimum; })
      .Case([](arith::MaxNumFOp) { return FloatCombine::MaxNum; })
      .Case([](arith::MinNumFOp) { return FloatCombine::MinNum; })
      .Default(std::nullopt);
}

/// Whether `value` is computed from one of the arguments of `block`.
static bool dependsOn(Value value, ArrayRef<BlockArgument> arguments,
                      Block *block) {
  SmallVector<Value> pending{value};
  DenseSet<Operation *> seen;
  while (!pending.empty()) {
    Value current = pending.pop_back_val();
    if (llvm::is_contained(arguments, current))
      return true;
    Operation *op = current.getDefiningOp();
    if (!op || op->getBlock() != block || !seen.insert(op).second)
      continue;
    op->walk([&](Operation *nested) {
      llvm::append_range(pending, nested->getOperands());
    });
  }
  return false;
}

/// The outputs of `op` that are combine(accumulator, element), if all are or
/// yield their accumulator.
static std::optional<SmallVector<FloatReductionOutput>>
matchOutputs(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0)
    return std::nullopt;
  Block *block = op.getBlock();
  ArrayRef<BlockArgument> accumulators = op.getRegionOutputArgs();
  SmallVector<FloatReductionOutput> outputs;
  for (auto [number, yielded] :
       llvm::enumerate(block->getTerminator()->getOperands())) {
    BlockArgument accumulator = accumulators[number];
    if (yielded == accumulator)
      continue;
    Operation *combineOp = yielded.getDefiningOp();
    if (!combineOp || combineOp->getBlock() != block)
      return std::nullopt;
    std::optional<FloatCombine> combine = getFloatCombine(combineOp);
    if (!combine)
      return std::nullopt;
    Value a = combineOp->getOperand(0), b = combineOp->getOperand(1);
    if (b == accumulator)
      std::swap(a, b);
    if (a != accumulator || dependsOn(b, accumulators, block))
      return std::nullopt;
    outputs.push_back({unsigned(number), *combine, b, combineOp});
  }
  return outputs;
}

void qcc::markFloatReduction(linalg::LinalgOp op) {
  auto outputs = matchOutputs(op);
  if (!outputs || outputs->size() != size_t(op.getNumDpsInits()))
    return;
  for (const FloatReductionOutput &output : *outputs)
    output.combineOp->setAttr(kCombineAttr, UnitAttr::get(op->getContext()));
}

std::optional<SmallVector<FloatReductionOutput>>
qcc::getFloatReduction(linalg::LinalgOp op) {
  auto outputs = matchOutputs(op);
  if (!outputs || outputs->empty() ||
      !llvm::all_of(*outputs, [](const FloatReductionOutput &output) {
        return output.combineOp->hasAttr(kCombineAttr);
      }))
    return std::nullopt;
  return outputs;
}

TypedAttr qcc::getNeutralElement(FloatCombine combine, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  switch (combine) {
  case FloatCombine::Add:
    return FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/true));
  case FloatCombine::Mul:
    return FloatAttr::get(type, APFloat::getOne(semantics));
  case FloatCombine::Maximum:
    return FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true));
  case FloatCombine::Minimum:
    return FloatAttr::get(type, APFloat::getInf(semantics));
  case FloatCombine::MaxNum:
  case FloatCombine::MinNum:
    return FloatAttr::get(type, APFloat::getQNaN(semantics));
  }
  llvm_unreachable("all combines are listed");
}

/// The larger or smaller of a and b on f32 vectors, with the zeros and NaNs of
/// N7. Instructions that compare give their second operand if lanes are equal
/// or unordered. So the results for both orders differ where a zero or a NaN
/// decides, and bitwise operations combine them.
static Value combineLanes(FloatBuilder &s, FloatCombine combine, Value a,
                          Value b) {
  if (combine == FloatCombine::MinNum) {
    auto negate = [&](Value x) -> Value {
      return arith::NegFOp::create(s.builder, s.loc, x);
    };
    Value minusA = negate(a), minusB = negate(b);
    return negate(combineLanes(s, FloatCombine::MaxNum, minusA, minusB));
  }
  auto pick = [&](Value x, Value y) {
    Value isFirst = combine == FloatCombine::Minimum ? s.lt(x, y) : s.gt(x, y);
    return s.bits(s.select(isFirst, x, y));
  };
  // All ones, which are a NaN, in the lanes of the mask.
  auto ones = [&](Value mask) -> Value {
    return arith::ExtSIOp::create(s.builder, s.loc,
                                  s.typeLike(s.builder.getI32Type()), mask);
  };
  Value first = pick(a, b), second = pick(b, a);
  if (combine == FloatCombine::Minimum) // -0 and NaN have the more bits.
    return s.asF32(s.ori(first, second));
  if (combine == FloatCombine::Maximum) { // +0 has the fewer bits.
    Value number = s.andi(first, second);
    return s.asF32(s.ori(number, ones(s.cmp(arith::CmpFPredicate::UNO, a, b))));
  }
  assert(combine == FloatCombine::MaxNum && "not a maximum or minimum");
  first = s.ori(first, ones(s.isNaN(b)));
  second = s.ori(second, ones(s.isNaN(a)));
  return s.asF32(s.andi(first, second));
}

Value qcc::emitCombine(OpBuilder &builder, Location loc, FloatCombine combine,
                       Value a, Value b, BF16Conversions bf16) {
  auto type = cast<FloatType>(getElementTypeOrSelf(a));
  if (type.getWidth() < 32) {
    FloatType f32 = builder.getF32Type();
    Value wide = emitCombine(builder, loc, combine,
                             emitExtend(builder, loc, a, f32, bf16),
                             emitExtend(builder, loc, b, f32, bf16), bf16);
    return emitRound(builder, loc, wide, type, bf16);
  }
  // LLVM's maxnum and minnum do not order zeros, but maximum and minimum do.
  auto otherWhereNaN = [&](Value result) {
    FloatBuilder s(builder, loc, a);
    return s.select(s.isNaN(a), b, s.select(s.isNaN(b), a, result));
  };
  bool isOrder = combine != FloatCombine::Add && combine != FloatCombine::Mul;
  if (isOrder && isa<VectorType>(a.getType()) && type.isF32()) {
    FloatBuilder s(builder, loc, a);
    return combineLanes(s, combine, a, b);
  }
  switch (combine) {
  case FloatCombine::Add:
    return arith::AddFOp::create(builder, loc, a, b);
  case FloatCombine::Mul:
    return arith::MulFOp::create(builder, loc, a, b);
  case FloatCombine::Maximum:
    return arith::MaximumFOp::create(builder, loc, a, b);
  case FloatCombine::Minimum:
    return arith::MinimumFOp::create(builder, loc, a, b);
  case FloatCombine::MaxNum:
    return otherWhereNaN(arith::MaximumFOp::create(builder, loc, a, b));
  case FloatCombine::MinNum:
    return otherWhereNaN(arith::MinimumFOp::create(builder, loc, a, b));
  }
  llvm_unreachable("all combines are listed");
}
