//===- Rows.h - Where the rows of the instruction table stand ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_INSTRUCTIONS_ROWS_H
#define QCC_LIB_EMULATOR_INSTRUCTIONS_ROWS_H

#include "PTX/InstructionTable.h"

namespace qcc::emu {

template <size_t N> RowList rowList(const InstructionRow (&rows)[N]) {
  return {rows, N};
}

// One function for each file of this folder.
RowList integerRows();
RowList logicRows();
RowList wordRows();
RowList floatRows();
RowList compareRows();
RowList convertRows();
RowList moveRows();
RowList memoryRows();
RowList atomicRows();
RowList asyncCopyRows();
RowList bulkCopyRows();
RowList mbarrierRows();
RowList matrixRows();
RowList wgmmaRows();
RowList warpRows();
RowList barrierRows();
RowList controlRows();
RowList clusterRows();

/// The table of all instructions; it never changes.
const InstructionTable &instructionTable();

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_INSTRUCTIONS_ROWS_H
