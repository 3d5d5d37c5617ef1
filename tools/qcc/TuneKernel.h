//===- TuneKernel.h - The fastest config of a contraction -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_TUNEKERNEL_H
#define QCC_TOOLS_QCC_TUNEKERNEL_H

#include "Driver.h"
#include "common/Devices.h"
#include "common/Tournament.h"
#include "qcc/Tuning/ExtractKernel.h"

namespace qcc::driver {

/// What is measured of a kernel.
struct TuneRequest {
  kernel::ContractOp op;
  /// Of the arguments of its extracted program.
  std::vector<std::vector<int64_t>> shapes;
  /// As programs have them; the first is the model's choice.
  std::vector<std::string> configs;
  unsigned threads = 0;
  /// What measures; null for the host.
  std::shared_ptr<rt::Device> device = {};
  /// What the emulator counts; null for other devices.
  std::shared_ptr<tools::LaunchLog> launches = {};
};

struct TuneOutcome {
  tools::Tournament::Standing standing; ///< best is an index into configs
  /// Configs that could not be compiled or run, or that compute something else:
  /// bugs of qcc, which were reported.
  unsigned refused = 0;
};

/// How far it is: a line without its end.
using TuneProgress = llvm::function_ref<void(const std::string &)>;

/// Reports where not even the model's choice can be measured.
Reported<TuneOutcome> tuneKernel(Session &session, const TuneRequest &request,
                                 TuneProgress progress);

} // namespace qcc::driver

#endif // QCC_TOOLS_QCC_TUNEKERNEL_H
