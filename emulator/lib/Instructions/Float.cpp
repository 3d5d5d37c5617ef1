//===- Float.cpp - Float arithmetic ---------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations are templates over the format. Packed types are their halves.
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatLanes.h"

namespace qcc::emu {
namespace {

using arith::FloatMode;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

struct Add {
  template <ScalarType T>
  static FloatBits<T> apply(FloatMode mode, FloatBits<T> a, FloatBits<T> b) {
    return arith::add<T>(a, b, mode);
  }
};
struct Sub {
  template <ScalarType T>
  static FloatBits<T> apply(FloatMode mode, FloatBits<T> a, FloatBits<T> b) {
    return arith::sub<T>(a, b, mode);
  }
};
struct Mul {
  template <ScalarType T>
  static FloatBits<T> apply(FloatMode mode, FloatBits<T> a, FloatBits<T> b) {
    return arith::mul<T>(a, b, mode);
  }
};
struct Fma {
  template <ScalarType T>
  static FloatBits<T> apply(FloatMode mode, FloatBits<T> a, FloatBits<T> b,
                            FloatBits<T> c) {
    return arith::fma<T>(a, b, c, mode);
  }
};
struct Div {
  template <ScalarType T>
  static FloatBits<T> apply(FloatMode mode, FloatBits<T> a, FloatBits<T> b) {
    return arith::div<T>(a, b, mode);
  }
};
struct Rcp {
  template <ScalarType T>
  static FloatBits<T> apply(FloatMode mode, FloatBits<T> a) {
    return arith::rcp<T>(a, mode);
  }
};
struct Sqrt {
  template <ScalarType T>
  static FloatBits<T> apply(FloatMode mode, FloatBits<T> a) {
    return arith::sqrt<T>(a, mode);
  }
};
struct Abs {
  template <ScalarType T>
  static FloatBits<T> apply(FloatMode mode, FloatBits<T> a) {
    return arith::abs<T>(a, mode.ftz);
  }
};
struct Neg {
  template <ScalarType T>
  static FloatBits<T> apply(FloatMode mode, FloatBits<T> a) {
    return arith::neg<T>(a, mode.ftz);
  }
};
struct Copysign {
  template <ScalarType T>
  static FloatBits<T> apply(FloatMode, FloatBits<T> a, FloatBits<T> b) {
    return arith::copysign<T>(a, b);
  }
};

/// f32 of factors, or of a first operand, in a format of 16 bits, which f32
/// holds exactly.
template <typename Op>
void mixed(Warp &warp, const Instruction &inst, uint32_t mask) {
  FloatMode mode = floatMode(inst);
  auto wide = [&](int group, int lane) {
    return static_cast<uint32_t>(
        arith::convert(warp.in<uint16_t>(inst.op(group))[lane], ScalarType::F32,
                       inst.types[1]));
  };
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  const uint32_t *last =
      warp.in<uint32_t>(inst.op(std::is_same_v<Op, Fma> ? 3 : 2));
  forLanes(mask, [&](int i) {
    if constexpr (std::is_same_v<Op, Fma>)
      d[i] = arith::fma<ScalarType::F32>(wide(1, i), wide(2, i), last[i], mode);
    else
      d[i] = Op::template apply<ScalarType::F32>(mode, wide(1, i), last[i]);
  });
}
template <typename Op> bool selectMixed(Instruction &inst) {
  setFloatMode(inst);
  inst.execute = mixed<Op>;
  return true;
}

//===----------------------------------------------------------------------===//
// Minimum and maximum
//===----------------------------------------------------------------------===//

/// What the word of the instruction's data has beside a FloatMode.
constexpr uint64_t propagatesNaN = 1 << 8, xorsignAbs = 1 << 9;

template <bool wantsMax> struct MinMax {
  template <ScalarType T> struct Format {
    static void run(Warp &warp, const Instruction &inst, uint32_t mask) {
      arith::MinMaxMode mode;
      mode.ftz = floatMode(inst).ftz;
      mode.nan = inst.data & propagatesNaN;
      mode.xorsignAbs = inst.data & xorsignAbs;
      floatLanes<T>(warp, inst, mask, [&](FloatBits<T> a, FloatBits<T> b) {
        return arith::minMax<elementOf(T)>(wantsMax, a, b, mode);
      });
    }
  };
};
template <bool wantsMax> bool selectMinMax(Instruction &inst) {
  setFloatMode(inst);
  if (inst.has(Mod::NaN))
    inst.data |= propagatesNaN;
  if (inst.has(Mod::xorsign) != inst.has(Mod::abs))
    return false;
  if (inst.has(Mod::xorsign))
    inst.data |= xorsignAbs;
  return selectFormat<MinMax<wantsMax>::template Format>(inst);
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

template <ScalarType T>
void testp(Warp &warp, const Instruction &inst, uint32_t mask) {
  auto test = static_cast<arith::FloatClass>(inst.data);
  const FloatBits<T> *a = warp.in<FloatBits<T>>(inst.op(1));
  uint32_t bits = 0;
  forLanes(mask,
           [&](int i) { bits |= uint32_t(arith::testp<T>(test, a[i])) << i; });
  warp.setPredicate(inst.op(0), mask, bits);
}
bool selectTestp(Instruction &inst) {
  using Class = arith::FloatClass;
  Class test = inst.has(Mod::finite)       ? Class::Finite
               : inst.has(Mod::infinite)   ? Class::Infinite
               : inst.has(Mod::number)     ? Class::Number
               : inst.has(Mod::notanumber) ? Class::NotANumber
               : inst.has(Mod::normal)     ? Class::Normal
                                           : Class::Subnormal;
  inst.data = static_cast<uint64_t>(test);
  inst.execute = inst.types[0] == ScalarType::F64 ? testp<ScalarType::F64>
                                                  : testp<ScalarType::F32>;
  return true;
}

//===----------------------------------------------------------------------===//
// Approximations
//===----------------------------------------------------------------------===//

template <uint32_t (*function)(uint32_t, bool)>
void approx(Warp &warp, const Instruction &inst, uint32_t mask) {
  bool ftz = floatMode(inst).ftz;
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  const uint32_t *a = warp.in<uint32_t>(inst.op(1));
  forLanes(mask, [&](int i) { d[i] = function(a[i], ftz); });
}
template <uint32_t (*function)(uint32_t, bool)>
bool selectApprox(Instruction &inst) {
  setFloatMode(inst);
  inst.execute = approx<function>;
  return true;
}

template <uint32_t (*function)(uint32_t, uint32_t, bool)>
void approxDiv(Warp &warp, const Instruction &inst, uint32_t mask) {
  bool ftz = floatMode(inst).ftz;
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  const uint32_t *a = warp.in<uint32_t>(inst.op(1)),
                 *b = warp.in<uint32_t>(inst.op(2));
  forLanes(mask, [&](int i) { d[i] = function(a[i], b[i], ftz); });
}
template <uint32_t (*function)(uint32_t, uint32_t, bool)>
bool selectApproxDiv(Instruction &inst) {
  setFloatMode(inst);
  inst.execute = approxDiv<function>;
  return true;
}

template <uint64_t (*function)(uint64_t)>
void approxF64(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint64_t *d = warp.out<uint64_t>(inst.op(0));
  const uint64_t *a = warp.in<uint64_t>(inst.op(1));
  forLanes(mask, [&](int i) { d[i] = function(a[i]); });
}

struct Ex2 {
  template <ScalarType T>
  static FloatBits<T> apply(FloatMode mode, FloatBits<T> a) {
    return arith::ex2Approx16<T>(a, mode.ftz);
  }
};
struct Tanh {
  template <ScalarType T> static FloatBits<T> apply(FloatMode, FloatBits<T> a) {
    return arith::tanhApprox16<T>(a);
  }
};
uint32_t tanhF32(uint32_t a, bool) { return arith::tanhApprox(a); }

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

constexpr CostClass single = CostClass::Float;
constexpr CostClass pair = CostClass::FloatPair;
constexpr CostClass wide = CostClass::Double;
constexpr CostClass special = CostClass::Special;
constexpr CostClass divide = CostClass::Divide;

constexpr InstructionRow rows[] = {
    {"add", "?@round ?ftz ?sat f32", "=0 0 0", selectFloat<Add>, single},
    {"add", "?@round f64", "=0 0 0", selectFloat<Add>, wide},
    {"add", "?rn ?ftz ?sat f16|f16x2", "=0 0 0", selectFloat<Add>, single},
    {"add", "?rn bf16|bf16x2", "=0 0 0", selectFloat<Add>, single, {90, 78}},
    {"add", "?@round ?ftz f32x2", "=0 0 0", selectPair<Add>, pair, {100, 86}},
    {"sub", "?@round ?ftz ?sat f32", "=0 0 0", selectFloat<Sub>, single},
    {"sub", "?@round f64", "=0 0 0", selectFloat<Sub>, wide},
    {"sub", "?rn ?ftz ?sat f16|f16x2", "=0 0 0", selectFloat<Sub>, single},
    {"sub", "?rn bf16|bf16x2", "=0 0 0", selectFloat<Sub>, single, {90, 78}},
    {"sub", "?@round ?ftz f32x2", "=0 0 0", selectPair<Sub>, pair, {100, 86}},
    {"mul", "?@round ?ftz ?sat f32", "=0 0 0", selectFloat<Mul>, single},
    {"mul", "?@round f64", "=0 0 0", selectFloat<Mul>, wide},
    {"mul", "?rn ?ftz ?sat f16|f16x2", "=0 0 0", selectFloat<Mul>, single},
    {"mul", "?rn bf16|bf16x2", "=0 0 0", selectFloat<Mul>, single, {90, 78}},
    {"mul", "?@round ?ftz f32x2", "=0 0 0", selectPair<Mul>, pair, {100, 86}},
    {"fma", "@round ?ftz ?sat f32", "=0 0 0 0", selectFloat<Fma>, single},
    {"fma", "@round f64", "=0 0 0 0", selectFloat<Fma>, wide},
    {"fma", "rn ?ftz ?sat|relu f16|f16x2", "=0 0 0 0", selectFloat<Fma>,
     single},
    {"fma", "rn ?relu bf16|bf16x2", "=0 0 0 0", selectFloat<Fma>, single},
    {"fma", "@round ?ftz f32x2", "=0 0 0 0", selectPair<Fma>, pair, {100, 86}},
    {"mad", "@round ?ftz ?sat f32", "=0 0 0 0", selectFloat<Fma>, single},
    {"mad", "@round f64", "=0 0 0 0", selectFloat<Fma>, wide},

    {"add",
     "?@round ?sat f32 f16|bf16",
     "=0 1 0",
     selectMixed<Add>,
     single,
     {100, 86}},
    {"sub",
     "?@round ?sat f32 f16|bf16",
     "=0 1 0",
     selectMixed<Sub>,
     single,
     {100, 86}},
    {"fma",
     "@round ?sat f32 f16|bf16",
     "=0 1 1 0",
     selectMixed<Fma>,
     single,
     {100, 86}},

    {"div", "@round ?ftz f32", "=0 0 0", selectFloat<Div>, divide},
    {"div", "@round f64", "=0 0 0", selectFloat<Div>, divide},
    {"div", "approx ?ftz f32", "=0 0 0", selectApproxDiv<arith::divApprox>,
     special},
    {"div", "full ?ftz f32", "=0 0 0", selectApproxDiv<arith::divFull>,
     special},
    {"rcp", "@round ?ftz f32", "=0 0", selectFloat<Rcp>, divide},
    {"rcp", "@round f64", "=0 0", selectFloat<Rcp>, divide},
    {"rcp", "approx ?ftz f32", "=0 0", selectApprox<arith::rcpApprox>, special},
    {"rcp", "approx ftz f64", "=0 0", select<approxF64<arith::rcpApproxF64>>,
     special},
    {"sqrt", "@round ?ftz f32", "=0 0", selectFloat<Sqrt>, divide},
    {"sqrt", "@round f64", "=0 0", selectFloat<Sqrt>, divide},
    {"sqrt", "approx ?ftz f32", "=0 0", selectApprox<arith::sqrtApprox>,
     special},
    {"rsqrt", "approx ?ftz f32", "=0 0", selectApprox<arith::rsqrtApprox>,
     special},
    {"rsqrt", "approx f64", "=0 0", select<approxF64<arith::rsqrtApproxF64>>,
     special},
    {"rsqrt", "approx ftz f64", "=0 0",
     select<approxF64<arith::rsqrtApproxFtzF64>>, special},
    {"sin", "approx ?ftz f32", "=0 0", selectApprox<arith::sinApprox>, special},
    {"cos", "approx ?ftz f32", "=0 0", selectApprox<arith::cosApprox>, special},
    {"lg2", "approx ?ftz f32", "=0 0", selectApprox<arith::lg2Approx>, special},
    {"ex2", "approx ?ftz f32", "=0 0", selectApprox<arith::ex2Approx>, special},
    {"ex2", "approx f16|f16x2", "=0 0", selectHalf<Ex2>, special, {75, 70}},
    {"ex2",
     "approx ftz bf16|bf16x2",
     "=0 0",
     selectHalf<Ex2>,
     special,
     {90, 78}},
    {"tanh", "approx f32", "=0 0", selectApprox<tanhF32>, special, {75, 70}},
    {"tanh", "approx f16|f16x2", "=0 0", selectHalf<Tanh>, special, {75, 70}},
    {"tanh", "approx bf16|bf16x2", "=0 0", selectHalf<Tanh>, special, {90, 78}},

    {"abs", "?ftz f32", "=0 0", selectFloat<Abs>, single},
    {"abs", "?ftz f16|f16x2", "=0 0", selectFloat<Abs>, single, {0, 65}},
    {"abs", "f64", "=0 0", selectFloat<Abs>, wide},
    {"abs", "bf16|bf16x2", "=0 0", selectFloat<Abs>, single},
    {"neg", "?ftz f32", "=0 0", selectFloat<Neg>, single},
    {"neg", "?ftz f16|f16x2", "=0 0", selectFloat<Neg>, single, {0, 65}},
    {"neg", "f64", "=0 0", selectFloat<Neg>, wide},
    {"neg", "bf16|bf16x2", "=0 0", selectFloat<Neg>, single},
    {"copysign", "f32", "=0 0 0", selectFloat<Copysign>, single},
    {"copysign", "f64", "=0 0 0", selectFloat<Copysign>, wide},
    {"testp", "finite|infinite|number|notanumber|normal|subnormal f32|f64",
     "=pred 0", selectTestp, single},

    {"min", "?ftz ?NaN ?xorsign ?abs f32", "=0 0 0", selectMinMax<false>,
     single},
    {"min",
     "?ftz ?NaN ?xorsign ?abs f16|f16x2",
     "=0 0 0",
     selectMinMax<false>,
     single,
     {80, 70}},
    {"min", "f64", "=0 0 0", selectMinMax<false>, wide},
    {"min", "?NaN ?xorsign ?abs bf16|bf16x2", "=0 0 0", selectMinMax<false>,
     single},
    {"max", "?ftz ?NaN ?xorsign ?abs f32", "=0 0 0", selectMinMax<true>,
     single},
    {"max",
     "?ftz ?NaN ?xorsign ?abs f16|f16x2",
     "=0 0 0",
     selectMinMax<true>,
     single,
     {80, 70}},
    {"max", "f64", "=0 0 0", selectMinMax<true>, wide},
    {"max", "?NaN ?xorsign ?abs bf16|bf16x2", "=0 0 0", selectMinMax<true>,
     single},
};

} // namespace

RowList floatRows() { return rowList(rows); }

} // namespace qcc::emu
