//===- Process.cpp - The C API of counters and the log --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/Process.h"

#include "../Convert.h"
#include "Handles.h"
#include "RunRecord.h"
#include "qcc/Runtime/Device.h"
#include <atomic>

using namespace qcc;
using namespace qcc::capi;

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static rt::LogLevel levelOf(rt::StatusCode code) {
  switch (code) {
  case rt::StatusCode::Ok:
    return rt::LogLevel::Debug;
  case rt::StatusCode::Cancelled:
    return rt::LogLevel::Info;
  case rt::StatusCode::Busy:
  case rt::StatusCode::TimedOut:
    return rt::LogLevel::Warning;
  default:
    return rt::LogLevel::Error;
  }
}

static rt::ProcessCounters::Count &counterOf(rt::StatusCode code) {
  rt::ProcessCounters &counters = rt::ProcessCounters::get();
  switch (code) {
  case rt::StatusCode::Busy:
    return counters.busyRuns;
  case rt::StatusCode::Cancelled:
    return counters.cancelledRuns;
  case rt::StatusCode::TimedOut:
    return counters.timedOutRuns;
  default:
    return counters.failedRuns;
  }
}

void RunRecord::count(rt::StatusCode code,
                      rt::FunctionRef<std::string()> message) {
  hasEnded_ = true;
  if (code != rt::StatusCode::Ok)
    counterOf(code).fetch_add(1, std::memory_order_relaxed);
  rt::ProcessCounters::get().runs.fetch_add(1, std::memory_order_relaxed);
  rt::log(levelOf(code), tag_, message);
}

RunRecord::~RunRecord() {
  // There may be no memory for a status.
  if (!hasEnded_)
    count(rt::StatusCode::OutOfMemory,
          [] { return std::string("a run was ended by an exception"); });
}

rt::Status RunRecord::end(rt::Status status) {
  count(status.code(), [&] {
    if (!status.isOk())
      return "a run failed (" + std::string(rt::statusCodeName(status.code())) +
             "): " + status.message();
    if (start_ == 0) // The handler came after the start.
      return std::string("a run has ended");
    return "a run took " + std::to_string(rt::steadyNanoseconds() - start_) +
           " ns";
  });
  return status;
}

//===----------------------------------------------------------------------===//
// The C API
//===----------------------------------------------------------------------===//

qccStatus qccGetProcessInfo(qccProcessInfo *info) {
  return withoutExceptions([&]() -> qccStatus {
    const rt::ProcessCounters &counters = rt::ProcessCounters::get();
    auto get = [](const auto &count) {
      return count.load(std::memory_order_relaxed);
    };
    qccProcessInfo known = qccProcessInfoInit();
    known.runs = get(counters.runs);
    known.failedRuns = get(counters.failedRuns);
    known.busyRuns = get(counters.busyRuns);
    known.cancelledRuns = get(counters.cancelledRuns);
    known.timedOutRuns = get(counters.timedOutRuns);
    known.loads = get(counters.loads);
    known.failedLoads = get(counters.failedLoads);
    known.loadNanoseconds = get(counters.loadNanoseconds);
    known.deviceLoads = get(counters.deviceLoads);
    known.deviceLoadNanoseconds = get(counters.deviceLoadNanoseconds);
    known.modules = get(counters.modules);
    known.contexts = get(counters.contexts);
    // Read after those that have ended, so that it is not negative.
    known.runsUnderWay = int64_t(get(counters.startedRuns) - known.runs);
    known.runsWaiting = get(counters.runsWaiting);
    return toC(writeStruct(known, info));
  });
}

static_assert(QCC_LOG_ERROR == int(rt::LogLevel::Error) &&
                  QCC_LOG_WARNING == int(rt::LogLevel::Warning) &&
                  QCC_LOG_INFO == int(rt::LogLevel::Info) &&
                  QCC_LOG_DEBUG == int(rt::LogLevel::Debug),
              "the levels in C are those of the runtime");

namespace {
/// A handler of the host. It stays for as long as the process: calls of it may
/// be under way in other threads when it is replaced.
struct HostHandler {
  qccLogHandler hook;
  HostHandler *before = nullptr; ///< So that all are reachable.

  explicit HostHandler(const qccLogHandler &hook) : hook(hook) {
    before = newest.exchange(this);
  }

  static void handle(void *self, const rt::LogRecord &record) {
    const qccLogHandler &hook = static_cast<HostHandler *>(self)->hook;
    qccLogRecord known = qccLogRecordInit();
    known.level = int32_t(record.level);
    known.message = record.message;
    known.tag = record.tag;
    hook.handle(hook.context, &known);
  }

private:
  static std::atomic<HostHandler *> newest;
};

std::atomic<HostHandler *> HostHandler::newest{nullptr};
} // namespace

qccStatus qccSetLogHandler(const qccLogHandler *handler) {
  return withoutExceptions([&]() -> qccStatus {
    qccLogHandler known;
    rt::Status status =
        readHook(handler, known, &qccLogHandler::handle, "the log handler");
    if (!status.isOk())
      return toC(status);
    if (known.level < QCC_LOG_ERROR || known.level > QCC_LOG_DEBUG)
      return invalidArgument("the level of the log handler is " +
                             std::to_string(known.level) +
                             "; choose one of qccLogLevel");
    std::optional<rt::LogHandler> wanted;
    if (handler)
      wanted = rt::LogHandler{HostHandler::handle, new HostHandler(known),
                              rt::LogLevel(known.level)};
    rt::setLogHandler(wanted);
    return nullptr;
  });
}

qccStatus qccModuleCheckHealth(qccModule module) {
  return withoutExceptions([&]() -> qccStatus {
    if (!module)
      return nullPointer("the module");
    rt::Device *device = module->module->device().get();
    return toC(device ? device->checkHealth() : module->module->checkWeights());
  });
}
