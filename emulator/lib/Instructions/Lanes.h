//===- Lanes.h - Executing one operation on all lanes -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation is a struct with a function of scalars; the templates here make
// executors of it, and choose one by the instruction's type:
//
//   struct Add { template <typename T> static T apply(T a, T b); };
//   inst.execute = binary<Add, uint32_t>;      or: selectInteger<Binary, Add>
//
// When all lanes run, the loop over them has no conditions, so that the
// compiler vectorizes it.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_INSTRUCTIONS_LANES_H
#define QCC_LIB_EMULATOR_INSTRUCTIONS_LANES_H

#include "Instructions/Rows.h"
#include "Machine/Warp.h"

namespace qcc::emu {

/// Calls body(lane) for the lanes of a mask.
template <typename Body> inline void forLanes(uint32_t mask, Body body) {
  if (mask == ~0u) {
    for (int lane = 0; lane < 32; ++lane)
      body(lane);
  } else {
    for (; mask; mask &= mask - 1)
      body(__builtin_ctz(mask));
  }
}

template <typename Op, typename T> struct Unary {
  static void run(Warp &warp, const Instruction &inst, uint32_t mask) {
    auto *d = warp.out<T>(inst.op(0));
    const T *a = warp.in<T>(inst.op(1));
    forLanes(mask, [&](int i) { d[i] = Op::template apply<T>(a[i]); });
  }
};

template <typename Op, typename T> struct Binary {
  static void run(Warp &warp, const Instruction &inst, uint32_t mask) {
    auto *d = warp.out<T>(inst.op(0));
    const T *a = warp.in<T>(inst.op(1)), *b = warp.in<T>(inst.op(2));
    forLanes(mask, [&](int i) { d[i] = Op::template apply<T>(a[i], b[i]); });
  }
};

template <typename Op, typename T> struct Ternary {
  static void run(Warp &warp, const Instruction &inst, uint32_t mask) {
    auto *d = warp.out<T>(inst.op(0));
    const T *a = warp.in<T>(inst.op(1)), *b = warp.in<T>(inst.op(2)),
            *c = warp.in<T>(inst.op(3));
    forLanes(mask,
             [&](int i) { d[i] = Op::template apply<T>(a[i], b[i], c[i]); });
  }
};

/// 64-bit integers take two steps of a 32-bit pipe.
inline void setIntegerCost(Instruction &inst) {
  if (inst.cost == CostClass::Integer && bitsOf(inst.types[0]) == 64)
    inst.cost = CostClass::Wide;
}

/// The shape of an operation (Unary ...) for the instruction's integer type, of
/// 32 or 64 bits.
template <template <typename, typename> class Shape, typename Op>
bool selectWord(Instruction &inst) {
  setIntegerCost(inst);
  switch (inst.types[0]) {
  case ScalarType::U32:
  case ScalarType::B32:
    inst.execute = Shape<Op, uint32_t>::run;
    return true;
  case ScalarType::U64:
  case ScalarType::B64:
    inst.execute = Shape<Op, uint64_t>::run;
    return true;
  case ScalarType::S32:
    inst.execute = Shape<Op, int32_t>::run;
    return true;
  case ScalarType::S64:
    inst.execute = Shape<Op, int64_t>::run;
    return true;
  default:
    return false;
  }
}

/// The same, for 16 bits as well.
template <template <typename, typename> class Shape, typename Op>
bool selectInteger(Instruction &inst) {
  switch (inst.types[0]) {
  case ScalarType::U16:
  case ScalarType::B16:
    inst.execute = Shape<Op, uint16_t>::run;
    return true;
  case ScalarType::S16:
    inst.execute = Shape<Op, int16_t>::run;
    return true;
  default:
    return selectWord<Shape, Op>(inst);
  }
}

/// An executor that does not depend on the modifiers.
template <Execute function> bool select(Instruction &inst) {
  inst.execute = function;
  return true;
}

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_INSTRUCTIONS_LANES_H
