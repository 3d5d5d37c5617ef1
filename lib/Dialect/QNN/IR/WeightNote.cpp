//===- WeightNote.cpp - Note on the weight of a contraction ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/QNN/IR/WeightNote.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qcc;

static std::string nameOfElements(Type element,
                                  const qnn::QuantParams *params) {
  if (params)
    return (params->isSigned ? "i" : "u") + std::to_string(params->width);
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

DictionaryAttr qcc::noteOfWeight(Value weight, const qnn::QuantParams *params) {
  auto type = dyn_cast<RankedTensorType>(weight.getType());
  if (!type || !type.hasStaticShape() || !matchPattern(weight, m_Constant()))
    return nullptr;
  Builder builder(weight.getContext());
  NamedAttrList note;
  note.set("shape", builder.getDenseI64ArrayAttr(type.getShape()));
  note.set("type", builder.getStringAttr(
                       nameOfElements(type.getElementType(), params)));
  if (!params)
    return note.getDictionary(weight.getContext());
  using Kind = qnn::QuantParams::Kind;
  if (params->axis >= 0 && (params->scaleKind == Kind::PerChannel ||
                            params->zeroPointKind == Kind::PerChannel))
    note.set("axis", builder.getI64IntegerAttr(params->axis));
  if (!params->scales.empty()) {
    auto [least, greatest] =
        std::minmax_element(params->scales.begin(), params->scales.end());
    note.set("scales", builder.getDenseF32ArrayAttr(
                           {float(params->scales.size()), *least, *greatest}));
  }
  if (!params->zeroPoints.empty()) {
    auto [least, greatest] = std::minmax_element(params->zeroPoints.begin(),
                                                 params->zeroPoints.end());
    note.set("zero_points",
             builder.getDenseI64ArrayAttr(
                 {int64_t(params->zeroPoints.size()), *least, *greatest}));
  }
  return note.getDictionary(weight.getContext());
}
