//===- CrashGuard.cpp - Crashes that stay inside --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's crash recovery jumps back out of a crash, but its handler drops the
// details of signals that belong to other threads (a virtual machine in the
// host may live on them). So ours stands before it and shares signals out: this
// thread's to LLVM, all others, as they came, to the host.
//
// A lack of memory that the reserve does not make up for is an exception, of
// LLVM as well, and ends at the bottom of the thread; this file is compiled
// with exceptions. LLVM is not made for them: what is destroyed on the way may
// be half done or need memory itself. So a
// crash while an exception is on its way is a lack of memory, too. Other places
// use what malloc gives without a look at it. The C library has then set errno,
// which each thread has for itself and which is zero when a body begins: a
// crash with ENOMEM in it is a lack of memory as well.
//
//===----------------------------------------------------------------------===//

#include "CrashGuard.h"
#include "MemoryReserve.h"
#include "PerThread.h"
#include "qcc/Base/BlockedSignals.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include <cerrno>
#include <cfenv>
#include <csignal>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
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

namespace {
struct Task;
} // namespace

/// The task that a thread runs, if it catches signals.
static const PerThread<Task> currentTask;

/// Notes that a task which crashed lacked memory, if it did.
static void noteLackOfMemory(Task &task, bool inException);

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

static void shareOut(int signal, siginfo_t *info, void *context) {
  size_t i = 0;
  while (crashSignals[i] != signal)
    ++i;
  if (Task *task = currentTask.get()) {
    noteLackOfMemory(*task, std::uncaught_exceptions() > 0);
    return callHandler(llvmActions[i], signal, info, context);
  }
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
      ours.sa_sigaction = shareOut;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      sigaction(crashSignals[i], &ours, &llvmActions[i]);
    }
    hostTerminate = std::set_terminate(leave);
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
    if (std::get_terminate() == leave)
      std::set_terminate(hostTerminate);
    // A handler that the host has installed meanwhile stays.
    for (size_t i = 0; i < numCrashSignals; ++i)
      sigaction(crashSignals[i],
                now[i].sa_sigaction == shareOut ? &hostActions[i] : &now[i],
                nullptr);
  }

private:
  /// Where an exception cannot go on. The C++ library would print it and end
  /// the process.
  static void leave() {
    Task *task = currentTask.get();
    if (!task)
      return hostTerminate();
    noteLackOfMemory(*task, std::current_exception() != nullptr);
    llvm::CrashRecoveryContext::GetCurrent()->HandleExit(1);
  }

  static std::mutex mutex;
  static int count;
  static bool wasEnabled;
  static std::terminate_handler hostTerminate;
};

std::mutex CaughtSignals::mutex;
int CaughtSignals::count = 0;
bool CaughtSignals::wasEnabled = false;
std::terminate_handler CaughtSignals::hostTerminate = nullptr;

/// Where this thread handles signals, also when its stack is at its end. Large
/// enough for LLVM, which would otherwise set up one of its own.
class HandlerStack {
public:
  HandlerStack() : memory(new char[size]) {
    stack_t ours = {};
    ours.ss_sp = memory.get();
    ours.ss_size = size;
    sigaltstack(&ours, &before);
  }
  ~HandlerStack() { sigaltstack(&before, nullptr); }

private:
  static constexpr size_t size = 256 << 10;
  std::unique_ptr<char[]> memory;
  stack_t before;
};

enum class End { Normal, Crash, NoMemory };

struct Task {
  Signals signals;
  llvm::function_ref<void()> body;
  End end = End::Normal;
  bool lacksMemory = false;

  void run();
  void runWithReserve();
  void call(llvm::function_ref<void()> work);
  static void *threadMain(void *self) {
    auto &task = *static_cast<Task *>(self);
    task.call([&] { task.run(); });
    return nullptr;
  }
};
} // namespace

static void noteLackOfMemory(Task &task, bool inException) {
  if (inException || errno == ENOMEM)
    task.lacksMemory = true;
}

/// Calls `work`, and notes a lack of memory.
void Task::call(llvm::function_ref<void()> work) {
  try {
    work();
  } catch (const std::bad_alloc &) {
    end = End::NoMemory;
  } catch (const std::length_error &) {
    end = End::NoMemory;
  }
}

void Task::run() {
  fesetenv(FE_DFL_ENV);
  errno = 0;
  GuardedAllocations guarded;
  MemoryReserve reserve;
  if (!reserve.isThere()) {
    end = End::NoMemory;
    return;
  }
  runWithReserve();
  if (reserve.isSpent())
    end = End::NoMemory;
}

void Task::runWithReserve() {
  if (signals == Signals::Keep)
    return call(body);
  HandlerStack handlerStack;
  CaughtSignals caught;
  currentTask.set(this);
  llvm::CrashRecoveryContext recovery;
  // An exception must not pass the recovery.
  if (!recovery.RunSafely([&] { call(body); }))
    end = End::Crash;
  // Also where a recovery further in has hidden it.
  if (lacksMemory)
    end = End::NoMemory;
  currentTask.set(nullptr);
}

bool capi::lacksMemory() { return MemoryReserve::isSpentHere(); }

rt::Status capi::runGuarded(Signals signals, llvm::function_ref<void()> body) {
  if (currentTask.failure() != 0)
    return rt::outOfMemory(
        std::string("cannot mark the thread that compiles (") +
        strerror(currentTask.failure()) +
        "); the process has used up the keys of thread-specific data");
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
                             "program");
  case End::NoMemory:
    return rt::outOfMemory(
        "the compiler ran out of memory; free some, or raise "
        "the limits of the process");
  }
  return rt::Status::ok();
}
