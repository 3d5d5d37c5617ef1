//===- Reduce.h - Shrinks a program that fails ---------------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_FUZZ_REDUCE_H
#define QCC_TOOLS_FUZZ_REDUCE_H

#include "Isolate.h"
#include "qcc/Base/Status.h"

namespace qcc::fuzz {

/// "cannot take 5 of 7" and "cannot take 3 of 4" are one failure.
std::string withoutNumbers(const std::string &message);

/// A smaller program with one run that fails in the same way: as a difference,
/// with the same signal, or with the same message. `verdict` becomes what is
/// wrong with it.
Subject reduce(Subject subject, Verdict &verdict, const BatchOptions &options,
               unsigned timeoutSeconds);

/// Writes `DIR/NAME.mlir`, whose first line is the command that shows the
/// failure, and beside it the inputs and the configs that are pinned.
rt::Status writeReproducer(const std::string &folder, const Subject &subject,
                           const Verdict &verdict, BatchOptions options,
                           unsigned timeoutSeconds);

} // namespace qcc::fuzz

#endif // QCC_TOOLS_FUZZ_REDUCE_H
