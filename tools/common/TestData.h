//===- TestData.h - Tests that come with ONNX models ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--test-data=DIR` runs a model on the data that its authors publish beside
// it: folders test_data_set_0, test_data_set_1 and so on, each with the files
// input_0.pb, input_1.pb and output_0.pb, output_1.pb, a tensor in each.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_TESTDATA_H
#define QCC_TOOLS_COMMON_TESTDATA_H

#include "common/ExitCodes.h"
#include "common/Run.h"

#include <functional>

namespace qcc::tools {

/// Runs the tests of the options, all of them; tells `report` of each that
/// fails. Returns the exit code: the greatest that a test has.
ExitCode runTestData(const ModulePtr &module, const RunOptions &options,
                     std::FILE *out,
                     const std::function<void(const std::string &)> &report);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_TESTDATA_H
