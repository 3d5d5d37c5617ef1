//===- Progress.h - Progress display ----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever waits at a terminal for more than two seconds is told what is going
// on, on a line that is rewritten and gone at the end. Standard errors that are
// no terminal get nothing.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_PROGRESS_H
#define QCC_TOOLS_COMMON_PROGRESS_H

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace qcc::tools {

class Progress {
public:
  /// "measuring": the line says so, and for how many seconds.
  explicit Progress(std::string text);
  ~Progress();
  Progress(const Progress &) = delete;

  void update(std::string text);
  /// Takes the line away, for a message; it comes back while the work goes on.
  void erase();

private:
  using Clock = std::chrono::steady_clock;

  void show();
  void eraseLine();

  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  bool isShown_ = false, isOver_ = false;
  std::thread writer_; ///< Only for a terminal.
};

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_PROGRESS_H
