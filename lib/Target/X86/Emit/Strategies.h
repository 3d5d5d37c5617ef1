//===- Strategies.h - The order of blocks and tiles -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_STRATEGIES_H
#define QCC_LIB_TARGET_X86_EMIT_STRATEGIES_H

#include "Grid.h"

namespace qcc::x86 {

/// Each emits the blocks of a contraction of one strategy.
#define QCC_X86_STRATEGY(name)                                                 \
  void emit##name(KernelBuilder &builder, Contraction &contraction);
#include "../Strategies.def"

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_STRATEGIES_H
