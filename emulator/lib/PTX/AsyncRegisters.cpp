//===- AsyncRegisters.cpp - Registers that wgmma uses ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX/AsyncRegisters.h"

#include "PTX/BlockGraph.h"
#include "PTX/InstructionTable.h"

namespace qcc::emu {

static bool isProduct(const Instruction &inst) {
  return inst.has(Mod::mma_async);
}

void watchAsyncRegisters(Function &function, Execute watch) {
  std::vector<bool> isAsync;
  for (const Instruction &inst : function.code) {
    if (!isProduct(inst))
      continue;
    isAsync.resize(numPlaces(function));
    // The accumulators, and A if it is not a descriptor.
    for (int group : {0, 2})
      for (int i = 0; i < inst.count(group) && inst.count(group) > 1; ++i)
        if (inst.op(group, i).kind == OperandKind::Register)
          isAsync[placeOf(inst.op(group, i).slot)] = true;
  }
  if (isAsync.empty())
    return;
  function.usesProducts = true;
  for (Instruction &inst : function.code) {
    if (isProduct(inst))
      continue;
    bool touches = false;
    forRegisterOperands(inst, [&](const Operand &operand) {
      touches |= isAsync[placeOf(operand.slot)];
    });
    if (!touches)
      continue;
    inst.watched = inst.execute;
    inst.execute = watch;
  }
}

} // namespace qcc::emu
