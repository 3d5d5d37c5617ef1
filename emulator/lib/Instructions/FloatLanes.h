//===- FloatLanes.h - Float operations on all lanes -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes.h for floats: an operation is a template over the format, F16, BF16,
// F32 or F64; f16x2, bf16x2 and f32x2 apply it to each half. Its modifiers
// travel in the instruction's data.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_INSTRUCTIONS_FLOATLANES_H
#define QCC_LIB_EMULATOR_INSTRUCTIONS_FLOATLANES_H

#include "Instructions/Lanes.h"

#include "qcc/Emulator/Arith.h"

namespace qcc::emu {

/// The format of an element.
constexpr ScalarType elementOf(ScalarType type) {
  return type == ScalarType::F16x2    ? ScalarType::F16
         : type == ScalarType::BF16x2 ? ScalarType::BF16
         : type == ScalarType::F32x2  ? ScalarType::F32
                                      : type;
}
constexpr bool isPacked(ScalarType type) { return elementOf(type) != type; }

/// Bits of an element of T, which may be packed.
template <ScalarType T> using FloatBits = arith::Bits<elementOf(T)>;

inline arith::Rounding roundingOf(Mod mod) {
  switch (mod) {
  case Mod::rz:
  case Mod::rzi:
    return arith::Rounding::Zero;
  case Mod::rm:
  case Mod::rmi:
    return arith::Rounding::Down;
  case Mod::rp:
  case Mod::rpi:
    return arith::Rounding::Up;
  case Mod::rna:
    return arith::Rounding::NearestAway;
  default:
    return arith::Rounding::Nearest;
  }
}

/// A FloatMode in the low byte of an instruction's data.
inline void setFloatMode(Instruction &inst) {
  uint64_t rounding = 0;
  for (Mod mod : inst.modifiers)
    if (roundingOf(mod) != arith::Rounding::Nearest)
      rounding = static_cast<uint64_t>(roundingOf(mod));
  inst.data = rounding | uint64_t(inst.has(Mod::ftz)) << 3 |
              uint64_t(inst.has(Mod::sat)) << 4 |
              uint64_t(inst.has(Mod::relu)) << 5;
}
inline arith::FloatMode floatMode(const Instruction &inst) {
  arith::FloatMode mode;
  mode.rounding = static_cast<arith::Rounding>(inst.data & 7);
  mode.ftz = inst.data >> 3 & 1;
  mode.saturate = inst.data >> 4 & 1;
  mode.relu = inst.data >> 5 & 1;
  return mode;
}

/// d = apply(a, ...) for all elements of all lanes, by as many sources as
/// `apply` has parameters.
template <ScalarType T, typename Apply, size_t... sources>
void floatLanesOf(Warp &warp, const Instruction &inst, uint32_t mask,
                  Apply apply, std::index_sequence<sources...>) {
  using Element = FloatBits<T>;
  if constexpr (isPacked(T)) {
    constexpr int bits = 8 * sizeof(Element);
    using Word = std::conditional_t<bits == 32, uint64_t, uint32_t>;
    Word *d = warp.out<Word>(inst.op(0));
    const Word *in[] = {warp.in<Word>(inst.op(1 + sources))...};
    forLanes(mask, [&](int i) {
      Word low = apply(Element(in[sources][i])...);
      Word high = apply(Element(in[sources][i] >> bits)...);
      d[i] = high << bits | low;
    });
  } else {
    Element *d = warp.out<Element>(inst.op(0));
    const Element *in[] = {warp.in<Element>(inst.op(1 + sources))...};
    forLanes(mask, [&](int i) { d[i] = apply(in[sources][i]...); });
  }
}

template <ScalarType T, typename Apply>
void floatLanes(Warp &warp, const Instruction &inst, uint32_t mask,
                Apply apply) {
  using E = FloatBits<T>;
  if constexpr (std::is_invocable_v<Apply, E>)
    floatLanesOf<T>(warp, inst, mask, apply, std::make_index_sequence<1>());
  else if constexpr (std::is_invocable_v<Apply, E, E>)
    floatLanesOf<T>(warp, inst, mask, apply, std::make_index_sequence<2>());
  else
    floatLanesOf<T>(warp, inst, mask, apply, std::make_index_sequence<3>());
}

/// Format<T>::run for the instruction's type.
template <template <ScalarType> class Format>
bool selectFormat(Instruction &inst) {
  switch (inst.types[0]) {
  case ScalarType::F16:
    inst.execute = Format<ScalarType::F16>::run;
    return true;
  case ScalarType::BF16:
    inst.execute = Format<ScalarType::BF16>::run;
    return true;
  case ScalarType::F16x2:
    inst.execute = Format<ScalarType::F16x2>::run;
    return true;
  case ScalarType::BF16x2:
    inst.execute = Format<ScalarType::BF16x2>::run;
    return true;
  case ScalarType::F32:
    inst.execute = Format<ScalarType::F32>::run;
    return true;
  case ScalarType::F64:
    inst.execute = Format<ScalarType::F64>::run;
    return true;
  default:
    return false;
  }
}

/// Op::apply<element>(mode, operands...). Without modifiers the mode is a
/// constant, so that the compiler sees plain arithmetic.
template <typename Op, ScalarType T, bool isPlain> struct FloatOp {
  template <typename... E>
  static auto call(arith::FloatMode mode, E... e)
      -> decltype(Op::template apply<elementOf(T)>(mode, e...)) {
    return Op::template apply<elementOf(T)>(isPlain ? arith::FloatMode() : mode,
                                            e...);
  }
  static void run(Warp &warp, const Instruction &inst, uint32_t mask) {
    arith::FloatMode mode = floatMode(inst);
    floatLanes<T>(warp, inst, mask,
                  [&](auto... e) -> decltype(call(mode, e...)) {
                    return call(mode, e...);
                  });
  }
};

template <typename Op> struct PlainFloat {
  template <ScalarType T> using Format = FloatOp<Op, T, true>;
};
template <typename Op> struct ModalFloat {
  template <ScalarType T> using Format = FloatOp<Op, T, false>;
};

template <typename Op> bool selectFloat(Instruction &inst) {
  setFloatMode(inst);
  return inst.data == 0 ? selectFormat<PlainFloat<Op>::template Format>(inst)
                        : selectFormat<ModalFloat<Op>::template Format>(inst);
}

/// Of f32x2, which few operations have.
template <typename Op> bool selectPair(Instruction &inst) {
  setFloatMode(inst);
  inst.execute = inst.data == 0 ? FloatOp<Op, ScalarType::F32x2, true>::run
                                : FloatOp<Op, ScalarType::F32x2, false>::run;
  return true;
}

/// Of operations that exist for 16-bit formats alone.
template <typename Op> bool selectHalf(Instruction &inst) {
  setFloatMode(inst);
  switch (inst.types[0]) {
  case ScalarType::F16:
    inst.execute = FloatOp<Op, ScalarType::F16, false>::run;
    return true;
  case ScalarType::BF16:
    inst.execute = FloatOp<Op, ScalarType::BF16, false>::run;
    return true;
  case ScalarType::F16x2:
    inst.execute = FloatOp<Op, ScalarType::F16x2, false>::run;
    return true;
  default:
    inst.execute = FloatOp<Op, ScalarType::BF16x2, false>::run;
    return true;
  }
}

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_INSTRUCTIONS_FLOATLANES_H
