//===- SizeText.cpp - Sizes in messages -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/Utils/SizeText.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qcc;

namespace {
/// A part of a formula. An atom is a number, a dimension or a call.
struct Formula {
  std::string text;
  bool isAtom = true;
  std::optional<int64_t> constant;
};
} // namespace

/// A formula that is longer says less than none.
static constexpr size_t kMostText = 160;

static Formula numberOf(int64_t value) {
  return {std::to_string(value), true, value};
}

static std::string inside(const Formula &f) {
  return f.constant ? f.text : "(" + f.text + ")";
}

static Formula sum(const Formula &a, const Formula &b) {
  if (b.constant && *b.constant < 0 && *b.constant != INT64_MIN)
    return {a.text + " - " + std::to_string(-*b.constant), false, {}};
  return {a.text + " + " + b.text, false, {}};
}

static Formula difference(const Formula &a, const Formula &b) {
  return {a.text + " - " + (b.isAtom ? b.text : inside(b)), false, {}};
}

/// The number first: it does not run into the words of a dimension.
static Formula product(const Formula &a, const Formula &b) {
  if (b.constant && !a.constant)
    return product(b, a);
  auto factor = [](const Formula &f) { return f.isAtom ? f.text : inside(f); };
  return {factor(a) + " * " + factor(b), false, {}};
}

static Formula quotient(StringRef rounding, const Formula &a,
                        const Formula &b) {
  return {
      (rounding + "(" + inside(a) + " / " + inside(b) + ")").str(), true, {}};
}

static Formula call(StringRef name, const Formula &a, const Formula &b) {
  return {(name + "(" + a.text + ", " + b.text + ")").str(), true, {}};
}

static std::optional<Formula> formulaOf(OpFoldResult size);

static std::optional<Formula> formulaOf(AffineExpr expr, ValueRange dims,
                                        ValueRange symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return numberOf(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return formulaOf(dims[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return formulaOf(symbols[symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<Formula> a = formulaOf(binary.getLHS(), dims, symbols);
  if (!a)
    return std::nullopt;
  // a + b * -1.
  if (auto factor = dyn_cast<AffineBinaryOpExpr>(binary.getRHS());
      expr.getKind() == AffineExprKind::Add && factor &&
      factor.getKind() == AffineExprKind::Mul)
    if (auto minus = dyn_cast<AffineConstantExpr>(factor.getRHS());
        minus && minus.getValue() == -1) {
      auto b = formulaOf(factor.getLHS(), dims, symbols);
      return b ? std::optional(difference(*a, *b)) : std::nullopt;
    }
  std::optional<Formula> b = formulaOf(binary.getRHS(), dims, symbols);
  if (!b)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return sum(*a, *b);
  case AffineExprKind::Mul:
    return product(*a, *b);
  case AffineExprKind::FloorDiv:
    return quotient("floor", *a, *b);
  case AffineExprKind::CeilDiv:
    return quotient("ceil", *a, *b);
  default:
    return call("mod", *a, *b);
  }
}

static std::optional<Formula> formulaOf(Operation *op) {
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    unsigned count = apply.getAffineMap().getNumDims();
    return formulaOf(apply.getAffineMap().getResult(0),
                     apply.getMapOperands().take_front(count),
                     apply.getMapOperands().drop_front(count));
  }
  if (op->getNumOperands() != 2 || !isa<arith::ArithDialect>(op->getDialect()))
    return std::nullopt;
  std::optional<Formula> a = formulaOf(op->getOperand(0));
  std::optional<Formula> b = a ? formulaOf(op->getOperand(1)) : std::nullopt;
  if (!b)
    return std::nullopt;
  using Result = std::optional<Formula>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) -> Result { return sum(*a, *b); })
      .Case([&](arith::SubIOp) -> Result { return difference(*a, *b); })
      .Case([&](arith::MulIOp) -> Result { return product(*a, *b); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [&](auto) -> Result { return quotient("floor", *a, *b); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) -> Result { return quotient("ceil", *a, *b); })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) -> Result { return call("mod", *a, *b); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) -> Result { return call("max", *a, *b); })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) -> Result { return call("min", *a, *b); })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

std::optional<std::pair<unsigned, int64_t>>
qcc::argumentSize(OpFoldResult size) {
  auto value = dyn_cast<Value>(size);
  auto dim = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  auto arg = dim ? dyn_cast<BlockArgument>(dim.getSource()) : BlockArgument();
  if (!arg)
    return std::nullopt;
  return std::pair(arg.getArgNumber(), *dim.getConstantIndex());
}

static std::optional<Formula> formulaOf(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return numberOf(*constant);
  if (auto argument = argumentSize(size))
    return Formula{"dimension " + std::to_string(argument->second) +
                       " of argument " + std::to_string(argument->first),
                   true,
                   {}};
  Operation *op = cast<Value>(size).getDefiningOp();
  std::optional<Formula> formula = op ? formulaOf(op) : std::nullopt;
  // A size that is used twice at each step would double the text at each.
  return formula && formula->text.size() <= kMostText ? formula : std::nullopt;
}

std::string qcc::describeSize(OpFoldResult size) {
  std::optional<Formula> formula = formulaOf(size);
  return formula ? formula->text : "a size computed from others";
}
