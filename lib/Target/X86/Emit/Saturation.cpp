//===- Saturation.cpp - Clamps that packing to bytes makes ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Saturation.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

namespace {
/// Walks from the yielded byte towards what it is computed from. `low` and
/// `high` are where the number at hand may be clamped without changing the
/// byte.
class ClampFinder {
public:
  ClampFinder(Region &region, ArrayRef<NumberRange> arguments, double low,
              double high)
      : region(region), arguments(arguments), low(low), high(high) {}

  DenseSet<Operation *> find(arith::TruncIOp truncation);

private:
  /// Whether all i32 on the way fit without the clamps.
  bool fits();
  bool visitClamp(Operation *op);
  /// What is clamped is rounded to whole numbers.
  void visitRounding();
  void visitFactor(double factor);

  Region &region;
  ArrayRef<NumberRange> arguments;
  double low, high;
  bool isRounded = false; // later, to whole numbers
  DenseSet<Operation *> clamps;
  SmallVector<Operation *> path;
};
} // namespace

/// The number of a float or an integer constant.
static std::optional<double> constantOf(Value value) {
  APFloat number(0.0f);
  if (value.getType().isF32() && matchPattern(value, m_ConstantFloat(&number)))
    return number.convertToFloat();
  APInt integer;
  if (matchPattern(value, m_ConstantInt(&integer)))
    return integer.getSExtValue();
  return std::nullopt;
}

/// The factor of a product with a positive constant, or of a quotient by
/// product and FMA (pass expand-divisions), which is the same but for the last
/// bit. Both keep the order of numbers.
static std::optional<double> factorOf(Operation *op) {
  if (auto product = dyn_cast<arith::MulFOp>(op)) {
    auto factor = constantOf(product.getRhs());
    return factor && *factor > 0 && std::isfinite(*factor) ? factor
                                                           : std::nullopt;
  }
  auto fma = dyn_cast<math::FmaOp>(op);
  auto rest = fma ? fma.getC().getDefiningOp<arith::MulFOp>() : nullptr;
  if (!rest || rest.getLhs() != fma.getA() || !rest->hasOneUse())
    return std::nullopt;
  auto high = constantOf(fma.getB()), low = constantOf(rest.getRhs());
  if (!high || !low || !(*high > 0) || !(std::abs(*low) <= *high * 0x1p-23))
    return std::nullopt;
  return high;
}

bool ClampFinder::visitClamp(Operation *op) {
  auto bound = constantOf(op->getOperand(1));
  if (!bound || *bound != *bound)
    return false;
  if (isa<arith::MaximumFOp>(op)) {
    if (*bound <= low)
      clamps.insert(op);
    low = std::max(low, *bound);
  } else {
    if (*bound >= high)
      clamps.insert(op);
    high = std::min(high, *bound);
  }
  return low <= high;
}

void ClampFinder::visitRounding() {
  // Nothing up to the whole number below `low` is rounded to more than `low`.
  low = std::floor(low);
  high = std::ceil(high);
  isRounded = true;
}

void ClampFinder::visitFactor(double factor) {
  low /= factor;
  high /= factor;
  // A product is rounded, so that one of `low` may be a little more than what
  // `low` was. Rounding makes no difference of this to small whole numbers.
  constexpr double kSmall = 0x1p16, kError = 0x1p-20;
  if (isRounded && std::max(std::abs(low), std::abs(high)) * factor < kSmall)
    return;
  low -= std::abs(low) * kError;
  high += std::abs(high) * kError;
}

bool ClampFinder::fits() {
  RegionRanges valueRanges(region, arguments, clamps);
  return llvm::all_of(path, [&](Operation *op) {
    if (isa<arith::FPToSIOp>(op))
      return valueRanges.of(op->getOperand(0))
          .isWithin(std::numeric_limits<int32_t>::min(),
                    std::numeric_limits<int32_t>::max());
    if (auto add = dyn_cast<arith::AddIOp>(op)) {
      NumberRange a = valueRanges.of(add.getLhs()),
                  b = valueRanges.of(add.getRhs());
      return a.low + b.low >= std::numeric_limits<int32_t>::min() &&
             a.high + b.high <= std::numeric_limits<int32_t>::max();
    }
    return true;
  });
}

/// Whether a byte, or what tables make of it, is yielded and nothing else.
static bool isOnlyYielded(Value byte) {
  return llvm::all_of(byte.getUsers(), [](Operation *user) {
    auto lookup = dyn_cast<kernel::LookupOp>(user);
    return lookup ? isOnlyYielded(lookup.getResult())
                  : user->hasTrait<OpTrait::IsTerminator>();
  });
}

DenseSet<Operation *> ClampFinder::find(arith::TruncIOp truncation) {
  // A number with other uses must be what it is. That a select asks whether it
  // is NaN is no other use, nor is the first product of a quotient.
  auto isUsedOnlyBy = [](Value value, Operation *user) {
    return llvm::all_of(value.getUsers(), [&](Operation *other) {
      auto compare = dyn_cast<arith::CmpFOp>(other);
      bool isPart = compare ? compare.getLhs() == compare.getRhs()
                            : isa<arith::MulFOp>(other);
      return other == user ||
             (isPart && other->hasOneUse() && *other->user_begin() == user);
    });
  };
  // A byte that is not only yielded must be what it is, too.
  if (!isOnlyYielded(truncation))
    return {};
  Operation *user = truncation;
  Value value = truncation.getIn();
  while (Operation *op = value.getDefiningOp()) {
    if (!isUsedOnlyBy(value, user))
      break;
    path.push_back(op);
    user = op;
    if (isa<arith::FPToSIOp>(op)) {
      value = op->getOperand(0);
    } else if (isa<math::RoundEvenOp>(op)) {
      visitRounding();
      value = op->getOperand(0);
    } else if (auto add = dyn_cast<arith::AddIOp>(op)) {
      auto constant = constantOf(add.getRhs());
      if (!constant)
        break;
      low -= *constant;
      high -= *constant;
      value = add.getLhs();
    } else if (isa<arith::MaximumFOp, arith::MinimumFOp>(op)) {
      if (!visitClamp(op))
        break;
      value = op->getOperand(0);
    } else if (auto factor = factorOf(op)) {
      visitFactor(*factor);
      value = op->getOperand(0);
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      value = passedUnlessNaN(select);
      if (!value)
        break;
    } else {
      break;
    }
  }
  return fits() ? clamps : DenseSet<Operation *>();
}

Saturation qcc::x86::findSaturation(Region &region, arith::TruncIOp truncation,
                                    ArrayRef<NumberRange> arguments) {
  NumberRange truncated =
      RegionRanges(region, arguments).of(truncation.getIn());
  Saturation best;
  for (auto [range, low, high] :
       {std::tuple(ByteRange::Signed, -128.0, 127.0),
        std::tuple(ByteRange::Unsigned, 0.0, 255.0)}) {
    if (!truncated.isWithin(low, high))
      continue;
    auto clamps = ClampFinder(region, arguments, low, high).find(truncation);
    if (best.range == ByteRange::Any || clamps.size() > best.clamps.size())
      best = {range, clamps};
  }
  return best;
}
