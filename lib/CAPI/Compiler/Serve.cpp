//===- Serve.cpp - Compiling for another process --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Isolated.h"
#include "IsolatedMessages.h"
#include "qcc/Base/Memory.h"
#include "llvm/Support/ErrorHandling.h"
#include <cerrno>
#include <csignal>
#include <exception>
#include <sys/resource.h>

using namespace qcc;
using namespace qcc::capi;

/// Lets the system refuse memory that a compilation takes without a look at its
/// limit.
static void limitMemory(int64_t bytes) {
  // The stack of the compilation, and what the allocator holds in reserve.
  constexpr int64_t beside = 128 << 20;
  constexpr int64_t noLimit = int64_t(1) << 46;
  rlimit limit;
  if (bytes <= 0 || bytes > noLimit || getrlimit(RLIMIT_DATA, &limit) != 0)
    return;
  auto wanted = static_cast<rlim_t>(rt::privateMemory() + bytes + beside);
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= wanted)
    return;
  limit.rlim_cur = wanted;
  setrlimit(RLIMIT_DATA, &limit);
}

/// Asks the host for a weight.
static rt::Result<LentBytes> borrow(Channel &channel, llvm::StringRef name,
                                    rt::DType dtype,
                                    llvm::ArrayRef<int64_t> shape) {
  rt::Status status = channel.send(MessageWriter(MessageKind::WeightRequest)
                                       .add(name)
                                       .add(int64_t(dtype.code))
                                       .add(int64_t(dtype.bits))
                                       .add(shape));
  if (!status.isOk())
    return status;
  rt::Result<MessageReader> answer = channel.receive();
  if (!answer.isOk())
    return answer.status();
  if (answer->kind != MessageKind::Weight)
    return rt::invalidArgument(answer->text().str());
  auto weight = std::make_shared<MessageReader>(*std::move(answer));
  llvm::ArrayRef<char> bytes = weight->rest();
  return LentBytes{bytes, [weight]() mutable { weight.reset(); }};
}

static bool serve(Channel &channel) {
  rt::Result<MessageReader> message = channel.receive();
  if (!message.isOk())
    return false;
  ReceivedRequest request(*std::move(message));
  if (!request.isValid())
    return false;
  limitMemory(request.options.memoryLimitBytes);
  Outcome outcome;
  rt::Result<WeightsSource> weights = readWeights(request.options);
  if (request.lendsWeights) {
    weights->kind = WeightsSource::Kind::Lent;
    weights->lend = [&](llvm::StringRef name, rt::DType dtype,
                        llvm::ArrayRef<int64_t> shape) {
      return borrow(channel, name, dtype, shape);
    };
  }
  outcome.failure = weights.status();
  if (weights.isOk())
    outcome.failure = compileHere(request.program, request.options, *weights,
                                  Signals::Keep, outcome);
  return channel.send(writeOutcome(outcome), outcome.artifact).isOk();
}

/// LLVM would print and abort, and errno would not say why.
static void endForMemory(void *, const char *, bool) {
  errno = ENOMEM;
  raise(SIGABRT);
}

bool qccServeCompilation(int socket) {
  llvm::install_bad_alloc_error_handler(endForMemory);
  try {
    Channel channel(socket, {});
    return serve(channel);
  } catch (const std::exception &) {
    return false; // The host sees that the process ends without a result.
  }
}
