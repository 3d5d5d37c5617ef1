//===- Words.cpp - Bits, bytes and dot products within words --------------===//
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
// Counting and finding bits
//===----------------------------------------------------------------------===//

struct Brev {
  template <typename T> static T apply(T a) { return arith::brev<T>(a); }
};
struct Popc {
  template <typename T> static uint32_t apply(T a) { return arith::popc(a); }
};
struct Clz {
  template <typename T> static uint32_t apply(T a) { return arith::clz<T>(a); }
};
struct Bfind {
  template <typename T> static uint32_t apply(T a) {
    return arith::bfind<T>(a, false);
  }
};
struct BfindShift {
  template <typename T> static uint32_t apply(T a) {
    return arith::bfind<T>(a, true);
  }
};

/// A function of T with a 32-bit result.
template <typename Op, typename T> struct ToWord {
  static void run(Warp &warp, const Instruction &inst, uint32_t mask) {
    uint32_t *d = warp.out<uint32_t>(inst.op(0));
    const T *a = warp.in<T>(inst.op(1));
    forLanes(mask, [&](int i) { d[i] = Op::template apply<T>(a[i]); });
  }
};

bool selectBfind(Instruction &inst) {
  return inst.has(Mod::shiftamt) ? selectWord<ToWord, BfindShift>(inst)
                                 : selectWord<ToWord, Bfind>(inst);
}

void fns(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  const uint32_t *a = warp.in<uint32_t>(inst.op(1)),
                 *b = warp.in<uint32_t>(inst.op(2));
  const int32_t *c = warp.in<int32_t>(inst.op(3));
  forLanes(mask, [&](int i) { d[i] = arith::fns(a[i], b[i], c[i]); });
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

template <typename Op, typename T> struct Extract {
  static void run(Warp &warp, const Instruction &inst, uint32_t mask) {
    T *d = warp.out<T>(inst.op(0));
    const T *a = warp.in<T>(inst.op(1));
    const uint32_t *b = warp.in<uint32_t>(inst.op(2)),
                   *c = warp.in<uint32_t>(inst.op(3));
    forLanes(mask, [&](int i) { d[i] = arith::bfe<T>(a[i], b[i], c[i]); });
  }
};
template <typename Op, typename T> struct Insert {
  static void run(Warp &warp, const Instruction &inst, uint32_t mask) {
    T *d = warp.out<T>(inst.op(0));
    const T *a = warp.in<T>(inst.op(1)), *b = warp.in<T>(inst.op(2));
    const uint32_t *c = warp.in<uint32_t>(inst.op(3)),
                   *e = warp.in<uint32_t>(inst.op(4));
    forLanes(mask,
             [&](int i) { d[i] = arith::bfi<T>(a[i], b[i], c[i], e[i]); });
  }
};

arith::ShiftMode shiftMode(const Instruction &inst) {
  return inst.has(Mod::wrap) ? arith::ShiftMode::Wrap : arith::ShiftMode::Clamp;
}

template <bool isMask>
void makeField(Warp &warp, const Instruction &inst, uint32_t mask) {
  arith::ShiftMode mode = shiftMode(inst);
  bool extendsSign = isSigned(inst.types[0]);
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  const uint32_t *a = warp.in<uint32_t>(inst.op(1)),
                 *b = warp.in<uint32_t>(inst.op(2));
  forLanes(mask, [&](int i) {
    d[i] = isMask ? arith::bmsk(mode, a[i], b[i])
                  : arith::szext(mode, extendsSign, a[i], b[i]);
  });
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

void prmt(Warp &warp, const Instruction &inst, uint32_t mask) {
  auto mode = static_cast<arith::PermuteMode>(inst.data);
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  const uint32_t *a = warp.in<uint32_t>(inst.op(1)),
                 *b = warp.in<uint32_t>(inst.op(2)),
                 *c = warp.in<uint32_t>(inst.op(3));
  forLanes(mask, [&](int i) { d[i] = arith::prmt(mode, a[i], b[i], c[i]); });
}
bool selectPrmt(Instruction &inst) {
  using Mode = arith::PermuteMode;
  Mode mode = inst.has(Mod::f4e)    ? Mode::F4e
              : inst.has(Mod::b4e)  ? Mode::B4e
              : inst.has(Mod::rc8)  ? Mode::Rc8
              : inst.has(Mod::ecl)  ? Mode::Ecl
              : inst.has(Mod::ecr)  ? Mode::Ecr
              : inst.has(Mod::rc16) ? Mode::Rc16
                                    : Mode::Default;
  inst.data = static_cast<uint64_t>(mode);
  inst.execute = prmt;
  return true;
}

template <bool isDp4a>
void dotProduct(Warp &warp, const Instruction &inst, uint32_t mask) {
  bool aSigned = isSigned(inst.types[0]), bSigned = isSigned(inst.types[1]);
  bool isHigh = inst.data;
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  const uint32_t *a = warp.in<uint32_t>(inst.op(1)),
                 *b = warp.in<uint32_t>(inst.op(2)),
                 *c = warp.in<uint32_t>(inst.op(3));
  forLanes(mask, [&](int i) {
    d[i] = isDp4a ? arith::dp4a(aSigned, bSigned, a[i], b[i], c[i])
                  : arith::dp2a(aSigned, bSigned, isHigh, a[i], b[i], c[i]);
  });
}
template <bool isDp4a> bool selectDotProduct(Instruction &inst) {
  inst.data = inst.has(Mod::hi);
  inst.execute = dotProduct<isDp4a>;
  return true;
}

constexpr CostClass integer = CostClass::Integer;
constexpr CostClass multiply = CostClass::Multiply;

constexpr InstructionRow rows[] = {
    {"brev", "b32|b64", "=0 0", selectWord<Unary, Brev>, integer},
    {"popc", "b32|b64", "=u32 0", selectWord<ToWord, Popc>, integer},
    {"clz", "b32|b64", "=u32 0", selectWord<ToWord, Clz>, integer},
    {"bfind", "?shiftamt u32|u64|s32|s64", "=u32 0", selectBfind, integer},
    {"fns", "b32", "=u32 0 u32 s32", select<fns>, integer},
    {"bfe", "u32|u64|s32|s64", "=0 0 u32 u32", selectWord<Extract, void>,
     integer},
    {"bfi", "b32|b64", "=0 0 0 u32 u32", selectWord<Insert, void>, integer},
    {"bmsk",
     "clamp|wrap b32",
     "=0 0 0",
     select<makeField<true>>,
     integer,
     {0, 76}},
    {"szext",
     "clamp|wrap u32|s32",
     "=0 0 u32",
     select<makeField<false>>,
     integer,
     {0, 76}},
    {"prmt", "b32 ?f4e|b4e|rc8|ecl|ecr|rc16", "=0 0 0 0", selectPrmt,
     CostClass::Move},
    {"dp4a", "u32|s32 u32|s32", "=b32 b32 b32 b32", selectDotProduct<true>,
     multiply},
    {"dp2a", "lo|hi u32|s32 u32|s32", "=b32 b32 b32 b32",
     selectDotProduct<false>, multiply},
};

} // namespace

RowList wordRows() { return rowList(rows); }

} // namespace qcc::emu
