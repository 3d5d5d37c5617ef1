//===- LargeStack.h - A stack that does not depend on ulimit ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_LARGESTACK_H
#define QCC_TOOLS_COMMON_LARGESTACK_H

#include <functional>

namespace qcc::tools {

/// Calls `work` on a thread with a stack that holds deep programs, and returns
/// its exit code. Threads that are made from then on have stacks of the usual
/// size, whatever `ulimit -s` says. If there is no memory for the stack, prints
/// so as `tool` and returns ExitFailed.
int runWithLargeStack(const char *tool, std::function<int()> work);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_LARGESTACK_H
