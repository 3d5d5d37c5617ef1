//===- EvaluateConstant.cpp - Tensors computed from constants -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body is a list of steps, each of which is carried out for many elements of
// a row at once.
//
//===----------------------------------------------------------------------===//

#include "qcc/Conversion/QNNToLinalg/EvaluateConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include <deque>

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Elements as bytes
//===----------------------------------------------------------------------===//

static bool isStored(Type element) {
  return element.isF32() || element.isF16() || element.isBF16() ||
         element.isSignlessInteger(8) || element.isSignlessInteger(32);
}

static const llvm::fltSemantics &semanticsOf(Type type) {
  return cast<FloatType>(type).getFloatSemantics();
}

/// `count` elements from number `first` on, `stride` apart.
static void load(ArrayRef<char> bytes, Type element, int64_t first,
                 int64_t stride, int64_t count, Lanes &lanes) {
  auto each = [&](auto sample, auto convert) {
    for (int64_t i = 0; i < count; ++i) {
      memcpy(&sample, bytes.data() + (first + i * stride) * sizeof(sample),
             sizeof(sample));
      convert(sample, lanes[i]);
    }
  };
  if (element.isF32())
    each(float(), [](float x, Number &to) { to.real = x; });
  else if (isa<FloatType>(element))
    each(uint16_t(), [&](uint16_t x, Number &to) {
      to.real = APFloat(semanticsOf(element), APInt(16, x)).convertToFloat();
    });
  else if (element.isInteger(8))
    each(int8_t(), [](int8_t x, Number &to) { to.integer = x; });
  else
    each(int32_t(), [](int32_t x, Number &to) { to.integer = x; });
}

static void store(const Lanes &lanes, int64_t count, Type element, char *to) {
  auto each = [&](auto convert) {
    for (int64_t i = 0; i < count; ++i) {
      auto value = convert(lanes[i]);
      memcpy(to + i * sizeof(value), &value, sizeof(value));
    }
  };
  if (element.isF32())
    each([](Number x) { return x.real; });
  else if (isa<FloatType>(element))
    each([&](Number x) {
      APFloat value(x.real);
      bool losesInfo; // It never does: the step has rounded the value.
      value.convert(semanticsOf(element), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      return static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
    });
  else if (element.isInteger(8))
    each([](Number x) { return static_cast<int8_t>(x.integer); });
  else
    each([](Number x) { return static_cast<int32_t>(x.integer); });
}

/// The number that a constant scalar is.
static std::optional<Number> readScalar(Value value) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  Number number;
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    number.integer = integer.getValue().getSExtValue();
  else if (auto real = dyn_cast<FloatAttr>(attr);
           real && !value.getType().isF64())
    number.real = real.getValue().convertToFloat();
  else
    return std::nullopt;
  return number;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

namespace {
class BodyEvaluator {
public:
  /// False if the body has an op that cannot be evaluated.
  bool compile(Block &body);
  /// The lanes of an argument, which the caller sets.
  Lanes &argument(unsigned i) { return lanes[i]; }
  const Lanes &run(int64_t count);

private:
  struct Step {
    LaneStep run;
    SmallVector<const Lanes *> operands;
    Lanes *result;
  };
  /// Null for what is no constant and was not computed before.
  Lanes *lanesOf(Value value);
  LaneStep makeStep(Operation &op);

  /// A deque, since `byName` and `steps` point into it while it grows.
  std::deque<Lanes> lanes;
  DenseMap<Value, Lanes *> byName;
  std::vector<Step> steps;
  const Lanes *yielded = nullptr;
};
} // namespace

Lanes *BodyEvaluator::lanesOf(Value value) {
  Lanes *&known = byName[value];
  if (known)
    return known;
  std::optional<Number> number = readScalar(value);
  if (!number)
    return nullptr;
  known = &lanes.emplace_back();
  known->fill(*number);
  return known;
}

/// The element of a table of one dimension; indices are clamped to it (N11).
static LaneStep makeLookup(tensor::ExtractOp op) {
  auto type = op.getTensor().getType();
  Type element = type.getElementType();
  if (type.getRank() != 1 || !type.hasStaticShape() || !isStored(element) ||
      type.getDimSize(0) == 0)
    return {};
  std::optional<std::vector<char>> bytes = evaluateConstant(op.getTensor());
  if (!bytes)
    return {};
  int64_t size = type.getDimSize(0);
  std::vector<Number> table(size);
  Lanes one;
  for (int64_t i = 0; i < size; ++i) {
    load(*bytes, element, i, 0, 1, one);
    table[i] = one[0];
  }
  return [table = std::move(table)](ArrayRef<const Lanes *> operands,
                                    Lanes &result, int64_t count) {
    int64_t last = table.size() - 1;
    for (int64_t i = 0; i < count; ++i)
      result[i] =
          table[std::clamp<int64_t>((*operands[0])[i].integer, 0, last)];
  };
}

bool BodyEvaluator::compile(Block &body) {
  for (BlockArgument argument : body.getArguments())
    byName[argument] = &lanes.emplace_back();
  for (Operation &op : body.without_terminator()) {
    if (op.getNumResults() == 1 && readScalar(op.getResult(0)))
      continue;
    // The step of an extraction holds the table.
    auto extract = dyn_cast<tensor::ExtractOp>(op);
    Step step;
    step.run = extract ? makeLookup(extract) : makeLaneStep(&op);
    if (!step.run)
      return false;
    for (Value operand : op.getOperands().drop_front(extract ? 1 : 0)) {
      step.operands.push_back(lanesOf(operand));
      if (!step.operands.back())
        return false;
    }
    step.result = byName[op.getResult(0)] = &lanes.emplace_back();
    steps.push_back(std::move(step));
  }
  yielded = lanesOf(body.getTerminator()->getOperand(0));
  return yielded;
}

const Lanes &BodyEvaluator::run(int64_t count) {
  for (const Step &step : steps)
    step.run(step.operands, *step.result, count);
  return *yielded;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// How far apart the elements of an input are for neighbours along each loop;
/// nothing for maps other than of single loops and 0.
static std::optional<SmallVector<int64_t>> getStrides(AffineMap map,
                                                      RankedTensorType type) {
  SmallVector<int64_t> strides(map.getNumDims(), 0);
  int64_t stride = 1;
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    AffineExpr expr = map.getResult(d);
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      strides[loop.getPosition()] += stride;
    else if (!constant || constant.getValue() != 0)
      return std::nullopt;
    stride *= type.getDimSize(d);
  }
  return strides;
}

namespace {
struct Input {
  std::vector<char> bytes;
  Type element;
  SmallVector<int64_t> strides; ///< in elements, of each loop
};
} // namespace

static std::optional<SmallVector<Input>> readInputs(linalg::GenericOp op) {
  SmallVector<Input> inputs;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    if (!type || !isStored(type.getElementType()))
      return std::nullopt;
    auto strides = getStrides(op.getMatchingIndexingMap(operand), type);
    auto bytes = evaluateConstant(operand->get());
    if (!strides || !bytes)
      return std::nullopt;
    inputs.push_back({std::move(*bytes), type.getElementType(), *strides});
  }
  return inputs;
}

static std::optional<std::vector<char>> evaluate(linalg::GenericOp op) {
  if (op.getNumResults() != 1 || op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getIndexingMapsArray().back().isIdentity())
    return std::nullopt;
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  Type element = type.getElementType();
  BodyEvaluator body;
  std::optional<SmallVector<Input>> inputs = readInputs(op);
  if (!type.hasStaticShape() || !isStored(element) || !inputs ||
      !op.getMatchingBlockArgument(op.getDpsInitOperand(0)).use_empty() ||
      !body.compile(*op.getBody()))
    return std::nullopt;

  int64_t rank = type.getRank(), width = element.getIntOrFloatBitWidth() / 8;
  int64_t length = rank == 0 ? 1 : type.getShape().back();
  std::vector<char> result(type.getNumElements() * width);
  for (int64_t at = 0, e = type.getNumElements(), count; at < e; at += count) {
    int64_t column = at % length;
    count = std::min(kLanes, length - column);
    for (auto [i, input] : llvm::enumerate(*inputs)) {
      int64_t first = 0, rest = at;
      for (int64_t d = rank - 1; d >= 0; --d) {
        first += rest % type.getDimSize(d) * input.strides[d];
        rest /= type.getDimSize(d);
      }
      load(input.bytes, input.element, first,
           rank == 0 ? 0 : input.strides.back(), count, body.argument(i));
    }
    store(body.run(count), count, element, result.data() + at * width);
  }
  return result;
}

std::optional<std::vector<char>> qcc::evaluateConstant(Value tensor) {
  if (std::optional<ConstantData> data = ConstantData::get(tensor))
    return std::vector<char>(data->bytes.begin(), data->bytes.end());
  auto generic = tensor.getDefiningOp<linalg::GenericOp>();
  return generic ? evaluate(generic) : std::nullopt;
}
