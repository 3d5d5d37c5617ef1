//===- Compare.cpp - Comparisons and selections ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatLanes.h"

namespace qcc::emu {
namespace {

//===----------------------------------------------------------------------===//
// What is compared
//===----------------------------------------------------------------------===//

/// The instruction's data: the operator, and modifiers above it.
constexpr uint64_t operatorMask = 0xff, hasFtz = 1 << 8;
/// Where the predicate of .and, .or and .xor is combined in.
enum class Combine : uint8_t { None, And, Or, Xor };
constexpr int combineShift = 16;

arith::CompareOp compareOp(const Instruction &inst) {
  return static_cast<arith::CompareOp>(inst.data & operatorMask);
}

template <typename T> struct IntegerLanes {
  static uint32_t compare(Warp &warp, const Instruction &inst, uint32_t mask,
                          int first) {
    const T *a = warp.in<T>(inst.op(first)),
            *b = warp.in<T>(inst.op(first + 1));
    arith::CompareOp op = compareOp(inst);
    uint32_t bits = 0;
    forLanes(mask, [&](int i) {
      bits |= uint32_t(arith::compare<T>(op, a[i], b[i])) << i;
    });
    return bits;
  }
};

template <ScalarType T> struct ComparedFloats {
  static uint32_t compare(Warp &warp, const Instruction &inst, uint32_t mask,
                          int first) {
    using Bits = FloatBits<T>;
    const Bits *a = warp.in<Bits>(inst.op(first)),
               *b = warp.in<Bits>(inst.op(first + 1));
    arith::CompareOp op = compareOp(inst);
    bool ftz = inst.data & hasFtz;
    uint32_t bits = 0;
    forLanes(mask, [&](int i) {
      bits |= uint32_t(arith::compareFloat<T>(op, a[i], b[i], ftz)) << i;
    });
    return bits;
  }
};

/// Of one half of packed floats.
template <ScalarType T>
uint32_t compareHalf(Warp &warp, const Instruction &inst, uint32_t mask,
                     int first, int half) {
  const uint32_t *a = warp.in<uint32_t>(inst.op(first)),
                 *b = warp.in<uint32_t>(inst.op(first + 1));
  arith::CompareOp op = compareOp(inst);
  bool ftz = inst.data & hasFtz;
  uint32_t bits = 0;
  forLanes(mask, [&](int i) {
    bits |= uint32_t(arith::compareFloat<T>(op, uint16_t(a[i] >> 16 * half),
                                            uint16_t(b[i] >> 16 * half), ftz))
            << i;
  });
  return bits;
}

uint32_t combine(Warp &warp, const Instruction &inst, uint32_t bits, int last) {
  auto how = static_cast<Combine>(inst.data >> combineShift);
  if (how == Combine::None)
    return bits;
  uint32_t other = warp.predicate(inst.op(last));
  return how == Combine::And  ? bits & other
         : how == Combine::Or ? bits | other
                              : bits ^ other;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Groups of setp: p, q, a, b, c.
template <typename Compared> struct Setp {
  static void run(Warp &warp, const Instruction &inst, uint32_t mask) {
    uint32_t bits = Compared::compare(warp, inst, mask, 2);
    uint32_t p = combine(warp, inst, bits, 4);
    uint32_t q = combine(warp, inst, ~bits, 4);
    warp.setPredicate(inst.op(0), mask, p);
    warp.setPredicate(inst.op(1), mask, q);
  }
};

/// p is of the lower halves, q of the upper ones.
template <ScalarType T>
void setpPacked(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint32_t low = compareHalf<T>(warp, inst, mask, 2, 0);
  uint32_t high = compareHalf<T>(warp, inst, mask, 2, 1);
  uint32_t p = combine(warp, inst, low, 4), q = combine(warp, inst, high, 4);
  warp.setPredicate(inst.op(0), mask, p);
  warp.setPredicate(inst.op(1), mask, q);
}

/// Groups of set: d, a, b, c. True is all ones, or 1.0.
template <typename Compared> struct Set {
  static void run(Warp &warp, const Instruction &inst, uint32_t mask) {
    uint32_t bits =
        combine(warp, inst, Compared::compare(warp, inst, mask, 1), 3);
    uint32_t yes = inst.types[0] == ScalarType::F32 ? 0x3f800000 : ~0u;
    uint32_t *d = warp.out<uint32_t>(inst.op(0));
    forLanes(mask, [&](int i) { d[i] = bits >> i & 1 ? yes : 0; });
  }
};

template <typename T>
void selp(Warp &warp, const Instruction &inst, uint32_t mask) {
  T *d = warp.out<T>(inst.op(0));
  const T *a = warp.in<T>(inst.op(1)), *b = warp.in<T>(inst.op(2));
  uint32_t bits = warp.predicate(inst.op(3));
  forLanes(mask, [&](int i) { d[i] = bits >> i & 1 ? a[i] : b[i]; });
}

template <typename T>
void slct(Warp &warp, const Instruction &inst, uint32_t mask) {
  T *d = warp.out<T>(inst.op(0));
  const T *a = warp.in<T>(inst.op(1)), *b = warp.in<T>(inst.op(2));
  const uint32_t *c = warp.in<uint32_t>(inst.op(3));
  bool isFloat = inst.types[1] == ScalarType::F32;
  bool ftz = inst.data & hasFtz;
  forLanes(mask, [&](int i) {
    bool first = isFloat ? arith::compareFloat<ScalarType::F32>(
                               arith::CompareOp::Ge, c[i], 0, ftz)
                         : int32_t(c[i]) >= 0;
    d[i] = first ? a[i] : b[i];
  });
}

//===----------------------------------------------------------------------===//
// Selection of executors
//===----------------------------------------------------------------------===//

/// The operator that a word names for a type; nothing if it has none.
bool setCompareOp(Instruction &inst, ScalarType type) {
  using Op = arith::CompareOp;
  struct Row {
    Mod mod;
    Op op;
  };
  static constexpr Row operators[] = {
      {Mod::eq, Op::Eq},   {Mod::ne, Op::Ne},   {Mod::lt, Op::Lt},
      {Mod::le, Op::Le},   {Mod::gt, Op::Gt},   {Mod::ge, Op::Ge},
      {Mod::lo, Op::Lo},   {Mod::ls, Op::Ls},   {Mod::hi, Op::Hi},
      {Mod::hs, Op::Hs},   {Mod::equ, Op::Equ}, {Mod::neu, Op::Neu},
      {Mod::ltu, Op::Ltu}, {Mod::leu, Op::Leu}, {Mod::gtu, Op::Gtu},
      {Mod::geu, Op::Geu}, {Mod::num, Op::Num}, {Mod::nan_, Op::Nan}};
  Op op = Op::Eq;
  for (const Row &row : operators)
    if (row.mod == inst.modifiers[0])
      op = row.op;
  bool isUnsignedOnly = op >= Op::Lo && op <= Op::Hs;
  bool isFloatOnly = op >= Op::Equ;
  bool isEquality = op == Op::Eq || op == Op::Ne;
  bool exists = isFloat(type) ? !isUnsignedOnly
                : isInteger(type)
                    ? !isFloatOnly && !(isUnsignedOnly && isSigned(type))
                    : isEquality;
  inst.data = static_cast<uint64_t>(op) | (inst.has(Mod::ftz) ? hasFtz : 0);
  return exists;
}

/// .and, .or, .xor and the predicate that belongs to it, at `group`.
bool setCombine(Instruction &inst, int group) {
  Combine how = inst.has(Mod::and_)   ? Combine::And
                : inst.has(Mod::or_)  ? Combine::Or
                : inst.has(Mod::xor_) ? Combine::Xor
                                      : Combine::None;
  inst.data |= static_cast<uint64_t>(how) << combineShift;
  return (how != Combine::None) == inst.hasOperand(group);
}

template <template <typename> class Shape>
Execute compareExecutor(ScalarType type) {
  switch (type) {
  case ScalarType::B16:
  case ScalarType::U16:
    return Shape<IntegerLanes<uint16_t>>::run;
  case ScalarType::B32:
  case ScalarType::U32:
    return Shape<IntegerLanes<uint32_t>>::run;
  case ScalarType::B64:
  case ScalarType::U64:
    return Shape<IntegerLanes<uint64_t>>::run;
  case ScalarType::S16:
    return Shape<IntegerLanes<int16_t>>::run;
  case ScalarType::S32:
    return Shape<IntegerLanes<int32_t>>::run;
  case ScalarType::S64:
    return Shape<IntegerLanes<int64_t>>::run;
  case ScalarType::F16:
    return Shape<ComparedFloats<ScalarType::F16>>::run;
  case ScalarType::BF16:
    return Shape<ComparedFloats<ScalarType::BF16>>::run;
  case ScalarType::F32:
    return Shape<ComparedFloats<ScalarType::F32>>::run;
  case ScalarType::F64:
    return Shape<ComparedFloats<ScalarType::F64>>::run;
  default:
    return nullptr;
  }
}

void setCompareCost(Instruction &inst, ScalarType type) {
  inst.cost = type == ScalarType::F64 ? CostClass::Double
              : isFloat(type)         ? CostClass::Float
              : bitsOf(type) == 64    ? CostClass::Wide
                                      : CostClass::Integer;
}

bool selectSetp(Instruction &inst) {
  ScalarType type = inst.types[0];
  setCompareCost(inst, type);
  inst.execute = type == ScalarType::F16x2    ? setpPacked<ScalarType::F16>
                 : type == ScalarType::BF16x2 ? setpPacked<ScalarType::BF16>
                                              : compareExecutor<Setp>(type);
  return setCompareOp(inst, type) && setCombine(inst, 4);
}

bool selectSet(Instruction &inst) {
  ScalarType type = inst.types[1];
  setCompareCost(inst, type);
  inst.execute = compareExecutor<Set>(type);
  return setCompareOp(inst, type) && setCombine(inst, 3);
}

bool selectSelp(Instruction &inst) {
  int bits = bitsOf(inst.types[0]);
  inst.execute = bits == 16   ? selp<uint16_t>
                 : bits == 32 ? selp<uint32_t>
                              : selp<uint64_t>;
  return true;
}
bool selectSlct(Instruction &inst) {
  inst.data = inst.has(Mod::ftz) ? hasFtz : 0;
  int bits = bitsOf(inst.types[0]);
  inst.execute = bits == 16   ? slct<uint16_t>
                 : bits == 32 ? slct<uint32_t>
                              : slct<uint64_t>;
  return !inst.has(Mod::ftz) || inst.types[1] == ScalarType::F32;
}

constexpr CostClass integer = CostClass::Integer;

constexpr InstructionRow rows[] = {
    {"setp", "@compare ?@bool b16|b32|b64|u16|u32|u64|s16|s32|s64|f64",
     "=pred| 0 0 ?!pred", selectSetp, integer},
    {"setp", "@compare ?@bool ?ftz f32|f16|f16x2", "=pred| 0 0 ?!pred",
     selectSetp, integer},
    {"setp",
     "@compare ?@bool bf16|bf16x2",
     "=pred| 0 0 ?!pred",
     selectSetp,
     integer,
     {90, 78}},
    {"set",
     "@compare ?@bool ?ftz u32|s32|f32 "
     "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
     "=0 1 1 ?!pred", selectSet, integer},
    {"selp", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "=0 0 0 pred",
     selectSelp, CostClass::Move},
    {"slct", "?ftz b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 s32|f32",
     "=0 0 0 1", selectSlct, CostClass::Move},
};

} // namespace

RowList compareRows() { return rowList(rows); }

} // namespace qcc::emu
