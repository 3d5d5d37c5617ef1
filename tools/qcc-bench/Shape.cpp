//===- Shape.cpp - Shapes of benchmarks -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shape.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace qcc;
using namespace qcc::bench;

static constexpr std::pair<DataType, const char *> kDataTypes[] = {
    {DataType::S8, "s8"}, {DataType::U8, "u8"}, {DataType::F32, "f32"}};

const char *bench::nameOfType(DataType type) {
  for (auto [known, name] : kDataTypes)
    if (known == type)
      return name;
  return "";
}

std::optional<DataType> bench::dataTypeOf(std::string_view name) {
  for (auto [known, itsName] : kDataTypes)
    if (name == itsName)
      return known;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// "56x56x64"
static std::string times(llvm::ArrayRef<int64_t> sizes) {
  return llvm::join(
      llvm::map_range(sizes, [](int64_t size) { return std::to_string(size); }),
      "x");
}

static std::string nameOf(const MatrixShape &shape) {
  std::string text = times({shape.m, shape.n, shape.k});
  if (shape.batch)
    text = std::to_string(shape.batch) + "x" + text;
  return text + (shape.transposeRhs ? "t" : "");
}

/// What is not there has its usual value: 1 image, stride and dilation 1, no
/// padding, 1 group.
static std::string nameOf(const ConvolutionShape &shape) {
  std::string text = times({shape.h, shape.w, shape.c}) + "-" +
                     std::to_string(shape.f) + "k" + std::to_string(shape.kh);
  if (shape.n != 1)
    text = std::to_string(shape.n) + "x" + text;
  if (shape.kw != shape.kh)
    text += "x" + std::to_string(shape.kw);
  if (shape.stride != 1)
    text += "s" + std::to_string(shape.stride);
  if (shape.dilation != 1)
    text += "d" + std::to_string(shape.dilation);
  if (shape.top != shape.bottom || shape.top != shape.left ||
      shape.top != shape.right)
    text += "p" + times({shape.top, shape.bottom, shape.left, shape.right});
  else if (shape.top)
    text += "p" + std::to_string(shape.top);
  if (shape.groups != 1)
    text += "g" + std::to_string(shape.groups);
  return text;
}

std::string Shape::name() const {
  return std::visit([](const auto &shape) { return nameOf(shape); }, kind);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

double Shape::operations() const {
  double count = 2.0 * double(reduction());
  for (int64_t size : resultShape())
    count *= double(size);
  return count;
}

bool Shape::hasWeights() const { return convolution() || !matrix()->batch; }

int64_t Shape::columns() const {
  return matrix() ? matrix()->n : convolution()->f;
}

int64_t Shape::reduction() const {
  if (const MatrixShape *shape = matrix())
    return shape->k;
  const ConvolutionShape &shape = *convolution();
  return shape.kh * shape.kw * (shape.c / shape.groups);
}

int64_t Shape::batches() const { return hasWeights() ? 1 : matrix()->batch; }

int64_t Shape::rows() const {
  if (const MatrixShape *shape = matrix())
    return shape->m;
  return convolution()->n * convolution()->resultHeight();
}

Shape Shape::withRows(int64_t count) const {
  Shape result = *this;
  if (auto *shape = std::get_if<MatrixShape>(&result.kind)) {
    shape->m = count;
    return result;
  }
  // Images that are as high as the window.
  auto &shape = std::get<ConvolutionShape>(result.kind);
  shape.n = count;
  shape.h = shape.windowHeight();
  shape.top = shape.bottom = 0;
  return result;
}

Shape Shape::roundedUp(int64_t outer, int64_t inner) const {
  Shape result = *this;
  if (auto *shape = std::get_if<MatrixShape>(&result.kind)) {
    shape->m = llvm::alignTo(shape->m, outer);
    shape->n = llvm::alignTo(shape->n, outer);
    shape->k = llvm::alignTo(shape->k, inner);
    return result;
  }
  auto &shape = std::get<ConvolutionShape>(result.kind);
  int64_t perGroup = shape.f / shape.groups;
  if (shape.groups > 1 && shape.groups == shape.c) {
    // A depthwise convolution has one group for each channel, however many.
    shape.c = shape.groups = llvm::alignTo(shape.c, inner);
    shape.f = shape.groups * perGroup;
    return result;
  }
  shape.c = shape.groups * llvm::alignTo(shape.c / shape.groups, inner);
  shape.f = shape.groups * llvm::alignTo(perGroup, outer);
  return result;
}

std::vector<int64_t> Shape::lhsShape() const {
  if (const ConvolutionShape *shape = convolution())
    return {shape->n, shape->h, shape->w, shape->c};
  const MatrixShape &shape = *matrix();
  if (shape.batch)
    return {shape.batch, shape.m, shape.k};
  return {shape.m, shape.k};
}

std::vector<int64_t> Shape::rhsShape() const {
  if (const ConvolutionShape *shape = convolution())
    return {shape->f, shape->kh, shape->kw, shape->c / shape->groups};
  const MatrixShape &shape = *matrix();
  if (!shape.batch)
    return {shape.n, shape.k};
  if (shape.transposeRhs)
    return {shape.batch, shape.n, shape.k};
  return {shape.batch, shape.k, shape.n};
}

std::vector<int64_t> Shape::resultShape() const {
  if (const ConvolutionShape *shape = convolution())
    return {shape->n, shape->resultHeight(), shape->resultWidth(), shape->f};
  const MatrixShape &shape = *matrix();
  if (shape.batch)
    return {shape.batch, shape.m, shape.n};
  return {shape.m, shape.n};
}
