//===- Registers.h - Registers of the kernels of a device -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_REGISTERS_H
#define QCC_TOOLS_QCC_REGISTERS_H

#include "qcc/Explain/Report.h"

namespace qcc::driver {

/// Says of each kernel of a report how many registers a thread has: what ptxas
/// makes of the PTX where the machine has it (in the PATH or in
/// /usr/local/cuda), else an estimate.
void countRegisters(ProgramReport &report, llvm::StringRef ptx);

} // namespace qcc::driver

#endif // QCC_TOOLS_QCC_REGISTERS_H
