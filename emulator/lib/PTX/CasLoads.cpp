//===- CasLoads.cpp - Loads that start loops of atom.cas ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX/CasLoads.h"

#include "PTX/BlockGraph.h"
#include "PTX/InstructionTable.h"

#include <vector>

namespace qcc::emu {

/// Of a scalar mov of a register: the two registers; else null.
static const Operand *movedBy(const Instruction &inst) {
  bool isCopy = std::string_view(inst.row->mnemonic) == "mov" &&
                inst.count(0) == 1 && inst.count(1) == 1;
  return isCopy && inst.op(0).kind == OperandKind::Register &&
                 inst.op(1).kind == OperandKind::Register
             ? &inst.op(1)
             : nullptr;
}

void findCasLoads(Function &function) {
  // Registers whose value some atom.cas compares: d, address, compared, new.
  std::vector<bool> isCompared(numPlaces(function));
  bool any = false;
  for (const Instruction &inst : function.code)
    if (inst.has(Mod::cas) && inst.op(2).kind == OperandKind::Register) {
      isCompared[placeOf(inst.op(2).slot)] = true;
      any = true;
    }
  for (bool changed = any; changed;) {
    changed = false;
    for (const Instruction &inst : function.code)
      if (const Operand *source = movedBy(inst);
          source && isCompared[placeOf(inst.op(0).slot)] &&
          !isCompared[placeOf(source->slot)])
        changed = isCompared[placeOf(source->slot)] = true;
  }
  if (!any)
    return;
  for (Instruction &inst : function.code)
    inst.feedsCas = std::string_view(inst.row->mnemonic) == "ld" &&
                    inst.vector == 1 && !inst.has(Mod::nc) &&
                    inst.op(0).kind == OperandKind::Register &&
                    isCompared[placeOf(inst.op(0).slot)];
}

} // namespace qcc::emu
