//===- Logic.cpp - Bitwise operations and shifts --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Lanes.h"

#include "qcc/Emulator/Arith.h"

namespace qcc::emu {
namespace {

struct And {
  template <typename T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <typename T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <typename T> static T apply(T a, T b) { return a ^ b; }
};
struct Not {
  template <typename T> static T apply(T a) { return T(~a); }
};
struct Cnot {
  template <typename T> static T apply(T a) { return a == 0; }
};

/// A predicate is a word whose bits are the lanes.
template <typename Op>
void binaryPredicate(Warp &warp, const Instruction &inst, uint32_t mask) {
  warp.setPredicate(inst.op(0), mask,
                    Op::template apply<uint32_t>(warp.predicate(inst.op(1)),
                                                 warp.predicate(inst.op(2))));
}
void notPredicate(Warp &warp, const Instruction &inst, uint32_t mask) {
  warp.setPredicate(inst.op(0), mask, ~warp.predicate(inst.op(1)));
}

/// The amount of a shift has 32 bits whatever is shifted.
template <typename T, bool isLeft>
void shift(Warp &warp, const Instruction &inst, uint32_t mask) {
  T *d = warp.out<T>(inst.op(0));
  const T *a = warp.in<T>(inst.op(1));
  const uint32_t *b = warp.in<uint32_t>(inst.op(2));
  forLanes(mask, [&](int i) {
    d[i] = isLeft ? arith::shiftLeft<T>(a[i], b[i])
                  : arith::shiftRight<T>(a[i], b[i]);
  });
}
template <typename Op, typename T> struct ShiftLeft {
  static constexpr Execute run = shift<T, true>;
};
template <typename Op, typename T> struct ShiftRight {
  static constexpr Execute run = shift<T, false>;
};

template <bool isLeft>
void funnelShift(Warp &warp, const Instruction &inst, uint32_t mask) {
  auto mode = static_cast<arith::ShiftMode>(inst.data);
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  const uint32_t *a = warp.in<uint32_t>(inst.op(1)),
                 *b = warp.in<uint32_t>(inst.op(2)),
                 *c = warp.in<uint32_t>(inst.op(3));
  forLanes(mask, [&](int i) {
    d[i] = isLeft ? arith::shfLeft(mode, a[i], b[i], c[i])
                  : arith::shfRight(mode, a[i], b[i], c[i]);
  });
}
bool selectFunnelShift(Instruction &inst) {
  inst.data = static_cast<uint64_t>(
      inst.has(Mod::wrap) ? arith::ShiftMode::Wrap : arith::ShiftMode::Clamp);
  inst.execute = inst.has(Mod::l) ? funnelShift<true> : funnelShift<false>;
  return true;
}

void lop3(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  const uint32_t *a = warp.in<uint32_t>(inst.op(1)),
                 *b = warp.in<uint32_t>(inst.op(2)),
                 *c = warp.in<uint32_t>(inst.op(3));
  auto table = static_cast<uint8_t>(inst.op(4).value);
  forLanes(mask, [&](int i) { d[i] = arith::lop3(a[i], b[i], c[i], table); });
}
bool selectLop3(Instruction &inst) {
  inst.execute = lop3;
  return inst.op(4).value <= 0xff;
}

constexpr CostClass integer = CostClass::Integer;

constexpr InstructionRow rows[] = {
    {"and", "@b", "=0 0 0", selectInteger<Binary, And>, integer},
    {"or", "@b", "=0 0 0", selectInteger<Binary, Or>, integer},
    {"xor", "@b", "=0 0 0", selectInteger<Binary, Xor>, integer},
    {"not", "@b", "=0 0", selectInteger<Unary, Not>, integer},
    {"cnot", "@b", "=0 0", selectInteger<Unary, Cnot>, integer},
    {"and", "pred", "=0 0 0", select<binaryPredicate<And>>, integer},
    {"or", "pred", "=0 0 0", select<binaryPredicate<Or>>, integer},
    {"xor", "pred", "=0 0 0", select<binaryPredicate<Xor>>, integer},
    {"not", "pred", "=0 0", select<notPredicate>, integer},
    {"shl", "@b", "=0 0 u32", selectInteger<ShiftLeft, void>, integer},
    {"shr", "b16|b32|b64|u16|u32|u64|s16|s32|s64", "=0 0 u32",
     selectInteger<ShiftRight, void>, integer},
    {"shf", "l|r clamp|wrap b32", "=0 0 0 u32", selectFunnelShift, integer},
    {"lop3", "b32", "=0 0 0 0 #", selectLop3, integer},
};

} // namespace

RowList logicRows() { return rowList(rows); }

} // namespace qcc::emu
