//===- Integer.cpp - Integer arithmetic -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Lanes.h"

#include "qcc/Emulator/Arith.h"

namespace qcc::emu {
namespace {

//===----------------------------------------------------------------------===//
// Operations of any width
//===----------------------------------------------------------------------===//

struct Add {
  template <typename T> static T apply(T a, T b) {
    return arith::wrapAdd<T>(a, b);
  }
};
struct Sub {
  template <typename T> static T apply(T a, T b) {
    return arith::wrapSub<T>(a, b);
  }
};
struct MulLo {
  template <typename T> static T apply(T a, T b) {
    return arith::mulLo<T>(a, b);
  }
};
struct MulHi {
  template <typename T> static T apply(T a, T b) {
    return arith::mulHi<T>(a, b);
  }
};
struct MadLo {
  template <typename T> static T apply(T a, T b, T c) {
    return arith::wrapAdd<T>(arith::mulLo<T>(a, b), c);
  }
};
struct MadHi {
  template <typename T> static T apply(T a, T b, T c) {
    return arith::wrapAdd<T>(arith::mulHi<T>(a, b), c);
  }
};
struct Div {
  template <typename T> static T apply(T a, T b) {
    return arith::divide<T>(a, b);
  }
};
struct Rem {
  template <typename T> static T apply(T a, T b) {
    return arith::remainder<T>(a, b);
  }
};
struct Min {
  template <typename T> static T apply(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <typename T> static T apply(T a, T b) { return a > b ? a : b; }
};
struct Sad {
  template <typename T> static T apply(T a, T b, T c) {
    return arith::sad<T>(a, b, c);
  }
};
struct Abs {
  template <typename T> static T apply(T a) { return arith::absolute<T>(a); }
};
struct Neg {
  template <typename T> static T apply(T a) { return arith::wrapSub<T>(0, a); }
};

//===----------------------------------------------------------------------===//
// Of 32 bits
//===----------------------------------------------------------------------===//

struct AddSat {
  template <typename T> static T apply(T a, T b) { return arith::addSat(a, b); }
};
struct SubSat {
  template <typename T> static T apply(T a, T b) { return arith::subSat(a, b); }
};
struct MadHiSat {
  template <typename T> static T apply(T a, T b, T c) {
    return arith::addSat(arith::mulHi<T>(a, b), c);
  }
};
struct MinRelu {
  template <typename T> static T apply(T a, T b) {
    return arith::relu<T>(a < b ? a : b);
  }
};
struct MaxRelu {
  template <typename T> static T apply(T a, T b) {
    return arith::relu<T>(a > b ? a : b);
  }
};
struct Mul24Lo {
  template <typename T> static T apply(T a, T b) {
    return arith::mul24Lo<T>(a, b);
  }
};
struct Mul24Hi {
  template <typename T> static T apply(T a, T b) {
    return arith::mul24Hi<T>(a, b);
  }
};
struct Mad24Lo {
  template <typename T> static T apply(T a, T b, T c) {
    return arith::wrapAdd<T>(arith::mul24Lo<T>(a, b), c);
  }
};
struct Mad24Hi {
  template <typename T> static T apply(T a, T b, T c) {
    return arith::wrapAdd<T>(arith::mul24Hi<T>(a, b), c);
  }
};
struct Mad24HiSat {
  template <typename T> static T apply(T a, T b, T c) {
    return arith::addSat(arith::mul24Hi<T>(a, b), c);
  }
};

/// An operation on both halves of a word.
template <typename Op, typename T> struct OnHalves {
  template <typename Word> static Word apply(Word a, Word b) {
    return arith::onHalves<T>(
        a, b, [](T x, T y) { return Op::template apply<T>(x, y); });
  }
};

template <typename Op> bool selectHalves(Instruction &inst) {
  inst.execute = inst.types[0] == ScalarType::S16x2
                     ? Binary<OnHalves<Op, int16_t>, uint32_t>::run
                     : Binary<OnHalves<Op, uint16_t>, uint32_t>::run;
  return true;
}

template <typename Op, typename ReluOp>
bool selectSignedHalves(Instruction &inst) {
  inst.execute = inst.has(Mod::relu)
                     ? Binary<OnHalves<ReluOp, int16_t>, uint32_t>::run
                     : Binary<OnHalves<Op, int16_t>, uint32_t>::run;
  return true;
}

template <typename Op> bool selectS32(Instruction &inst) {
  inst.execute = Binary<Op, int32_t>::run;
  return true;
}

//===----------------------------------------------------------------------===//
// Multiplication
//===----------------------------------------------------------------------===//

template <template <typename, typename> class Shape, typename Op>
bool select32(Instruction &inst) {
  inst.execute = isSigned(inst.types[0]) ? Shape<Op, int32_t>::run
                                         : Shape<Op, uint32_t>::run;
  return true;
}

bool selectMul(Instruction &inst) {
  return inst.has(Mod::hi) ? selectInteger<Binary, MulHi>(inst)
                           : selectInteger<Binary, MulLo>(inst);
}
bool selectMad(Instruction &inst) {
  return inst.has(Mod::hi) ? selectInteger<Ternary, MadHi>(inst)
                           : selectInteger<Ternary, MadLo>(inst);
}
bool selectMul24(Instruction &inst) {
  return inst.has(Mod::hi) ? select32<Binary, Mul24Hi>(inst)
                           : select32<Binary, Mul24Lo>(inst);
}
bool selectMad24(Instruction &inst) {
  return inst.has(Mod::hi) ? select32<Ternary, Mad24Hi>(inst)
                           : select32<Ternary, Mad24Lo>(inst);
}
bool selectMadHiSat(Instruction &inst) {
  inst.execute = Ternary<MadHiSat, int32_t>::run;
  return true;
}
bool selectMad24HiSat(Instruction &inst) {
  inst.execute = Ternary<Mad24HiSat, int32_t>::run;
  return true;
}

/// T is that of the factors; the product has twice its bits.
template <typename T>
void mulWide(Warp &warp, const Instruction &inst, uint32_t mask) {
  using Wide = decltype(arith::mulWide<T>(T(), T()));
  Wide *d = warp.out<Wide>(inst.op(0));
  const T *a = warp.in<T>(inst.op(1)), *b = warp.in<T>(inst.op(2));
  forLanes(mask, [&](int i) { d[i] = arith::mulWide<T>(a[i], b[i]); });
}
template <typename T>
void madWide(Warp &warp, const Instruction &inst, uint32_t mask) {
  using Wide = decltype(arith::mulWide<T>(T(), T()));
  Wide *d = warp.out<Wide>(inst.op(0));
  const T *a = warp.in<T>(inst.op(1)), *b = warp.in<T>(inst.op(2));
  const Wide *c = warp.in<Wide>(inst.op(3));
  forLanes(mask, [&](int i) {
    d[i] = arith::wrapAdd<Wide>(arith::mulWide<T>(a[i], b[i]), c[i]);
  });
}

bool selectMulWide(Instruction &inst) {
  switch (inst.types[0]) {
  case ScalarType::U16:
    inst.execute = mulWide<uint16_t>;
    return true;
  case ScalarType::S16:
    inst.execute = mulWide<int16_t>;
    return true;
  case ScalarType::U32:
    inst.execute = mulWide<uint32_t>;
    return true;
  default:
    inst.execute = mulWide<int32_t>;
    return true;
  }
}
bool selectMadWide(Instruction &inst) {
  switch (inst.types[0]) {
  case ScalarType::U16:
    inst.execute = madWide<uint16_t>;
    return true;
  case ScalarType::S16:
    inst.execute = madWide<int16_t>;
    return true;
  case ScalarType::U32:
    inst.execute = madWide<uint32_t>;
    return true;
  default:
    inst.execute = madWide<int32_t>;
    return true;
  }
}

//===----------------------------------------------------------------------===//
// Carries
//===----------------------------------------------------------------------===//

/// add.cc, addc, addc.cc and their kin: data has what they read and write.
constexpr uint64_t readsCarry = 1, writesCarry = 2;

void finishCarry(Warp &warp, const Instruction &inst, uint32_t mask,
                 uint32_t carries) {
  if ((inst.data & readsCarry) && (mask & ~warp.hasCarry))
    warp.followCarry(inst, mask);
  if (!(inst.data & writesCarry))
    return;
  warp.carry = (warp.carry & ~mask) | carries;
  // The carry out of an undefined carry is undefined.
  if (!(inst.data & readsCarry))
    warp.hasCarry |= mask;
}

template <typename T, bool isSub>
void addCarry(Warp &warp, const Instruction &inst, uint32_t mask) {
  T *d = warp.out<T>(inst.op(0));
  const T *a = warp.in<T>(inst.op(1)), *b = warp.in<T>(inst.op(2));
  uint32_t carries = 0;
  forLanes(mask, [&](int i) {
    bool carry = (inst.data & readsCarry) && (warp.carry >> i & 1);
    auto sum = isSub ? arith::subBorrow<T>(a[i], b[i], carry)
                     : arith::addCarry<T>(a[i], b[i], carry);
    d[i] = sum.value;
    carries |= uint32_t(sum.carry) << i;
  });
  finishCarry(warp, inst, mask, carries);
}

template <typename T, bool isHigh>
void madCarry(Warp &warp, const Instruction &inst, uint32_t mask) {
  T *d = warp.out<T>(inst.op(0));
  const T *a = warp.in<T>(inst.op(1)), *b = warp.in<T>(inst.op(2)),
          *c = warp.in<T>(inst.op(3));
  uint32_t carries = 0;
  forLanes(mask, [&](int i) {
    bool carry = (inst.data & readsCarry) && (warp.carry >> i & 1);
    T product =
        isHigh ? arith::mulHi<T>(a[i], b[i]) : arith::mulLo<T>(a[i], b[i]);
    auto sum = arith::addCarry<T>(product, c[i], carry);
    d[i] = sum.value;
    carries |= uint32_t(sum.carry) << i;
  });
  finishCarry(warp, inst, mask, carries);
}

template <bool reads> void setCarryData(Instruction &inst) {
  setIntegerCost(inst);
  inst.data = (reads ? readsCarry : 0) | (inst.has(Mod::cc) ? writesCarry : 0);
}

template <bool isSub, bool reads> bool selectCarry(Instruction &inst) {
  setCarryData<reads>(inst);
  inst.execute = bitsOf(inst.types[0]) == 64 ? addCarry<uint64_t, isSub>
                                             : addCarry<uint32_t, isSub>;
  return true;
}

template <bool reads> bool selectMadCarry(Instruction &inst) {
  setCarryData<reads>(inst);
  bool isHigh = inst.has(Mod::hi);
  switch (inst.types[0]) {
  case ScalarType::U32:
    inst.execute =
        isHigh ? madCarry<uint32_t, true> : madCarry<uint32_t, false>;
    return true;
  case ScalarType::S32:
    inst.execute = isHigh ? madCarry<int32_t, true> : madCarry<int32_t, false>;
    return true;
  case ScalarType::U64:
    inst.execute =
        isHigh ? madCarry<uint64_t, true> : madCarry<uint64_t, false>;
    return true;
  default:
    inst.execute = isHigh ? madCarry<int64_t, true> : madCarry<int64_t, false>;
    return true;
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

constexpr CostClass integer = CostClass::Integer;
constexpr CostClass multiply = CostClass::Multiply;
constexpr CostClass divide = CostClass::Divide;

constexpr InstructionRow rows[] = {
    {"add", "@int", "=0 0 0", selectInteger<Binary, Add>, integer},
    {"add", "sat s32", "=0 0 0", selectS32<AddSat>, integer},
    {"add", "u16x2|s16x2", "=0 0 0", selectHalves<Add>, integer},
    {"sub", "@int", "=0 0 0", selectInteger<Binary, Sub>, integer},
    {"sub", "sat s32", "=0 0 0", selectS32<SubSat>, integer},
    {"sub", "u16x2|s16x2", "=0 0 0", selectHalves<Sub>, integer},

    {"add", "cc u32|s32|u64|s64", "=0 0 0", selectCarry<false, false>, integer},
    {"addc", "?cc u32|s32|u64|s64", "=0 0 0", selectCarry<false, true>,
     integer},
    {"sub", "cc u32|s32|u64|s64", "=0 0 0", selectCarry<true, false>, integer},
    {"subc", "?cc u32|s32|u64|s64", "=0 0 0", selectCarry<true, true>, integer},
    {"mad", "hi|lo cc u32|s32|u64|s64", "=0 0 0 0", selectMadCarry<false>,
     multiply},
    {"madc", "hi|lo ?cc u32|s32|u64|s64", "=0 0 0 0", selectMadCarry<true>,
     multiply},

    {"mul", "hi|lo @int", "=0 0 0", selectMul, multiply},
    {"mul", "wide u16|s16", "=b32 0 0", selectMulWide, multiply},
    {"mul", "wide u32|s32", "=b64 0 0", selectMulWide, multiply},
    {"mad", "hi|lo @int", "=0 0 0 0", selectMad, multiply},
    {"mad", "hi sat s32", "=0 0 0 0", selectMadHiSat, multiply},
    {"mad", "wide u16|s16", "=b32 0 0 b32", selectMadWide, multiply},
    {"mad", "wide u32|s32", "=b64 0 0 b64", selectMadWide, multiply},
    {"mul24", "hi|lo @int32", "=0 0 0", selectMul24, multiply},
    {"mad24", "hi|lo @int32", "=0 0 0 0", selectMad24, multiply},
    {"mad24", "hi sat s32", "=0 0 0 0", selectMad24HiSat, multiply},

    {"div", "@int", "=0 0 0", selectInteger<Binary, Div>, divide},
    {"rem", "@int", "=0 0 0", selectInteger<Binary, Rem>, divide},
    {"sad", "@int", "=0 0 0 0", selectInteger<Ternary, Sad>, integer},
    {"abs", "@s", "=0 0", selectInteger<Unary, Abs>, integer},
    {"neg", "@s", "=0 0", selectInteger<Unary, Neg>, integer},

    {"min", "@int", "=0 0 0", selectInteger<Binary, Min>, integer},
    {"min", "relu s32", "=0 0 0", selectS32<MinRelu>, integer, {90, 80}},
    {"min", "u16x2", "=0 0 0", selectHalves<Min>, integer},
    {"min", "?relu s16x2", "=0 0 0", selectSignedHalves<Min, MinRelu>, integer},
    {"max", "@int", "=0 0 0", selectInteger<Binary, Max>, integer},
    {"max", "relu s32", "=0 0 0", selectS32<MaxRelu>, integer, {90, 80}},
    {"max", "u16x2", "=0 0 0", selectHalves<Max>, integer},
    {"max", "?relu s16x2", "=0 0 0", selectSignedHalves<Max, MaxRelu>, integer},
};

} // namespace

RowList integerRows() { return rowList(rows); }

} // namespace qcc::emu
