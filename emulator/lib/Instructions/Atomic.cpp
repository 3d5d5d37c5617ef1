//===- Atomic.cpp - Atomic operations on memory ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes of a warp take turns, in their order.
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatLanes.h"
#include "Instructions/MemoryModel.h"
#include "Machine/AddressSpace.h"
#include "Machine/Cta.h"

namespace qcc::emu {
namespace {

//===----------------------------------------------------------------------===//
// Operations: old value, operands b and c, whether subnormals become zeros
//===----------------------------------------------------------------------===//

struct Exchange {
  template <typename T> static T apply(T, T b, T, bool) { return b; }
};
struct CompareAndSwap {
  template <typename T> static T apply(T old, T b, T c, bool) {
    return old == b ? c : old;
  }
};
struct Add {
  template <typename T> static T apply(T old, T b, T, bool) {
    return arith::wrapAdd<T>(old, b);
  }
};
struct Min {
  template <typename T> static T apply(T old, T b, T, bool) {
    return std::min(old, b);
  }
};
struct Max {
  template <typename T> static T apply(T old, T b, T, bool) {
    return std::max(old, b);
  }
};
struct And {
  template <typename T> static T apply(T old, T b, T, bool) { return old & b; }
};
struct Or {
  template <typename T> static T apply(T old, T b, T, bool) { return old | b; }
};
struct Xor {
  template <typename T> static T apply(T old, T b, T, bool) { return old ^ b; }
};
struct Increment {
  template <typename T> static T apply(T old, T b, T, bool) {
    return old >= b ? 0 : old + 1;
  }
};
struct Decrement {
  template <typename T> static T apply(T old, T b, T, bool) {
    return old == 0 || old > b ? b : old - 1;
  }
};
template <ScalarType F> struct FloatAdd {
  template <typename T> static T apply(T old, T b, T, bool ftz) {
    arith::FloatMode mode;
    mode.ftz = ftz;
    return arith::add<F>(old, b, mode);
  }
};
template <ScalarType F> struct FloatAddPacked {
  template <typename T> static T apply(T old, T b, T, bool) {
    uint32_t low = arith::add<F>(uint16_t(old), uint16_t(b));
    uint32_t high = arith::add<F>(uint16_t(old >> 16), uint16_t(b >> 16));
    return high << 16 | low;
  }
};

//===----------------------------------------------------------------------===//
// Executors
//===----------------------------------------------------------------------===//

/// atom has a destination before its address, red has none.
template <typename Op, typename T, bool returnsOld>
void atomic(Warp &warp, const Instruction &inst, uint32_t mask) {
  constexpr int first = returnsOld ? 1 : 0;
  Access access;
  access.inst = &inst;
  access.kind = AccessKind::Atomic;
  access.mask = mask;
  access.space = inst.space;
  access.size = access.elementSize = sizeof(T);
  access.strength = scopeOf(inst);
  access.isAcquire = inst.has(Mod::acquire) || inst.has(Mod::acq_rel);
  access.isRelease = inst.has(Mod::release) || inst.has(Mod::acq_rel);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    access.address[lane] = warp.address(inst.op(first), lane);
  }
  warp.cta().memory().access(warp, access);

  const T *b = warp.in<T>(inst.op(first + 1));
  const T *c = inst.hasOperand(first + 2) ? warp.in<T>(inst.op(first + 2)) : b;
  uint64_t seen = 0;
  bool changes = false;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    T old = 0;
    if (access.memory[lane]) {
      memcpy(&old, access.memory[lane], sizeof(T));
      // Adders of f32 beside the L2 cache have no subnormals.
      bool isShared =
          inst.space == StateSpace::Shared ||
          (inst.space == StateSpace::Generic &&
           spaceOfGeneric(access.address[lane]) == StateSpace::Shared);
      T value = Op::template apply<T>(old, b[lane], c[lane],
                                      !isShared && sizeof(T) == 4);
      memcpy(access.memory[lane], &value, sizeof(T));
      changes |= value != old;
      seen = mixHash(seen, static_cast<uint64_t>(old));
    }
    if (returnsOld && inst.op(0).isPresent())
      warp.out<T>(inst.op(0))[lane] = old;
  }
  if (changes)
    warp.noteChange();
  else
    warp.noteRead(access, seen, /*isLatest=*/true);
}

template <typename Op, typename T> Execute executor(const Instruction &inst) {
  bool returnsOld = inst.row->mnemonic[0] == 'a';
  return returnsOld ? atomic<Op, T, true> : atomic<Op, T, false>;
}

template <typename Op> Execute forInteger(const Instruction &inst) {
  switch (inst.types[0]) {
  case ScalarType::B32:
  case ScalarType::U32:
    return executor<Op, uint32_t>(inst);
  case ScalarType::B64:
  case ScalarType::U64:
    return executor<Op, uint64_t>(inst);
  case ScalarType::S32:
    return executor<Op, int32_t>(inst);
  case ScalarType::S64:
    return executor<Op, int64_t>(inst);
  case ScalarType::B16:
    return executor<Op, uint16_t>(inst);
  default:
    return nullptr;
  }
}

Execute forAdd(const Instruction &inst) {
  switch (inst.types[0]) {
  case ScalarType::F16:
    return executor<FloatAdd<ScalarType::F16>, uint16_t>(inst);
  case ScalarType::BF16:
    return executor<FloatAdd<ScalarType::BF16>, uint16_t>(inst);
  case ScalarType::F16x2:
    return executor<FloatAddPacked<ScalarType::F16>, uint32_t>(inst);
  case ScalarType::BF16x2:
    return executor<FloatAddPacked<ScalarType::BF16>, uint32_t>(inst);
  case ScalarType::F32:
    return executor<FloatAdd<ScalarType::F32>, uint32_t>(inst);
  case ScalarType::F64:
    return executor<FloatAdd<ScalarType::F64>, uint64_t>(inst);
  default:
    return forInteger<Add>(inst);
  }
}

bool selectAtomic(Instruction &inst) {
  inst.execute = inst.has(Mod::exch)   ? forInteger<Exchange>(inst)
                 : inst.has(Mod::cas)  ? forInteger<CompareAndSwap>(inst)
                 : inst.has(Mod::min)  ? forInteger<Min>(inst)
                 : inst.has(Mod::max)  ? forInteger<Max>(inst)
                 : inst.has(Mod::and_) ? forInteger<And>(inst)
                 : inst.has(Mod::or_)  ? forInteger<Or>(inst)
                 : inst.has(Mod::xor_) ? forInteger<Xor>(inst)
                 : inst.has(Mod::inc)  ? forInteger<Increment>(inst)
                 : inst.has(Mod::dec)  ? forInteger<Decrement>(inst)
                                       : forAdd(inst);
  inst.communicates = inst.space != StateSpace::Shared;
  return inst.execute != nullptr;
}

constexpr CostClass cost = CostClass::Atomic;

// Order, scope and space are the same for all.
#define ORDER                                                                  \
  "?relaxed|acquire|release|acq_rel ?@scope "                                  \
  "?global|shared|shared::cta|shared::cluster "

constexpr InstructionRow rows[] = {
    {"atom", ORDER "exch b32|b64", "=0 [] 0", selectAtomic, cost},
    {"atom", ORDER "cas b32|b64", "=0 [] 0 0", selectAtomic, cost},
    {"atom", ORDER "cas b16", "=0 [] 0 0", selectAtomic, cost, {0, 63}},
    {"atom", ORDER "and|or|xor b32|b64", "=0 [] 0", selectAtomic, cost},
    {"atom", ORDER "add u32|s32|u64|f32|f64", "=0 [] 0", selectAtomic, cost},
    {"atom",
     ORDER "add noftz f16|f16x2",
     "=0 [] 0",
     selectAtomic,
     cost,
     {0, 63}},
    {"atom",
     ORDER "add noftz bf16|bf16x2",
     "=0 [] 0",
     selectAtomic,
     cost,
     {90, 78}},
    {"atom", ORDER "inc|dec u32", "=0 [] 0", selectAtomic, cost},
    {"atom", ORDER "min|max u32|s32|u64|s64", "=0 [] 0", selectAtomic, cost},
    {"red", ORDER "and|or|xor b32|b64", "[] 0", selectAtomic, cost},
    {"red", ORDER "add u32|s32|u64|f32|f64", "[] 0", selectAtomic, cost},
    {"red", ORDER "add noftz f16|f16x2", "[] 0", selectAtomic, cost, {0, 63}},
    {"red",
     ORDER "add noftz bf16|bf16x2",
     "[] 0",
     selectAtomic,
     cost,
     {90, 78}},
    {"red", ORDER "inc|dec u32", "[] 0", selectAtomic, cost},
    {"red", ORDER "min|max u32|s32|u64|s64", "[] 0", selectAtomic, cost},
};

} // namespace

RowList atomicRows() { return rowList(rows); }

} // namespace qcc::emu
