//===- ScalarType.h - Types and state spaces of PTX -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types that instructions and registers of PTX name, and the memories that
// addresses lie in. Header-only.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_SCALARTYPE_H
#define QCC_EMULATOR_SCALARTYPE_H

#include <cstdint>
#include <string_view>

namespace qcc::emu {

enum class ScalarType : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  BF16,
  TF32,
  F32,
  F64,
  U16x2,
  S16x2,
  F16x2,
  BF16x2,
  F32x2,
  E4M3x2,
  E5M2x2,
  E4M3,
  E5M2,
  U4,
  S4
};

/// How the bits of a type are meant. Untyped bits agree with all but Pred.
enum class TypeClass : uint8_t { None, Pred, Bits, Integer, Float };

struct TypeInfo {
  std::string_view name; ///< As PTX spells it, without the dot.
  int bits;
  TypeClass kind;
  bool isSigned;
};

inline const TypeInfo &typeInfo(ScalarType type) {
  static constexpr TypeInfo table[] = {
      {"none", 0, TypeClass::None, false},
      {"pred", 1, TypeClass::Pred, false},
      {"b8", 8, TypeClass::Bits, false},
      {"b16", 16, TypeClass::Bits, false},
      {"b32", 32, TypeClass::Bits, false},
      {"b64", 64, TypeClass::Bits, false},
      {"b128", 128, TypeClass::Bits, false},
      {"u8", 8, TypeClass::Integer, false},
      {"u16", 16, TypeClass::Integer, false},
      {"u32", 32, TypeClass::Integer, false},
      {"u64", 64, TypeClass::Integer, false},
      {"s8", 8, TypeClass::Integer, true},
      {"s16", 16, TypeClass::Integer, true},
      {"s32", 32, TypeClass::Integer, true},
      {"s64", 64, TypeClass::Integer, true},
      {"f16", 16, TypeClass::Float, true},
      {"bf16", 16, TypeClass::Float, true},
      {"tf32", 32, TypeClass::Float, true},
      {"f32", 32, TypeClass::Float, true},
      {"f64", 64, TypeClass::Float, true},
      {"u16x2", 32, TypeClass::Integer, false},
      {"s16x2", 32, TypeClass::Integer, true},
      {"f16x2", 32, TypeClass::Float, true},
      {"bf16x2", 32, TypeClass::Float, true},
      {"f32x2", 64, TypeClass::Float, true},
      {"e4m3x2", 16, TypeClass::Bits, true},
      {"e5m2x2", 16, TypeClass::Bits, true},
      {"e4m3", 8, TypeClass::Bits, true},
      {"e5m2", 8, TypeClass::Bits, true},
      {"u4", 4, TypeClass::Bits, false},
      {"s4", 4, TypeClass::Bits, true},
  };
  return table[static_cast<int>(type)];
}

inline std::string_view typeName(ScalarType type) {
  return typeInfo(type).name;
}
inline int bitsOf(ScalarType type) { return typeInfo(type).bits; }
/// Bytes in memory.
inline int bytesOf(ScalarType type) { return (typeInfo(type).bits + 7) / 8; }
inline bool isSigned(ScalarType type) { return typeInfo(type).isSigned; }
inline bool isFloat(ScalarType type) {
  return typeInfo(type).kind == TypeClass::Float;
}
inline bool isInteger(ScalarType type) {
  return typeInfo(type).kind == TypeClass::Integer;
}

enum class StateSpace : uint8_t {
  Generic, ///< An address that says itself which space it lies in.
  Register,
  Global,
  Shared,
  Local,
  Const,
  Param
};

inline std::string_view spaceName(StateSpace space) {
  static constexpr std::string_view names[] = {
      "generic", "reg", "global", "shared", "local", "const", "param"};
  return names[static_cast<int>(space)];
}

} // namespace qcc::emu

#endif // QCC_EMULATOR_SCALARTYPE_H
