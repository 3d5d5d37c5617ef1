//===- Convert.cpp - Conversions ------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt reads and writes registers that may be wider than its types.
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatLanes.h"

namespace qcc::emu {
namespace {

/// What has no bits of arith::ConvertMode in a FloatMode.
constexpr uint64_t toIntegerBit = 1 << 8, satfiniteBit = 1 << 9;

arith::ConvertMode convertMode(const Instruction &inst) {
  arith::FloatMode floats = floatMode(inst);
  arith::ConvertMode mode;
  mode.rounding = floats.rounding;
  mode.ftz = floats.ftz;
  mode.saturate = floats.saturate;
  mode.relu = floats.relu;
  mode.toInteger = inst.data & toIntegerBit;
  mode.satfinite = inst.data & satfiniteBit;
  return mode;
}
void setConvertMode(Instruction &inst) {
  setFloatMode(inst);
  if (inst.has(Mod::rni) || inst.has(Mod::rzi) || inst.has(Mod::rmi) ||
      inst.has(Mod::rpi))
    inst.data |= toIntegerBit;
  if (inst.has(Mod::satfinite))
    inst.data |= satfiniteBit;
}

/// The types alone: untyped bits convert as unsigned integers do.
void convert(Warp &warp, const Instruction &inst, uint32_t mask) {
  arith::ConvertMode mode = convertMode(inst);
  ScalarType to = inst.types[0], from = inst.types[1];
  const Operand &d = inst.op(0), &a = inst.op(1);
  forLanes(mask, [&](int i) {
    warp.setLane(d, i, arith::convert(warp.lane(a, i), to, from, mode));
  });
}

/// Conversions of which kernels are full, between registers of their size.
template <typename To, typename From>
void convertPlain(Warp &warp, const Instruction &inst, uint32_t mask) {
  To *d = warp.out<To>(inst.op(0));
  const From *a = warp.in<From>(inst.op(1));
  forLanes(mask, [&](int i) { d[i] = static_cast<To>(a[i]); });
}

Execute plainConvert(const Instruction &inst) {
  ScalarType to = inst.types[0], from = inst.types[1];
  bool fits = laneBytes(inst.op(0).type) == uint32_t(bytesOf(to)) &&
              laneBytes(inst.op(1).type) == uint32_t(bytesOf(from));
  if (!fits || inst.data != 0)
    return nullptr;
  using T = ScalarType;
  if (from == T::U32 && (to == T::U64 || to == T::S64))
    return convertPlain<uint64_t, uint32_t>;
  if (from == T::S32 && (to == T::U64 || to == T::S64))
    return convertPlain<int64_t, int32_t>;
  if ((from == T::U64 || from == T::S64) && (to == T::U32 || to == T::S32))
    return convertPlain<uint32_t, uint64_t>;
  if (from == T::S32 && to == T::F32 && inst.has(Mod::rn))
    return convertPlain<float, int32_t>;
  return nullptr;
}

/// The rules of PTX for which rounding goes with which types.
bool selectCvt(Instruction &inst) {
  ScalarType to = inst.types[0], from = inst.types[1];
  setConvertMode(inst);
  bool hasRounding = inst.has(Mod::rn) || inst.has(Mod::rz) ||
                     inst.has(Mod::rm) || inst.has(Mod::rp) ||
                     inst.has(Mod::rna);
  bool hasIntegerRounding = inst.data & toIntegerBit;
  bool needsRounding = false, needsIntegerRounding = false;
  if (isFloat(from) && !isFloat(to))
    needsIntegerRounding = true;
  else if (!isFloat(from) && isFloat(to))
    needsRounding = true;
  else if (isFloat(from) && isFloat(to))
    needsRounding = bitsOf(from) > bitsOf(to);
  // Between floats of one size, .rni rounds to an integral value; between f16
  // and bf16, .rn is needed.
  bool isSameFormat = isFloat(from) && from == to;
  if (isFloat(from) && isFloat(to) && bitsOf(from) == bitsOf(to) &&
      !isSameFormat)
    needsRounding = true;
  bool good = needsIntegerRounding ? hasIntegerRounding && !hasRounding
              : needsRounding      ? hasRounding && !hasIntegerRounding
              : isSameFormat       ? !hasRounding
                                   : !hasIntegerRounding;
  bool isSingle = from == ScalarType::F32 || to == ScalarType::F32;
  if (inst.has(Mod::ftz) && !isSingle)
    good = false;
  bool isToHalf = to == ScalarType::F16 || to == ScalarType::BF16;
  if ((inst.has(Mod::relu) || inst.has(Mod::satfinite)) &&
      !(isToHalf && from == ScalarType::F32))
    good = false;
  inst.execute = convert;
  if (Execute plain = plainConvert(inst))
    inst.execute = plain;
  if (bitsOf(to) == bitsOf(from) && !isFloat(to) && !isFloat(from))
    inst.cost = CostClass::Move;
  return good;
}

//===----------------------------------------------------------------------===//
// Two at once
//===----------------------------------------------------------------------===//

/// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half.
void convertPair(Warp &warp, const Instruction &inst, uint32_t mask) {
  arith::ConvertMode mode = convertMode(inst);
  ScalarType to = elementOf(inst.types[0]);
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  const uint32_t *a = warp.in<uint32_t>(inst.op(1)),
                 *b = warp.in<uint32_t>(inst.op(2));
  forLanes(mask, [&](int i) {
    uint64_t high = arith::convert(a[i], to, ScalarType::F32, mode);
    uint64_t low = arith::convert(b[i], to, ScalarType::F32, mode);
    d[i] = static_cast<uint32_t>(high << 16 | low);
  });
}
bool selectPair(Instruction &inst) {
  setConvertMode(inst);
  inst.execute = convertPair;
  return true;
}

/// cvt.rn.satfinite.e4m3x2.f32 d, a, b.
void convertToFloat8(Warp &warp, const Instruction &inst, uint32_t mask) {
  bool relu = convertMode(inst).relu;
  ScalarType to = inst.types[0];
  uint16_t *d = warp.out<uint16_t>(inst.op(0));
  const uint32_t *a = warp.in<uint32_t>(inst.op(1)),
                 *b = warp.in<uint32_t>(inst.op(2));
  forLanes(mask, [&](int i) {
    uint8_t high = arith::convertToFloat8(a[i], to, ScalarType::F32, relu);
    uint8_t low = arith::convertToFloat8(b[i], to, ScalarType::F32, relu);
    d[i] = uint16_t(high << 8 | low);
  });
}
/// cvt.rn.satfinite.e4m3x2.f16x2 d, a.
void packedToFloat8(Warp &warp, const Instruction &inst, uint32_t mask) {
  bool relu = convertMode(inst).relu;
  ScalarType to = inst.types[0], from = elementOf(inst.types[1]);
  uint16_t *d = warp.out<uint16_t>(inst.op(0));
  const uint32_t *a = warp.in<uint32_t>(inst.op(1));
  forLanes(mask, [&](int i) {
    uint8_t high = arith::convertToFloat8(a[i] >> 16, to, from, relu);
    uint8_t low = arith::convertToFloat8(a[i] & 0xffff, to, from, relu);
    d[i] = uint16_t(high << 8 | low);
  });
}
/// cvt.rn.f16x2.e4m3x2 d, a.
void float8ToPacked(Warp &warp, const Instruction &inst, uint32_t mask) {
  bool relu = convertMode(inst).relu;
  ScalarType from = inst.types[1];
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  const uint16_t *a = warp.in<uint16_t>(inst.op(1));
  forLanes(mask, [&](int i) {
    uint32_t high = arith::convertFromFloat8(uint8_t(a[i] >> 8), from, relu);
    d[i] = high << 16 | arith::convertFromFloat8(uint8_t(a[i]), from, relu);
  });
}
template <Execute function> bool selectFloat8(Instruction &inst) {
  setConvertMode(inst);
  inst.execute = function;
  return true;
}

/// cvt.pack.sat.s8.s32.b32 d, a, b, c.
void convertPack(Warp &warp, const Instruction &inst, uint32_t mask) {
  int bits = static_cast<int>(inst.data >> 1);
  bool isSigned = inst.data & 1, hasThird = inst.hasOperand(3);
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  const uint32_t *a = warp.in<uint32_t>(inst.op(1)),
                 *b = warp.in<uint32_t>(inst.op(2)),
                 *c = hasThird ? warp.in<uint32_t>(inst.op(3)) : nullptr;
  forLanes(mask, [&](int i) {
    d[i] = arith::convertPack(bits, isSigned, a[i], b[i], c ? c[i] : 0);
  });
}
bool selectPack(Instruction &inst) {
  bool isSigned = inst.has(Mod::s2) || inst.has(Mod::s4) || inst.has(Mod::s8) ||
                  inst.has(Mod::s16);
  int bits = inst.has(Mod::s2) || inst.has(Mod::u2)   ? 2
             : inst.has(Mod::s4) || inst.has(Mod::u4) ? 4
             : inst.has(Mod::s8) || inst.has(Mod::u8) ? 8
                                                      : 16;
  inst.data = uint64_t(bits) << 1 | uint64_t(isSigned);
  inst.execute = convertPack;
  return true;
}

constexpr CostClass cost = CostClass::Convert;

constexpr InstructionRow rows[] = {
    {"cvt",
     "?rn|rz|rm|rp|rni|rzi|rmi|rpi ?relu ?satfinite ?ftz ?sat "
     "u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64 "
     "u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64",
     "=0+ 1+", selectCvt, cost},
    {"cvt", "rna ?satfinite ?relu tf32 f32", "=b32 1", selectCvt, cost},
    {"cvt",
     "rn|rz ?satfinite ?relu tf32 f32",
     "=b32 1",
     selectCvt,
     cost,
     {90, 78}},
    {"cvt",
     "rn|rz ?relu ?satfinite f16x2|bf16x2 f32",
     "=b32 1 1",
     selectPair,
     cost,
     {80, 70}},
    {"cvt", "rn satfinite ?relu e4m3x2|e5m2x2 f32", "=b16 1 1",
     selectFloat8<convertToFloat8>, cost},
    {"cvt", "rn satfinite ?relu e4m3x2|e5m2x2 f16x2", "=b16 b32",
     selectFloat8<packedToFloat8>, cost},
    {"cvt", "rn ?relu f16x2 e4m3x2|e5m2x2", "=b32 b16",
     selectFloat8<float8ToPacked>, cost},
    {"cvt", "pack sat u16|s16 s32", "=b32 s32 s32", selectPack, cost, {75, 65}},
    {"cvt",
     "pack sat u2|s2|u4|s4|u8|s8 s32 b32",
     "=b32 s32 s32 b32",
     selectPack,
     cost,
     {75, 65}},
};

} // namespace

RowList convertRows() { return rowList(rows); }

} // namespace qcc::emu
