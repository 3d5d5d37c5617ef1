//===- ShapeRequirements.cpp - Requirements on sizes ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRequirements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qcc/Dialect/QNN/IR/FunctionAttrs.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Dialect/Utils/SizeText.h"
#include "qcc/Transforms/Refusal.h"
#include "qcc/Transforms/Steps/StepInfo.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

// The pass that requires sizes.
#define DEBUG_TYPE "insert-shape-checks"

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numChecks, "Conditions on dimensions of arguments");
ALWAYS_ENABLED_STATISTIC(numRejected, "Ops that no dimensions make right");

namespace {
/// x == 1 ? y : otherwise
struct IfOne {
  Value x, y, otherwise;
};
} // namespace

void ShapeRequirements::require(Value condition, const Twine &what,
                                const Twine &remedy) {
  std::string text = (what + ", by '" + originOf(subject) + "'").str();
  if (StringRef layer = layerName(subject->getLoc()); !layer.empty())
    text += (" of layer '" + layer + "'").str();
  std::string position = sourcePosition(subject->getLoc());
  if (!position.empty())
    text += " at " + position;
  ++numChecks;
  LDBG() << "asks: " << text;
  cf::AssertOp::create(builder, loc, condition, text + remedy.str());
}

/// `x == 1 ? y : otherwise`; nothing if a value is not such a choice.
static std::optional<IfOne> matchIfOne(Value value) {
  auto choice = value.getDefiningOp<arith::SelectOp>();
  auto isOne = choice ? choice.getCondition().getDefiningOp<arith::CmpIOp>()
                      : arith::CmpIOp();
  if (!isOne || isOne.getPredicate() != arith::CmpIPredicate::eq ||
      !isConstantIntValue(isOne.getRhs(), 1))
    return std::nullopt;
  return IfOne{isOne.getLhs(), choice.getTrueValue(), choice.getFalseValue()};
}

std::optional<ShapeRequirements::Repeated>
ShapeRequirements::matchRepeated(OpFoldResult size) {
  auto value = dyn_cast<Value>(size);
  auto product = value ? value.getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  if (!product)
    return std::nullopt;
  for (auto [n, times] : {std::pair(product.getLhs(), product.getRhs()),
                          std::pair(product.getRhs(), product.getLhs())})
    if (std::optional<IfOne> choice = matchIfOne(times);
        choice && choice->x == n && isConstantIntValue(choice->otherwise, 1))
      return Repeated{n, known(choice->y)};
  return std::nullopt;
}

/// Where a size is repeated to another one, what it must be; else nothing.
std::optional<std::string>
ShapeRequirements::describeRepeated(OpFoldResult size, OpFoldResult wanted) {
  std::optional<Repeated> repeated = matchRepeated(size),
                          other = matchRepeated(wanted);
  if (!repeated ||
      (repeated->to != wanted && (!other || other->to != repeated->to)))
    return std::nullopt;
  // Of two that may be repeated the result has the one that is not 1.
  OpFoldResult to = repeated->to;
  if (auto value = dyn_cast<Value>(to))
    if (std::optional<IfOne> choice = matchIfOne(value))
      to = known(choice->x == repeated->size ? choice->y : choice->x);
  return describeSize(repeated->size) + " must be 1 or equal to " +
         describeSize(to);
}

void ShapeRequirements::requireEqual(OpFoldResult a, OpFoldResult b) {
  if (!a || !b || a == b ||
      equal.isEquivalent(a.getOpaqueValue(), b.getOpaqueValue()))
    return;
  std::optional<int64_t> distance = difference(a, b);
  if (distance == 0)
    return;
  if (distance)
    return refuse("is wrong whatever the shapes are: " + describeSize(a) +
                  " must be equal to " + describeSize(b));
  // The message names the later argument as the wrong one.
  if (argumentSize(a) < argumentSize(b))
    std::swap(a, b);
  equal.unionSets(a.getOpaqueValue(), b.getOpaqueValue());
  Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     valueOf(a), valueOf(b));
  for (auto [size, wanted] : {std::pair(a, b), std::pair(b, a)})
    if (std::optional<std::string> what = describeRepeated(size, wanted))
      return require(same, *what);
  require(same, describeSize(a) + " must be equal to " + describeSize(b),
          broadcastHint());
}

std::string ShapeRequirements::broadcastHint() {
  auto loops = dyn_cast<linalg::LinalgOp>(subject);
  bool hasNames = false; // as models have whose sizes can be fixed
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    hasNames |= bool(func.getArgAttr(i, kDimNamesAttr));
  if (!hasNames || !loops || loops.getNumReductionLoops() != 0)
    return "";
  return "; to repeat what has the size 1, fix it: qcc compile --dim=NAME=1";
}

void ShapeRequirements::refuse(const Twine &what) {
  ++numRejected;
  LDBG() << "rejects " << originOf(subject) << " at " << subject->getLoc()
         << ": it " << what;
  subject->emitError() << "'" << originOf(subject) << "' " << what;
  ok = false;
}

void ShapeRequirements::requireAtMost(OpFoldResult a, OpFoldResult b,
                                      const Twine &what,
                                      ArrayRef<OpFoldResult> empty) {
  std::optional<int64_t> room = difference(b, a);
  if (room && *room >= 0)
    return;
  SmallVector<OpFoldResult> perhapsEmpty;
  for (OpFoldResult size : empty) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (constant && *constant <= 0)
      return;
    if (!constant)
      perhapsEmpty.push_back(size);
  }
  if (room && perhapsEmpty.empty())
    return refuse("is wrong whatever the shapes are: " + what);
  Value condition = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle, valueOf(a), valueOf(b));
  for (OpFoldResult size : perhapsEmpty) {
    Value none =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                              valueOf(size), valueOf(builder.getIndexAttr(0)));
    condition = arith::OrIOp::create(builder, loc, condition, none);
  }
  require(condition, what);
}

void ShapeRequirements::requireSizes(Value tensor,
                                     ArrayRef<OpFoldResult> sizes) {
  for (auto [dim, size] : llvm::enumerate(sizes))
    requireEqual(sizeOf(tensor, dim), size);
}
