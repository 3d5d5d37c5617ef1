//===- ProgramCases.cpp - Small programs of the sweep ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What users write around a contraction: Q/DQ pairs in several ways, and plain
// linalg on integers with a float epilogue, with a residual, and with several
// uses of one accumulator.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Cases.h"

namespace qcc::sweep {

namespace {

/// Shorthand for elementwise ops on [rows, n] written as linalg.generic.
class Generic {
public:
  Generic(Builder &b, int64_t n, const std::string &rowsOf,
          const std::string &rowsType)
      : b(b), n(n) {
    rows = b.op("tensor.dim " + rowsOf + ", " +
                b.op("arith.constant 0 : index") + " : " + rowsType);
  }

  std::string type(const std::string &element) const {
    return tensorType({kRows, n}, element);
  }

  std::string empty(const std::string &element) {
    return b.op("tensor.empty(" + rows + ") : " + type(element));
  }

  std::string zeros(const std::string &element) {
    std::string zero = b.op(std::string("arith.constant ") +
                            (element == "i32" ? "0" : "0.0") + " : " + element);
    return b.op("linalg.fill ins(" + zero + " : " + element + ") outs(" +
                empty(element) + " : " + type(element) + ") -> " +
                type(element));
  }

  struct Operand {
    std::string value, element;
    bool perColumn = false; // [n] instead of [rows, n]
  };

  /// `body` computes %r from %a0, %a1, ...
  std::string apply(const std::vector<Operand> &operands,
                    const std::string &element, const std::string &body) {
    std::string maps, values, types, arguments;
    for (size_t i = 0; i < operands.size(); ++i) {
      const Operand &operand = operands[i];
      std::string comma = i ? ", " : "";
      maps += operand.perColumn ? "affine_map<(m, n) -> (n)>, "
                                : "affine_map<(m, n) -> (m, n)>, ";
      values += comma + operand.value;
      types += comma + (operand.perColumn ? tensorType({n}, operand.element)
                                          : type(operand.element));
      arguments += "%a" + std::to_string(i) + ": " + operand.element + ", ";
    }
    return b.op("linalg.generic {indexing_maps = [" + maps +
                "affine_map<(m, n) -> (m, n)>], iterator_types = "
                "[\"parallel\", \"parallel\"]} ins(" +
                values + " : " + types + ") outs(" + empty(element) + " : " +
                type(element) + ") {\n  ^bb0(" + arguments + "%out: " +
                element + "):\n" + body + "    linalg.yield %r : " + element +
                "\n  } -> " + type(element));
  }

private:
  Builder &b;
  int64_t n;
  std::string rows;
};

} // namespace

/// A float network around one linear layer of dequantized values (N3, N4).
static Program quantizeDequantize(unsigned number) {
  Builder b("qdq", number);
  int64_t k = Builder::size(number, 7), n = Builder::size(number, 5);
  Quant x = b.quant(b.scale(0.01, 0.05)), w = b.quant(b.scale(0.001, 0.01));
  w.zeroPoint = b.pick({0, w.zeroPoint});
  double typical = 74.0 * 74.0 * 6 * x.scales[0] * w.scales[0];
  std::string boundary = b.pick({"f32", "f32", "f16"});
  std::string xType = tensorType({kRows, k}, boundary);
  std::string xReal = tensorType({kRows, k}, "f32");
  std::string xQuant = tensorType({kRows, k}, spell(x));
  double limit = 150 * x.scales[0];
  std::string input =
      b.argument(xType, {boundary == "f32" ? Element::F32 : Element::F16,
                         {kRows, k},
                         -limit,
                         limit});
  std::string xq =
      b.op("qnn.quantize " + input + " : " + xType + " -> " + xQuant);
  std::string xd =
      b.op("qnn.dequantize " + xq + " : " + xQuant + " -> " + xReal);
  Generic generic(b, n, input, xType);

  bool asLinear = b.choose(2);
  Shape wShape = asLinear ? Shape{n, k} : Shape{k, n};
  if (b.choose(2)) {
    w.axis = asLinear ? 0 : 1;
    for (int64_t c = 1; c < n; ++c)
      w.scales.push_back(b.scale(0.001, 0.01));
  }
  std::string wQuant = tensorType(wShape, spell(w)),
              wReal = tensorType(wShape, "f32");
  std::string weight = b.constant(wQuant, w.storage, n * k, lowestOf(w.storage),
                                  highestOf(w.storage));
  std::string wd =
      b.op("qnn.dequantize " + weight + " : " + wQuant + " -> " + wReal);
  std::string biasType = tensorType({n}, "f32"), yType = generic.type("f32");
  std::string bias = b.constant(biasType, Element::F32, n, -typical, typical);
  std::string y;
  if (asLinear) {
    bool inOp = b.choose(2);
    y = b.op("qnn.linear " + xd + ", " + wd +
             (inOp ? " bias(" + bias + " : " + biasType + ")" : "") + " : " +
             xReal + ", " + wReal + " -> " + yType);
    if (inOp)
      bias.clear();
  } else {
    y = b.op("linalg.matmul ins(" + xd + ", " + wd + " : " + xReal + ", " +
             wReal + ") outs(" + generic.zeros("f32") + " : " + yType +
             ") -> " + yType);
  }
  if (!bias.empty())
    y = generic.apply({{y, "f32"}, {bias, "f32", true}}, "f32",
                      "    %r = arith.addf %a0, %a1 : f32\n");
  if (b.choose(2))
    y = generic.apply({{y, "f32"}}, "f32",
                      "    %z = arith.constant 0.0 : f32\n    %r = "
                      "arith.maximumf %a0, %z : f32\n");
  if (b.choose(2)) {
    std::string out = generic.type(spell(b.quant(typical / 60)));
    b.result(b.op("qnn.quantize " + y + " : " + yType + " -> " + out), out);
  } else {
    b.result(y, yType);
  }
  return b.finish();
}

/// Floats that were never quantized: a literal contraction and a literal chain.
static Program literal(unsigned number) {
  Builder b("literal", number);
  int64_t k = Builder::size(number, 5), n = Builder::size(number, 11);
  std::string xType = tensorType({kRows, k}, "f32"),
              wType = tensorType({k, n}, "f32");
  std::string x = b.argument(xType, {Element::F32, {kRows, k}, -2, 2});
  Generic generic(b, n, x, xType);
  std::string w = b.constant(wType, Element::F32, n * k, -1, 1);
  std::string yType = generic.type("f32");
  std::string y =
      b.op("linalg.matmul ins(" + x + ", " + w + " : " + xType + ", " + wType +
           ") outs(" + generic.zeros("f32") + " : " + yType + ") -> " + yType);
  std::string function = b.pick(
      {"math.exp", "math.tanh", "math.erf", "math.absf", "math.roundeven"});
  y = generic.apply({{y, "f32"}}, "f32",
                    "    %t = arith.mulf %a0, %a0 : f32\n    %u = arith.addf "
                    "%t, %a0 : f32\n    %r = " +
                        function + " %u : f32\n");
  b.result(y, yType);
  return b.finish();
}

/// An integer matmul in linalg and the float epilogue of a TensorFlow layer.
static Program tensorFlow(unsigned number) {
  Builder b("tf", number);
  int64_t k = Builder::size(number, 11), n = Builder::size(number, 5);
  std::string xType = tensorType({kRows, k}, "i8"),
              wType = tensorType({k, n}, "i8");
  std::string x = b.argument(xType, {Element::I8, {kRows, k}, -128, 127});
  std::string s = b.argument("f32", {Element::F32, {}, 300, 900, true});
  Generic generic(b, n, x, xType);
  std::string w = b.choose(3)
                      ? b.constant(wType, Element::I8, n * k, -128, 127)
                      : b.argument(wType, {Element::I8, {k, n}, -128, 127});
  std::string accType = generic.type("i32");
  std::string acc = b.op("linalg.matmul ins(" + x + ", " + w + " : " + xType +
                         ", " + wType + ") outs(" + generic.zeros("i32") +
                         " : " + accType + ") -> " + accType);
  std::string y = generic.apply({{acc, "i32"}}, "f32",
                                "    %r = arith.sitofp %a0 : i32 to f32\n");
  std::string bias =
      b.constant(tensorType({n}, "f32"), Element::F32, n, -20000, 20000);
  y = generic.apply({{y, "f32"}, {bias, "f32", true}}, "f32",
                    "    %r = arith.addf %a0, %a1 : f32\n");
  bool residual = b.choose(3) == 0;
  if (residual) {
    std::string other = b.argument(generic.type("f32"),
                                   {Element::F32, {kRows, n}, -30000, 30000});
    y = generic.apply({{y, "f32"}, {other, "f32"}}, "f32",
                      "    %r = arith.addf %a0, %a1 : f32\n");
  }
  y = generic.apply({{y, "f32"}}, "f32",
                    "    %z = arith.constant 0.0 : f32\n    %r = "
                    "arith.maximumf %a0, %z : f32\n");
  y = generic.apply({{y, "f32"}}, "i8",
                    "    %q = arith.divf %a0, " + s +
                        " : f32\n    %e = math.roundeven %q : f32\n"
                        "    %low = arith.constant -128.0 : f32\n    %high = "
                        "arith.constant 127.0 : f32\n"
                        "    %c = arith.maximumf %e, %low : f32\n    %d = "
                        "arith.minimumf %c, %high : f32\n"
                        "    %r = arith.fptosi %d : f32 to i8\n");
  b.result(y, generic.type("i8"));
  // A second use of the accumulator.
  if (b.choose(3) == 0) {
    y = generic.apply({{acc, "i32"}}, "i32",
                      "    %c = arith.constant 3 : i32\n    %r = arith.shrsi "
                      "%a0, %c : i32\n");
    b.result(y, accType);
  }
  return b.finish();
}

/// An elementwise integer chain and a float reduction, away from contractions.
static Program reduction(unsigned number) {
  Builder b("reduction", number);
  int64_t n = Builder::size(number, 7);
  std::string xType = tensorType({kRows, n}, "f32"),
              yType = tensorType({kRows}, "f32");
  std::string x = b.argument(xType, {Element::F32, {kRows, n}, -3, 3});
  std::string zero = b.op("arith.constant 0 : index");
  std::string rows = b.op("tensor.dim " + x + ", " + zero + " : " + xType);
  std::string empty = b.op("tensor.empty(" + rows + ") : " + yType);
  std::string start =
      b.op("arith.constant " + b.pick<std::string>({"0.0", "1.5"}) + " : f32");
  std::string init = b.op("linalg.fill ins(" + start + " : f32) outs(" + empty +
                          " : " + yType + ") -> " + yType);
  std::string combine = b.pick({"addf", "maximumf", "minimumf", "mulf"});
  std::string y = b.op(
      "linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, "
      "affine_map<(m, n) -> (m)>], "
      "iterator_types = [\"parallel\", \"reduction\"]} ins(" +
      x + " : " + xType + ") outs(" + init + " : " + yType +
      ") {\n  ^bb0(%a: f32, %acc: f32):\n    %e = math.absf %a : f32\n    %r = "
      "arith." +
      combine + " %acc, %e : f32\n    linalg.yield %r : f32\n  } -> " + yType);
  b.result(y, yType);
  return b.finish();
}

std::vector<Program> makeFloatForms() {
  std::vector<Program> programs;
  for (unsigned i = 0; i < 70; ++i)
    programs.push_back(quantizeDequantize(i));
  for (unsigned i = 0; i < 20; ++i)
    programs.push_back(literal(i));
  for (unsigned i = 0; i < 20; ++i)
    programs.push_back(reduction(i));
  return programs;
}

std::vector<Program> makeLinalg() {
  std::vector<Program> programs;
  for (unsigned i = 0; i < 70; ++i)
    programs.push_back(tensorFlow(i));
  return programs;
}

} // namespace qcc::sweep
