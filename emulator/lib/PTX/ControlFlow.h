//===- ControlFlow.h - Where lanes meet again, and loops --------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_PTX_CONTROLFLOW_H
#define QCC_LIB_EMULATOR_PTX_CONTROLFLOW_H

#include "PTX/Program.h"

namespace qcc::emu {

/// Fills in what follows from the order of a function's instructions: the
/// reconvergence point of each branch (the instruction that starts its nearest
/// common post-dominator), the natural loops, and the number of live registers.
void analyzeControlFlow(Function &function);

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_PTX_CONTROLFLOW_H
