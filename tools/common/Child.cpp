//===- Child.cpp - Processes that do a part of the work -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Child.h"

#include "qcc/Base/SystemFailure.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace qcc::tools {

/// Prepares a process that was forked.
static void startProcess(Child::Prints prints, int input, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_DFL);
  // Other pipes of the tool would stay open with this process.
  for (int descriptor = 3; descriptor < 64; ++descriptor)
    if (descriptor != input && descriptor != output)
      close(descriptor);
  int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  if (prints == Child::Prints::Nowhere) {
    dup2(nothing, STDERR_FILENO);
    for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
      std::signal(signal, SIG_DFL);
  }
  close(nothing);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

rt::Result<Child> Child::start(Prints prints,
                               const std::function<int(int, int)> &work) {
  int toChild[2], fromChild[2];
  if (pipe2(toChild, O_CLOEXEC) != 0)
    return rt::systemFailure("no pipe can be created", errno);
  if (pipe2(fromChild, O_CLOEXEC) != 0) {
    int error = errno;
    close(toChild[0]);
    close(toChild[1]);
    return rt::systemFailure("no pipe can be created", error);
  }
  Child child;
  child.process_ = fork();
  int error = errno;
  if (child.process_ == 0) {
    startProcess(prints, toChild[0], fromChild[1]);
    _exit(work(toChild[0], fromChild[1]));
  }
  close(toChild[0]);
  close(fromChild[1]);
  child.inputEnd_ = toChild[1];
  child.outputEnd_ = fromChild[0];
  if (child.process_ < 0) {
    child.closePipes();
    return rt::systemFailure("no process can be started", error);
  }
  // Writing to a process that does not read must not block the tool.
  fcntl(child.inputEnd_, F_SETFL, O_NONBLOCK);
  return child;
}

Child::Child(Child &&other)
    : process_(std::exchange(other.process_, -1)),
      inputEnd_(std::exchange(other.inputEnd_, -1)),
      outputEnd_(std::exchange(other.outputEnd_, -1)) {}

Child &Child::operator=(Child &&other) {
  std::swap(process_, other.process_);
  std::swap(inputEnd_, other.inputEnd_);
  std::swap(outputEnd_, other.outputEnd_);
  return *this;
}

void Child::closePipes() {
  for (int *descriptor : {&inputEnd_, &outputEnd_})
    if (*descriptor >= 0)
      close(std::exchange(*descriptor, -1));
}

int Child::wait() {
  closePipes();
  int status = 0;
  if (process_ <= 0)
    return status;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR)
    continue;
  process_ = -1;
  return status;
}

int Child::kill() {
  closePipes();
  int status = 0;
  if (process_ <= 0)
    return status;
  // A process that is at its end already keeps its own status.
  if (waitpid(process_, &status, WNOHANG) == 0) {
    ::kill(process_, SIGKILL);
    return wait();
  }
  process_ = -1;
  return status;
}

bool readAvailable(int descriptor, std::string &bytes) {
  char block[1 << 16];
  ssize_t length;
  do
    length = read(descriptor, block, sizeof(block));
  while (length < 0 && errno == EINTR);
  if (length <= 0)
    return false;
  bytes.append(block, length);
  return true;
}

} // namespace qcc::tools
