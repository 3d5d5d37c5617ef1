//===- QNNFormulas.cpp - The formulas of elementwise qnn ops --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// N5 and N6, one function for each op: it returns what computes one element of
// the result. The table at the end says which op has which.
//
//===----------------------------------------------------------------------===//

#include "QNNElementwise.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::reference;

static Scalar integer(int64_t value) {
  Scalar scalar;
  scalar.i = value;
  return scalar;
}
static Scalar number(float value) {
  Scalar scalar;
  scalar.f = value;
  return scalar;
}
/// saturate(rint(v) + zy).
static Scalar rounded(float v, const ResultElement &y) {
  return integer(roundAndSaturate(v, y.zeroPoint, y.range));
}

static auto makeQuantize(qnn::QuantizeOp op, const Elementwise &) {
  bool before = op.getZeroPointBeforeRounding();
  return [before](const Element *x, const ResultElement &y) {
    return integer(
        quantize(x[0].value.f, y.scale, y.zeroPoint, y.range, before));
  };
}

static auto makeDequantize(qnn::DequantizeOp, const Elementwise &) {
  return [](const Element *x, const ResultElement &) {
    return number(scaled(x[0].difference(), x[0].scale));
  };
}

static auto makeRequantize(qnn::RequantizeOp, const Elementwise &) {
  return [](const Element *x, const ResultElement &y) {
    return rounded(scaled(x[0].difference(), x[0].scale / y.scale), y);
  };
}

static auto makeAdd(qnn::AddOp, const Elementwise &) {
  return [](const Element *x, const ResultElement &y) {
    float addend = scaled(x[1].difference(), x[1].scale / y.scale);
    return rounded(fusedBias(x[0].difference(), x[0].scale / y.scale, addend),
                   y);
  };
}

static auto makeMul(qnn::MulOp, const Elementwise &) {
  return [](const Element *x, const ResultElement &y) {
    return rounded(scaled(x[0].difference() * x[1].difference(),
                          (x[0].scale * x[1].scale) / y.scale),
                   y);
  };
}

static auto makeClamp(qnn::ClampOp op, const Elementwise &) {
  std::optional<float> low, high;
  if (auto bound = op.getMin())
    low = bound->convertToFloat();
  if (auto bound = op.getMax())
    high = bound->convertToFloat();
  return [low, high](const Element *x, const ResultElement &y) {
    int64_t q = x[0].value.i;
    auto bound = [&](float real) {
      return quantize(real, y.scale, y.zeroPoint, y.range, false);
    };
    if (low)
      q = std::max(q, bound(*low));
    if (high)
      q = std::min(q, bound(*high));
    return integer(q);
  };
}

static auto makeLookup(qnn::LookupOp op, const Elementwise &run) {
  int64_t origin = run.params(0).isSigned() ? 128 : 0;
  const Tensor &table = run.valueOf(op.getTable());
  return [origin, &table](const Element *x, const ResultElement &) {
    return table.get((x[0].value.i + origin) & 0xff);
  };
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

using Evaluate = std::function<void(Elementwise &)>;

template <typename OpTy, typename Formula>
static std::pair<StringRef, Evaluate>
entry(Formula (*make)(OpTy, const Elementwise &)) {
  return {OpTy::getOperationName(), [make](Elementwise &run) {
            run.fill(make(cast<OpTy>(run.op.getOperation()), run));
          }};
}

bool qcc::reference::evaluateFormula(Elementwise &run) {
  static const llvm::StringMap<Evaluate> table = {
      entry(makeQuantize), entry(makeDequantize), entry(makeRequantize),
      entry(makeAdd),      entry(makeMul),        entry(makeClamp),
      entry(makeLookup),
  };
  auto found = table.find(run.op->getName().getStringRef());
  if (found == table.end())
    return false;
  found->second(run);
  return true;
}
