//===- Call.cpp - Running on the tensors of a call ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include "../Convert.h"
#include "Tensors.h"

using namespace qcc;
using namespace qcc::capi;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Call::Call(qccContext context, bool eachSlice)
    : context_(context), eachSlice_(eachSlice) {
  if (!context) {
    status_ = rt::invalidArgument("the context is a null pointer");
  } else if (context->busy.exchange(true, std::memory_order_acquire)) {
    context_ = nullptr;
    status_ = rt::Status(
        rt::StatusCode::Busy,
        "this context is in use by another thread; create one context for "
        "each thread (they share the module)");
  }
}

rt::Status Call::take(const char *role, DLTensor *const *tensors, size_t count,
                      size_t first, size_t expected) {
  if (count != expected)
    return rt::invalidArgument("the entry has " + std::to_string(expected) +
                               " " + role + "s, but the call has " +
                               std::to_string(count));
  if (!tensors && count > 0)
    return rt::invalidArgument("the array of " + std::string(role) +
                               "s is a null pointer");
  rt::Status status;
  for (size_t i = 0; i < count && status.isOk(); ++i)
    status =
        toTensor(tensors[i], role, i, context_->tensors[first + i],
                 eachSlice_ ? &context_->outerStrides[first + i] : nullptr);
  return status;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

rt::Result<RunSettings> capi::readRunOptions(const qccRunOptions *given) {
  qccRunOptions known;
  RunSettings settings;
  rt::Status status = readStruct(given, known);
  if (status.isOk())
    status = readHook(known.step, settings.step, &qccStepHook::afterStep,
                      "the hook `step`");
  if (!status.isOk())
    return status;
  if (known.flags & ~uint64_t(QCC_RUN_EACH_SLICE | QCC_RUN_WAIT))
    return rt::unsupported("a flag is set that this version of the library "
                           "does not have; update the library");
  settings.eachSlice = known.flags & QCC_RUN_EACH_SLICE;
  settings.waits = known.flags & QCC_RUN_WAIT;
  if (known.cancel)
    settings.cancel = known.cancel->flag;
  settings.timeoutNanoseconds = known.timeoutNanoseconds;
  settings.stream = known.stream;
  settings.tag = known.tag;
  settings.profile = known.profile;
  return settings;
}

/// Calls the hook of the run that is under way.
static void tellStepHook(void *self, const rt::Context &, size_t step) {
  auto *context = static_cast<qccContext>(self);
  qccStepInfo info = describeStep(context, step, /*isPlanned=*/true);
  context->step.afterStep(context->step.context, step, &info);
}

rt::Status capi::runTaken(qccContext context, const RunSettings &settings) {
  rt::RunOptions options;
  options.cancel = settings.cancel.get();
  options.timeoutNanoseconds = settings.timeoutNanoseconds;
  options.stream = settings.stream;
  options.profile = settings.profile;
  options.waits = settings.waits;
  context->step = settings.step;
  if (settings.step.afterStep)
    options.observer = {tellStepHook, context};
  const rt::Entry &entry = context->context->entry();
  const rt::Tensor *arguments = context->tensors.data();
  size_t numArguments = entry.arguments.size();
  rt::Status status =
      settings.eachSlice ? runEachSlice(context, options)
                         : context->context->run(arguments, numArguments,
                                                 arguments + numArguments,
                                                 entry.results.size(), options);
  context->planned = status.isOk() ||
                     status.code() == rt::StatusCode::Cancelled ||
                     status.code() == rt::StatusCode::TimedOut ||
                     status.code() == rt::StatusCode::KernelFailed;
  return status;
}
