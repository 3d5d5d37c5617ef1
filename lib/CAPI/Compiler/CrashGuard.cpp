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
//===----------------------------------------------------------------------===//

#include "CrashGuard.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Signals.h"
#include <cfenv>
#include <csignal>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <pthread.h>

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

/// The task that a thread runs, if any. A handler reads it, which must not
/// allocate: a thread_local variable may, unless it is of the model
/// initial-exec, and that takes thread-local memory which a process that loads
/// the library late may not have left.
class CurrentTask {
public:
  CurrentTask() : error(pthread_key_create(&key, nullptr)) {}

  /// Of pthread_key_create.
  int failure() const { return error; }
  Task *get() const { return static_cast<Task *>(pthread_getspecific(key)); }
  void set(Task *task) const { pthread_setspecific(key, task); }

private:
  pthread_key_t key;
  int error;
};
} // namespace

static const CurrentTask currentTask;

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
  if (currentTask.get())
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

/// LLVM installs handlers for almost every signal when it first writes a
/// temporary file, and believes them to stay. It does so here, and all handlers
/// are put back.
static void registerHandlersOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    constexpr int lastSignal = 31;
    struct sigaction before[lastSignal + 1];
    for (int signal = 1; signal <= lastSignal; ++signal)
      sigaction(signal, nullptr, &before[signal]);
    constexpr llvm::StringLiteral noFile = "";
    llvm::sys::RemoveFileOnSignal(noFile);
    llvm::sys::DontRemoveFileOnSignal(noFile);
    for (int signal = 1; signal <= lastSignal; ++signal) {
      struct sigaction after;
      sigaction(signal, nullptr, &after);
      if (after.sa_sigaction != before[signal].sa_sigaction)
        sigaction(signal, &before[signal], nullptr);
    }
  });
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
                now[i].sa_sigaction == shareOut ? &hostActions[i] : &now[i],
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

struct Task {
  Signals signals;
  llvm::function_ref<void()> body;
  bool survived = true;

  void run();
  static void *threadMain(void *self) {
    static_cast<Task *>(self)->run();
    return nullptr;
  }
};
} // namespace

void Task::run() {
  fesetenv(FE_DFL_ENV);
  HandlerStack handlerStack;
  registerHandlersOnce();
  if (signals == Signals::Keep)
    return body();

  CaughtSignals caught;
  currentTask.set(this);
  llvm::CrashRecoveryContext recovery;
  survived = recovery.RunSafely(body);
  currentTask.set(nullptr);
}

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
  int error = pthread_create(&thread, &attributes, Task::threadMain, &task);
  pthread_attr_destroy(&attributes);
  if (error != 0)
    return rt::outOfMemory(
        std::string("cannot start a thread to compile on (") + strerror(error) +
        "); the limits of threads and of address space "
        "must allow it");
  pthread_join(thread, nullptr);
  if (!task.survived)
    return rt::internalError("the compiler crashed; this is a bug of qcc, "
                             "please report it with the program");
  return rt::Status::ok();
}
