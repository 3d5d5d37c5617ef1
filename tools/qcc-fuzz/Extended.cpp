//===- Extended.cpp - Programs of the extended repertoire -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Extended.h.
//
//===----------------------------------------------------------------------===//

#include "Extended.h"
#include "Generate.h"
#include "Structured.h"
#include "Windows.h"

namespace qcc::fuzz {

static ValueId windowOverValue(Builder &b, ValueId x) {
  // A layout for the rank, in which there are windows of any element.
  Dims dims = b.dimsOf(x);
  std::string layout = dims.size() == 3 ? b.random.pick({"nwc", "ncw"})
                                        : b.random.pick({"nhwc", "nchw"});
  if (b.elements(dims) > 4000)
    return freeWindow(b);
  for (size_t i = 0; i < dims.size(); ++i)
    if (isSpatial(layout[i]) &&
        (!b.isStatic(dims[i]) || b.staticSize(dims[i]) < 1))
      return freeWindow(b);
  Element element = b.elementOf(x);
  if (element == Element::I1 || element == Element::I64 ||
      (b.random.chance(50) && element != Element::F64))
    return pooling(b, x, layout);
  const Layout &convolution = someConvolution(b.random, layout);
  return isFloat(element) ? realConvolution(b, x, convolution)
                          : integerConvolution(b, x, convolution);
}

static void addExtendedOps(Builder &b, unsigned count) {
  Random &random = b.random;
  for (unsigned i = 0; i < count; ++i) {
    ValueId x = somePlainValue(b);
    switch (random.weighted({30, 18, 12, 12, 10, 6, 8, 1})) {
    case 0:
      b.keep(namedOp(b, x));
      break;
    case 1:
      b.keep(scalarOp(b, x));
      break;
    case 2:
      b.keep(changeOfType(b, x));
      break;
    case 3:
      b.keep(sliceAtRunTime(b, x));
      break;
    case 4:
      if (b.dimsOf(x).size() == 3 || b.dimsOf(x).size() == 4)
        b.keep(windowOverValue(b, x));
      else
        b.keep(freeWindow(b));
      break;
    case 5:
      b.keep(namedContraction(b));
      break;
    case 6:
      addWhile(b);
      break;
    default: // what goes on from a tensor that the run chooses is refused
      addBranch(b);
    }
  }
}

/// The storage of a quantized value as a plain one.
static void addStorage(Builder &b) {
  for (const Quantized &value : b.quantizeds) {
    Type type = b.typeOf(value.value);
    if (type.quant < 0 || type.element != Element::I8)
      continue;
    type.quant = -1;
    b.keep(b.op("quant.scast", {"quant.scast $0 : $t0 to $r0", {value.value}},
                type));
    return;
  }
}

/// x[i...] * y[k], added to an initial value without a reduction, and the same
/// of the result once more, which has a loop that `x` does not know.
static void addOuterProducts(Builder &b) {
  ValueId value = somePlainValue(b);
  Element element = b.elementOf(value);
  if (element == Element::I1 || b.dimsOf(value).size() > 3)
    return;
  unsigned count = 1 + static_cast<unsigned>(b.random.below(2));
  for (unsigned i = 0; i <= count; ++i) {
    Type result = b.typeOf(value), vector = result;
    size_t rank = result.rank();
    vector.dims = {b.fixed(1 + b.random.below(4))};
    result.dims.push_back(vector.dims.front());
    if (b.elements(result.dims) > 8000)
      break;
    ValueId init = b.random.chance(60) ? b.zeros(result) : b.another(result);
    value = b.generic(
        {value, b.another(vector)}, init, result,
        {identity(rank), "d" + std::to_string(rank), identity(rank + 1)},
        std::vector<std::string>(rank + 1, "parallel"),
        contractionBody({element, element}, element, false, false));
  }
  b.keep(value);
}

void addExtendedProgram(Builder &b) {
  Random &random = b.random;
  switch (random.weighted({19, 19, 17, 14, 22, 4, 5})) {
  case 0:
    addIntegerWindowNetwork(b);
    break;
  case 1:
    addRealWindowNetwork(b);
    break;
  case 2:
    b.keep(freeWindow(b));
    break;
  case 3:
    b.keep(namedContraction(b));
    break;
  case 4:
    addExtendedOps(b, 2 + static_cast<unsigned>(random.below(4)));
    break;
  case 5:
    b.keep(b.freeContraction());
    break;
  default:
    addBasicProgram(b);
    break;
  }
  if (random.chance(40))
    addExtendedOps(b, 1 + static_cast<unsigned>(random.below(2)));
  if (random.chance(10))
    addStorage(b);
  // Last, so that what comes before it stays what it is.
  if (random.chance(25))
    addQuantizedWindowNetwork(b);
  if (random.chance(20))
    addImageNetwork(b);
  if (random.chance(20))
    addByteFunctions(b);
  if (random.chance(15))
    addOuterProducts(b);
  if (random.chance(25))
    b.keep(b.groupedLinear());
}

} // namespace qcc::fuzz
