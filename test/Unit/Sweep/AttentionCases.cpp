//===- AttentionCases.cpp - Attention of the sweep ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What surrounds the contractions of attention: softmax and normalization along
// rows or columns of any size, and projections that are split into heads and
// quantized.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Cases.h"

namespace qcc::sweep {

namespace {

/// linalg.generic on [rows, n] and on one of its dimensions, in f32.
class Plane {
public:
  Plane(Builder &b, const std::string &x, int64_t n, bool alongRows)
      : b(b), wide(tensorType({kRows, n}, "f32")),
        narrow(tensorType({alongRows ? n : kRows}, "f32")),
        narrowMap(std::string("affine_map<(m, n) -> (") +
                  (alongRows ? "n" : "m") + ")>") {
    std::string rows = b.op("tensor.dim " + x + ", " +
                            b.op("arith.constant 0 : index") + " : " + wide);
    wideEmpty = b.op("tensor.empty(" + rows + ") : " + wide);
    narrowEmpty = b.op("tensor.empty(" + (alongRows ? std::string() : rows) +
                       ") : " + narrow);
    reduction = alongRows ? "[\"reduction\", \"parallel\"]"
                          : "[\"parallel\", \"reduction\"]";
  }

  /// `body` computes %e from %a, an element of x, and %b, that of `other` in
  /// its row or column; then come the elements' combination and its start.
  std::string reduce(const std::string &x, const std::string &other,
                     const std::string &body, const std::string &combine,
                     const std::string &start) {
    std::string init =
        b.op("linalg.fill ins(" + b.op("arith.constant " + start + " : f32") +
             " : f32) outs(" + narrowEmpty + " : " + narrow + ") -> " + narrow);
    return b.op("linalg.generic {indexing_maps = [" + wideMap + ", " +
                narrowMap + ", " + narrowMap +
                "], iterator_types = " + reduction + "} ins(" + x + ", " +
                other + " : " + wide + ", " + narrow + ") outs(" + init +
                " : " + narrow + ") {\n  ^bb0(%a: f32, %b: f32, %acc: f32):\n" +
                body + "    %r = arith." + combine +
                " %acc, %e : f32\n    linalg.yield %r : f32\n  } -> " + narrow);
  }

  /// `body` computes %e.
  std::string map(const std::string &x, const std::string &other,
                  const std::string &body) {
    return b.op("linalg.generic {indexing_maps = [" + wideMap + ", " +
                narrowMap + ", " + wideMap +
                "], iterator_types = [\"parallel\", \"parallel\"]} ins(" + x +
                ", " + other + " : " + wide + ", " + narrow + ") outs(" +
                wideEmpty + " : " + wide +
                ") {\n  ^bb0(%a: f32, %b: f32, %o: f32):\n" + body +
                "    linalg.yield %e : f32\n  } -> " + wide);
  }

  /// Zeros, one for each row or column.
  std::string zeros() {
    return b.op("linalg.fill ins(" + b.op("arith.constant 0.0 : f32") +
                " : f32) outs(" + narrowEmpty + " : " + narrow + ") -> " +
                narrow);
  }

private:
  Builder &b;
  std::string wide, narrow, narrowMap, wideEmpty, narrowEmpty, reduction;
  const std::string wideMap = "affine_map<(m, n) -> (m, n)>";
};

} // namespace

static Program softmax(unsigned number) {
  Builder b("softmax", number);
  int64_t n = Builder::size(number, 7);
  std::string type = tensorType({kRows, n}, "f32");
  std::string x = b.argument(type, {Element::F32, {kRows, n}, -6, 6});
  Plane plane(b, x, n, b.choose(3) == 0);
  std::string same = "    %e = arith.addf %a, %b : f32\n";
  std::string max =
      plane.reduce(x, plane.zeros(), same, "maximumf", "0xFF800000");
  std::string exp = plane.map(x, max,
                              "    %d = arith.subf %a, %b : f32\n    %e = "
                              "math.exp %d : f32\n");
  std::string sum = plane.reduce(exp, plane.zeros(), same, "addf", "0.0");
  std::string y = plane.map(exp, sum, "    %e = arith.divf %a, %b : f32\n");
  if (b.choose(2)) {
    std::string out =
        tensorType({kRows, n}, spell(Quant{Element::U8, {1.0 / 255}}));
    y = b.op("qnn.quantize " + y + " : " + type + " -> " + out);
    type = out;
  }
  b.result(y, type);
  return b.finish();
}

static Program normalization(unsigned number) {
  Builder b("normalization", number);
  int64_t n = Builder::size(number, 11);
  std::string type = tensorType({kRows, n}, "f32");
  std::string x = b.argument(type, {Element::F32, {kRows, n}, -3, 3});
  Plane plane(b, x, n, b.choose(3) == 0);
  std::string size = "    %c = arith.constant " + std::to_string(n) +
                     ".0 : f32\n    %s = arith.divf %b, %c : f32\n";
  std::string sum = plane.reduce(
      x, plane.zeros(), "    %e = arith.addf %a, %b : f32\n", "addf", "0.0");
  std::string squares = plane.reduce(
      x, sum,
      size + "    %d = arith.subf %a, %s : f32\n    %e = arith.mulf %d, %d : "
             "f32\n",
      "addf", "1.0e-6");
  b.result(plane.map(x, squares,
                     size + "    %t = math.rsqrt %s : f32\n    %e = "
                            "arith.mulf %a, %t : f32\n"),
           type);
  return b.finish();
}

/// A projection, split into heads, quantized, and times itself.
static Program heads(unsigned number) {
  Builder b("heads", number);
  int64_t k = Builder::size(number, 5), h = 1 + b.choose(5),
          d = Builder::size(number, 3), n = h * d;
  Quant x = b.quant(0.03), w{Element::I8, {0.01}}, q = b.quant(0.04);
  auto op = [&](const std::string &name, const std::string &value,
                const std::string &from, const std::string &to) {
    return b.op(name + " " + value + " : " + from + " -> " + to);
  };
  std::string xType = tensorType({kRows, k}, "f32"),
              xQuant = tensorType({kRows, k}, spell(x)),
              wType = tensorType({n, k}, "f32"),
              wQuant = tensorType({n, k}, spell(w)),
              flat = tensorType({kRows, n}, "f32"),
              split = tensorType({kRows, h, d}, "f32"),
              moved = tensorType({h, kRows, d}, "f32"),
              quantized = tensorType({h, kRows, d}, spell(q)),
              scores = tensorType({h, kRows, kRows}, "f32");
  std::string input = b.argument(xType, {Element::F32, {kRows, k}, -4, 4});
  std::string rows = b.op("tensor.dim " + input + ", " +
                          b.op("arith.constant 0 : index") + " : " + xType);
  std::string weight = b.constant(wQuant, Element::I8, n * k, -128, 127);
  std::string y =
      b.op("qnn.linear " +
           op("qnn.dequantize", op("qnn.quantize", input, xType, xQuant),
              xQuant, xType) +
           ", " + op("qnn.dequantize", weight, wQuant, wType) + " : " + xType +
           ", " + wType + " -> " + flat);
  y = b.op("tensor.expand_shape " + y + " [[0], [1, 2]] output_shape [" + rows +
           ", " + std::to_string(h) + ", " + std::to_string(d) + "] : " + flat +
           " into " + split);
  std::string empty = b.op("tensor.empty(" + rows + ") : " + moved);
  y = b.op("linalg.transpose ins(" + y + " : " + split + ") outs(" + empty +
           " : " + moved + ") permutation = [1, 0, 2]");
  y = op("qnn.quantize", y, moved, quantized);
  if (b.choose(2)) {
    b.result(y, quantized);
    return b.finish();
  }
  y = op("qnn.dequantize", y, quantized, moved);
  b.result(b.op("qnn.matmul " + y + ", " + y + " {transpose_rhs} : " + moved +
                ", " + moved + " -> " + scores),
           scores);
  return b.finish();
}

std::vector<Program> makeAttention() {
  std::vector<Program> programs;
  for (unsigned i = 0; i < 14; ++i) {
    programs.push_back(softmax(i));
    programs.push_back(normalization(i));
    programs.push_back(heads(i));
  }
  return programs;
}

} // namespace qcc::sweep
