//===- LegalizeInteger.cpp - Shifts and divisions defined everywhere ------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "qcc/Conversion/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_LEGALIZEINTEGER
#include "qcc/Conversion/Passes.h.inc"
} // namespace qcc

using namespace mlir;

namespace {
/// Rewrites one scalar op.
class Legalizer {
public:
  Legalizer(OpBuilder &builder, Operation *op)
      : builder(builder), op(op), loc(op->getLoc()),
        type(op->getResult(0).getType()),
        width(type.isIndex() ? 64 : type.getIntOrFloatBitWidth()) {}

  void shift();
  bool isSafeDivisor();
  /// The result of a division or remainder, for every divisor.
  Value divide();

private:
  bool isSignedDivision() const {
    return isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp,
               arith::CeilDivSIOp>(op);
  }
  bool isRemainder() const { return isa<arith::RemSIOp, arith::RemUIOp>(op); }
  Value round(Value quotient, Value divisor);
  template <typename Op> Value create(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }
  Value constant(const APInt &value) {
    return arith::ConstantOp::create(builder, loc, type,
                                     builder.getIntegerAttr(type, value));
  }
  Value zero() { return constant(APInt::getZero(width)); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  /// Makes all users of the op but `result` itself use `result`.
  void replace(Value result) {
    op->getResult(0).replaceUsesWithIf(result, [&](OpOperand &use) {
      return use.getOwner() != result.getDefiningOp();
    });
  }

  OpBuilder &builder;
  Operation *op;
  Location loc;
  Type type;
  unsigned width;
};
} // namespace

void Legalizer::shift() {
  APInt amount;
  if (matchPattern(op->getOperand(1), m_ConstantInt(&amount)) &&
      amount.ult(width))
    return;
  if (isa<arith::ShRSIOp>(op)) {
    builder.setInsertionPoint(op);
    op->setOperand(1,
                   arith::MinUIOp::create(builder, loc, op->getOperand(1),
                                          constant(APInt(width, width - 1))));
    return;
  }
  builder.setInsertionPointAfter(op);
  Value inside = compare(arith::CmpIPredicate::ult, op->getOperand(1),
                         constant(APInt(width, width)));
  replace(select(inside, op->getResult(0), zero()));
}

/// Whether the op is defined for every dividend.
bool Legalizer::isSafeDivisor() {
  APInt divisor;
  return matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
         !divisor.isZero() && !(isSignedDivision() && divisor.isAllOnes());
}

Value Legalizer::divide() {
  Value x = op->getOperand(0), y = op->getOperand(1);
  builder.setInsertionPoint(op);
  // An i1 holds 0 and 1, or 0 and -1 where it is signed: x / y is x where y is
  // not 0, and the remainder is 0.
  if (width == 1)
    return isRemainder()
               ? zero()
               : arith::AndIOp::create(builder, loc, x, y).getResult();
  // The divisor becomes 1 where it is 0 and, for signed divisions, where it is
  // -1: x / -1 is -x, wrapping, without a remainder.
  Value one = constant(APInt(width, 1));
  Value isZero = compare(arith::CmpIPredicate::eq, y, zero());
  Value divisor = select(isZero, one, y);
  Value isMinusOne;
  if (isSignedDivision()) {
    isMinusOne = compare(arith::CmpIPredicate::eq, y,
                         constant(APInt::getAllOnes(width)));
    divisor = select(isMinusOne, one, divisor);
  }
  if (isRemainder())
    return select(isZero, zero(),
                  isSignedDivision() ? create<arith::RemSIOp>(x, divisor)
                                     : create<arith::RemUIOp>(x, divisor));
  Value quotient = isSignedDivision() ? create<arith::DivSIOp>(x, divisor)
                                      : create<arith::DivUIOp>(x, divisor);
  quotient = round(quotient, divisor);
  if (isMinusOne)
    quotient = select(isMinusOne, create<arith::SubIOp>(zero(), x), quotient);
  return select(isZero, zero(), quotient);
}

/// The quotient of op's dividend, which was rounded towards zero, rounded as
/// the op says.
Value Legalizer::round(Value quotient, Value divisor) {
  if (isa<arith::DivSIOp, arith::DivUIOp>(op))
    return quotient;
  Value x = op->getOperand(0);
  Value rest =
      create<arith::SubIOp>(x, create<arith::MulIOp>(quotient, divisor));
  Value moves = compare(arith::CmpIPredicate::ne, rest, zero());
  if (isSignedDivision()) {
    Value signs = create<arith::XOrIOp>(x, divisor);
    auto predicate = isa<arith::FloorDivSIOp>(op) ? arith::CmpIPredicate::slt
                                                  : arith::CmpIPredicate::sge;
    moves = create<arith::AndIOp>(moves, compare(predicate, signs, zero()));
  }
  Value one = constant(APInt(width, 1));
  Value moved = isa<arith::FloorDivSIOp>(op)
                    ? create<arith::SubIOp>(quotient, one)
                    : create<arith::AddIOp>(quotient, one);
  return select(moves, moved, quotient);
}

/// Integer arithmetic wraps and converts whatever values there are (N8):
/// assumptions that the program states about them count for nothing.
static void removeAssumptions(Operation *op) {
  if (auto overflow = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    op->setAttr(overflow.getIntegerOverflowAttrName(),
                arith::IntegerOverflowFlagsAttr::get(
                    op->getContext(), arith::IntegerOverflowFlags::none));
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    op->removeAttr("isExact");
}

namespace {
struct LegalizeInteger : qcc::impl::LegalizeIntegerBase<LegalizeInteger> {
  void runOnOperation() override {
    SmallVector<Operation *> shifts, divisions;
    getOperation().walk([&](Operation *op) {
      removeAssumptions(op);
      if (op->getNumResults() != 1 ||
          !op->getResult(0).getType().isIntOrIndex())
        return;
      if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op))
        shifts.push_back(op);
      if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
              arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
        divisions.push_back(op);
    });
    OpBuilder builder(&getContext());
    for (Operation *op : shifts)
      Legalizer(builder, op).shift();
    for (Operation *op : divisions) {
      Legalizer legalizer(builder, op);
      if (legalizer.isSafeDivisor())
        continue;
      op->getResult(0).replaceAllUsesWith(legalizer.divide());
      op->erase();
    }
  }
};
} // namespace
