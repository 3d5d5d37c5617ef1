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

#include "qcc/Base/Status.h"
#include "qcc/Runtime/Process.h"

namespace qcc::capi {

class RunRecord {
public:
  RunRecord()
      : start_(rt::isLogged(rt::LogLevel::Debug) ? rt::steadyNanoseconds()
                                                 : 0) {
    rt::ProcessCounters::get().startedRuns.fetch_add(1,
                                                     std::memory_order_relaxed);
  }
  RunRecord(const RunRecord &) = delete;
  RunRecord &operator=(const RunRecord &) = delete;
  /// A run without a status was left by an exception: it has failed.
  ~RunRecord();

  /// The host's number of the run.
  void setTag(uint64_t tag) { tag_ = tag; }
  /// Counts the run, once; returns the status.
  rt::Status end(rt::Status status);

private:
  void count(rt::StatusCode code, rt::FunctionRef<std::string()> message);

  const int64_t start_; ///< 0 where nobody is told how long a run takes.
  uint64_t tag_ = 0;
  bool hasEnded_ = false;
};

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_RUNTIME_RUNRECORD_H
