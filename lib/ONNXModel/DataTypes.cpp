//===- DataTypes.cpp - The types of elements of ONNX ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/ONNXModel/Model.h"

using namespace qcc;
using namespace qcc::onnx;

namespace {
struct TypeRow {
  const char *name;
  rt::DType type = {0, 0}; ///< Of no bits: not taken.
};
} // namespace

/// By the number of the type.
static constexpr TypeRow kTypes[] = {
    {"undefined"},
    {"float", {QCC_FLOAT, 32}},
    {"uint8", {QCC_UINT, 8}},
    {"int8", {QCC_INT, 8}},
    {"uint16"},
    {"int16", {QCC_INT, 16}},
    {"int32", {QCC_INT, 32}},
    {"int64", {QCC_INT, 64}},
    {"string"},
    {"bool", {QCC_BOOL, 8}},
    {"float16", {QCC_FLOAT, 16}},
    {"double", {QCC_FLOAT, 64}},
    {"uint32"},
    {"uint64"},
    {"complex64"},
    {"complex128"},
    {"bfloat16", {QCC_BFLOAT, 16}},
    {"float8e4m3fn"},
    {"float8e4m3fnuz"},
    {"float8e5m2"},
    {"float8e5m2fnuz"},
    {"uint4"},
    {"int4"},
    {"float4e2m1"},
    {"float8e8m0"},
    {"uint2"},
    {"int2"},
};

static const TypeRow *findType(int32_t type) {
  bool isKnown = type >= 0 &&
                 type < static_cast<int32_t>(sizeof(kTypes) / sizeof(*kTypes));
  return isKnown ? &kTypes[type] : nullptr;
}

std::string onnx::dataTypeName(int32_t type) {
  const TypeRow *row = findType(type);
  return row ? row->name : "type " + std::to_string(type);
}

std::optional<rt::DType> onnx::dtypeOf(int32_t type) {
  const TypeRow *row = findType(type);
  return row && row->type.bits > 0 ? std::optional(row->type) : std::nullopt;
}

unsigned onnx::dataTypeSize(int32_t type) {
  std::optional<rt::DType> known = dtypeOf(type);
  return known ? known->size() : 0;
}

unsigned onnx::storedSize(int32_t type) {
  if (packedBits(type))
    return 1;
  return type == static_cast<int32_t>(DataType::UInt16) ? 2
                                                        : dataTypeSize(type);
}

unsigned onnx::packedBits(int32_t type) {
  switch (static_cast<DataType>(type)) {
  case DataType::UInt4:
  case DataType::Int4:
    return 4;
  case DataType::UInt2:
  case DataType::Int2:
    return 2;
  default:
    return 0;
  }
}
