//===- Program.cpp - The text of a program --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix products are ops of the qnn dialect. Convolutions are linalg on stored
// integers, step by step what qnn.linear means (docs/Numerics.md, N6).
//
//===----------------------------------------------------------------------===//

#include "Problem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace qcc;
using namespace qcc::bench;

//===----------------------------------------------------------------------===//
// Numbers and types
//===----------------------------------------------------------------------===//

/// Nine digits name a float exactly.
static std::string text(float value) { return llvm::formatv("{0:e8}", value); }

static std::string numberText(int64_t value) { return std::to_string(value); }

/// "1, 2, 3"
template <typename List, typename Function>
static std::string list(const List &values, Function toText) {
  return llvm::join(llvm::map_range(values, toText), ", ");
}

/// A quantized type with one scale.
static std::string quantized(const char *storage, float scale) {
  return llvm::formatv("!quant.uniform<{0}:f32, {1}>", storage, text(scale));
}

/// A quantized type with scales along an axis.
static std::string quantized(const char *storage, int64_t axis,
                             llvm::ArrayRef<float> scales) {
  return llvm::formatv("!quant.uniform<{0}:f32:{1}, {{{2}}>", storage, axis,
                       list(scales, text));
}

static std::string tensor(llvm::ArrayRef<int64_t> sizes,
                          const std::string &element) {
  std::string type = "tensor<";
  for (int64_t size : sizes)
    type += std::to_string(size) + "x";
  return type + element + ">";
}

/// "[1, 2, 3]", or of several lists "[[1, 2], [3, 4]]".
template <typename T, typename Function>
static std::string elements(llvm::ArrayRef<T> values, int64_t lists,
                            Function toText) {
  if (lists == 1)
    return "[" + list(values, toText) + "]";
  std::string text;
  for (size_t size = values.size() / lists; !values.empty();
       values = values.drop_front(size))
    text += (text.empty() ? "" : ", ") +
            elements(values.take_front(size), 1, toText);
  return "[" + text + "]";
}

static std::string elements(llvm::ArrayRef<int32_t> values, int64_t lists = 1) {
  return elements(values, lists, numberText);
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// A product with weights, or of two activations.
static std::string matrixBody(const Problem &problem, const Shape &shape,
                              llvm::StringRef name, const std::string &x,
                              const std::string &y) {
  if (!shape.hasWeights())
    return llvm::formatv(
        "  %y = qnn.matmul %x, %z{0} : {1}, {2} -> {3}\n",
        shape.matrix()->transposeRhs ? " {transpose_rhs}" : "", x,
        tensor(shape.rhsShape(), quantized("i8", problem.rhsScale)), y);
  std::string w =
      tensor(shape.rhsShape(), quantized("i8", 0, problem.weightScales));
  return llvm::formatv(
      R"(  %w = arith.constant dense_resource<{0}_w> : {1}
  %b = arith.constant dense<{2}> : {3}
  %y = qnn.linear %x, %w bias(%b : {3}) {{clamp_min = 0.000000e+00 : f32}
    : {4}, {1} -> {5}
)",
      name, w, elements(problem.bias), tensor({shape.columns()}, "i32"), x, y);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// Writes the body of a convolution over the loops n, y, x, g, f, i, j and c:
/// image, row and column of the result, group, output channel of the group, row
/// and column of the window, input channel of the group. With a single group
/// there is no g; where each group has a single channel there is no f or c.
class ConvolutionText {
public:
  ConvolutionText(const Problem &problem, const ConvolutionShape &shape)
      : problem(problem), shape(shape),
        paddedSizes{shape.n, shape.paddedHeight(), shape.paddedWidth(),
                    shape.c},
        resultSizes(Shape(shape).resultShape()) {}

  /// From %x of type `x` to %y of type `y`.
  std::string write(llvm::StringRef name, const std::string &x,
                    const std::string &y);

private:
  void addInput(const std::string &x);
  void addSums(llvm::StringRef name);
  void addEpilogue();

  bool hasLoop(llvm::StringRef expression) const;
  std::vector<std::string>
  present(std::initializer_list<std::string> expressions) const;
  std::string map(std::initializer_list<std::string> loops,
                  std::initializer_list<std::string> results) const;
  std::vector<int64_t> grouped(std::vector<int64_t> sizes) const;
  /// A list for each group, or one of all channels.
  int64_t channelLists() const {
    return hasLoop("g") && hasLoop("f") ? shape.groups : 1;
  }
  void regroup(const char *op, const std::vector<int64_t> &from,
               const std::vector<int64_t> &to, const char *name);

  const Problem &problem;
  const ConvolutionShape &shape;
  std::vector<int64_t> paddedSizes, resultSizes;
  std::string text;
  /// The last value that was written.
  const char *value = nullptr;
};
} // namespace

bool ConvolutionText::hasLoop(llvm::StringRef expression) const {
  bool isGrouped = shape.groups > 1;
  if (expression == "g")
    return isGrouped;
  if (expression == "f")
    return !isGrouped || shape.f > shape.groups;
  return expression != "c" || !isGrouped || shape.c > shape.groups;
}

/// The expressions that are left once loops that do not exist are dropped.
std::vector<std::string>
ConvolutionText::present(std::initializer_list<std::string> expressions) const {
  std::vector<std::string> result;
  llvm::copy_if(expressions, std::back_inserter(result),
                [&](const std::string &text) { return hasLoop(text); });
  return result;
}

std::string
ConvolutionText::map(std::initializer_list<std::string> loops,
                     std::initializer_list<std::string> results) const {
  return llvm::formatv("affine_map<({0}) -> ({1})>",
                       llvm::join(present(loops), ", "),
                       llvm::join(present(results), ", "));
}

/// Sizes, the last of which counts channels, with a size for each of its loops.
std::vector<int64_t>
ConvolutionText::grouped(std::vector<int64_t> sizes) const {
  if (shape.groups == 1)
    return sizes;
  int64_t perGroup = sizes.back() / shape.groups;
  sizes.back() = shape.groups;
  if (perGroup > 1)
    sizes.push_back(perGroup);
  return sizes;
}

/// Takes the channels of the value apart, or together, if that changes sizes.
void ConvolutionText::regroup(const char *op, const std::vector<int64_t> &from,
                              const std::vector<int64_t> &to,
                              const char *name) {
  if (from == to)
    return;
  std::string sizes;
  if (to.size() > from.size())
    sizes = " output_shape [" + list(to, numberText) + "]";
  text += llvm::formatv(
      "  {0} = tensor.{1} {2} [[0], [1], [2], [3, 4]]{3} : {4} into {5}\n",
      name, op, value, sizes, tensor(from, "i8"), tensor(to, "i8"));
  value = name;
}

/// "\"parallel\", \"reduction\""
static std::string iterators(size_t parallel, size_t reductions) {
  std::vector<std::string> names(parallel, "\"parallel\"");
  names.resize(parallel + reductions, "\"reduction\"");
  return llvm::join(names, ", ");
}

/// The stored integers, padded and in groups.
void ConvolutionText::addInput(const std::string &x) {
  std::string stored = tensor(Shape(shape).lhsShape(), "i8");
  std::string padded = tensor(paddedSizes, "i8");
  text += llvm::formatv("  %stored = quant.scast %x : {0} to {1}\n", x, stored);
  value = "%stored";
  if (shape.isPadded()) {
    text += llvm::formatv(
        R"(  %zero = arith.constant 0 : i8
  %padded = tensor.pad %stored low[0, {0}, {1}, 0] high[0, {2}, {3}, 0] {{
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : i8
  } : {4} to {5}
)",
        shape.top, shape.left, shape.bottom, shape.right, stored, padded);
    value = "%padded";
  }
  regroup("expand_shape", paddedSizes, grouped(paddedSizes), "%grouped");
}

/// The sums of products, from the biases on.
void ConvolutionText::addSums(llvm::StringRef name) {
  std::string sums = tensor(grouped(resultSizes), "i32");
  std::string bias = tensor(grouped({shape.f}), "i32");
  std::vector<int64_t> weightSizes = grouped({shape.f});
  weightSizes.insert(weightSizes.end(), {shape.kh, shape.kw});
  if (hasLoop("c"))
    weightSizes.push_back(shape.c / shape.groups);
  std::string weights = tensor(weightSizes, "i8");
  text += llvm::formatv(
      R"(  %k = arith.constant dense_resource<{0}_w> : {1}
  %b = arith.constant dense<{2}> : {3}
  %none = tensor.empty() : {4}
  %init = linalg.broadcast ins(%b : {3}) outs(%none : {4}) dimensions = [0, 1, 2]
)",
      name, weights, elements(problem.bias, channelLists()), bias, sums);

  std::initializer_list<std::string> loops{"n", "y", "x", "g",
                                           "f", "i", "j", "c"};
  auto window = [&](const char *pixel, const char *element) -> std::string {
    return llvm::formatv("{0} * {1} + {2} * {3}", pixel, shape.stride, element,
                         shape.dilation);
  };
  std::string windows =
      map(loops, {"n", window("y", "i"), window("x", "j"), "g", "c"});
  text += llvm::formatv(
      R"(  %sums = linalg.generic {{
    indexing_maps = [{0},
                     {1},
                     {2}],
    iterator_types = [{3}]}
    ins({4}, %k : {5}, {6}) outs(%init : {7}) {{
  ^bb0(%a: i8, %w: i8, %acc: i32):
    %a32 = arith.{8} %a : i8 to i32
    %w32 = arith.extsi %w : i8 to i32
    %product = arith.muli %a32, %w32 : i32
    %sum = arith.addi %acc, %product : i32
    linalg.yield %sum : i32
  } -> {7}
)",
      windows, map(loops, {"g", "f", "i", "j", "c"}),
      map(loops, {"n", "y", "x", "g", "f"}),
      iterators(grouped(resultSizes).size(), hasLoop("c") ? 3 : 2), value,
      tensor(grouped(paddedSizes), "i8"), weights, sums,
      problem.isUnsigned ? "extui" : "extsi");
  value = "%sums";
}

/// The sums scaled, at least 0, saturated and rounded, as stored integers.
void ConvolutionText::addEpilogue() {
  std::vector<float> factors;
  for (float scale : problem.weightScales)
    factors.push_back(problem.lhsScale * scale / problem.resultScale);
  std::string stored = tensor(grouped(resultSizes), "i8");
  std::initializer_list<std::string> loops{"n", "y", "x", "g", "f"};
  text += llvm::formatv(
      R"(  %m = arith.constant dense<{0}> : {1}
  %out = tensor.empty() : {2}
  %low = arith.constant 0.000000e+00 : f32
  %high = arith.constant {3} : f32
  %quantized = linalg.generic {{
    indexing_maps = [{4}, {5}, {4}],
    iterator_types = [{6}]}
    ins({7}, %m : {8}, {1}) outs(%out : {2}) {{
  ^bb0(%acc: i32, %factor: f32, %old: i8):
    %real = arith.sitofp %acc : i32 to f32
    %scaled = arith.mulf %real, %factor : f32
    %positive = arith.maximumf %scaled, %low : f32
    %bounded = arith.minimumf %positive, %high : f32
    %rounded = math.roundeven %bounded : f32
    %wide = arith.fptosi %rounded : f32 to i32
    %byte = arith.trunci %wide : i32 to i8
    linalg.yield %byte : i8
  } -> {2}
)",
      elements<float>(factors, channelLists(), ::text),
      tensor(grouped({shape.f}), "f32"), stored,
      ::text(problem.isUnsigned ? 255.0f : 127.0f), map(loops, loops),
      map(loops, {"g", "f"}), iterators(grouped(resultSizes).size(), 0), value,
      tensor(grouped(resultSizes), "i32"));
  value = "%quantized";
  regroup("collapse_shape", grouped(resultSizes), resultSizes, "%joined");
}

std::string ConvolutionText::write(llvm::StringRef name, const std::string &x,
                                   const std::string &y) {
  addInput(x);
  addSums(name);
  addEpilogue();
  text += llvm::formatv("  %y = quant.scast {0} : {1} to {2}\n", value,
                        tensor(resultSizes, "i8"), y);
  return std::move(text);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

std::string Problem::program(const Shape &part, llvm::StringRef name) const {
  const char *activation = isUnsigned ? "u8" : "i8";
  std::string x = tensor(part.lhsShape(), quantized(activation, lhsScale));
  std::string y =
      tensor(part.resultShape(), quantized(activation, resultScale));
  std::string parameters = "%x: " + x;
  if (!part.hasWeights())
    parameters += ", %z: " + tensor(part.rhsShape(), quantized("i8", rhsScale));
  std::string body =
      part.matrix()
          ? matrixBody(*this, part, name, x, y)
          : ConvolutionText(*this, *part.convolution()).write(name, x, y);
  return llvm::formatv(
      "func.func @{0}({1}) -> {2} {{\n{3}  return %y : {2}\n}\n", name,
      parameters, y, body);
}
