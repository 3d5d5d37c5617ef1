//===- Program.cpp - The text of a program --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix products and convolutions are ops of the qnn dialect.
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

namespace {
/// The types of elements of a program, and its bias as text.
struct Elements {
  std::string lhs, rhs, result, bias, biasValues;

  static Elements of(const Problem &problem);
};
} // namespace

Elements Elements::of(const Problem &problem) {
  if (problem.isOfFloats())
    return {"f32", "f32", "f32", "f32",
            "[" + list(problem.realBias, text) + "]"};
  const char *activation = problem.isUnsigned() ? "u8" : "i8";
  return {quantized(activation, problem.lhsScale),
          problem.shape.hasWeights() ? quantized("i8", 0, problem.weightScales)
                                     : quantized("i8", problem.rhsScale),
          quantized(activation, problem.resultScale), "i32",
          "[" + list(problem.bias, numberText) + "]"};
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// A product with weights, or of two activations.
static std::string matrixBody(const Elements &types, const Shape &shape,
                              llvm::StringRef name, const std::string &x,
                              const std::string &y) {
  if (!shape.hasWeights())
    return llvm::formatv("  %y = qnn.matmul %x, %z{0} : {1}, {2} -> {3}\n",
                         shape.matrix()->transposeRhs ? " {transpose_rhs}" : "",
                         x, tensor(shape.rhsShape(), types.rhs), y);
  std::string w = tensor(shape.rhsShape(), types.rhs);
  return llvm::formatv(
      R"(  %w = arith.constant dense_resource<{0}_w> : {1}
  %b = arith.constant dense<{2}> : {3}
  %y = qnn.linear %x, %w bias(%b : {3}) {{clamp_min = 0.000000e+00 : f32}
    : {4}, {1} -> {5}
)",
      name, w, types.biasValues, tensor({shape.columns()}, types.bias), x, y);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

static std::string convolutionBody(const Elements &types,
                                   const ConvolutionShape &shape,
                                   llvm::StringRef name, const std::string &x,
                                   const std::string &y) {
  std::string w =
      tensor({shape.f, shape.kh, shape.kw, shape.c / shape.groups}, types.rhs);
  return llvm::formatv(
      R"(  %w = arith.constant dense_resource<{0}_w> : {1}
  %b = arith.constant dense<{2}> : {3}
  %y = qnn.conv2d %x, %w bias(%b : {3}) {{
    strides = array<i64: {4}, {4}>, dilations = array<i64: {5}, {5}>,
    padding = array<i64: {6}, {7}, {8}, {9}>, groups = {10} : i64,
    clamp_min = 0.000000e+00 : f32} : {11}, {1} -> {12}
)",
      name, w, types.biasValues, tensor({shape.f}, types.bias), shape.stride,
      shape.dilation, shape.top, shape.bottom, shape.left, shape.right,
      shape.groups, x, y);
}

/// qnn has no convolutions of real numbers: one of linalg, with a dimension for
/// the groups. The chains start from the bias.
static std::string realConvolutionBody(const Elements &types,
                                       const ConvolutionShape &shape,
                                       llvm::StringRef name,
                                       const std::string &x,
                                       const std::string &y) {
  int64_t g = shape.groups, c = shape.c / g, f = shape.f / g;
  int64_t height = shape.paddedHeight(), width = shape.paddedWidth();
  int64_t rows = shape.resultHeight(), columns = shape.resultWidth();
  std::string image = tensor({shape.n, height, width, g, c}, "f32");
  std::string weight = tensor({g, f, shape.kh, shape.kw, c}, "f32");
  std::string result = tensor({shape.n, rows, columns, g, f}, "f32");
  std::string padded = tensor({shape.n, height, width, shape.c}, "f32");
  std::string bias = tensor({g, f}, "f32"), flat = tensor({shape.f}, "f32");
  std::string w = tensor({shape.f, shape.kh, shape.kw, c}, types.rhs);
  std::string text = llvm::formatv(
      R"(  %w = arith.constant dense_resource<{0}_w> : {1}
  %b = arith.constant dense<{2}> : {3}
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, {4}, {5}, 0] high[0, {6}, {7}, 0] {{
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : {8} to {9}
)",
      name, w, types.biasValues, flat, shape.top, shape.left, shape.bottom,
      shape.right, x, padded);
  text += llvm::formatv(
      R"(  %image = tensor.expand_shape %p [[0], [1], [2], [3, 4]] output_shape [{0}, {1}, {2}, {3}, {4}] : {5} into {6}
  %weight = tensor.expand_shape %w [[0, 1], [2], [3], [4]] output_shape [{3}, {7}, {8}, {9}, {4}] : {10} into {11}
  %bias = tensor.expand_shape %b [[0, 1]] output_shape [{3}, {7}] : {12} into {13}
)",
      shape.n, height, width, g, c, padded, image, f, shape.kh, shape.kw, w,
      weight, flat, bias);
  text += llvm::formatv(
      R"(  %e = tensor.empty() : {0}
  %init = linalg.broadcast ins(%bias : {1}) outs(%e : {0}) dimensions = [0, 1, 2]
  %sum = linalg.generic {{indexing_maps = [
      affine_map<(n, h, w, g, f, i, j, c) -> (n, h * {2} + i * {3}, w * {2} + j * {3}, g, c)>,
      affine_map<(n, h, w, g, f, i, j, c) -> (g, f, i, j, c)>,
      affine_map<(n, h, w, g, f, i, j, c) -> (n, h, w, g, f)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel",
                      "reduction", "reduction", "reduction"]}
    ins(%image, %weight : {4}, {5}) outs(%init : {0}) {{
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %next = math.fma %l, %r, %acc : f32
    linalg.yield %next : f32
  } -> {0}
  %relu = linalg.generic {{indexing_maps = [
      affine_map<(n, h, w, g, f) -> (n, h, w, g, f)>,
      affine_map<(n, h, w, g, f) -> (n, h, w, g, f)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%sum : {0}) outs(%e : {0}) {{
  ^bb0(%v: f32, %out: f32):
    %m = arith.maximumf %v, %zero : f32
    linalg.yield %m : f32
  } -> {0}
  %y = tensor.collapse_shape %relu [[0], [1], [2], [3, 4]] : {0} into {6}
)",
      result, bias, shape.stride, shape.dilation, image, weight, y);
  return text;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

std::string Problem::program(const Shape &part, llvm::StringRef name) const {
  Elements types = Elements::of(*this);
  std::string x = tensor(part.lhsShape(), types.lhs);
  std::string y = tensor(part.resultShape(), types.result);
  std::string parameters = "%x: " + x;
  if (!part.hasWeights())
    parameters += ", %z: " + tensor(part.rhsShape(), types.rhs);
  std::string body =
      part.matrix() ? matrixBody(types, part, name, x, y)
      : isOfFloats()
          ? realConvolutionBody(types, *part.convolution(), name, x, y)
          : convolutionBody(types, *part.convolution(), name, x, y);
  return llvm::formatv(
      "func.func @{0}({1}) -> {2} {{\n{3}  return %y : {2}\n}\n", name,
      parameters, y, body);
}
