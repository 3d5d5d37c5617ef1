//===- DType.h - Element types ----------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element types by DLPack's type codes and a width in bits, their names as MLIR
// spells them, and checked arithmetic on shapes. A boolean takes one byte (0 or
// 1) and is DLPack's {kDLBool, 8}; its name is "i1". Header-only.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_ARTIFACT_DTYPE_H
#define QCC_ARTIFACT_DTYPE_H

#include "qcc/Artifact/ABI.h"
#include "qcc/Base/Shape.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qcc::rt {

struct DType {
  uint8_t code = QCC_INT;
  uint8_t bits = 8;

  friend bool operator==(DType a, DType b) {
    return a.code == b.code && a.bits == b.bits;
  }
  friend bool operator!=(DType a, DType b) { return !(a == b); }

  /// Bytes of an element.
  int64_t size() const { return (bits + 7) / 8; }

  bool isInteger() const { return code == QCC_INT || code == QCC_UINT; }
  bool isFloat() const { return code == QCC_FLOAT || code == QCC_BFLOAT; }

  /// "i8", "u8", "f32", "bf16", "i1", ...
  std::string name() const {
    switch (code) {
    case QCC_INT:
      return "i" + std::to_string(bits);
    case QCC_UINT:
      return "u" + std::to_string(bits);
    case QCC_FLOAT:
      return "f" + std::to_string(bits);
    case QCC_BFLOAT:
      return "bf" + std::to_string(bits);
    case QCC_BOOL:
      return "i1";
    }
    return "type code " + std::to_string(code) + " of " + std::to_string(bits) +
           " bits";
  }

  /// Whether the runtime supports this type.
  bool isKnown() const {
    switch (code) {
    case QCC_INT:
    case QCC_UINT:
      return bits == 8 || bits == 16 || bits == 32 || bits == 64;
    case QCC_FLOAT:
      return bits == 16 || bits == 32 || bits == 64;
    case QCC_BFLOAT:
      return bits == 16;
    case QCC_BOOL:
      return bits == 8;
    }
    return false;
  }

  /// The type of a code and a width in a descriptor, where a boolean may also
  /// have the width of one bit.
  static DType fromCode(uint8_t code, uint8_t bits) {
    if (code == QCC_BOOL && bits == 1)
      bits = 8;
    return {code, bits};
  }

  /// The inverse of name() for known types.
  static std::optional<DType> parse(std::string_view name) {
    for (uint8_t code : {QCC_INT, QCC_UINT, QCC_FLOAT, QCC_BFLOAT, QCC_BOOL})
      for (uint8_t bits : {8, 16, 32, 64}) {
        DType type{code, bits};
        if (type.isKnown() && type.name() == name)
          return type;
      }
    return std::nullopt;
  }
};

/// The number of elements; nothing if a dimension is negative or the product
/// overflows. Zero-size dimensions are legal.
inline std::optional<int64_t> numElements(const Shape &shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0)
      return std::nullopt;
    // An empty tensor is empty, however large its other dimensions are.
    empty |= dim == 0;
  }
  if (empty)
    return 0;
  for (int64_t dim : shape)
    if (__builtin_mul_overflow(count, dim, &count))
      return std::nullopt;
  return count;
}

/// The number of bytes of a compact tensor; nothing if a dimension is
/// negative or the product overflows.
inline std::optional<int64_t> numBytes(DType type, const Shape &shape) {
  std::optional<int64_t> count = numElements(shape);
  int64_t bytes;
  if (!count || __builtin_mul_overflow(*count, type.size(), &bytes))
    return std::nullopt;
  return bytes;
}

/// A type and a shape as MLIR spells them: "2x3xi8", "f32" for rank 0; a
/// negative dimension is "?".
inline std::string describe(DType type, const Shape &shape) {
  std::string text;
  for (int64_t dim : shape)
    text += (dim < 0 ? "?" : std::to_string(dim)) + "x";
  return text + type.name();
}

} // namespace qcc::rt

#endif // QCC_ARTIFACT_DTYPE_H
