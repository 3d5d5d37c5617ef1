//===- CrashGuard.cpp - Crashes that stay inside --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's crash recovery jumps back out of a crash, but its handler drops the
// details of signals that belong to other threads (a virtual machine in the
// host may live on them). So our handler stands before LLVM's. It forwards the
// signals of threads that LLVM guards to LLVM, and all others, as they came, to
// the host.
//
// The C++ library throws where memory is short; this file is compiled with
// exceptions. LLVM itself aborts.
//
//===----------------------------------------------------------------------===//

#include "CrashGuard.h"
#include "qcc/Base/BlockedSignals.h"
#include "qcc/Base/HandlerStack.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include <cfenv>
#include <csignal>
#include <cstring>
#include <iterator>
#include <mutex>
#include <new>
#include <pthread.h>
#include <stdexcept>

using namespace qcc;
using namespace qcc::capi;

static constexpr int crashSignals[] = {SIGABRT, SIGBUS,  SIGFPE,
                                       SIGILL,  SIGSEGV, SIGTRAP};
static constexpr size_t numCrashSignals = std::size(crashSignals);

/// Written before the handler is installed, while no body runs.
static struct sigaction hostActions[numCrashSignals];
static struct sigaction llvmActions[numCrashSignals];

static bool hasHandler(const struct sigaction &action) {
  return (action.sa_flags & SA_SIGINFO) ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

static void callHandler(const struct sigaction &action, int signal,
                        siginfo_t *info, void *context) {
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(signal, info, context);
  else
    action.sa_handler(signal);
}

static void forward(int signal, siginfo_t *info, void *context) {
  size_t i = 0;
  while (crashSignals[i] != signal)
    ++i;
  if (llvm::CrashRecoveryContext::GetCurrent())
    return callHandler(llvmActions[i], signal, info, context);
  const struct sigaction &host = hostActions[i];
  if (hasHandler(host))
    return callHandler(host, signal, info, context);
  if (host.sa_handler == SIG_IGN && info->si_code <= 0)
    return; // Sent by a process, and ignored.
  // The default: it happens again, or is sent again, with no handler.
  sigaction(signal, &host, nullptr);
  if (info->si_code <= 0)
    raise(signal);
}

namespace {
/// Catches crash signals as long as one of these exists.
class CaughtSignals {
public:
  CaughtSignals() {
    std::lock_guard<std::mutex> lock(mutex);
    if (count++ > 0)
      return;
    for (size_t i = 0; i < numCrashSignals; ++i)
      sigaction(crashSignals[i], nullptr, &hostActions[i]);
    llvm::CrashRecoveryContext::Enable();
    for (size_t i = 0; i < numCrashSignals; ++i) {
      struct sigaction ours;
      memset(&ours, 0, sizeof(ours));
      ours.sa_sigaction = forward;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      sigaction(crashSignals[i], &ours, &llvmActions[i]);
    }
    // The host may be a compiler itself, whose recovery is to stay.
    wasEnabled = llvmActions[0].sa_handler == hostActions[0].sa_handler;
  }

  ~CaughtSignals() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--count > 0)
      return;
    struct sigaction now[numCrashSignals];
    for (size_t i = 0; i < numCrashSignals; ++i)
      sigaction(crashSignals[i], nullptr, &now[i]);
    if (!wasEnabled)
      llvm::CrashRecoveryContext::Disable();
    // A handler that the host has installed meanwhile stays.
    for (size_t i = 0; i < numCrashSignals; ++i)
      sigaction(crashSignals[i],
                now[i].sa_sigaction == forward ? &hostActions[i] : &now[i],
                nullptr);
  }

private:
  static std::mutex mutex;
  static int count;
  static bool wasEnabled;
};

std::mutex CaughtSignals::mutex;
int CaughtSignals::count = 0;
bool CaughtSignals::wasEnabled = false;

enum class End { Normal, Crash, NoMemory };

struct Task {
  Signals signals;
  llvm::function_ref<void()> body;
  End end = End::Normal;

  void run();
  void callBody();
  static void *threadMain(void *self) {
    static_cast<Task *>(self)->run();
    return nullptr;
  }
};
} // namespace

void Task::callBody() {
  try {
    body();
  } catch (const std::bad_alloc &) {
    end = End::NoMemory;
  } catch (const std::length_error &) {
    end = End::NoMemory;
  }
}

void Task::run() {
  fesetenv(FE_DFL_ENV);
  if (signals == Signals::Keep)
    return callBody();
  rt::HandlerStack handlerStack;
  CaughtSignals caught;
  llvm::CrashRecoveryContext recovery;
  if (!recovery.RunSafely([&] { callBody(); }))
    end = End::Crash;
}

rt::Status capi::runGuarded(Signals signals, llvm::function_ref<void()> body) {
  // As much as the parser needs for very deep programs; only what is used is
  // taken from memory.
  constexpr size_t stackBytes = 64 << 20;
  Task task{signals, body};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  pthread_t thread;
  int error = 0;
  {
    rt::BlockedSignals blocked;
    error = pthread_create(&thread, &attributes, Task::threadMain, &task);
  }
  pthread_attr_destroy(&attributes);
  if (error != 0)
    return rt::outOfMemory(
        std::string("cannot start a thread to compile on (") + strerror(error) +
        "); the limits of threads and of address space "
        "must allow it");
  pthread_join(thread, nullptr);
  switch (task.end) {
  case End::Normal:
    return rt::Status::ok();
  case End::Crash:
    return rt::internalError("the compiler crashed; unless memory is short, "
                             "this is a bug of qcc, please report it with the "
                             "program, and set QCC_COMPILE_ISOLATED to compile "
                             "in another process");
  case End::NoMemory:
    return rt::outOfMemory(
        "the compiler ran out of memory; free some, or raise "
        "the limits of the process");
  }
  return rt::Status::ok();
}
