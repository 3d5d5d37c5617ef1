//===- TaskThread.h - A thread that does tasks for a caller -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever starts a run and does not want to wait for it hands it to such a
// thread. Starting a task wakes the thread and allocates nothing.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_TASKTHREAD_H
#define QCC_RUNTIME_TASKTHREAD_H

#include "qcc/Base/Status.h"
#include "qcc/Runtime/WaitWord.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <pthread.h>

namespace qcc::rt {

class TaskThread {
public:
  static Result<std::unique_ptr<TaskThread>> create();
  /// Returns when the tasks that were started have been done.
  ~TaskThread();
  TaskThread(const TaskThread &) = delete;
  TaskThread &operator=(const TaskThread &) = delete;

  /// Calls task(argument) on the thread. There may be one task that was started
  /// and has not begun. A task may start the next one.
  void start(void (*task)(void *argument), void *argument);

  /// Whether this is a child of the process that made the thread, which fork()
  /// did not copy. Nothing must be started then.
  bool wasLostInFork() const;

private:
  TaskThread() = default;
  static void *threadMain(void *self);

  pthread_t thread_ = {};
  bool hasThread_ = false;
  uint32_t process_ = 0;
  /// Not a condition variable, which a child of fork() could not destroy.
  WaitWord changes_;
  std::mutex mutex_;
  void (*task_)(void *argument) = nullptr; ///< Null: there is none to begin.
  void *argument_ = nullptr;
  bool stopping_ = false;
};

} // namespace qcc::rt

#endif // QCC_RUNTIME_TASKTHREAD_H
