//===- Call.h - State of one call of a context ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every call takes hold of the context before it looks at it, so that a second
// thread gets a status and not a race.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_RUNTIME_CALL_H
#define QCC_LIB_CAPI_RUNTIME_CALL_H

#include "Handles.h"

namespace qcc::capi {

/// Holds the context for the duration of a call.
class Call {
public:
  /// `eachSlice`: tensors may have any stride of their outermost dimension.
  explicit Call(qccContext context, bool eachSlice = false);
  ~Call() {
    if (context_)
      context_->busy.store(false, std::memory_order_release);
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  const rt::Status &status() const { return status_; }
  const rt::Tensor *arguments() const { return context_->tensors.data(); }
  const rt::Tensor *results() const { return arguments() + numArguments(); }
  size_t numArguments() const { return entry().arguments.size(); }
  size_t numResults() const { return entry().results.size(); }
  const rt::Entry &entry() const { return context_->context->entry(); }

  /// The context stays busy; whoever goes on with the call frees it.
  void release() { context_ = nullptr; }

  /// Fails also where the context cannot be had.
  rt::Status takeArguments(DLTensor *const *tensors, size_t count) {
    if (!status_.isOk())
      return status_;
    return take("argument", tensors, count, 0, numArguments());
  }
  rt::Status takeResults(DLTensor *const *tensors, size_t count) {
    return take("result", tensors, count, numArguments(), numResults());
  }

private:
  rt::Status take(const char *role, DLTensor *const *tensors, size_t count,
                  size_t first, size_t expected);

  qccContext context_;
  const bool eachSlice_;
  rt::Status status_;
};

/// Options of a run, copied: what they refer to is kept.
struct RunSettings {
  std::shared_ptr<std::atomic<bool>> cancel; ///< Null: none.
  qccStepHook step;
  int64_t timeoutNanoseconds;
  void *stream; ///< Of the device; null: none.
  uint64_t tag;
  bool profile;
  bool eachSlice;
  bool waits;
};

rt::Result<RunSettings> readRunOptions(const qccRunOptions *given);

/// Runs on the tensors that a call has taken; the context is busy.
rt::Status runTaken(qccContext context, const RunSettings &settings);

/// The same for each slice (Slices.cpp). `options` are those of all slices.
rt::Status runEachSlice(qccContext context, rt::RunOptions options);

/// A step for the caller. Without a plan, sizes that depend on one are -1.
qccStepInfo describeStep(qccContext context, size_t index, bool isPlanned);

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_RUNTIME_CALL_H
