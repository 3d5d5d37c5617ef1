//===- Progress.cpp - Progress display ------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Progress.h"

#include "common/Text.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace qcc::tools {

/// Lines are rewritten by commands that a dumb terminal does not have.
static bool canRewriteLines() {
  const char *terminal = getenv("TERM");
  return isatty(STDERR_FILENO) && terminal &&
         std::string_view(terminal) != "dumb";
}

Progress::Progress(std::string text) : text_(std::move(text)) {
  if (canRewriteLines())
    writer_ = std::thread([this] { show(); });
}

Progress::~Progress() {
  {
    std::lock_guard lock(mutex_);
    isOver_ = true;
    changed_.notify_all();
  }
  if (writer_.joinable())
    writer_.join();
  eraseLine();
}

void Progress::update(std::string text) {
  std::lock_guard lock(mutex_);
  text_ = std::move(text);
}

void Progress::erase() {
  std::lock_guard lock(mutex_);
  eraseLine();
}

void Progress::eraseLine() {
  if (isShown_)
    fputs("\r\x1b[K", stderr);
  isShown_ = false;
}

void Progress::show() {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, 2s, [&] { return isOver_; });
  while (!isOver_) {
    std::chrono::duration<double> seconds = Clock::now() - start_;
    std::string line = text_ + format(", %.0f s", seconds.count());
    // A line that wraps could not be rewritten.
    winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 &&
        line.size() >= size.ws_col)
      line.resize(size.ws_col - 1);
    fprintf(stderr, "\r\x1b[K%s", line.c_str());
    isShown_ = true;
    changed_.wait_for(lock, 500ms, [&] { return isOver_; });
  }
}

} // namespace qcc::tools
