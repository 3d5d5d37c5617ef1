//===- LargeStack.cpp - A stack that does not depend on ulimit ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/LargeStack.h"

#include "common/ExitCodes.h"
#include "common/Messages.h"

#include <csignal>
#include <cstring>
#include <memory>
#include <pthread.h>
#include <string>

namespace qcc::tools {

namespace {
/// What other threads have, such as those that kernels run on.
constexpr size_t kThreadStack = size_t(8) << 20;
/// Of the thread that compiles; the same as in the library.
constexpr size_t kLargeStack = size_t(64) << 20;
/// Where signals are handled once the stack is at its end.
constexpr size_t kHandlerStack = size_t(256) << 10;

struct Task {
  std::function<int()> work;
  int code = ExitFailed;
};
} // namespace

static void *threadMain(void *argument) {
  auto &task = *static_cast<Task *>(argument);
  std::unique_ptr<char[]> memory(new char[kHandlerStack]);
  stack_t handlers = {}, before;
  handlers.ss_sp = memory.get();
  handlers.ss_size = kHandlerStack;
  sigaltstack(&handlers, &before);
  task.code = task.work();
  sigaltstack(&before, nullptr);
  return nullptr;
}

/// Raises the size of the stacks of threads to the usual one.
static void raiseDefault() {
#ifdef __GLIBC__
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0)
    return;
  size_t size = 0;
  pthread_attr_getstacksize(&attributes, &size);
  if (size < kThreadStack &&
      pthread_attr_setstacksize(&attributes, kThreadStack) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
#endif
}

int runWithLargeStack(const char *tool, std::function<int()> work) {
  raiseDefault();
  Task task{std::move(work)};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kLargeStack);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, threadMain, &task);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    printError(tool, std::string("there is no memory for a stack of 64 MiB (") +
                         strerror(error) +
                         "); raise the limits of the process");
    return ExitFailed;
  }
  pthread_join(thread, nullptr);
  return task.code;
}

} // namespace qcc::tools
