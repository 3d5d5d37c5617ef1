//===- Intervals.cpp - What values of a region can be ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Intervals.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Conversion/LegalizeFloat/FloatOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

/// All values of a type.
static Interval fullInterval(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() > 32)
    return {};
  double half = std::ldexp(1.0, integer.getWidth() - 1);
  return {-half, half - 1, false};
}

/// The interval as integers of a type; all of them where it does not fit.
static Interval fit(Interval interval, Type type) {
  Interval full = fullInterval(type);
  return interval.isWithin(full.low, full.high) ? interval : full;
}

static Interval unite(Interval a, Interval b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high),
          a.canBeNaN || b.canBeNaN};
}

Value Intervals::passedUnlessNaN(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare || compare.getLhs() != compare.getRhs())
    return {};
  Value tested = compare.getLhs();
  if (compare.getPredicate() == arith::CmpFPredicate::ORD)
    return select.getTrueValue() == tested ? tested : Value();
  if (compare.getPredicate() == arith::CmpFPredicate::UNO)
    return select.getFalseValue() == tested ? tested : Value();
  return {};
}

Intervals::Intervals(Region &region, ArrayRef<Interval> arguments,
                     const DenseSet<Operation *> &without) {
  for (BlockArgument argument : region.getArguments()) {
    unsigned i = argument.getArgNumber();
    intervals[argument] =
        i < arguments.size() ? arguments[i] : fullInterval(argument.getType());
  }
  for (Operation &op : region.front().without_terminator()) {
    if (without.contains(&op))
      intervals[op.getResult(0)] = of(op.getOperand(0));
    else if (op.getNumResults() == 1)
      intervals[op.getResult(0)] = compute(op);
  }
}

//===----------------------------------------------------------------------===//
// f32 arithmetic
//===----------------------------------------------------------------------===//

static bool canBeInfinite(Interval x) {
  return std::isinf(x.low) || std::isinf(x.high);
}

/// An f32 interval around that of exact results, which f64 may have rounded.
static Interval rounded(double low, double high, bool canBeNaN) {
  if (std::isnan(low) || std::isnan(high))
    return {};
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return {std::nextafterf(float(low), -infinity),
          std::nextafterf(float(high), infinity), canBeNaN};
}

static Interval multiply(Interval a, Interval b) {
  // 0 times infinity is NaN, and neither may be an end.
  if (canBeInfinite(a) || canBeInfinite(b))
    return {};
  double ends[] = {a.low * b.low, a.low * b.high, a.high * b.low,
                   a.high * b.high};
  return rounded(*std::min_element(ends, ends + 4),
                 *std::max_element(ends, ends + 4), a.canBeNaN || b.canBeNaN);
}

static Interval add(Interval a, Interval b) {
  if (canBeInfinite(a) && canBeInfinite(b))
    return {};
  return rounded(a.low + b.low, a.high + b.high, a.canBeNaN || b.canBeNaN);
}

/// The product of a fused multiply-add is not rounded, but wider than it has to
/// be is no error.
static Interval multiplyAdd(Interval a, Interval b, Interval c) {
  return add(multiply(a, b), c);
}

static Interval divide(Interval a, Interval b) {
  if (canBeInfinite(a) || canBeInfinite(b) || (b.low <= 0 && b.high >= 0))
    return {};
  double ends[] = {a.low / b.low, a.low / b.high, a.high / b.low,
                   a.high / b.high};
  return rounded(*std::min_element(ends, ends + 4),
                 *std::max_element(ends, ends + 4), a.canBeNaN || b.canBeNaN);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The float whose sign a float assembled of bits has; null if `op` is none.
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

Interval Intervals::compute(Operation &op) const {
  Type type = op.getResult(0).getType();
  APFloat number(0.0f);
  if (matchPattern(&op, m_ConstantFloat(&number))) {
    bool exact;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &exact);
    double value = number.convertToDouble();
    return number.isNaN() ? Interval() : Interval{value, value, false};
  }
  APInt integer;
  if (matchPattern(&op, m_ConstantInt(&integer))) {
    double value = integer.getSExtValue();
    return fit({value, value, false}, type);
  }
  if (auto bounds = op.getAttrOfType<DenseF64ArrayAttr>(kBoundsAttr)) {
    Value source = signSource(op);
    return {bounds[0], bounds[1], !source || of(source).canBeNaN};
  }
  auto in = [&](unsigned i) { return of(op.getOperand(i)); };
  if (isa<FloatType>(type) && !type.isF32())
    return {};
  return llvm::TypeSwitch<Operation *, Interval>(&op)
      .Case<arith::MulFOp>([&](auto) { return multiply(in(0), in(1)); })
      .Case<arith::AddFOp>([&](auto) { return add(in(0), in(1)); })
      .Case<arith::SubFOp>([&](auto) {
        Interval b = in(1);
        return add(in(0), {-b.high, -b.low, b.canBeNaN});
      })
      .Case<arith::DivFOp>([&](auto) { return divide(in(0), in(1)); })
      .Case<math::FmaOp>([&](auto) { return multiplyAdd(in(0), in(1), in(2)); })
      .Case<arith::MaximumFOp>([&](auto) {
        Interval a = in(0), b = in(1);
        return Interval{std::max(a.low, b.low), std::max(a.high, b.high),
                        a.canBeNaN || b.canBeNaN};
      })
      .Case<arith::MinimumFOp>([&](auto) {
        Interval a = in(0), b = in(1);
        return Interval{std::min(a.low, b.low), std::min(a.high, b.high),
                        a.canBeNaN || b.canBeNaN};
      })
      .Case<arith::MaxSIOp>([&](auto) {
        Interval a = in(0), b = in(1);
        return Interval{std::max(a.low, b.low), std::max(a.high, b.high),
                        false};
      })
      .Case<arith::MinSIOp>([&](auto) {
        Interval a = in(0), b = in(1);
        return Interval{std::min(a.low, b.low), std::min(a.high, b.high),
                        false};
      })
      .Case<math::RoundEvenOp>([&](auto) {
        Interval a = in(0);
        return Interval{std::nearbyint(a.low), std::nearbyint(a.high),
                        a.canBeNaN};
      })
      .Case<arith::SelectOp>([&](arith::SelectOp select) {
        Interval a = of(select.getTrueValue()), b = of(select.getFalseValue());
        if (Value ordered = passedUnlessNaN(select))
          (ordered == select.getTrueValue() ? a : b).canBeNaN = false;
        return unite(a, b);
      })
      .Case<arith::SIToFPOp>([&](auto) {
        Interval a = in(0);
        return Interval{(double)(float)a.low, (double)(float)a.high,
                        a.canBeNaN};
      })
      .Case<arith::FPToSIOp>([&](auto) {
        Interval a = in(0);
        if (a.canBeNaN)
          return fullInterval(type);
        return fit({std::trunc(a.low), std::trunc(a.high), false}, type);
      })
      .Case<arith::AddIOp>([&](auto) {
        Interval a = in(0), b = in(1);
        return fit({a.low + b.low, a.high + b.high, false}, type);
      })
      .Case<arith::SubIOp>([&](auto) {
        Interval a = in(0), b = in(1);
        return fit({a.low - b.high, a.high - b.low, false}, type);
      })
      .Case<arith::ExtSIOp>([&](auto) { return in(0); })
      .Case<arith::TruncIOp>([&](auto) { return fit(in(0), type); })
      .Default([&](Operation *) { return fullInterval(type); });
}
