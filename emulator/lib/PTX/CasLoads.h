//===- CasLoads.h - Loads that start loops of atom.cas ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_PTX_CASLOADS_H
#define QCC_LIB_EMULATOR_PTX_CASLOADS_H

#include "PTX/Program.h"

namespace qcc::emu {

/// Finds weak loads whose value atom.cas compares with memory, and sets
/// Instruction::feedsCas. Compilers make them of atomic operations that a chip
/// does not have: whatever such a load reads, atom.cas finds out whether it is
/// what memory holds, and the loop goes on with that.
void findCasLoads(Function &function);

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_PTX_CASLOADS_H
