//===- LoadBatches.h - Loads that a warp waits for together -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_PTX_LOADBATCHES_H
#define QCC_LIB_EMULATOR_PTX_LOADBATCHES_H

#include "PTX/Program.h"

namespace qcc::emu {

/// Finds runs of loads from device memory, none of which needs the result of
/// another: a warp waits for them once, where something first needs a result.
/// Instruction::useDistance of the first one is how far away that is, or the
/// end of its block.
void findLoadBatches(Function &function);

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_PTX_LOADBATCHES_H
