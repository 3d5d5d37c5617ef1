//===- FoldNumbers.cpp - Arithmetic of a few constants --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldNumbers.h"
#include "../Builder/Constants.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

/// The most elements that are computed; shapes have fewer.
static constexpr int64_t kMostNumbers = 16;
/// Integers below are exact in float32 and binary64 alike.
static constexpr double kMostInteger = 1 << 24;

std::optional<SmallVector<double>> onnx::readNumbers(GraphValue &x) {
  auto type = dyn_cast<FloatType>(x.element);
  if (!x.constant || x.rank() > 1 || !type ||
      cast<RankedTensorType>(x.constant.getType()).getNumElements() >
          kMostNumbers)
    return std::nullopt;
  std::optional<ConstantData> data = ConstantData::get(x.constant);
  if (!data)
    return std::nullopt;
  SmallVector<double> numbers;
  size_t width = type.getWidth() / 8;
  for (size_t at = 0; at < data->bytes.size(); at += width) {
    uint64_t bits = 0;
    std::memcpy(&bits, data->bytes.data() + at, width);
    APFloat number(type.getFloatSemantics(), APInt(type.getWidth(), bits));
    bool isInexact = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &isInexact);
    numbers.push_back(number.convertToDouble());
  }
  return numbers;
}

/// Whether folding gives the bits that a program computes for elements of a
/// type.
static bool isEvaluated(Type element) {
  return element.isF32() || element.isF64();
}

/// A constant of numbers, each rounded once to the type.
static GraphValue makeNumbers(NodeImporter &n, ArrayRef<double> numbers,
                              bool isScalar, Type element) {
  SmallVector<int64_t> shape;
  if (!isScalar)
    shape.push_back(numbers.size());
  SmallVector<Attribute> elements;
  for (double number : numbers)
    elements.push_back(
        isa<FloatType>(element)
            ? Attribute(n.b.getFloatAttr(element, number))
            : n.b.getIntegerAttr(element, static_cast<int64_t>(number)));
  return Constants::toValue(
      n.b,
      DenseElementsAttr::get(RankedTensorType::get(shape, element), elements));
}

/// Computes in binary64. Rounded to float32, these results are those of
/// float32.
static std::optional<double> evaluate(StringRef op, double x, double y) {
  if (op == "Add")
    return x + y;
  if (op == "Sub")
    return x - y;
  if (op == "Mul" || (op == "Pow" && y == 1))
    return x * y;
  if (op == "Div")
    return x / y;
  if (op == "Pow" && y == 2)
    return x * x;
  if (op == "Sqrt" || (op == "Pow" && y == 0.5))
    return std::sqrt(x);
  if (op == "Ceil")
    return std::ceil(x);
  if (op == "Floor")
    return std::floor(x);
  if (op == "Round")
    return std::nearbyint(x);
  if (op == "Neg")
    return -x;
  return std::nullopt;
}

std::optional<GraphValue> onnx::foldNumbers(NodeImporter &n) {
  if (!isEvaluated(n.in(0).element))
    return std::nullopt;
  std::optional<SmallVector<double>> x = readNumbers(n.in(0)), y = x;
  bool isScalar = n.in(0).rank() == 0;
  if (n.numInputs() > 1) {
    if (n.in(1).element != n.in(0).element)
      return std::nullopt;
    y = readNumbers(n.in(1));
    isScalar &= n.in(1).rank() == 0;
  }
  if (!x || !y || x->empty() || y->empty() ||
      (x->size() != y->size() && x->size() != 1 && y->size() != 1))
    return std::nullopt;
  SmallVector<double> results;
  for (size_t i = 0, e = std::max(x->size(), y->size()); i < e; ++i) {
    std::optional<double> result = evaluate(
        n.op(), (*x)[x->size() == 1 ? 0 : i], (*y)[y->size() == 1 ? 0 : i]);
    if (!result)
      return std::nullopt;
    results.push_back(*result);
  }
  return makeNumbers(n, results, isScalar, n.in(0).element);
}

std::optional<GraphValue> onnx::foldCast(NodeImporter &n, Type type) {
  GraphValue &x = n.in(0);
  SmallVector<double> numbers;
  if (isEvaluated(type)) {
    if (x.rank() > 1 || !n.knowsIntegers(x) ||
        x.integers->size() > kMostNumbers)
      return std::nullopt;
    for (OpFoldResult integer : *x.integers) {
      std::optional<int64_t> known = knownSize(integer);
      if (!known || std::abs(static_cast<double>(*known)) > kMostInteger)
        return std::nullopt;
      numbers.push_back(static_cast<double>(*known));
    }
  } else if (type.isSignlessInteger(64) || type.isSignlessInteger(32)) {
    std::optional<SmallVector<double>> floats = readNumbers(x);
    if (!floats || !isEvaluated(x.element))
      return std::nullopt;
    for (double number : *floats) {
      if (!(std::abs(number) <= kMostInteger))
        return std::nullopt;
      numbers.push_back(std::trunc(number));
    }
  }
  if (numbers.empty())
    return std::nullopt;
  return makeNumbers(n, numbers, x.rank() == 0, type);
}
