//===- AsyncRegisters.h - Registers that wgmma uses -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_PTX_ASYNCREGISTERS_H
#define QCC_LIB_EMULATOR_PTX_ASYNCREGISTERS_H

#include "PTX/Program.h"

namespace qcc::emu {

/// Lets instructions that touch registers of some wgmma.mma_async be executed
/// by `watch`, which calls what they were executed by (Instruction::watched).
/// Other instructions pay nothing.
void watchAsyncRegisters(Function &function, Execute watch);

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_PTX_ASYNCREGISTERS_H
