//===- PackedClamps.cpp - Clamps that packing to bytes makes --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Target/PackedClamps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include <cmath>

using namespace mlir;
using namespace qcc;

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

namespace {
/// What multiplies a float: a constant, or for a quotient by a constant its
/// reciprocal in two parts (pass expand-divisions).
struct Factor {
  float high, low = 0;
  bool isFused = false;

  /// What the ops compute of `number`.
  float times(float number) const {
    float rest = number * low;
    return isFused ? std::fmaf(number, high, rest) : number * high;
  }
};

/// Walks from the yielded byte towards what it is computed from. `low` and
/// `high` are where the number at hand may be clamped without changing the
/// byte, if packing keeps it between `least` and `most`.
class ClampFinder {
public:
  ClampFinder(Region &region, ArrayRef<NumberRange> arguments,
              Saturation saturation)
      : region(region), arguments(arguments), saturation(saturation),
        least(saturation == Saturation::Signed ? -128 : 0), most(least + 255),
        low(least), high(most) {}

  /// Whether all bytes of the range are reached without wrapping.
  bool contains(NumberRange truncated) const {
    return truncated.isWithin(least, most);
  }
  PackedClamps find(arith::TruncIOp truncation);

private:
  /// Whether all i32 on the way fit without the clamps.
  bool fits();
  bool visitClamp(Operation *op);
  /// What is clamped is rounded to whole numbers.
  void visitRounding();
  void visitFactor(double factor);
  /// The i32 that becomes of `number` after the op that was visited last;
  /// nothing where it does not fit.
  std::optional<int64_t> follow(double number) const;

  Region &region;
  ArrayRef<NumberRange> arguments;
  Saturation saturation;
  int64_t least, most;
  double low, high;
  bool isRounded = false; // later, to whole numbers
  DenseSet<Operation *> clamps;
  SmallVector<Operation *> path;
};
} // namespace

/// The factor of a product with a positive constant, or of a quotient by
/// product and FMA, which is the same but for the last bit. Both keep the order
/// of numbers.
static std::optional<Factor> factorOf(Operation *op) {
  if (auto product = dyn_cast<arith::MulFOp>(op)) {
    auto factor = constantOf(product.getRhs());
    if (!factor || !(*factor > 0) || !std::isfinite(*factor))
      return std::nullopt;
    return Factor{float(*factor)};
  }
  auto fma = dyn_cast<math::FmaOp>(op);
  auto rest = fma ? fma.getC().getDefiningOp<arith::MulFOp>() : nullptr;
  if (!rest || rest.getLhs() != fma.getA() || !rest->hasOneUse())
    return std::nullopt;
  auto high = constantOf(fma.getB()), low = constantOf(rest.getRhs());
  if (!high || !low || !(*high > 0) || !(std::abs(*low) <= *high * 0x1p-23))
    return std::nullopt;
  return Factor{float(*high), float(*low), /*isFused=*/true};
}

std::optional<int64_t> ClampFinder::follow(double number) const {
  for (Operation *op : llvm::drop_begin(llvm::reverse(path))) {
    if (isa<arith::MaximumFOp>(op))
      number = std::max(number, *constantOf(op->getOperand(1)));
    else if (isa<arith::MinimumFOp>(op))
      number = std::min(number, *constantOf(op->getOperand(1)));
    else if (isa<math::RoundEvenOp>(op))
      number = std::nearbyint(number);
    else if (isa<arith::AddIOp>(op))
      number += *constantOf(op->getOperand(1));
    else if (auto factor = factorOf(op))
      number = factor->times(float(number));
    bool isInteger = isa<arith::FPToSIOp, arith::AddIOp>(op);
    if (isInteger && !(number >= std::numeric_limits<int32_t>::min() &&
                       number <= std::numeric_limits<int32_t>::max()))
      return std::nullopt;
    if (isInteger)
      number = std::trunc(number);
  }
  return int64_t(number);
}

bool ClampFinder::visitClamp(Operation *op) {
  auto bound = constantOf(op->getOperand(1));
  if (!bound || *bound != *bound)
    return false;
  bool isMaximum = isa<arith::MaximumFOp>(op);
  if (isMaximum ? *bound > low : *bound < high) {
    // Packing clamps by the byte that the bound becomes: what follows keeps the
    // order of numbers. The byte that NaN becomes must not be clamped.
    if (RegionRanges(region, arguments).of(op->getOperand(0)).canBeNaN)
      return false;
    std::optional<int64_t> byte = follow(*bound);
    if (!byte || (isMaximum ? *byte > most : *byte < least))
      return false;
    (isMaximum ? least : most) =
        isMaximum ? std::max(least, *byte) : std::min(most, *byte);
    (isMaximum ? low : high) = *bound;
  }
  clamps.insert(op);
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

PackedClamps ClampFinder::find(arith::TruncIOp truncation) {
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
  PackedClamps none{{saturation, std::nullopt, std::nullopt}, {}};
  if (!isOnlyYielded(truncation))
    return none;
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
      visitFactor(factor->high);
      value = op->getOperand(0);
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      value = passedUnlessNaN(select);
      if (!value)
        break;
    } else {
      break;
    }
  }
  if (!fits())
    return none;
  PackedClamps found{{saturation, std::nullopt, std::nullopt}, clamps};
  bool isSigned = saturation == Saturation::Signed;
  if (least > (isSigned ? -128 : 0))
    found.range.least = least;
  if (most < (isSigned ? 127 : 255))
    found.range.most = most;
  return found;
}

PackedClamps qcc::findPackedClamps(Region &region, arith::TruncIOp truncation,
                                   ArrayRef<NumberRange> arguments) {
  NumberRange truncated =
      RegionRanges(region, arguments).of(truncation.getIn());
  // More clamps left out, then fewer of bytes, are better.
  auto score = [](const PackedClamps &c) {
    return std::pair(c.clamps.size(),
                     -(c.range.least.has_value() + c.range.most.has_value()));
  };
  PackedClamps best;
  for (Saturation saturation : {Saturation::Signed, Saturation::Unsigned}) {
    ClampFinder finder(region, arguments, saturation);
    if (!finder.contains(truncated))
      continue;
    PackedClamps found = finder.find(truncation);
    if (best.range.saturation == Saturation::None || score(found) > score(best))
      best = found;
  }
  return best;
}

SmallVector<NumberRange> qcc::epilogueArgumentRanges(kernel::ContractOp op) {
  SmallVector<NumberRange> valueRanges;
  DenseF64ArrayAttr ranges = op.getKnownFacts().epilogueRanges;
  if (!ranges)
    return valueRanges;
  valueRanges.push_back(op.getTotalType().isF32()
                            ? NumberRange()
                            : NumberRange{std::numeric_limits<int32_t>::min(),
                                          std::numeric_limits<int32_t>::max(),
                                          false});
  for (int64_t i = 0; i < ranges.size(); i += 2) {
    double low = ranges[i], high = ranges[i + 1];
    valueRanges.push_back(std::isnan(low) ? NumberRange()
                                          : NumberRange{low, high, false});
  }
  return valueRanges;
}
