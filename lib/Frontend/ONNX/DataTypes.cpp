//===- DataTypes.cpp - The types of elements of ONNX ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

using namespace qcc;
using namespace qcc::onnx;

namespace {
struct TypeRow {
  const char *name;
  unsigned size; ///< bytes of an element, 0: not taken
};
} // namespace

/// By the number of the type.
static constexpr TypeRow kTypes[] = {
    {"undefined", 0},      {"float", 4},      {"uint8", 1},
    {"int8", 1},           {"uint16", 0},     {"int16", 2},
    {"int32", 4},          {"int64", 8},      {"string", 0},
    {"bool", 1},           {"float16", 2},    {"double", 8},
    {"uint32", 0},         {"uint64", 0},     {"complex64", 0},
    {"complex128", 0},     {"bfloat16", 2},   {"float8e4m3fn", 0},
    {"float8e4m3fnuz", 0}, {"float8e5m2", 0}, {"float8e5m2fnuz", 0},
    {"uint4", 0},          {"int4", 0},       {"float4e2m1", 0},
    {"float8e8m0", 0},     {"uint2", 0},      {"int2", 0},
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

unsigned onnx::dataTypeSize(int32_t type) {
  const TypeRow *row = findType(type);
  return row ? row->size : 0;
}

bool onnx::isPacked(int32_t type) {
  return type == static_cast<int32_t>(DataType::UInt4) ||
         type == static_cast<int32_t>(DataType::Int4);
}
