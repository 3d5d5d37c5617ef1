//===- Rows.cpp - The table of all instructions ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

namespace qcc::emu {

const InstructionTable &instructionTable() {
  static const auto *table = new InstructionTable(
      {integerRows(), logicRows(), wordRows(), floatRows(), compareRows(),
       convertRows(), moveRows(), memoryRows(), atomicRows(), asyncCopyRows(),
       mbarrierRows(), matrixRows(), warpRows(), barrierRows(), controlRows()});
  return *table;
}

} // namespace qcc::emu
