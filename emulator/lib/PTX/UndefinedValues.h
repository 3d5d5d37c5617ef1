//===- UndefinedValues.h - Where registers may be undefined -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_PTX_UNDEFINEDVALUES_H
#define QCC_LIB_EMULATOR_PTX_UNDEFINEDVALUES_H

#include "PTX/Program.h"

namespace qcc::emu {

/// Finds the registers that some path reads before anything writes them
/// (Function::unset), and the instructions through which their values, or those
/// that shuffles make up, can pass (Instruction::valueUse). The machine follows
/// values through these instructions alone: most kernels have none.
void findUndefinedValues(Function &function);

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_PTX_UNDEFINEDVALUES_H
