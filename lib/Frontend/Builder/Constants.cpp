//===- Constants.cpp - Constants of a graph -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include <cstring>

using namespace mlir;
using namespace qcc;
using namespace qcc::frontend;

/// The most integers that the integer evaluator follows.
static constexpr int64_t kMaxIntegers = 1024;

std::string frontend::elementName(Type type) {
  if (type.isBF16())
    return "bfloat16";
  if (type.isInteger(1))
    return "bool";
  StringRef kind = isa<FloatType>(type)       ? "float"
                   : type.isUnsignedInteger() ? "uint"
                                              : "int";
  return (kind + Twine(type.getIntOrFloatBitWidth())).str();
}

TypedAttr Constants::transposed(TypedAttr constant,
                                ArrayRef<int64_t> permutation) {
  TypedAttr &moved = transposes[{
      constant.getAsOpaquePointer(),
      std::vector<int64_t>(permutation.begin(), permutation.end())}];
  if (!moved) {
    moved = transposeConstant(constant, permutation);
    evict(constant);
  }
  return moved;
}

GraphValue Constants::toValue(OpBuilder &b, TypedAttr attr) {
  GraphValue value;
  auto type = cast<RankedTensorType>(attr.getType());
  value.element = type.getElementType();
  value.constant = attr;
  for (int64_t size : type.getShape())
    value.shape.push_back(b.getIndexAttr(size));
  return value;
}

std::optional<SmallVector<OpFoldResult>>
Constants::readIntegers(OpBuilder &b, const GraphValue &value) {
  bool isInteger = value.element.isSignlessInteger(64) ||
                   value.element.isSignlessInteger(32);
  if (!value.constant || !isInteger)
    return std::nullopt;
  auto type = cast<RankedTensorType>(value.constant.getType());
  if (type.getNumElements() > kMaxIntegers)
    return std::nullopt;
  std::optional<ConstantData> data = ConstantData::get(value.constant);
  if (!data)
    return std::nullopt;
  SmallVector<OpFoldResult> integers;
  unsigned width = getElementBytes(value.element);
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
    int64_t wide = 0;
    int32_t narrow = 0;
    if (width == 8) {
      std::memcpy(&wide, data->bytes.data() + i * width, width);
    } else {
      std::memcpy(&narrow, data->bytes.data() + i * width, width);
      wide = narrow;
    }
    integers.push_back(b.getIndexAttr(wide));
  }
  return integers;
}

std::optional<bool> Constants::readBool(const GraphValue &value) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(value.constant);
  if (!dense || !value.isBool() || dense.getNumElements() != 1)
    return std::nullopt;
  return *dense.value_begin<bool>();
}

GraphValue Constants::makeBool(OpBuilder &b, bool value, const Shape &shape) {
  auto type = RankedTensorType::get(SmallVector<int64_t>(shape.size(), 1),
                                    b.getI1Type());
  return toValue(b, DenseElementsAttr::get(type, value));
}

std::optional<SmallVector<float>>
Constants::readFloats(const GraphValue &value) {
  if (!value.constant || !value.element.isF32())
    return std::nullopt;
  std::optional<ConstantData> data = ConstantData::get(value.constant);
  if (!data)
    return std::nullopt;
  SmallVector<float> floats(data->bytes.size() / sizeof(float));
  std::memcpy(floats.data(), data->bytes.data(), data->bytes.size());
  return floats;
}
