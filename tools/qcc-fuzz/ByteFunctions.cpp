//===- ByteFunctions.cpp - Elementwise chains from byte to byte -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one quantized value becomes by activations between dequantize and
// quantize, behind a contraction or by itself, and what reads it.
//
//===----------------------------------------------------------------------===//

#include "Extended.h"

namespace qcc::fuzz {

/// clamp(x / 6 + 1 / 2, 0, 1) * x
static ValueId hardSwish(Builder &b, ValueId x) {
  auto number = [&](double value) { return b.filled(b.typeOf(x), value); };
  ValueId gate = b.binary("arith.mulf", x, number(1.0 / 6));
  gate = b.binary("arith.addf", gate, number(0.5));
  gate = b.binary("arith.maximumf", gate, number(0));
  gate = b.binary("arith.minimumf", gate, number(1));
  return b.binary("arith.mulf", gate, x);
}

/// A function of the real value of `q`: of it alone, or with the value once
/// more, perhaps quantized in between.
static Quantized byteFunction(Builder &b, const Quantized &q) {
  Random &random = b.random;
  ValueId x = b.convert(b.dequantize(q), Element::F32);
  ValueId y = random.chance(25) ? hardSwish(b, x) : b.activation(x);
  if (random.chance(25)) {
    Quantized between = b.quantize(y, 0.02);
    if (random.chance(30))
      b.keep(between);
    y = b.convert(b.dequantize(between), Element::F32);
  }
  if (random.chance(40))
    y = b.binary(random.chance(70) ? "arith.mulf" : "arith.addf", y, x);
  if (random.chance(20))
    y = b.activation(y);
  return b.quantize(y, 0.05);
}

/// A function of the bytes that floats are quantized to, which a contraction
/// reads: all of it can be the prologue.
static void addPrologue(Builder &b, const Dims &dims) {
  ValueId x = b.argument(Builder::tensor(Element::F32, dims), b.anyData());
  b.keep(b.linear(byteFunction(b, b.quantize(x, 0.05)), b.someDim(48), true));
}

void addByteFunctions(Builder &b) {
  Random &random = b.random;
  // From a tail of a row up to more than a vector of bytes.
  DimId width =
      random.chance(30) ? b.fixed(random.between(60, 140)) : b.someDim(48);
  DimId rows =
      random.chance(50) ? b.graph.dim({Dim::Dynamic, 0}) : b.someDim(9);
  if (random.chance(40))
    return addPrologue(b, {rows, width});
  Quantized q = b.keep(b.quantizedLeaf({rows, width}, 0, 0.05));
  unsigned functions = 1 + random.below(3);
  for (unsigned i = 0; i < functions; ++i) {
    if (random.chance(60)) {
      Builder::Outcome y = b.linear(q, b.someDim(48), true);
      q = y.isQuantized ? y.quantized
                        : b.quantize(b.convert(y.value, Element::F32), 0.05);
      if (random.chance(25))
        b.keep(q);
    }
    Quantized y = byteFunction(b, q);
    if (random.chance(30))
      b.keep(y);
    q = y;
  }
  b.keep(q);
}

} // namespace qcc::fuzz
