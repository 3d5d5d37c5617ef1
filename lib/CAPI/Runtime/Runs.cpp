//===- Runs.cpp - The C API of runs that are started ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run that was started holds its context until it has ended, then tells the
// completion hook, then those who wait. What it needs for all of that is there
// before it starts: a run that was started always ends with a status.
//
//===----------------------------------------------------------------------===//

#include "../Convert.h"
#include "Call.h"
#include "RunRecord.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

using namespace qcc;
using namespace qcc::capi;

namespace {
/// A run that was started, which its handle and its thread share.
struct StartedRun {
  StartedRun() = default;
  StartedRun(const StartedRun &) = delete;
  StartedRun &operator=(const StartedRun &) = delete;
  ~StartedRun() { qccStatusDestroy(status); }

  qccContext context = nullptr;
  RunRecord record;
  RunSettings settings = {};
  qccCompletionHook completion = {};
  /// The thread's own share, while it has something to do.
  std::shared_ptr<StartedRun> self;

  std::mutex mutex;
  std::condition_variable changed;
  bool hasEnded = false;
  qccStatus status = nullptr; ///< Of the run, once it has ended.

  static void runOnThread(void *argument);
};
} // namespace

struct qccRunImpl {
  std::shared_ptr<StartedRun> run;
};

void StartedRun::runOnThread(void *argument) {
  auto *run = static_cast<StartedRun *>(argument);
  std::shared_ptr<StartedRun> share = std::move(run->self);
  qccStatus status = withoutExceptions([&] {
    return toC(run->record.end(runTaken(run->context, run->settings)));
  });
  run->context->busy.store(false, std::memory_order_release);
  if (run->completion.done)
    run->completion.done(run->completion.context, status);
  std::lock_guard<std::mutex> lock(run->mutex);
  run->status = status;
  run->hasEnded = true;
  run->changed.notify_all();
}

/// The thread that does the runs of a context which the caller holds.
static rt::Status provideThread(qccContext context) {
  if (context->thread && !context->thread->wasLostInFork())
    return rt::Status::ok();
  auto created = rt::TaskThread::create();
  if (created.isOk())
    context->thread = std::move(*created);
  return created.status();
}

qccStatus qccContextStart(qccContext context, DLTensor *const *arguments,
                          size_t numArguments, DLTensor *const *results,
                          size_t numResults, const qccRunOptions *options,
                          const qccCompletionHook *completion, qccRun *run) {
  return withoutExceptions([&]() -> qccStatus {
    auto started = std::make_shared<StartedRun>();
    auto refuse = [&](rt::Status status) {
      return toC(started->record.end(std::move(status)));
    };
    rt::Status status =
        readHook(completion, started->completion, &qccCompletionHook::done,
                 "the completion hook");
    if (!status.isOk())
      return refuse(status);
    if (!run && !started->completion.done)
      return refuse(rt::invalidArgument("the handle of the run, which has no "
                                        "completion hook either, is a null "
                                        "pointer"));
    auto read = readRunOptions(options);
    if (!read.isOk())
      return refuse(read.status());
    started->settings = std::move(*read);
    started->record.setTag(started->settings.tag);
    started->context = context;
    auto handle = std::make_unique<qccRunImpl>(qccRunImpl{started});

    Call call(context, started->settings.eachSlice);
    status = call.takeArguments(arguments, numArguments);
    if (status.isOk())
      status = call.takeResults(results, numResults);
    if (status.isOk())
      status = provideThread(context);
    if (!status.isOk())
      return refuse(status);
    call.release();
    StartedRun *begun = started.get();
    begun->self = std::move(started);
    if (run)
      *run = handle.release();
    context->thread->start(StartedRun::runOnThread, begun);
    return nullptr;
  });
}

qccStatus qccRunWait(qccRun run) {
  return withoutExceptions([&]() -> qccStatus {
    if (!run)
      return nullPointer("the run");
    StartedRun &started = *run->run;
    std::unique_lock<std::mutex> lock(started.mutex);
    started.changed.wait(lock, [&] { return started.hasEnded; });
    return qccStatusCreate(qccStatusGetCode(started.status),
                           qccStatusGetMessage(started.status));
  });
}

bool qccRunWaitFor(qccRun run, int64_t nanoseconds) {
  if (!run)
    return true;
  // Longer than this no process lives, and sums of times overflow.
  constexpr int64_t longest = int64_t(1) << 60;
  std::chrono::nanoseconds limit(std::clamp<int64_t>(nanoseconds, 0, longest));
  StartedRun &started = *run->run;
  std::unique_lock<std::mutex> lock(started.mutex);
  return started.changed.wait_for(lock, limit,
                                  [&] { return started.hasEnded; });
}

void qccRunDestroy(qccRun run) { delete run; }
