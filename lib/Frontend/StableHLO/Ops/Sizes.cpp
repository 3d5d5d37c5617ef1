//===- Sizes.cpp - Arithmetic and conditions of sizes ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"
#include "../../Builder/Integers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "qcc/Dialect/Utils/SizeText.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;
using Predicate = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The most integers of shapes that are computed when a program is imported.
static constexpr size_t kMaxIntegers = 16;

/// Whether integers, or conditions, are constants or known from sizes.
static bool isKnown(OpImporter &n, GraphValue &value) {
  if (value.rank() > 1)
    return false;
  if (std::optional<bool> known = Constants::readBool(value))
    value.integers = {n.size(*known)};
  return n.knowsIntegers(value) && value.integers->size() <= kMaxIntegers;
}

static std::optional<OpFoldResult> computeNumber(OpImporter &n, StringRef name,
                                                 ArrayRef<OpFoldResult> x) {
  using Function = OpFoldResult (GraphBuilder::*)(OpFoldResult, OpFoldResult);
  if (x.size() == 1) {
    OpFoldResult zero = n.size(0);
    if (name == "convert")
      return x[0];
    if (name == "negate")
      return n.sub(zero, x[0]);
    if (name == "abs")
      return n.max(x[0], n.sub(zero, x[0]));
    if (name == "sign")
      return n.max(n.min(x[0], n.size(1)), n.size(-1));
    return std::nullopt;
  }
  bool isDivision = name == "divide" || name == "remainder";
  Function function = llvm::StringSwitch<Function>(name)
                          .Case("add", &GraphBuilder::add)
                          .Case("subtract", &GraphBuilder::sub)
                          .Case("multiply", &GraphBuilder::mul)
                          .Case("divide", &GraphBuilder::truncDiv)
                          .Case("remainder", &GraphBuilder::remainder)
                          .Case("maximum", &GraphBuilder::max)
                          .Case("minimum", &GraphBuilder::min)
                          .Default(nullptr);
  if (!function || (isDivision && knownSize(x[1]) == 0))
    return std::nullopt;
  OpFoldResult result = (n.*function)(x[0], x[1]);
  if (!isDivision)
    return result;
  OpFoldResult isZero = n.compare(Predicate::eq, x[1], n.size(0));
  return n.select(isZero, name == "divide" ? n.size(-1) : x[0], result);
}

static std::optional<OpFoldResult>
compareNumbers(OpImporter &n, ArrayRef<OpFoldResult> x, bool areConditions) {
  StringRef direction = wordOf(n.op, "comparison_direction");
  if (areConditions) {
    if (direction != "EQ" && direction != "NE")
      return std::nullopt;
    OpFoldResult differ = n.combine(LogicOp::Xor, x[0], x[1]);
    return direction == "NE" ? differ
                             : n.combine(LogicOp::Xor, differ, n.size(1));
  }
  auto predicate = llvm::StringSwitch<std::optional<Predicate>>(direction)
                       .Case("EQ", Predicate::eq)
                       .Case("NE", Predicate::ne)
                       .Case("LT", Predicate::slt)
                       .Case("LE", Predicate::sle)
                       .Case("GT", Predicate::sgt)
                       .Case("GE", Predicate::sge)
                       .Default(std::nullopt);
  return predicate ? std::optional(n.compare(*predicate, x[0], x[1]))
                   : std::nullopt;
}

/// `x` are the operands, of which `areConditions` says whether the last one is
/// of bool.
static std::optional<OpFoldResult>
computeElement(OpImporter &n, ArrayRef<OpFoldResult> x, bool areConditions) {
  StringRef name = n.op->getName().stripDialect();
  if (name == "compare")
    return compareNumbers(n, x, areConditions);
  if (!areConditions)
    return name == "select" ? n.select(x[0], x[1], x[2])
                            : computeNumber(n, name, x);
  if (name == "convert")
    return n.select(x[0], n.size(1), n.size(0));
  if (name == "not")
    return n.combine(LogicOp::Xor, x[0], n.size(1));
  auto op = llvm::StringSwitch<std::optional<LogicOp>>(name)
                .Case("and", LogicOp::And)
                .Case("or", LogicOp::Or)
                .Case("xor", LogicOp::Xor)
                .Default(std::nullopt);
  return op ? std::optional(n.combine(*op, x[0], x[1])) : std::nullopt;
}

std::optional<GraphValue> stablehlo::computeSizes(OpImporter &n) {
  // An op of StableHLO has 1 to 3 operands here.
  if (n.numOperands() == 0 || n.numOperands() > 3 || n.op->getNumResults() != 1)
    return std::nullopt;
  Type element = n.resultElement();
  unsigned last = n.numOperands() - 1;
  bool areConditions = n.in(last).isBool();
  if (!element.isSignlessInteger() ||
      (element.getIntOrFloatBitWidth() < 32 && !element.isInteger(1)))
    return std::nullopt;
  size_t count = 0;
  bool areSmall = true, hasSize = false;
  for (unsigned i = 0; i <= last; ++i) {
    if (isUnsigned(n.elementOf(i)) || !isKnown(n, n.in(i)))
      return std::nullopt;
    count = std::max(count, n.in(i).integers->size());
    for (OpFoldResult integer : *n.in(i).integers) {
      std::optional<int64_t> known = knownSize(integer);
      hasSize |= !known;
      areSmall &= !known || llvm::isInt<32>(*known);
    }
  }
  if (!hasSize && !areSmall)
    return std::nullopt;
  GraphValue result;
  result.element = element;
  result.shape = n.in(last).shape;
  result.integers.emplace();
  for (size_t i = 0; i < count; ++i) {
    SmallVector<OpFoldResult> x;
    for (unsigned k = 0; k <= last; ++k) {
      ArrayRef<OpFoldResult> integers = *n.in(k).integers;
      // The condition of a select may be one for all elements.
      bool isOne = k < last && last == 2 && n.in(k).rank() == 0;
      if (!isOne && integers.size() != count)
        return std::nullopt;
      x.push_back(integers[isOne ? 0 : i]);
    }
    std::optional<OpFoldResult> computed = computeElement(n, x, areConditions);
    if (!computed || !fitsType(*computed, element))
      return std::nullopt;
    result.integers->push_back(*computed);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Assertions
//===----------------------------------------------------------------------===//

/// JAX's message with its sizes in words, up to where it sends readers to the
/// documentation of JAX.
static std::string messageOf(OpImporter &n) {
  auto given = n.op->getAttrOfType<StringAttr>("error_message");
  StringRef text = given ? given.getValue().split("Please see").first : "";
  std::string message;
  while (!text.empty()) {
    // {0} is the operand behind the condition.
    StringRef number = text.drop_front().split('}').first;
    unsigned operand;
    bool isNumber = text.front() == '{' && !number.getAsInteger(10, operand) &&
                    operand + 1 < n.numOperands();
    if (!isNumber) {
      message += text.front();
      text = text.drop_front();
      continue;
    }
    text = text.drop_front(number.size() + 2);
    GraphValue &size = n.in(operand + 1);
    message += isKnown(n, size) ? describeSize(size.integers->front())
                                : "a size computed from others";
  }
  SmallVector<StringRef> words;
  llvm::SplitString(message, words);
  message = StringRef(llvm::join(words, " ")).rtrim(" .,").str();
  return message.empty() ? "an assertion on sizes does not hold" : message;
}

/// The op at which the evaluation of a value ended; null if the value is data.
static Operation *findUnknown(OpImporter &n, Value value) {
  Operation *op = value.getDefiningOp();
  for (Operation *next = op; next;) {
    op = next;
    next = nullptr;
    for (Value operand : op->getOperands()) {
      GraphValue *found = n.lookup(operand);
      if (!found || isKnown(n, *found))
        continue;
      next = operand.getDefiningOp();
      if (!next)
        return nullptr;
      break;
    }
  }
  return op;
}

LogicalResult stablehlo::importShapeAssertion(OpImporter &n) {
  if (n.numOperands() == 0 || !n.in(0).isBool() || n.in(0).rank() != 0)
    return n.refuse() << "asserts something else than one truth value; correct "
                         "the program";
  if (!isKnown(n, n.in(0))) {
    Operation *op = findUnknown(n, n.op->getOperand(0));
    return n.refuse() << "asserts a condition that "
                      << (op ? "is computed by '" +
                                   op->getName().getStringRef().str() +
                                   "', which conditions on sizes do not know"
                             : std::string("depends on data"))
                      << "; leave it out of the constraints of "
                         "jax.export.symbolic_shape";
  }
  OpFoldResult condition = n.in(0).integers->front();
  std::optional<int64_t> known = knownSize(condition);
  if (known && *known != 0)
    return success();
  std::string message = messageOf(n);
  if (known)
    return n.refuse() << "asserts what never holds: " << message
                      << "; correct the sizes of arguments";
  if (!isa<func::FuncOp>(n.op->getParentOp()))
    return n.refuse() << "asserts a condition within a loop or branch, which "
                         "is not supported; assert it in front";
  cf::AssertOp::create(n.b, n.loc, n.truth(condition),
                       message + "; give arguments of sizes that fulfill it, "
                                 "or compile for other symbolic sizes");
  n.noteTrue(condition);
  return success();
}
