//===- HandlerStack.h - A stack for handlers of signals ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_BASE_HANDLERSTACK_H
#define QCC_BASE_HANDLERSTACK_H

#include <csignal>
#include <cstddef>
#include <memory>

namespace qcc::rt {

/// Where this thread handles signals while the object lives, also when its
/// stack is at its end. Large enough for LLVM, which would otherwise set up one
/// of its own.
class HandlerStack {
public:
  HandlerStack() : memory_(new char[size]) {
    stack_t ours = {};
    ours.ss_sp = memory_.get();
    ours.ss_size = size;
    sigaltstack(&ours, &before_);
  }
  ~HandlerStack() { sigaltstack(&before_, nullptr); }
  HandlerStack(const HandlerStack &) = delete;
  HandlerStack &operator=(const HandlerStack &) = delete;

private:
  static constexpr size_t size = 256 << 10;
  std::unique_ptr<char[]> memory_;
  stack_t before_;
};

} // namespace qcc::rt

#endif // QCC_BASE_HANDLERSTACK_H
