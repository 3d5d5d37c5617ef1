//===- MemoryModel.h - Order and scope of accesses --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What .relaxed, .acquire, .volatile and the scopes say about an access.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_INSTRUCTIONS_MEMORYMODEL_H
#define QCC_LIB_EMULATOR_INSTRUCTIONS_MEMORYMODEL_H

#include "Machine/Access.h"
#include "PTX/InstructionTable.h"

namespace qcc::emu {

inline bool isStrong(const Instruction &inst) {
  return inst.has(Mod::relaxed) || inst.has(Mod::acquire) ||
         inst.has(Mod::release) || inst.has(Mod::acq_rel) ||
         inst.has(Mod::volatile_);
}

/// The scope that the instruction names; without one, the device's.
inline Strength scopeOf(const Instruction &inst) {
  return inst.has(Mod::cta) ? Strength::Cta : Strength::Gpu;
}

/// Whether order and scope go together: .relaxed, .acquire and .release need a
/// scope, others have none.
inline bool isStrengthGood(const Instruction &inst) {
  bool hasScope = inst.has(Mod::cta) || inst.has(Mod::cluster) ||
                  inst.has(Mod::gpu) || inst.has(Mod::sys);
  bool needsScope = inst.has(Mod::relaxed) || inst.has(Mod::acquire) ||
                    inst.has(Mod::release);
  return hasScope == needsScope;
}

/// Of a load or store.
inline void setStrength(const Instruction &inst, Access &access) {
  if (isStrong(inst))
    access.strength = scopeOf(inst);
  access.isAcquire = inst.has(Mod::acquire) || inst.has(Mod::acq_rel);
  access.isRelease = inst.has(Mod::release) || inst.has(Mod::acq_rel);
  access.isVolatile = inst.has(Mod::volatile_);
  // ldu reads through the same cache as .nc.
  access.isNonCoherent =
      inst.has(Mod::nc) || std::string_view(inst.row->mnemonic) == "ldu";
  access.elementSize = bytesOf(inst.types[0]);
}

/// Whether a strong access may be seen by other CTAs.
inline bool isCommunication(const Instruction &inst) {
  return isStrong(inst) && (inst.space == StateSpace::Global ||
                            inst.space == StateSpace::Generic);
}

inline CostClass costOfSpace(StateSpace space) {
  switch (space) {
  case StateSpace::Shared:
    return CostClass::Shared;
  case StateSpace::Local:
    return CostClass::Local;
  case StateSpace::Const:
  case StateSpace::Param:
    return CostClass::Constant;
  default:
    return CostClass::Global;
  }
}

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_INSTRUCTIONS_MEMORYMODEL_H
