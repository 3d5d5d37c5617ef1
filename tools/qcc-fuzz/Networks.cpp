//===- Networks.cpp - Programs that look like networks --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers with biases, activations, clamps and residuals, attention, and
// activations that are quantized by what is in them.
//
//===----------------------------------------------------------------------===//

#include "Generate.h"
#include <cmath>

namespace qcc::fuzz {

static DimId rowsOf(Builder &b) {
  return b.random.chance(70) ? b.graph.dim({Dim::Dynamic, 0}) : b.someDim(33);
}

/// Now and then a batch before the rows.
static Dims activationDims(Builder &b, DimId columns) {
  Dims dims = {rowsOf(b), columns};
  if (b.random.chance(12))
    dims.insert(dims.begin(), b.fixed(b.random.between(1, 3)));
  return dims;
}

void addIntegerNetwork(Builder &b) {
  Random &random = b.random;
  DimId width = b.someDim(48);
  Quantized x = b.keep(b.quantizedLeaf(activationDims(b, width), 0, 0.05, -1,
                                       random.chance(15)));
  unsigned layers = 1 + static_cast<unsigned>(random.weighted({62, 30, 8}));
  for (unsigned i = 0; i < layers; ++i) {
    // Of equal widths there are residuals.
    DimId columns = random.chance(50) ? width : b.someDim(48);
    Builder::Outcome y = b.linear(x, columns, random.chance(80));
    b.keep(y);
    if (!y.isQuantized) {
      if (isFloat(b.elementOf(y.value)) && random.chance(60))
        y.value = b.keep(b.activation(y.value));
      if (isFloat(b.elementOf(y.value)))
        y.quantized = b.quantize(y.value, 0.05);
      else
        return;
      b.keep(y.quantized);
    }
    Quantized h = y.quantized;
    if (columns == width && random.chance(60) &&
        b.dimsOf(h.value) == b.dimsOf(x.value) && h.axis < 0 && x.axis < 0) {
      const Type ht = b.typeOf(h.value);
      if (ht.quant < 0 || b.graph.quants[ht.quant].axis < 0)
        h = b.keep(b.addOrMul(h, x, 0.1));
    }
    bool perTensor = h.axis < 0;
    if (Type type = b.typeOf(h.value); type.quant >= 0)
      perTensor = b.graph.quants[type.quant].axis < 0;
    switch (random.weighted({55, 12, 10, 10, 13})) {
    case 1:
      if (perTensor)
        h = b.keep(b.clamp(h));
      break;
    case 2:
      h = b.keep(b.requantize(h, 0.05));
      break;
    case 3:
      h = b.keep(b.lookup(h));
      break;
    case 4: {
      ValueId real = b.keep(b.dequantize(h));
      b.keep(b.activation(real));
      break;
    }
    default:
      break;
    }
    x = h;
    width = columns;
  }
}

void addRealNetwork(Builder &b) {
  Random &random = b.random;
  DimId width = b.someDim(48);
  Dims dims = activationDims(b, width);
  ValueId real = -1;
  if (random.chance(65))
    real = b.keep(b.argument(Builder::tensor(Element::F32, dims), b.anyData()));
  else
    real = b.keep(b.dequantize(b.keep(b.quantizedLeaf(dims, 0, 0.05))));
  unsigned layers = 1 + static_cast<unsigned>(random.weighted({65, 28, 7}));
  ValueId residual = real;
  for (unsigned i = 0; i < layers; ++i) {
    // Quantize and dequantize before each layer, mostly.
    ValueId x = real;
    if (random.chance(85)) {
      Quantized q = b.keep(b.quantize(real, 0.05));
      x = b.keep(b.dequantize(q));
    }
    DimId columns = random.chance(60) ? width : b.someDim(48);
    ValueId y = b.keep(b.realLinear(x, columns));
    y = b.convert(y, Element::F32);
    if (random.chance(55))
      y = b.keep(b.activation(y));
    if (random.chance(45) && b.typeOf(y) == b.typeOf(residual))
      y = b.keep(b.binary(random.chance(80) ? "arith.addf" : "arith.mulf", y,
                          residual));
    if (random.chance(10))
      y = b.keep(b.normalize(y));
    if (random.chance(50))
      residual = y;
    real = y;
    width = columns;
  }
  if (random.chance(50))
    b.keep(b.quantize(real, 0.05));
}

void addAttention(Builder &b) {
  Random &random = b.random;
  DimId rows = rowsOf(b), depth = b.someDim(33), columns = b.someDim(33);
  DimId keys = random.chance(40) ? rows : b.someDim(33);
  Dims outer;
  if (random.chance(60))
    outer.push_back(b.fixed(random.between(1, 4)));
  auto dims = [&](DimId m, DimId n) {
    Dims all = outer;
    all.push_back(m);
    all.push_back(n);
    return all;
  };
  Quantized q = b.quantizedLeaf(dims(rows, depth), 0, 0.03);
  bool transposed = random.chance(70);
  Quantized k = b.quantizedLeaf(
      transposed ? dims(keys, depth) : dims(depth, keys), 15, 0.03);
  Builder::Outcome scores = b.matmul(q, k, transposed, false);
  b.keep(scores);
  ValueId s = b.convert(scores.value, Element::F32);
  if (random.chance(50))
    s = b.keep(b.binary("arith.mulf", s, b.filled(b.typeOf(s), 0.125)));
  ValueId p = random.chance(70) ? b.softmax(s) : b.activation(s);
  b.keep(p);
  if (random.chance(30) || !b.isStatic(keys))
    return;
  Quantized pq = b.keep(b.quantize(p, 1 / 255.0));
  Type type = b.typeOf(pq.value);
  if (pq.axis >= 0 || (type.quant >= 0 && b.graph.quants[type.quant].axis >= 0))
    return;
  Quantized v = b.quantizedLeaf(dims(keys, columns), 15, 0.03);
  b.keep(b.matmul(pq, v, false, random.chance(50)));
}

void addDynamicQuantization(Builder &b) {
  Random &random = b.random;
  DimId width = b.someDim(48);
  Dims dims = activationDims(b, width);
  ValueId x =
      b.keep(b.argument(Builder::tensor(Element::F32, dims), b.anyData()));
  ValueId highest = b.reduceLast(b.unary("math.absf", x), "arith.maximumf", 0);
  ValueId scales =
      b.binary("arith.divf", highest, b.filled(b.typeOf(highest), 127));
  // One more dimension of size 1: scales of rows.
  Type type = b.typeOf(scales);
  size_t rank = type.rank();
  std::string groups, sizes;
  for (size_t i = 0; i < rank; ++i) {
    groups += (i ? ", [" : "[") + std::to_string(i) +
              (i + 1 == rank ? ", " + std::to_string(i + 1) : "") + "]";
    sizes += "${" + std::to_string(type.dims[i]) + "}, ";
  }
  type.dims.push_back(b.fixed(1));
  scales = b.op("tensor.expand_shape",
                {"tensor.expand_shape $0 [" + groups + "] output_shape [" +
                     sizes + "1] : $t0 into $r0",
                 {scales}},
                type);
  Quantized q;
  q.scale = scales;
  q.value = b.op("qnn.quantize",
                 {"qnn.quantize $0 scale($1 : $t1) : $t0 -> $r0", {x, scales}},
                 Builder::tensor(Element::I8, dims));
  b.keep(q);
  if (random.chance(50)) {
    b.keep(b.linear(q, b.someDim(48), random.chance(40)));
    return;
  }
  OpText text;
  text.text = "qnn.dequantize " + text.use(q.value);
  text.parameters("", q);
  text.text += " : $t0 -> $r0";
  ValueId real = b.op("qnn.dequantize", std::move(text),
                      Builder::tensor(Element::F32, dims));
  b.keep(b.realLinear(real, b.someDim(48)));
}

void addHandWrittenLayers(Builder &b) {
  Random &random = b.random;
  DimId width = b.someDim(48);
  Quantized x;
  x.value = b.keep(b.argument(Builder::tensor(Element::I8, {rowsOf(b), width}),
                              b.anyData()));
  unsigned layers = 1 + static_cast<unsigned>(random.below(2));
  for (unsigned i = 0; i < layers; ++i) {
    DimId columns = b.someDim(48);
    ValueId sum = b.keep(b.integerLinear(x, columns));
    ValueId real = b.cast("arith.sitofp", sum, Element::F32);
    if (random.chance(50))
      real = b.binary("arith.mulf", real, b.filled(b.typeOf(real), 0.001));
    else
      real = b.convert(b.elementwise(real), Element::F32);
    if (random.chance(50))
      real = b.keep(b.activation(real));
    Quantized q = b.quantize(real, 0.05);
    b.keep(q);
    if (b.elementOf(q.value) != Element::I8 || b.typeOf(q.value).quant >= 0 ||
        b.dimsOf(q.value).size() != 2)
      return;
    x = q;
  }
}

} // namespace qcc::fuzz
