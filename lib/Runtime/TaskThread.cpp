//===- TaskThread.cpp - A thread that does tasks for a caller -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/TaskThread.h"

#include "ProcessForks.h"
#include "qcc/Base/BlockedSignals.h"
#include "qcc/Base/SystemFailure.h"

#include <utility>

namespace qcc::rt {

Result<std::unique_ptr<TaskThread>> TaskThread::create() {
  std::unique_ptr<TaskThread> made(new TaskThread());
  made->process_ = countForks();
  BlockedSignals blocked;
  int error = pthread_create(&made->thread_, nullptr, threadMain, made.get());
  if (error != 0)
    return systemFailure("cannot start a thread for runs", error);
  made->hasThread_ = true;
  return made;
}

TaskThread::~TaskThread() {
  if (!hasThread_ || wasLostInFork())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    changes_.countUp();
    changes_.wake();
  }
  pthread_join(thread_, nullptr);
}

bool TaskThread::wasLostInFork() const { return process_ != countForks(); }

void TaskThread::start(void (*task)(void *argument), void *argument) {
  std::lock_guard<std::mutex> lock(mutex_);
  task_ = task;
  argument_ = argument;
  changes_.countUp();
  changes_.wake();
}

void *TaskThread::threadMain(void *argument) {
  auto &self = *static_cast<TaskThread *>(argument);
  pthread_setname_np(pthread_self(), "qcc-run");
  while (true) {
    uint64_t seen = self.changes_.load();
    void (*task)(void *) = nullptr;
    void *given = nullptr;
    {
      std::lock_guard<std::mutex> lock(self.mutex_);
      if (!self.task_ && self.stopping_)
        return nullptr;
      task = std::exchange(self.task_, nullptr);
      given = self.argument_;
    }
    if (task)
      task(given);
    else
      self.changes_.parkWhile(seen);
  }
}

} // namespace qcc::rt
