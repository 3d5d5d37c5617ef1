//===- Memory.cpp - Loads and stores --------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words about caches and eviction change no value and are accepted.
//
//===----------------------------------------------------------------------===//

#include "Instructions/Lanes.h"
#include "Instructions/MemoryModel.h"
#include "Machine/Cta.h"

namespace qcc::emu {
namespace {

/// Fills in what all accesses of an instruction have in common.
void prepare(Warp &warp, const Instruction &inst, uint32_t mask,
             const Operand &address, Access &access) {
  access.inst = &inst;
  access.mask = mask;
  access.space = inst.space;
  access.size = bytesOf(inst.types[0]) * inst.vector;
  setStrength(inst, access);
  forLanes(mask, [&](int i) { access.address[i] = warp.address(address, i); });
}

void noteRead(Warp &warp, const Access &access) {
  uint64_t seen = 0;
  forLanes(access.mask, [&](int i) {
    for (int at = 0; at < access.size; at += 8) {
      uint64_t word = 0;
      memcpy(&word, access.data[i] + at, std::min(8, access.size - at));
      seen = mixHash(seen, word);
    }
  });
  warp.noteRead(access, seen, access.isLatest);
}

/// Loads extend to the register: by the sign for signed types.
void load(Warp &warp, const Instruction &inst, uint32_t mask) {
  Access access;
  access.kind = AccessKind::Load;
  prepare(warp, inst, mask, inst.op(1), access);
  warp.cta().memory().access(warp, access);
  int bytes = bytesOf(inst.types[0]), unused = 64 - 8 * bytes;
  bool extendsSign = isInteger(inst.types[0]) && isSigned(inst.types[0]);
  for (int element = 0; element < inst.vector; ++element) {
    const Operand &d = inst.op(0, element);
    if (!d.isPresent())
      continue;
    if (bytes == 4 && laneBytes(d.type) == 4) {
      uint32_t *out = warp.out<uint32_t>(d);
      forLanes(mask, [&](int i) {
        memcpy(&out[i], access.data[i] + 4 * element, 4);
      });
      continue;
    }
    forLanes(mask, [&](int i) {
      uint64_t value = 0;
      memcpy(&value, access.data[i] + bytes * element, bytes);
      if (extendsSign)
        value = static_cast<uint64_t>(static_cast<int64_t>(value << unused) >>
                                      unused);
      warp.setLane(d, i, value);
    });
  }
  if (access.unwritten)
    warp.noteUnwritten(inst, access);
  if (access.strength != Strength::Weak)
    noteRead(warp, access);
}

/// What is undefined stays so in the memory of a thread or a CTA: as if it were
/// not written.
void forgetUndefined(Warp &warp, const Instruction &inst,
                     const Access &access) {
  int bytes = bytesOf(inst.types[0]);
  for (int element = 0; element < inst.vector; ++element) {
    uint32_t lanes = warp.undefinedStore(inst, inst.op(1, element), access);
    for (; lanes; lanes &= lanes - 1) {
      int lane = __builtin_ctz(lanes);
      auto [space, offset] = warp.resolve(access, lane);
      offset += bytes * element;
      if (space == StateSpace::Local)
        warp.local().forget(1u << lane, offset, offset + bytes);
      else
        warp.cta().memory().forgetShared(offset, bytes);
    }
  }
}

void store(Warp &warp, const Instruction &inst, uint32_t mask) {
  Access access;
  access.kind = AccessKind::Store;
  prepare(warp, inst, mask, inst.op(0), access);
  int bytes = bytesOf(inst.types[0]);
  for (int element = 0; element < inst.vector; ++element) {
    const Operand &source = inst.op(1, element);
    forLanes(mask, [&](int i) {
      uint64_t value = warp.lane(source, i);
      memcpy(access.data[i] + bytes * element, &value, bytes);
    });
  }
  warp.cta().memory().access(warp, access);
  if (inst.valueUse == ValueUse::Stores)
    forgetUndefined(warp, inst, access);
}

void nothing(Warp &, const Instruction &, uint32_t) {}

/// A policy of caches changes no value: all are one number.
void createPolicy(Warp &warp, const Instruction &inst, uint32_t mask) {
  constexpr uint64_t policy = 0x10f0000000000000;
  uint64_t *d = warp.out<uint64_t>(inst.op(0));
  forLanes(mask, [&](int i) { d[i] = policy; });
}

bool selectAccess(Instruction &inst, Execute execute) {
  inst.execute = execute;
  inst.cost = costOfSpace(inst.space);
  inst.communicates = isCommunication(inst);
  int bytes = bytesOf(inst.types[0]) * inst.vector;
  return bytes <= Access::maxBytes && isStrengthGood(inst);
}
bool selectLoad(Instruction &inst) {
  // Without coherence there is no order either.
  if (inst.has(Mod::nc) && inst.space != StateSpace::Global)
    return false;
  return selectAccess(inst, load);
}
bool selectStore(Instruction &inst) {
  inst.isStore = true;
  return selectAccess(inst, store);
}

constexpr CostClass global = CostClass::Global;

constexpr InstructionRow rows[] = {
    {"ld",
     "?weak|relaxed|acquire|volatile ?@scope "
     "?global|shared|shared::cta|shared::cluster|local|const|param|"
     "param::entry|param::func "
     "?ca|cg|cs|lu|cv ?nc ?@L1 ?@L2 ?L2::cache_hint ?@prefetch ?v2|v4|v8 "
     "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64",
     "=v0+ [] ?b64", selectLoad, global},
    {"ldu", "?global ?v2|v4 @memory", "=v0+ []", selectLoad, global},
    {"st",
     "?weak|relaxed|release|volatile ?@scope "
     "?global|shared|shared::cta|shared::cluster|local|param|param::func "
     "?wb|cg|cs|wt ?@L1 ?@L2 ?L2::cache_hint ?v2|v4|v8 "
     "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64",
     "[] v0+ ?b64", selectStore, global},
    {"prefetch", "?global|local L1|L2", "[]", select<nothing>, global},
    {"prefetch", "global L2::evict_last|L2::evict_normal", "[]",
     select<nothing>, global},
    {"prefetchu", "L1", "[]", select<nothing>, global},
    {"createpolicy",
     "fractional @policy ?L2::evict_first|L2::evict_unchanged b64",
     "=0 ?f32",
     select<createPolicy>,
     CostClass::Move,
     {80, 74}},
    {"createpolicy",
     "range ?global @policy ?L2::evict_first|L2::evict_unchanged b64",
     "=0 [global] u32 u32",
     select<createPolicy>,
     CostClass::Move,
     {80, 74}},
    {"createpolicy",
     "cvt L2 b64",
     "=0 0",
     select<createPolicy>,
     CostClass::Move,
     {80, 74}},
};

} // namespace

RowList memoryRows() { return rowList(rows); }

} // namespace qcc::emu
