//===- LaneSteps.cpp - arith and math on the host -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each step below is one operation of N4, N7 or N8. Where one rounding is
// meant, fma says so: no lambda has a product and a sum that a compiler could
// contract.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "qcc/Conversion/QNNToLinalg/EvaluateConstant.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static Number integer(int64_t value) {
  Number number;
  number.integer = value;
  return number;
}

static Number real(float value) {
  Number number;
  number.real = value;
  return number;
}

static unsigned widthOf(Value value) {
  Type type = value.getType();
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// A sign-extended integer as its bits say it without a sign.
static uint64_t asUnsigned(Number number, unsigned width) {
  return number.integer & llvm::maskTrailingOnes<uint64_t>(width);
}

/// A step that computes each lane by `f` from those of its operands.
template <typename F> static LaneStep unary(F f) {
  return [f](ArrayRef<const Lanes *> x, Lanes &y, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      y[i] = f((*x[0])[i]);
  };
}
template <typename F> static LaneStep binary(F f) {
  return [f](ArrayRef<const Lanes *> x, Lanes &y, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      y[i] = f((*x[0])[i], (*x[1])[i]);
  };
}
template <typename F> static LaneStep ternary(F f) {
  return [f](ArrayRef<const Lanes *> x, Lanes &y, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      y[i] = f((*x[0])[i], (*x[1])[i], (*x[2])[i]);
  };
}

/// The same with `f` on floats, and on integers that wrap at the width of
/// `result`.
template <typename F> static LaneStep reals(F f) {
  return binary([f](Number a, Number b) { return real(f(a.real, b.real)); });
}
template <typename F> static LaneStep integers(Value result, F f) {
  return binary([f, width = widthOf(result)](Number a, Number b) {
    return integer(llvm::SignExtend64(f(a.integer, b.integer), width));
  });
}
template <typename F> static LaneStep unsignedIntegers(Value result, F f) {
  return binary([f, width = widthOf(result)](Number a, Number b) {
    return integer(llvm::SignExtend64(
        f(asUnsigned(a, width), asUnsigned(b, width)), width));
  });
}

/// Shifts: by the width or more the result is 0 (N8).
template <typename F> static LaneStep shifts(Value result, F f) {
  unsigned width = widthOf(result);
  return unsignedIntegers(result, [f, width](uint64_t a, uint64_t b) {
    return b < width ? f(a, b) : 0;
  });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// N7: -0 < +0, NaN if an operand is NaN.
static float maximum(float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<float>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

/// N7: the other operand for a NaN.
static float maximumNumber(float a, float b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : maximum(a, b);
}

static LaneStep makeIntegerStep(Operation *op) {
  Value result = op->getResult(0);
  return TypeSwitch<Operation *, LaneStep>(op)
      .Case([&](arith::AddIOp) {
        return integers(result, [](uint64_t a, uint64_t b) { return a + b; });
      })
      .Case([&](arith::SubIOp) {
        return integers(result, [](uint64_t a, uint64_t b) { return a - b; });
      })
      .Case([&](arith::MulIOp) {
        return integers(result, [](uint64_t a, uint64_t b) { return a * b; });
      })
      .Case([&](arith::AndIOp) {
        return integers(result, [](uint64_t a, uint64_t b) { return a & b; });
      })
      .Case([&](arith::OrIOp) {
        return integers(result, [](uint64_t a, uint64_t b) { return a | b; });
      })
      .Case([&](arith::XOrIOp) {
        return integers(result, [](uint64_t a, uint64_t b) { return a ^ b; });
      })
      .Case([&](arith::MaxSIOp) {
        return integers(result,
                        [](int64_t a, int64_t b) { return std::max(a, b); });
      })
      .Case([&](arith::MinSIOp) {
        return integers(result,
                        [](int64_t a, int64_t b) { return std::min(a, b); });
      })
      .Case([&](arith::MaxUIOp) {
        return unsignedIntegers(
            result, [](uint64_t a, uint64_t b) { return std::max(a, b); });
      })
      .Case([&](arith::MinUIOp) {
        return unsignedIntegers(
            result, [](uint64_t a, uint64_t b) { return std::min(a, b); });
      })
      .Case([&](arith::ShLIOp) {
        return shifts(result, [](uint64_t a, uint64_t b) { return a << b; });
      })
      .Case([&](arith::ShRUIOp) {
        return shifts(result, [](uint64_t a, uint64_t b) { return a >> b; });
      })
      .Case([&](arith::ShRSIOp) {
        return integers(result,
                        [last = widthOf(result) - 1](int64_t a, uint64_t b) {
                          return a >> std::min<uint64_t>(b, last);
                        });
      })
      .Default([](Operation *) { return LaneStep(); });
}

static LaneStep makeFloatStep(Operation *op) {
  return TypeSwitch<Operation *, LaneStep>(op)
      .Case([](arith::AddFOp) {
        return reals([](float a, float b) { return a + b; });
      })
      .Case([](arith::SubFOp) {
        return reals([](float a, float b) { return a - b; });
      })
      .Case([](arith::MulFOp) {
        return reals([](float a, float b) { return a * b; });
      })
      .Case([](arith::DivFOp) {
        return reals([](float a, float b) { return a / b; });
      })
      .Case([](arith::MaximumFOp) { return reals(maximum); })
      .Case([](arith::MinimumFOp) {
        return reals([](float a, float b) { return -maximum(-a, -b); });
      })
      .Case([](arith::MaxNumFOp) { return reals(maximumNumber); })
      .Case([](arith::MinNumFOp) {
        return reals([](float a, float b) { return -maximumNumber(-a, -b); });
      })
      .Case([](math::CopySignOp) {
        return reals([](float a, float b) { return std::copysign(a, b); });
      })
      .Case([](arith::NegFOp) {
        return unary([](Number a) { return real(-a.real); });
      })
      .Case([](math::AbsFOp) {
        return unary([](Number a) { return real(std::fabs(a.real)); });
      })
      .Case([](math::RoundEvenOp) {
        return unary([](Number a) { return real(std::nearbyint(a.real)); });
      })
      .Case([](math::FloorOp) {
        return unary([](Number a) { return real(std::floor(a.real)); });
      })
      .Case([](math::CeilOp) {
        return unary([](Number a) { return real(std::ceil(a.real)); });
      })
      .Case([](math::TruncOp) {
        return unary([](Number a) { return real(std::trunc(a.real)); });
      })
      .Case([](math::SqrtOp) {
        return unary([](Number a) { return real(std::sqrt(a.real)); });
      })
      .Case([](math::FmaOp) {
        return ternary([](Number a, Number b, Number c) {
          return real(std::fma(a.real, b.real, c.real));
        });
      })
      .Default([](Operation *) { return LaneStep(); });
}

/// N8: out of range saturates, NaN gives 0.
static LaneStep makeToInteger(Value result) {
  unsigned width = widthOf(result);
  if (width > 32)
    return {};
  double least = static_cast<double>(llvm::minIntN(width));
  double greatest = static_cast<double>(llvm::maxIntN(width));
  return unary([=](Number a) {
    if (std::isnan(a.real))
      return integer(0);
    double value = std::clamp<double>(std::trunc(a.real), least, greatest);
    return integer(static_cast<int64_t>(value));
  });
}

/// Once to f16 or bf16, kept as a float.
static LaneStep makeRounding(Value result) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(result.getType()).getFloatSemantics();
  return unary([&semantics](Number a) {
    APFloat rounded(a.real);
    bool losesInfo;
    rounded.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    return real(rounded.convertToFloat());
  });
}

/// The bits of a float as an integer, or the float of such bits.
static LaneStep makeBitcast(Value from, Value to) {
  auto source = dyn_cast<FloatType>(from.getType());
  auto target = dyn_cast<FloatType>(to.getType());
  if (source && !target)
    return unary([&semantics = source.getFloatSemantics()](Number a) {
      APFloat value(a.real);
      bool losesInfo; // It never does: the number is of this type.
      value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
      return integer(value.bitcastToAPInt().getSExtValue());
    });
  if (target && !source)
    return unary([&semantics = target.getFloatSemantics(),
                  width = target.getWidth()](Number a) {
      return real(APFloat(semantics, APInt(width, asUnsigned(a, width)))
                      .convertToFloat());
    });
  return {};
}

static LaneStep makeConversion(Operation *op) {
  Value result = op->getResult(0);
  auto copy = [](auto) { return unary([](Number a) { return a; }); };
  auto zeroExtend = [&](auto) {
    return unary([from = widthOf(op->getOperand(0))](Number a) {
      return integer(asUnsigned(a, from));
    });
  };
  return TypeSwitch<Operation *, LaneStep>(op)
      .Case<arith::ExtSIOp, arith::ExtFOp>(copy)
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>(zeroExtend)
      .Case([&](arith::TruncIOp) {
        return unary([to = widthOf(result)](Number a) {
          return integer(llvm::SignExtend64(a.integer, to));
        });
      })
      .Case([](arith::SIToFPOp) {
        return unary(
            [](Number a) { return real(static_cast<float>(a.integer)); });
      })
      .Case([&](arith::UIToFPOp) {
        return unary([from = widthOf(op->getOperand(0))](Number a) {
          return real(static_cast<float>(asUnsigned(a, from)));
        });
      })
      .Case([&](arith::BitcastOp) {
        return makeBitcast(op->getOperand(0), result);
      })
      .Case([&](arith::FPToSIOp) { return makeToInteger(result); })
      .Case([&](arith::TruncFOp) { return makeRounding(result); })
      .Default([](Operation *) { return LaneStep(); });
}

static LaneStep makeComparison(arith::CmpFPredicate predicate) {
  // Whether it holds for a < b, a = b, a > b, and where one is NaN.
  std::array<int64_t, 4> truth;
  float nan = std::numeric_limits<float>::quiet_NaN();
  for (auto [i, b] : llvm::enumerate(std::array<float, 4>{1, 0, -1, nan}))
    truth[i] = -static_cast<int64_t>(
        arith::applyCmpPredicate(predicate, APFloat(0.0f), APFloat(b)));
  return binary([truth](Number a, Number b) {
    int relation = a.real < b.real    ? 0
                   : a.real == b.real ? 1
                   : a.real > b.real  ? 2
                                      : 3;
    return integer(truth[relation]);
  });
}

static LaneStep makeChoice(Operation *op) {
  return TypeSwitch<Operation *, LaneStep>(op)
      .Case([](arith::CmpFOp op) { return makeComparison(op.getPredicate()); })
      .Case([](arith::CmpIOp compare) {
        return binary([predicate = compare.getPredicate(),
                       width = widthOf(compare.getLhs())](Number a, Number b) {
          APInt x(width, asUnsigned(a, width)), y(width, asUnsigned(b, width));
          return integer(
              -static_cast<int64_t>(arith::applyCmpPredicate(predicate, x, y)));
        });
      })
      .Case([](arith::SelectOp) {
        return ternary(
            [](Number c, Number a, Number b) { return c.integer ? a : b; });
      })
      .Default([](Operation *) { return LaneStep(); });
}

/// Whether `Number` holds values of the type.
static bool isNumber(Type type) {
  return type.isIntOrIndex() ||
         isa<Float32Type, Float16Type, BFloat16Type>(type);
}

LaneStep qcc::makeLaneStep(Operation *op) {
  if (op->getNumResults() != 1 ||
      !llvm::all_of(op->getOperandTypes(), isNumber) ||
      !isNumber(op->getResult(0).getType()))
    return {};
  if (LaneStep step = makeIntegerStep(op))
    return step;
  if (LaneStep step = makeConversion(op))
    return step;
  if (LaneStep step = makeChoice(op))
    return step;
  // Arithmetic on smaller types would round its results.
  return op->getResult(0).getType().isF32() ? makeFloatStep(op) : LaneStep();
}
