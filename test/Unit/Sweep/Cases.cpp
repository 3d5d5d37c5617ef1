//===- Cases.cpp - Contractions of the sweep ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// qnn.linear and qnn.matmul in all their forms, and the list of all groups.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "Builder.h"
#include "Contraction.h"

namespace qcc::sweep {

/// A qnn.linear with rows of any number of dimensions, and `n` columns.
static Program linear(Builder &b, const Shape &xShape, int64_t n) {
  int64_t k = xShape.back();
  Shape yShape = xShape;
  yShape.back() = n;
  Quant x = b.quant(b.scale(0.01, 0.05)), w = b.quant(b.scale(0.001, 0.01));
  if (b.choose(2))
    for (int64_t c = 1; c < n; ++c)
      w.scales.push_back(b.scale(0.001, 0.01));
  double typical = typicalSum(k, x.scales[0] * w.scales[0]);
  Builder::Operand xo = b.quantized("input_", xShape, x, false);
  // Constants of 7 bits too, as quantizers write them for CPUs without VNNI.
  Builder::Operand wo = b.quantized("weight_", {n, k}, w, b.choose(4) != 0,
                                    /*isSmall=*/b.choose(2));
  Result result = chooseResult(b, yShape, typical);
  std::string bias = chooseBias(b, result, n, typical);
  std::string attributes = clampAttributes(b, result, typical);
  if (!attributes.empty())
    attributes = " {" + attributes + "}";
  b.result(b.op("qnn.linear " + xo.value + ", " + wo.value + bias +
                xo.parameters + wo.parameters + result.parameters + attributes +
                " : " + xo.type + ", " + wo.type + " -> " + result.type),
           result.type);
  return b.finish();
}

/// A qnn.matmul of up to three dimensions of batches.
static Program matmul(Builder &b, int64_t m, int64_t n, int64_t k) {
  bool transposed = b.choose(2);
  Shape batch;
  for (unsigned rank = b.choose(3); rank; --rank)
    batch.push_back(1 + b.choose(3));
  // A right operand that starts with the rows of the case would get scales by
  // row, which qnn.matmul refuses.
  if (n == kRows && batch.empty())
    batch.push_back(2);
  auto shape = [&](int64_t rows, int64_t columns) {
    Shape shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  };
  Quant lhs = b.quant(b.scale(0.01, 0.05)), rhs = b.quant(b.scale(0.01, 0.05));
  double typical = typicalSum(k, lhs.scales[0] * rhs.scales[0]);
  Builder::Operand lo = b.quantized("lhs_", shape(m, k), lhs, false);
  Builder::Operand ro = b.quantized(
      "rhs_", transposed ? shape(n, k) : shape(k, n), rhs, b.choose(4) == 0);
  Result result = chooseResult(b, shape(m, n), typical);
  std::string attributes = clampAttributes(b, result, typical);
  if (transposed)
    attributes += attributes.empty() ? "transpose_rhs" : ", transpose_rhs";
  if (!attributes.empty())
    attributes = " {" + attributes + "}";
  b.result(b.op("qnn.matmul " + lo.value + ", " + ro.value + lo.parameters +
                ro.parameters + result.parameters + attributes + " : " +
                lo.type + ", " + ro.type + " -> " + result.type),
           result.type);
  return b.finish();
}

std::vector<Program> makeLinear() {
  std::vector<Program> programs;
  for (unsigned i = 0; i < 117; ++i) {
    Builder b("linear", i);
    int64_t k = Builder::size(i, 1);
    programs.push_back(
        linear(b, b.choose(5) ? Shape{kRows, k} : Shape{kRows, 2, k},
               Builder::size(i, 11)));
  }
  return programs;
}

std::vector<Program> makeMatmul() {
  std::vector<Program> programs;
  for (unsigned i = 0; i < 78; ++i) {
    Builder b("matmul", i);
    programs.push_back(
        matmul(b, kRows, Builder::size(i, 7), Builder::size(i, 5)));
  }
  return programs;
}

std::vector<Program> makeThin() {
  std::vector<Program> programs;
  for (unsigned i = 0; i < 130; ++i) {
    Builder b("thin", i);
    int64_t k = 1 + i * 37 % 130, few = 1 + i / 4 % 5,
            many = Builder::size(i, 11);
    switch (i % 4) {
    case 0: // few columns, rows that are known or not
      programs.push_back(linear(b, {b.choose(2) ? kRows : many, k}, few));
      break;
    case 1:
      programs.push_back(matmul(b, b.choose(2) ? kRows : many, few, k));
      break;
    case 2: // few rows
      programs.push_back(matmul(b, few, many, k));
      break;
    default:
      programs.push_back(matmul(b, 1, b.choose(2) ? kRows : many, k));
    }
  }
  return programs;
}

/// Numbers of rows that are known, and K that fills steps of 64, or nearly.
static std::vector<Program> makeSteps() {
  std::vector<Program> programs;
  for (unsigned i = 0; i < 32; ++i) {
    Builder b("steps", i);
    int64_t k = b.pick<int64_t>({64, 64, 128, 192, 320, 63, 127}),
            n = b.pick<int64_t>({16, 17, 32, 47, 64, 96, 131}),
            m = b.pick<int64_t>({1, 5, 16, 17, 31, 33, 49, 64, 67, 93});
    // More steps than are spelled out.
    if (i % 16 == 0)
      k = 2176;
    programs.push_back(i % 3 ? linear(b, {m, k}, n) : matmul(b, m, n, k));
  }
  return programs;
}

/// Every third of the contractions, and some with prologues and residuals.
static std::vector<Program> makePinned() {
  std::vector<Program> programs;
  auto add = [&](const std::vector<Program> &all, size_t stride) {
    for (size_t i = 0; i < all.size(); i += stride)
      programs.push_back(all[i]);
  };
  add(makeLinear(), 3);
  add(makeMatmul(), 3);
  add(makeThin(), 3);
  add(makeActivations(), 3);
  add(makeBroadcast(), 2);
  add(makeSteps(), 1);
  add(makeConvolution(), 4);
  add(makeGrouped(), 3);
  add(makeFloatForms(), 9);
  add(makeLinalg(), 9);
  return programs;
}

std::vector<Group> makeGroups() {
  return {{"Linear", makeLinear()},
          {"Matmul", makeMatmul()},
          {"Thin", makeThin()},
          {"Convolution", makeConvolution()},
          {"Grouped", makeGrouped()},
          {"Activations", makeActivations()},
          {"Broadcast", makeBroadcast()},
          {"Pinned", makePinned(), /*pinned=*/true},
          {"FloatForms", makeFloatForms()},
          {"Linalg", makeLinalg()}};
}

std::vector<Group> makeDeviceGroups() {
  constexpr size_t stride = 6, numbersOfRows = 2;
  std::vector<Group> groups;
  for (const Group &all : makeGroups()) {
    Group some{all.name, {}, all.pinned};
    for (size_t i = groups.size(); i < all.programs.size(); i += stride) {
      some.programs.push_back(all.programs[i]);
      std::vector<int64_t> &rows = some.programs.back().rows;
      rows.resize(std::min(rows.size(), numbersOfRows));
    }
    groups.push_back(std::move(some));
  }
  return groups;
}

std::string moduleText(const std::vector<Program> &programs) {
  std::string text, resources;
  for (const Program &program : programs) {
    text += program.text;
    if (!program.resources.empty())
      resources += (resources.empty() ? "" : ",\n    ") + program.resources;
  }
  if (!resources.empty())
    text += "{-#\n  dialect_resources: {\n    builtin: {\n    " + resources +
            "\n    }\n  }\n#-}\n";
  return text;
}

} // namespace qcc::sweep
