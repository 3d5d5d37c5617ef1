//===- SelfTest.h - Does a program compute the same here? -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `qcc compile` runs each entry of an artifact on random inputs, and stores
// digests of the results (qcc_self_test_desc). `--self-test` repeats these runs
// on any machine, with each variant that it can run.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_SELFTEST_H
#define QCC_TOOLS_COMMON_SELFTEST_H

#include "common/ExitCodes.h"
#include "common/Run.h"

#include <functional>

namespace qcc::tools {

using Report = std::function<void(const std::string &)>;

/// Finds two runs of each entry that its requirements admit, whose results have
/// elements, and whose inputs have at most `mostBytes`; digests their results.
/// The runs have different sizes, or different inputs if no size is dynamic.
/// Hands each to `add` at once, and tells `report` why an entry has none.
void makeSelfTests(const ModulePtr &module, uint64_t mostBytes,
                   const std::function<void(const rt::SelfTest &)> &add,
                   const Report &report);

/// Repeats the runs of an artifact with each variant that the host, or the
/// device of the options, can run. Prints a line for each variant; tells
/// `report` which runs differ. Returns the exit code: ExitDiffers if one does.
ExitCode runSelfTests(const std::string &file, RunOptions &options,
                      std::FILE *out, const Report &report);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_SELFTEST_H
