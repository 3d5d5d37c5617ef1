//===- Isolated.cpp - Compiling in another process ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Isolated.h"
#include "IsolatedMessages.h"
#include "Process.h"
#include "llvm/ADT/ScopeExit.h"
#include <chrono>
#include <dlfcn.h>
#include <unistd.h>

using namespace qcc;
using namespace qcc::capi;

//===----------------------------------------------------------------------===//
// The program of the process
//===----------------------------------------------------------------------===//

/// The path of the library that this code is in.
static std::string findLibrary() {
  Dl_info library;
  if (!dladdr(reinterpret_cast<const void *>(&qccServeCompilation), &library) ||
      !library.dli_fname)
    return "libqcc.so.1";
  return library.dli_fname;
}

static std::string findIsolatedCompiler(const std::string &library) {
  std::string folder = library.substr(0, library.rfind('/') + 1);
  std::string beside = folder + "qcc-isolated-compiler";
  if (access(beside.c_str(), X_OK) == 0)
    return beside;
  return folder + QCC_PROGRAMS_FROM_LIBRARY "/qcc-isolated-compiler";
}

//===----------------------------------------------------------------------===//
// The conversation
//===----------------------------------------------------------------------===//

namespace {
/// The time that the process has, and whether the caller has cancelled.
class Patience {
public:
  explicit Patience(const qccCompileOptions &options) : options(options) {}

  rt::Status check() const {
    if (options.cancel && qccCancelTokenIsCancelled(options.cancel))
      return rt::Status(rt::StatusCode::Cancelled,
                        "the compilation ended in its process: it was "
                        "cancelled");
    // The process itself ends at the limit, if it does not hang.
    constexpr std::chrono::milliseconds grace(100);
    constexpr int64_t never = INT64_MAX / 4;
    if (options.timeoutNanoseconds > 0 && options.timeoutNanoseconds < never &&
        Clock::now() - start >
            std::chrono::nanoseconds(options.timeoutNanoseconds) + grace)
      return rt::Status(
          rt::StatusCode::TimedOut,
          "the compilation was killed in its process: it took longer than the "
          "time limit of " +
              std::to_string(options.timeoutNanoseconds) +
              " nanoseconds; raise it");
    return rt::Status::ok();
  }

private:
  using Clock = std::chrono::steady_clock;

  const qccCompileOptions &options;
  Clock::time_point start = Clock::now();
};
} // namespace

static rt::Status sendWeight(Channel &channel, const WeightsSource &weights,
                             MessageReader &message) {
  llvm::StringRef name = message.text();
  rt::DType dtype;
  dtype.code = static_cast<decltype(dtype.code)>(message.number());
  dtype.bits = static_cast<decltype(dtype.bits)>(message.number());
  std::vector<int64_t> shape = message.numbers();
  rt::Result<LentBytes> lent = weights.lend(name, dtype, shape);
  if (!lent.isOk())
    return channel.send(MessageWriter(MessageKind::NoWeight)
                            .add(llvm::StringRef(lent.status().message())));
  llvm::scope_exit giveBack([&] {
    if (lent->giveBack)
      lent->giveBack();
  });
  return channel.send(MessageWriter(MessageKind::Weight), lent->bytes);
}

/// Until the compiler has sent its result. What is returned is wrong with the
/// connection.
static rt::Status converse(Channel &channel, const MessageWriter &request,
                           const WeightsSource &weights, Outcome &outcome) {
  rt::Status status = channel.send(request);
  while (status.isOk()) {
    rt::Result<MessageReader> message = channel.receive();
    if (!message.isOk())
      return message.status();
    switch (message->kind) {
    case MessageKind::WeightRequest:
      if (!weights.lend)
        return rt::corrupt("the other process asks for weights that are not "
                           "with this one");
      status = sendWeight(channel, weights, *message);
      break;
    case MessageKind::Result:
      return readOutcome(*std::move(message), outcome);
    default:
      return rt::corrupt("the other process sends a message of a host");
    }
  }
  return status;
}

rt::Status capi::compileIsolated(const ProgramSource &program,
                                 const qccCompileOptions &options,
                                 const WeightsSource &weights,
                                 Outcome &outcome) {
  rt::Result<FixedInputs> fixed = readFixedInputs(options);
  if (!fixed.isOk())
    return fixed.status();
  MessageWriter request = writeRequest(
      program, options, *fixed, weights.kind == WeightsSource::Kind::Lent);
  Patience patience(options);
  rt::Status status = patience.check();
  if (!status.isOk())
    return status;
  std::string library = findLibrary();
  rt::Result<Process> process =
      Process::start(options.isolatedCompiler ? options.isolatedCompiler
                                              : findIsolatedCompiler(library),
                     library);
  if (!process.isOk())
    return process.status();
  Channel channel(process->getSocket(), [&] { return patience.check(); });
  status = converse(channel, request, weights, outcome);
  if (status.isOk())
    return outcome.failure;
  if (status.code() == rt::StatusCode::IOError)
    return process->describeEnd();
  if (status.code() == rt::StatusCode::Corrupt)
    return rt::internalError(status.message() +
                             "; give a qcc-isolated-compiler of this release");
  return status;
}
