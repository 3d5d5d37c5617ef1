//===- PackCases.cpp - Products of two activations in the sweep -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The right operand is computed when the program runs, so that it is packed
// then, with what computes it: floats that are quantized, alone or after an
// addition, and bytes; columns or K contiguous, columns known or not.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Cases.h"

namespace qcc::sweep {

static Program activations(unsigned number) {
  Builder b("activations", number);
  int64_t k = Builder::size(number, 13);
  bool dynamicColumns = b.choose(3) == 0;
  int64_t n = dynamicColumns ? kRows : Builder::size(number, 17);
  int64_t m = dynamicColumns ? int64_t(1 + b.choose(9)) : kRows;
  bool transposed = b.choose(2);
  Shape batch;
  if (b.choose(3))
    batch.push_back(1 + b.choose(3));
  auto shape = [&](int64_t rows, int64_t columns) {
    Shape shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  };
  Shape lShape = shape(m, k), yShape = shape(m, n),
        rShape = transposed ? shape(n, k) : shape(k, n);
  Quant l = b.quant(b.scale(0.01, 0.05)), r = b.quant(b.scale(0.01, 0.05));
  r.zeroPoint = b.pick({0, r.zeroPoint});

  std::string lType = tensorType(lShape, spell(l)),
              lReal = tensorType(lShape, "f32");
  std::string left =
      b.argument(lType, {l.storage, lShape, double(lowestOf(l.storage)),
                         double(highestOf(l.storage))});
  left = b.op("qnn.dequantize " + left + " : " + lType + " -> " + lReal);

  std::string rType = tensorType(rShape, spell(r)),
              rReal = tensorType(rShape, "f32");
  std::string right;
  if (b.choose(4) == 0) {
    right = b.argument(rType, {r.storage, rShape, double(lowestOf(r.storage)),
                               double(highestOf(r.storage))});
  } else {
    double limit = 150 * r.scales[0];
    bool isHalf = b.choose(4) == 0;
    std::string type = isHalf ? tensorType(rShape, "f16") : rReal;
    right = b.argument(
        type, {isHalf ? Element::F16 : Element::F32, rShape, -limit, limit});
    if (b.choose(3) == 0)
      right = b.op("arith.addf " + right + ", " +
                   b.argument(type, {isHalf ? Element::F16 : Element::F32,
                                     rShape, -limit / 4, limit / 4}) +
                   " : " + type);
    right = b.op("qnn.quantize " + right + " : " + type + " -> " + rType);
  }
  right = b.op("qnn.dequantize " + right + " : " + rType + " -> " + rReal);

  std::string yType = tensorType(yShape, "f32");
  std::string y = b.op("qnn.matmul " + left + ", " + right +
                       (transposed ? " {transpose_rhs}" : "") + " : " + lReal +
                       ", " + rReal + " -> " + yType);
  if (b.choose(2)) {
    double typical = 74.0 * 74.0 * 6 * l.scales[0] * r.scales[0];
    std::string out = tensorType(yShape, spell(b.quant(typical / 60)));
    y = b.op("qnn.quantize " + y + " : " + yType + " -> " + out);
    yType = out;
  }
  b.result(y, yType);
  return b.finish();
}

std::vector<Program> makeActivations() {
  std::vector<Program> programs;
  for (unsigned i = 0; i < 48; ++i)
    programs.push_back(activations(i));
  return programs;
}

} // namespace qcc::sweep
