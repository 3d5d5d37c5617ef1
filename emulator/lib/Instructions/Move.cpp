//===- Move.cpp - Moves and conversions of addresses ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Lanes.h"
#include "Machine/AddressSpace.h"
#include "PTX/SpecialRegisters.h"

namespace qcc::emu {
namespace {

//===----------------------------------------------------------------------===//
// mov
//===----------------------------------------------------------------------===//

struct Copy {
  template <typename T> static T apply(T a) { return a; }
};

void movPredicate(Warp &warp, const Instruction &inst, uint32_t mask) {
  warp.setPredicate(inst.op(0), mask, warp.predicate(inst.op(1)));
}

/// The address of a variable.
void movAddress(Warp &warp, const Instruction &inst, uint32_t mask) {
  forLanes(mask, [&](int i) {
    warp.setLane(inst.op(0), i, warp.address(inst.op(1), i));
  });
}

/// Time is the number of instructions of the warp.
void movSpecial(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint64_t time = static_cast<uint64_t>(warp.executed());
  warp.noteOwnChange();
  switch (static_cast<SpecialRegister>(inst.op(1).value)) {
  case SpecialRegister::ClockHi:
  case SpecialRegister::GlobaltimerHi:
    time >>= 32;
    break;
  default:
    break;
  }
  forLanes(mask, [&](int i) { warp.setLane(inst.op(0), i, time); });
}

/// mov.b32 d, {a, b}: the first element has the low bits.
void movPack(Warp &warp, const Instruction &inst, uint32_t mask) {
  int count = inst.count(1), bits = bitsOf(inst.types[0]) / count;
  uint64_t elementMask = ~uint64_t(0) >> (64 - bits);
  forLanes(mask, [&](int i) {
    uint64_t value = 0;
    for (int element = count; element-- > 0;)
      value = value << bits | (warp.lane(inst.op(1, element), i) & elementMask);
    warp.setLane(inst.op(0), i, value);
  });
}

void movUnpack(Warp &warp, const Instruction &inst, uint32_t mask) {
  int count = inst.count(0), bits = bitsOf(inst.types[0]) / count;
  uint64_t elementMask = ~uint64_t(0) >> (64 - bits);
  forLanes(mask, [&](int i) {
    uint64_t value = warp.lane(inst.op(1), i);
    for (int element = 0; element < count; ++element)
      warp.setLane(inst.op(0, element), i,
                   value >> (bits * element) & elementMask);
  });
}

bool selectMov(Instruction &inst) {
  const Operand &source = inst.op(1);
  bool packs = inst.count(1) > 1, unpacks = inst.count(0) > 1;
  bool isBits = typeInfo(inst.types[0]).kind == TypeClass::Bits;
  if (packs || unpacks) {
    inst.execute = packs ? movPack : movUnpack;
    return isBits && !(packs && unpacks) &&
           (packs || source.kind == OperandKind::Register);
  }
  if (source.kind == OperandKind::Special)
    inst.execute = movSpecial;
  else if (source.kind == OperandKind::Address)
    inst.execute = movAddress;
  else if (inst.types[0] == ScalarType::Pred)
    inst.execute = movPredicate;
  else if (bitsOf(inst.types[0]) == 16)
    inst.execute = Unary<Copy, uint16_t>::run;
  else if (bitsOf(inst.types[0]) == 32)
    inst.execute = Unary<Copy, uint32_t>::run;
  else
    inst.execute = Unary<Copy, uint64_t>::run;
  return true;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// cvta: to generic, or with .to from generic.
void cvta(Warp &warp, const Instruction &inst, uint32_t mask) {
  const Operand &source = inst.op(1);
  bool isBack = inst.data;
  uint64_t *d = warp.out<uint64_t>(inst.op(0));
  forLanes(mask, [&](int i) {
    uint64_t window = warp.window(inst.space, i);
    d[i] = (isBack ? 0 - window : window) + (source.kind == OperandKind::Address
                                                 ? warp.address(source, i)
                                                 : warp.lane(source, i));
  });
}
bool selectCvta(Instruction &inst) {
  inst.data = inst.has(Mod::to);
  inst.execute = cvta;
  return true;
}

void isspacep(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint32_t bits = 0;
  forLanes(mask, [&](int i) {
    StateSpace space = spaceOfGeneric(warp.lane(inst.op(1), i));
    bits |= uint32_t(space == inst.space) << i;
  });
  warp.setPredicate(inst.op(0), mask, bits);
}

constexpr CostClass move = CostClass::Move;

constexpr InstructionRow rows[] = {
    {"mov", "pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "=mov mov",
     selectMov, move},
    {"cvta", "?to global|shared|shared::cta|local|const|param|param::entry u64",
     "=0 mov", selectCvta, CostClass::Wide},
    {"isspacep", "global|shared|shared::cta|local|const|param|param::entry",
     "=pred b64", select<isspacep>, CostClass::Integer},
};

} // namespace

RowList moveRows() { return rowList(rows); }

} // namespace qcc::emu
