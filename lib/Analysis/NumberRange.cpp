//===- NumberRange.cpp - Ranges of numbers --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Analysis/NumberRange.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace qcc;

NumberRange qcc::fullRange(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  if (!integer || integer.getWidth() > 64)
    return {};
  double half = std::ldexp(1.0, integer.getWidth() - 1);
  return {-half, half - 1, false};
}

/// The range as integers of a type; all integers of the type where the range
/// does not fit.
static NumberRange fit(NumberRange range, Type type) {
  NumberRange full = fullRange(type);
  return range.isWithin(full.low, full.high) ? range : full;
}

static NumberRange unite(NumberRange a, NumberRange b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high),
          a.canBeNaN || b.canBeNaN};
}

Value qcc::passedUnlessNaN(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare || compare.getLhs() != compare.getRhs())
    return {};
  Value tested = compare.getLhs();
  switch (compare.getPredicate()) {
  case arith::CmpFPredicate::ORD:
  case arith::CmpFPredicate::OEQ:
    return select.getTrueValue() == tested ? tested : Value();
  case arith::CmpFPredicate::UNO:
  case arith::CmpFPredicate::UNE:
    return select.getFalseValue() == tested ? tested : Value();
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// f32 arithmetic
//===----------------------------------------------------------------------===//

static bool canBeInfinite(NumberRange x) {
  return std::isinf(x.low) || std::isinf(x.high);
}

/// An f32 range around the one of exact results, which f64 may have rounded.
static NumberRange rounded(double low, double high, bool canBeNaN) {
  if (std::isnan(low) || std::isnan(high))
    return {};
  assert(low <= high && "ends of a range in the wrong order");
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return {std::nextafterf(float(low), -infinity),
          std::nextafterf(float(high), infinity), canBeNaN};
}

static NumberRange multiply(NumberRange a, NumberRange b) {
  // 0 times infinity is NaN, and the 0 need not be an end of its range.
  if (canBeInfinite(a) || canBeInfinite(b))
    return {};
  double ends[] = {a.low * b.low, a.low * b.high, a.high * b.low,
                   a.high * b.high};
  return rounded(*std::min_element(ends, ends + 4),
                 *std::max_element(ends, ends + 4), a.canBeNaN || b.canBeNaN);
}

static NumberRange add(NumberRange a, NumberRange b) {
  if (canBeInfinite(a) && canBeInfinite(b))
    return {};
  return rounded(a.low + b.low, a.high + b.high, a.canBeNaN || b.canBeNaN);
}

/// The range of the product is rounded here, though a fused multiply-add does
/// not round the product: the range may be wider than it has to be.
static NumberRange multiplyAdd(NumberRange a, NumberRange b, NumberRange c) {
  return add(multiply(a, b), c);
}

static NumberRange divide(NumberRange a, NumberRange b) {
  if (canBeInfinite(a) || canBeInfinite(b) || (b.low <= 0 && b.high >= 0))
    return {};
  double ends[] = {a.low / b.low, a.low / b.high, a.high / b.low,
                   a.high / b.high};
  return rounded(*std::min_element(ends, ends + 4),
                 *std::max_element(ends, ends + 4), a.canBeNaN || b.canBeNaN);
}

/// The float whose sign the result of `op` has, where `op` assembles a float of
/// bits; null for other ops.
static Value signSource(Operation &op) {
  auto cast = dyn_cast<arith::BitcastOp>(op);
  auto either =
      cast ? cast.getIn().getDefiningOp<arith::OrIOp>() : arith::OrIOp();
  if (!either)
    return {};
  for (Value part : either->getOperands()) {
    auto bits = part.getDefiningOp<arith::AndIOp>();
    APInt mask;
    if (!bits || !matchPattern(bits.getRhs(), m_ConstantInt(&mask)) ||
        !mask.isSignMask())
      continue;
    if (auto source = bits.getLhs().getDefiningOp<arith::BitcastOp>())
      return source.getIn();
  }
  return {};
}

/// The range of an op that is a constant, perhaps a splat.
static std::optional<NumberRange> rangeOfNumber(Operation &op) {
  APFloat number(0.0f);
  if (matchPattern(&op, m_ConstantFloat(&number))) {
    bool exact;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &exact);
    double value = number.convertToDouble();
    return number.isNaN() ? NumberRange() : NumberRange{value, value, false};
  }
  APInt integer;
  if (matchPattern(&op, m_ConstantInt(&integer)) &&
      integer.getBitWidth() <= 64) {
    double value = integer.getSExtValue();
    return fit({value, value, false}, op.getResult(0).getType());
  }
  return std::nullopt;
}

static NumberRange larger(NumberRange a, NumberRange b) {
  return {std::max(a.low, b.low), std::max(a.high, b.high),
          a.canBeNaN || b.canBeNaN};
}

static NumberRange smaller(NumberRange a, NumberRange b) {
  return {std::min(a.low, b.low), std::min(a.high, b.high),
          a.canBeNaN || b.canBeNaN};
}

/// The range of a result that is not NaN if the flags of the op say so.
static NumberRange withoutNaN(NumberRange range, arith::FastMathFlags flags) {
  range.canBeNaN &=
      !arith::bitEnumContainsAny(flags, arith::FastMathFlags::nnan);
  return range;
}

/// maxnum and minnum give the other operand for a NaN, so that the whole range
/// of that operand counts.
static NumberRange largerNumber(NumberRange a, NumberRange b) {
  double low = std::max(a.low, b.low);
  if (a.canBeNaN)
    low = std::min(low, b.low);
  if (b.canBeNaN)
    low = std::min(low, a.low);
  return {low, std::max(a.high, b.high), a.canBeNaN && b.canBeNaN};
}

static NumberRange negate(NumberRange a) {
  return {-a.high, -a.low, a.canBeNaN};
}

static NumberRange smallerNumber(NumberRange a, NumberRange b) {
  return negate(largerNumber(negate(a), negate(b)));
}

/// A float of an integer in `range`.
static NumberRange toFloat(NumberRange range, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (range.canBeNaN || element.getIntOrFloatBitWidth() < 32)
    return {}; // Small floats may become infinite.
  if (element.isF32())
    return {(double)(float)range.low, (double)(float)range.high, false};
  return range;
}

/// Unsigned integers of a type.
static NumberRange unsignedRange(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  if (!integer || integer.getWidth() > 64)
    return {};
  return {0, std::ldexp(1.0, integer.getWidth()), false};
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The results of f32 arithmetic; nothing for other ops.
static std::optional<NumberRange>
rangeOfArithmetic(Operation &op, function_ref<NumberRange(unsigned)> in) {
  if (!getElementTypeOrSelf(op.getResult(0)).isF32())
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<NumberRange>>(&op)
      .Case<arith::MulFOp>([&](auto) { return multiply(in(0), in(1)); })
      .Case<arith::AddFOp>([&](auto) { return add(in(0), in(1)); })
      .Case<arith::SubFOp>([&](auto) { return add(in(0), negate(in(1))); })
      .Case<arith::DivFOp>([&](auto) { return divide(in(0), in(1)); })
      .Case<math::FmaOp>([&](auto) { return multiplyAdd(in(0), in(1), in(2)); })
      .Default([](Operation *) { return std::nullopt; });
}

NumberRange qcc::rangeOfResult(Operation &op,
                               function_ref<NumberRange(Value)> rangeOf) {
  assert(op.getNumResults() == 1 && "the range of which result?");
  Type type = op.getResult(0).getType();
  if (std::optional<NumberRange> number = rangeOfNumber(op))
    return *number;
  if (auto bounds = op.getAttrOfType<DenseF64ArrayAttr>(kBoundsAttr)) {
    assert(bounds.size() == 2 && bounds[0] <= bounds[1] &&
           "bounds that a pass noted are a range");
    Value source = signSource(op);
    return {bounds[0], bounds[1], !source || rangeOf(source).canBeNaN};
  }
  auto in = [&](unsigned i) { return rangeOf(op.getOperand(i)); };
  if (std::optional<NumberRange> arithmetic = rangeOfArithmetic(op, in))
    return *arithmetic;
  return llvm::TypeSwitch<Operation *, NumberRange>(&op)
      .Case<arith::MaxSIOp>([&](auto) { return larger(in(0), in(1)); })
      .Case<arith::MinSIOp>([&](auto) { return smaller(in(0), in(1)); })
      .Case<arith::MaximumFOp>([&](arith::MaximumFOp maximum) {
        return withoutNaN(larger(in(0), in(1)), maximum.getFastmath());
      })
      .Case<arith::MinimumFOp>([&](arith::MinimumFOp minimum) {
        return withoutNaN(smaller(in(0), in(1)), minimum.getFastmath());
      })
      .Case<arith::MaxNumFOp>([&](auto) { return largerNumber(in(0), in(1)); })
      .Case<arith::MinNumFOp>([&](auto) { return smallerNumber(in(0), in(1)); })
      // Rounding moves a number by less than one, and integers not at all.
      .Case<math::FloorOp, math::CeilOp, math::TruncOp>([&](auto) {
        NumberRange a = in(0);
        return NumberRange{std::floor(a.low), std::ceil(a.high), a.canBeNaN};
      })
      .Case<math::RoundEvenOp>([&](auto) {
        NumberRange a = in(0);
        return NumberRange{std::nearbyint(a.low), std::nearbyint(a.high),
                           a.canBeNaN};
      })
      .Case<arith::SelectOp>([&](arith::SelectOp select) {
        NumberRange a = rangeOf(select.getTrueValue());
        NumberRange b = rangeOf(select.getFalseValue());
        if (Value ordered = passedUnlessNaN(select))
          (ordered == select.getTrueValue() ? a : b).canBeNaN = false;
        return unite(a, b);
      })
      .Case<arith::SIToFPOp>([&](auto) { return toFloat(in(0), type); })
      .Case<arith::UIToFPOp>([&](auto) {
        return toFloat(unsignedRange(op.getOperand(0).getType()), type);
      })
      .Case<arith::FPToSIOp>([&](auto) {
        NumberRange a = in(0);
        if (a.canBeNaN)
          return fullRange(type);
        return fit({std::trunc(a.low), std::trunc(a.high), false}, type);
      })
      .Case<arith::AddIOp>([&](auto) {
        NumberRange a = in(0), b = in(1);
        return fit({a.low + b.low, a.high + b.high, false}, type);
      })
      .Case<arith::SubIOp>([&](auto) {
        NumberRange a = in(0), b = in(1);
        return fit({a.low - b.high, a.high - b.low, false}, type);
      })
      .Case<arith::ExtSIOp>([&](auto) { return in(0); })
      .Case<arith::TruncIOp>([&](auto) { return fit(in(0), type); })
      .Default([&](Operation *) { return fullRange(type); });
}

//===----------------------------------------------------------------------===//
// Values and regions
//===----------------------------------------------------------------------===//

NumberRange qcc::rangeOf(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || depth == 0)
    return fullRange(value.getType());
  return rangeOfResult(
      *op, [&](Value operand) { return rangeOf(operand, depth - 1); });
}

NumberRange RegionRanges::of(Value value) const {
  auto known = ranges.find(value);
  return known == ranges.end() ? rangeOf(value, /*depth=*/1) : known->second;
}

RegionRanges::RegionRanges(Region &region, ArrayRef<NumberRange> arguments,
                           const DenseSet<Operation *> &without) {
  assert(region.hasOneBlock() && "ranges follow the order of one block");
  assert(arguments.size() <= region.getNumArguments() &&
         "more ranges than arguments");
  for (BlockArgument argument : region.getArguments()) {
    unsigned i = argument.getArgNumber();
    ranges[argument] =
        i < arguments.size() ? arguments[i] : fullRange(argument.getType());
  }
  for (Operation &op : region.front().without_terminator()) {
    if (without.contains(&op))
      ranges[op.getResult(0)] = of(op.getOperand(0));
    else if (op.getNumResults() == 1)
      ranges[op.getResult(0)] =
          rangeOfResult(op, [&](Value value) { return of(value); });
  }
}
