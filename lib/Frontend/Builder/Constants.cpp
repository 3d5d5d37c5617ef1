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

/// The constant with its dimensions in another order; null if it has no bytes.
static TypedAttr transposeConstant(TypedAttr value,
                                   ArrayRef<int64_t> permutation) {
  std::optional<ConstantData> data = ConstantData::get(value);
  if (!data)
    return {};
  auto type = cast<RankedTensorType>(value.getType());
  unsigned width = getElementBytes(type.getElementType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> strides(rank, width), shape, steps;
  for (int64_t d = rank - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * type.getDimSize(d + 1);
  for (int64_t d : permutation) {
    shape.push_back(type.getDimSize(d));
    steps.push_back(strides[d]);
  }
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(data->bytes.size(), 64);
  char *to = blob.getMutableData().data();
  SmallVector<int64_t> index(rank, 0);
  int64_t place = 0;
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
    to = std::copy_n(data->bytes.data() + place, width, to);
    for (int64_t d = rank - 1; d >= 0; --d) {
      place += steps[d];
      if (++index[d] < shape[d])
        break;
      place -= steps[d] * shape[d];
      index[d] = 0;
    }
  }
  return makeConstant(RankedTensorType::get(shape, type.getElementType()),
                      std::move(blob),
                      data->name.empty() ? "constant" : data->name);
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
