//===- SizeConditions.cpp - Conditions on sizes ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::frontend;
using Predicate = arith::CmpIPredicate;

/// Whether a number compares with 0 so; nothing if its least value, and the one
/// of its negative, do not tell.
static std::optional<bool> decide(Predicate predicate,
                                  std::optional<int64_t> least,
                                  std::optional<int64_t> leastOfNegative) {
  bool isNegative = leastOfNegative && *leastOfNegative >= 1,
       isAtMost0 = leastOfNegative && *leastOfNegative >= 0,
       isAtLeast0 = least && *least >= 0, isPositive = least && *least >= 1;
  auto tell = [](bool isTrue, bool isFalse) {
    return isTrue || isFalse ? std::optional(isTrue) : std::nullopt;
  };
  switch (predicate) {
  case Predicate::eq:
    return tell(isAtLeast0 && isAtMost0, isNegative || isPositive);
  case Predicate::ne:
    return tell(isNegative || isPositive, isAtLeast0 && isAtMost0);
  case Predicate::sgt:
    return tell(isPositive, isAtMost0);
  default:
    return tell(isAtLeast0, isNegative);
  }
}

OpFoldResult SizeArithmetic::compare(OpBuilder &b, Location loc,
                                     Predicate predicate, OpFoldResult x,
                                     OpFoldResult y) {
  if (predicate == Predicate::slt || predicate == Predicate::sle) {
    std::swap(x, y);
    predicate = predicate == Predicate::slt ? Predicate::sgt : Predicate::sge;
  }
  // What is compared is the difference and 0: equal conditions are one then.
  OpFoldResult difference = compute(b, loc, SizeOp::Sub, x, y);
  std::optional<int64_t> known = knownSize(difference);
  std::optional<bool> decided =
      decide(predicate, leastOf(difference),
             known ? std::optional(-*known)
                   : leastOf(compute(b, loc, SizeOp::Sub, b.getIndexAttr(0),
                                     difference)));
  if (decided)
    return b.getIndexAttr(*decided);
  OpFoldResult &result = comparisons[{predicate, difference.getOpaqueValue()}];
  if (!result) {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    result =
        arith::CmpIOp::create(b, loc, predicate, cast<Value>(difference), zero)
            .getResult();
  }
  return result;
}

void SizeArithmetic::noteTrue(OpFoldResult condition) {
  auto value = dyn_cast<Value>(condition);
  auto comparison =
      value ? value.getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!comparison)
    return;
  Value number = comparison.getLhs();
  Predicate predicate = comparison.getPredicate();
  auto known =
      comparisons.find({predicate, OpFoldResult(number).getOpaqueValue()});
  if (known == comparisons.end())
    return;
  known->second = Builder(value.getContext()).getIndexAttr(1);
  if (predicate == Predicate::sge || predicate == Predicate::sgt)
    noteLeast(number, predicate == Predicate::sgt ? 1 : 0);
}

OpFoldResult SizeArithmetic::combine(OpBuilder &b, Location loc, LogicOp op,
                                     OpFoldResult x, OpFoldResult y) {
  if (knownSize(x))
    std::swap(x, y);
  std::optional<int64_t> known = knownSize(y);
  bool isXor = op == LogicOp::Xor;
  if (std::optional<int64_t> both = known ? knownSize(x) : std::nullopt)
    return b.getIndexAttr(isXor                ? *both ^ *known
                          : op == LogicOp::And ? *both & *known
                                               : *both | *known);
  // 1 changes nothing in a conjunction, 0 nothing in others.
  if (known && *known == (op == LogicOp::And))
    return x;
  if (known && !isXor)
    return y;
  if (x == y)
    return isXor ? OpFoldResult(b.getIndexAttr(0)) : x;
  Value vx = cast<Value>(x),
        vy = known ? arith::ConstantOp::create(b, loc, b.getBoolAttr(true))
                         .getResult()
                   : cast<Value>(y);
  switch (op) {
  case LogicOp::And:
    return arith::AndIOp::create(b, loc, vx, vy).getResult();
  case LogicOp::Or:
    return arith::OrIOp::create(b, loc, vx, vy).getResult();
  case LogicOp::Xor:
    break;
  }
  return arith::XOrIOp::create(b, loc, vx, vy).getResult();
}

OpFoldResult SizeArithmetic::select(OpBuilder &b, Location loc,
                                    OpFoldResult condition, OpFoldResult x,
                                    OpFoldResult y) {
  if (std::optional<int64_t> known = knownSize(condition))
    return *known != 0 ? x : y;
  if (x == y)
    return x;
  OpFoldResult &result = choices[{condition.getOpaqueValue(),
                                  x.getOpaqueValue(), y.getOpaqueValue()}];
  if (!result)
    result = arith::SelectOp::create(b, loc, cast<Value>(condition),
                                     getValueOrCreateConstantIndexOp(b, loc, x),
                                     getValueOrCreateConstantIndexOp(b, loc, y))
                 .getResult();
  return result;
}
