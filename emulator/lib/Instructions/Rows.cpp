//===- Rows.cpp - The table of all instructions ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "Machine/Warp.h"

namespace qcc::emu {

/// Executes what touches registers of wgmma.
static void watch(Warp &warp, const Instruction &inst, uint32_t mask) {
  warp.watchRegisters(inst);
  inst.watched(warp, inst, mask);
}

const InstructionTable &instructionTable() {
  static const auto *table = new InstructionTable(
      {integerRows(), logicRows(), wordRows(), floatRows(), compareRows(),
       convertRows(), moveRows(), memoryRows(), atomicRows(), asyncCopyRows(),
       bulkCopyRows(), mbarrierRows(), matrixRows(), wgmmaRows(), warpRows(),
       barrierRows(), controlRows(), clusterRows()},
      watch);
  return *table;
}

} // namespace qcc::emu
