//===- RunRecord.h - Counting a run -----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run is under way from the call that asks for it until it has a status,
// which is counted and logged.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_RUNTIME_RUNRECORD_H
#define QCC_LIB_CAPI_RUNTIME_RUNRECORD_H

#include "qcc/Runtime/Process.h"
#include "qcc/Runtime/Status.h"

#include <optional>

namespace qcc::capi {

class RunRecord {
public:
  RunRecord() : start_(rt::steadyNanoseconds()) {
    underWay_.emplace(rt::ProcessCounters::get().runsUnderWay);
  }
  /// A run without a status was left by an exception: it has failed.
  ~RunRecord();

  /// The host's number of the run.
  void setTag(uint64_t tag) { tag_ = tag; }
  /// Counts the run, once; returns the status.
  rt::Status end(rt::Status status);

private:
  std::optional<rt::CountedHere> underWay_; ///< Until it has a status.
  const int64_t start_;
  uint64_t tag_ = 0;
};

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_RUNTIME_RUNRECORD_H
