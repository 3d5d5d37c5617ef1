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
  void divide();

private:
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
  /// Everybody but the op itself uses `result` from now on.
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

void Legalizer::divide() {
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  APInt constantDivisor;
  if (matchPattern(op->getOperand(1), m_ConstantInt(&constantDivisor)) &&
      !constantDivisor.isZero() && !(isSigned && constantDivisor.isAllOnes()))
    return;
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  builder.setInsertionPoint(op);
  Value one = constant(APInt(width, 1));
  Value isZero = compare(arith::CmpIPredicate::eq, divisor, zero());
  Value safe = select(isZero, one, divisor);
  Value isMinusOne;
  if (isSigned) {
    isMinusOne = compare(arith::CmpIPredicate::eq, divisor,
                         constant(APInt::getAllOnes(width)));
    safe = select(isMinusOne, one, safe);
  }
  op->setOperand(1, safe);
  builder.setInsertionPointAfter(op);
  Value result = op->getResult(0);
  // x / -1 is -x, wrapping; x % -1 is 0, as x % 1 is.
  if (isa<arith::DivSIOp>(op)) {
    Value negated = arith::SubIOp::create(builder, loc, zero(), dividend);
    result = select(isMinusOne, negated, result);
  }
  Value final = select(isZero, zero(), result);
  op->getResult(0).replaceUsesWithIf(final, [&](OpOperand &use) {
    return use.getOwner() != final.getDefiningOp() &&
           use.getOwner() != result.getDefiningOp();
  });
}

namespace {
struct LegalizeInteger : qcc::impl::LegalizeIntegerBase<LegalizeInteger> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp, arith::DivSIOp,
              arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
          op->getResult(0).getType().isIntOrIndex())
        ops.push_back(op);
    });
    OpBuilder builder(&getContext());
    for (Operation *op : ops) {
      Legalizer legalizer(builder, op);
      if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op))
        legalizer.shift();
      else
        legalizer.divide();
    }
  }
};
} // namespace
