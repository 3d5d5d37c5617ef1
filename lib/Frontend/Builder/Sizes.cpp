//===- Sizes.cpp - Arithmetic of sizes ------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace qcc;
using namespace qcc::frontend;

std::optional<int64_t> frontend::knownSize(OpFoldResult size) {
  return getConstantIntValue(size);
}

//===----------------------------------------------------------------------===//
// Signs
//===----------------------------------------------------------------------===//

/// The least value of a sum, product or quotient of numbers of these least
/// values; nothing if it is not known.
static std::optional<int64_t> leastOf(AffineExprKind kind,
                                      std::optional<int64_t> x,
                                      std::optional<int64_t> y,
                                      std::optional<int64_t> constant) {
  int64_t result;
  bool isPositive = constant && *constant > 0;
  bool isFactor = x && y && *x >= 0 && *y >= 0;
  switch (kind) {
  case AffineExprKind::Add:
    return x && y && !llvm::AddOverflow(*x, *y, result) ? std::optional(result)
                                                        : std::nullopt;
  case AffineExprKind::Mul:
    return x && y && (isFactor || (constant && *constant >= 0)) &&
                   !llvm::MulOverflow(*x, *y, result)
               ? std::optional(result)
           : isFactor ? std::optional<int64_t>(0)
                      : std::nullopt;
  case AffineExprKind::Mod:
    return isPositive || isFactor ? std::optional<int64_t>(0) : std::nullopt;
  default:
    break;
  }
  if (!x || !isPositive)
    return isFactor ? std::optional<int64_t>(0) : std::nullopt;
  return kind == AffineExprKind::FloorDiv
             ? llvm::divideFloorSigned(*x, *constant)
             : llvm::divideCeilSigned(*x, *constant);
}

using LeastOfOperand = function_ref<std::optional<int64_t>(AffineExpr)>;

static std::optional<int64_t> leastOf(AffineExpr expr, LeastOfOperand operand) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue();
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!both)
    return operand(expr);
  auto constant = dyn_cast<AffineConstantExpr>(both.getRHS());
  return leastOf(expr.getKind(), leastOf(both.getLHS(), operand),
                 leastOf(both.getRHS(), operand),
                 constant ? std::optional(constant.getValue()) : std::nullopt);
}

std::optional<int64_t> SizeArithmetic::leastByOp(Operation *op) const {
  if (isa<tensor::DimOp>(op))
    return 0;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    unsigned dims = apply.getAffineMap().getNumDims();
    return ::leastOf(
        apply.getAffineMap().getResult(0), [&](AffineExpr operand) {
          auto dim = dyn_cast<AffineDimExpr>(operand);
          unsigned position =
              dim ? dim.getPosition()
                  : dims + cast<AffineSymbolExpr>(operand).getPosition();
          return leastOf(apply.getOperand(position));
        });
  }
  if (op->getNumOperands() < 2)
    return std::nullopt;
  // The first operand of a select is its condition.
  unsigned first = isa<arith::SelectOp>(op);
  std::optional<int64_t> x = leastOf(op->getOperand(first)),
                         y = leastOf(op->getOperand(first + 1));
  if (isa<arith::MaxSIOp>(op))
    return x && y ? std::max(*x, *y) : x ? x : y;
  if (isa<arith::MinSIOp, arith::SelectOp>(op))
    return x && y ? std::optional(std::min(*x, *y)) : std::nullopt;
  if (isa<arith::RemSIOp>(op))
    return x && *x >= 0 ? std::optional<int64_t>(0) : std::nullopt;
  if (isa<arith::MulIOp>(op))
    return ::leastOf(AffineExprKind::Mul, x, y, std::nullopt);
  bool isQuotient =
      isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivSIOp>(op);
  return isQuotient && x && y && *x >= 0 && *y >= 0 ? std::optional<int64_t>(0)
                                                    : std::nullopt;
}

std::optional<int64_t> SizeArithmetic::leastOf(OpFoldResult size) const {
  if (std::optional<int64_t> known = knownSize(size))
    return known;
  auto value = cast<Value>(size);
  if (auto noted = leasts.find(value.getAsOpaquePointer());
      noted != leasts.end())
    return noted->second;
  Operation *op = value.getDefiningOp();
  return op ? leastByOp(op) : std::nullopt;
}

bool SizeArithmetic::isNeverNegative(OpFoldResult size) const {
  return leastOf(size).value_or(-1) >= 0;
}

bool SizeArithmetic::isQuotient(OpFoldResult size) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> left;
  if (auto value = dyn_cast<Value>(size))
    left.push_back(value);
  while (!left.empty()) {
    Operation *op = left.pop_back_val().getDefiningOp();
    if (!op || isa<tensor::DimOp>(op) || !seen.insert(op).second)
      continue;
    if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivSIOp>(op) &&
        !getConstantIntValue(op->getOperand(1)))
      return true;
    llvm::append_range(left, op->getOperands());
  }
  return false;
}

void SizeArithmetic::noteSizes(ArrayRef<OpFoldResult> numbers) {
  for (OpFoldResult number : numbers)
    if (auto value = dyn_cast<Value>(number))
      noteLeast(value, 0);
}

void SizeArithmetic::noteLeast(Value number, int64_t least) {
  int64_t &noted =
      leasts.try_emplace(number.getAsOpaquePointer(), least).first->second;
  noted = std::max(noted, least);
  // n + c >= least: n >= least - c.
  auto apply = number.getDefiningOp<affine::AffineApplyOp>();
  auto sum =
      apply ? dyn_cast<AffineBinaryOpExpr>(apply.getAffineMap().getResult(0))
            : AffineBinaryOpExpr(nullptr);
  auto constant = sum && sum.getKind() == AffineExprKind::Add
                      ? dyn_cast<AffineConstantExpr>(sum.getRHS())
                      : AffineConstantExpr();
  if (constant && isa<AffineDimExpr, AffineSymbolExpr>(sum.getLHS()) &&
      !llvm::SubOverflow(least, constant.getValue(), least))
    noteLeast(apply.getOperand(0), least);
}

void SizeProduct::multiply(OpFoldResult size) {
  int64_t product;
  std::optional<int64_t> known = knownSize(size);
  if (known && !llvm::MulOverflow(constant, *known, product)) {
    constant = product;
    return;
  }
  Operation *op = known ? nullptr : cast<Value>(size).getDefiningOp();
  if (isa_and_nonnull<arith::MulIOp>(op)) {
    for (Value factor : op->getOperands())
      multiply(getAsOpFoldResult(factor));
    return;
  }
  // The multiple of one size.
  auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op);
  auto multiple =
      apply ? dyn_cast<AffineBinaryOpExpr>(apply.getAffineMap().getResult(0))
            : AffineBinaryOpExpr(nullptr);
  auto factor = multiple && multiple.getKind() == AffineExprKind::Mul
                    ? dyn_cast<AffineConstantExpr>(multiple.getRHS())
                    : AffineConstantExpr();
  // A constant is on the right; the maps of sizes have one operand then.
  if (!factor || !isa<AffineDimExpr, AffineSymbolExpr>(multiple.getLHS()) ||
      llvm::MulOverflow(constant, factor.getValue(), product)) {
    others.push_back(size);
    return;
  }
  constant = product;
  multiply(getAsOpFoldResult(apply.getOperand(0)));
}

//===----------------------------------------------------------------------===//
// Affine expressions
//===----------------------------------------------------------------------===//

/// `expr` as a sum, without its constant.
static std::pair<AffineExpr, int64_t> splitConstant(AffineExpr expr) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return {getAffineConstantExpr(0, expr.getContext()), number.getValue()};
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  auto number = sum && sum.getKind() == AffineExprKind::Add
                    ? dyn_cast<AffineConstantExpr>(sum.getRHS())
                    : AffineConstantExpr();
  if (!number)
    return {expr, 0};
  return {sum.getLHS(), number.getValue()};
}

static void collectTerms(AffineExpr expr, SmallVectorImpl<AffineExpr> &terms) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add) {
    terms.push_back(expr);
    return;
  }
  collectTerms(sum.getLHS(), terms);
  collectTerms(sum.getRHS(), terms);
}

/// expr / divisor, rounded down, in the form that equal quotients share: what
/// the divisor divides is outside, and no quotient is divided again.
static AffineExpr divide(AffineExpr expr, int64_t divisor) {
  assert(divisor > 0 && "quotients are of positive divisors");
  auto [sum, constant] = splitConstant(expr);
  SmallVector<AffineExpr> terms;
  collectTerms(sum, terms);
  AffineExpr whole = getAffineConstantExpr(
      llvm::divideFloorSigned(constant, divisor), expr.getContext());
  AffineExpr rest = getAffineConstantExpr(0, expr.getContext());
  int64_t common = divisor;
  for (AffineExpr term : terms) {
    if (term.isMultipleOf(divisor)) {
      whole = whole + term.floorDiv(divisor);
      continue;
    }
    rest = rest + term;
    common = std::gcd(common, term.getLargestKnownDivisor());
  }
  int64_t left = llvm::mod(constant, divisor);
  if (rest == 0)
    return whole;
  auto inner = dyn_cast<AffineBinaryOpExpr>(rest);
  auto by = inner && inner.getKind() == AffineExprKind::FloorDiv
                ? dyn_cast<AffineConstantExpr>(inner.getRHS())
                : AffineConstantExpr();
  int64_t product;
  if (by && !llvm::MulOverflow(by.getValue(), divisor, product))
    return whole + divide(inner.getLHS() + left * by.getValue(), product);
  assert(divisor % common == 0 && "a common divisor divides the divisor");
  if (common > 1)
    return whole +
           divide(rest.floorDiv(common) + left / common, divisor / common);
  return whole + (rest + left).floorDiv(divisor);
}

/// The expression with its quotients in the form that equal ones share.
static AffineExpr normalize(AffineExpr expr) {
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!both)
    return expr;
  AffineExpr x = normalize(both.getLHS()), y = normalize(both.getRHS());
  auto number = dyn_cast<AffineConstantExpr>(y);
  bool divides = number && number.getValue() > 0;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return x + y;
  case AffineExprKind::Mul:
    return x * y;
  case AffineExprKind::FloorDiv:
    return divides ? divide(x, number.getValue()) : x.floorDiv(y);
  case AffineExprKind::CeilDiv:
    return divides ? divide(x + (number.getValue() - 1), number.getValue())
                   : x.ceilDiv(y);
  default:
    return expr;
  }
}

OpFoldResult SizeArithmetic::apply(OpBuilder &b, Location loc, AffineExpr expr,
                                   ArrayRef<Value> given) {
  SmallVector<Value> operands(given);
  AffineMap map = AffineMap::get(given.size(), 0, expr);
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  affine::canonicalizeMapAndOperands(&map, &operands);
  unsigned dims = map.getNumDims(), symbols = map.getNumSymbols();
  expr = simplifyAffineExpr(normalize(map.getResult(0)), dims, symbols);
  map = AffineMap::get(dims, symbols, expr);
  affine::canonicalizeMapAndOperands(&map, &operands);
  expr = map.getResult(0);
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return b.getIndexAttr(number.getValue());
  if (isa<AffineDimExpr, AffineSymbolExpr>(expr))
    return operands.front();
  std::vector<const void *> key{map.getAsOpaquePointer()};
  for (Value operand : operands)
    key.push_back(operand.getAsOpaquePointer());
  auto [entry, isNew] = applied.try_emplace(std::move(key));
  if (isNew)
    entry->second =
        affine::AffineApplyOp::create(b, loc, map, operands).getResult();
  return entry->second;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Computes with sizes that are constants; nothing if the result overflows.
static std::optional<int64_t> fold(SizeOp op, int64_t x, int64_t y) {
  int64_t result;
  switch (op) {
  case SizeOp::Add:
    return llvm::AddOverflow(x, y, result) ? std::nullopt
                                           : std::optional(result);
  case SizeOp::Sub:
    return llvm::SubOverflow(x, y, result) ? std::nullopt
                                           : std::optional(result);
  case SizeOp::Mul:
    return llvm::MulOverflow(x, y, result) ? std::nullopt
                                           : std::optional(result);
  case SizeOp::FloorDiv:
    return y == 0 ? 0 : llvm::divideFloorSigned(x, y);
  case SizeOp::CeilDiv:
    return y == 0 ? 0 : llvm::divideCeilSigned(x, y);
  case SizeOp::TruncDiv:
    if (y == -1)
      return fold(SizeOp::Sub, 0, x);
    return y == 0 ? 0 : x / y;
  case SizeOp::Remainder:
    return y == 0 || y == -1 ? 0 : x % y;
  case SizeOp::Min:
    return std::min(x, y);
  case SizeOp::Max:
    return std::max(x, y);
  case SizeOp::Broadcast:
    return x == 1 ? y : x;
  case SizeOp::Repeats:
    return x == 1 ? y : 1;
  }
  return std::nullopt;
}

/// Computes with sizes of which at least one is known only at run time.
OpFoldResult SizeArithmetic::computeNew(OpBuilder &b, Location loc, SizeOp op,
                                        OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> kx = knownSize(x), ky = knownSize(y);
  bool isSum = op == SizeOp::Add || op == SizeOp::Sub;
  bool isQuotient = op == SizeOp::FloorDiv || op == SizeOp::CeilDiv;
  if (isSum || (op == SizeOp::Mul && (kx || ky)) ||
      (isQuotient && ky && *ky > 0) ||
      (op == SizeOp::Remainder && ky && *ky > 0 && isNeverNegative(x))) {
    SmallVector<Value> operands;
    auto exprOf = [&](OpFoldResult size, std::optional<int64_t> known) {
      if (known)
        return b.getAffineConstantExpr(*known);
      operands.push_back(cast<Value>(size));
      return b.getAffineDimExpr(operands.size() - 1);
    };
    AffineExpr a = exprOf(x, kx), c = exprOf(y, ky);
    return apply(b, loc,
                 op == SizeOp::Add        ? a + c
                 : op == SizeOp::Sub      ? a - c
                 : op == SizeOp::Mul      ? a * c
                 : op == SizeOp::FloorDiv ? a.floorDiv(c)
                 : op == SizeOp::CeilDiv  ? a.ceilDiv(c)
                                          : a % c,
                 operands);
  }
  Value vx = getValueOrCreateConstantIndexOp(b, loc, x),
        vy = getValueOrCreateConstantIndexOp(b, loc, y);
  switch (op) {
  case SizeOp::Mul:
    return arith::MulIOp::create(b, loc, vx, vy).getResult();
  case SizeOp::FloorDiv:
    return arith::FloorDivSIOp::create(b, loc, vx, vy).getResult();
  case SizeOp::CeilDiv:
    return arith::CeilDivSIOp::create(b, loc, vx, vy).getResult();
  case SizeOp::TruncDiv:
    return arith::DivSIOp::create(b, loc, vx, vy).getResult();
  case SizeOp::Remainder:
    return arith::RemSIOp::create(b, loc, vx, vy).getResult();
  case SizeOp::Min:
    return arith::MinSIOp::create(b, loc, vx, vy).getResult();
  case SizeOp::Max:
    return arith::MaxSIOp::create(b, loc, vx, vy).getResult();
  default: {
    assert((op == SizeOp::Broadcast || op == SizeOp::Repeats) &&
           "sums and products of constants are affine");
    Value one = getValueOrCreateConstantIndexOp(b, loc, b.getIndexAttr(1));
    Value isOne =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, vx, one);
    return arith::SelectOp::create(b, loc, isOne, vy,
                                   op == SizeOp::Broadcast ? vx : one)
        .getResult();
  }
  }
}

OpFoldResult SizeArithmetic::compute(OpBuilder &b, Location loc, SizeOp op,
                                     OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> kx = knownSize(x), ky = knownSize(y);
  if (kx && ky)
    if (std::optional<int64_t> folded = fold(op, *kx, *ky))
      return b.getIndexAttr(*folded);
  // Rounded towards 0 is rounded down.
  if (op == SizeOp::TruncDiv && isNeverNegative(x) && isNeverNegative(y))
    op = SizeOp::FloorDiv;
  bool isSum = op == SizeOp::Add || op == SizeOp::Sub;
  bool isQuotient =
      op == SizeOp::FloorDiv || op == SizeOp::CeilDiv || op == SizeOp::TruncDiv;
  bool isExtreme = op == SizeOp::Min || op == SizeOp::Max;
  if ((isSum && ky == 0) || ((op == SizeOp::Mul || isQuotient) && ky == 1) ||
      ((isExtreme || op == SizeOp::Broadcast) && x == y) ||
      (op == SizeOp::Broadcast && ky == 1) ||
      (op == SizeOp::Max && ky && leastOf(x) >= ky) ||
      (op == SizeOp::Min && kx && leastOf(y) >= kx))
    return x;
  if ((op == SizeOp::Add && kx == 0) || (op == SizeOp::Mul && kx == 1) ||
      (op == SizeOp::Max && kx && leastOf(y) >= kx) ||
      (op == SizeOp::Min && ky && leastOf(x) >= ky) ||
      (op == SizeOp::Repeats && ky == 1))
    return y;
  auto ask = [&](OpFoldResult first, OpFoldResult second) {
    return std::tuple{static_cast<unsigned>(op), first.getOpaqueValue(),
                      second.getOpaqueValue()};
  };
  if (auto found = answers.find(ask(x, y)); found != answers.end())
    return found->second;
  if (op == SizeOp::Mul || isExtreme)
    if (auto found = answers.find(ask(y, x)); found != answers.end())
      return found->second;
  OpFoldResult result = computeNew(b, loc, op, x, y);
  // A product of sizes that is computed of what these are made of.
  if (auto value = dyn_cast<Value>(result);
      value && op != SizeOp::Sub && isNeverNegative(x) && isNeverNegative(y))
    noteLeast(value, leastOf(value).value_or(0));
  return answers[ask(x, y)] = result;
}
