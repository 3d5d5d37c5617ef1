//===- Child.cpp - Processes of the server --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Child.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace qcc::lsp;

/// Prepares a process that was forked.
static void startProcess(int input, int output) {
  // A server that ends must not leave this process behind.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_DFL);
  // Other pipes of the server would stay open with this process.
  for (int descriptor = 3; descriptor < 64; ++descriptor)
    if (descriptor != input && descriptor != output)
      close(descriptor);
  // The editor hears nothing but the server.
  int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  close(nothing);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

std::optional<Child> Child::start(llvm::function_ref<int(int, int)> work) {
  int toChild[2], fromChild[2];
  if (pipe(toChild) != 0)
    return std::nullopt;
  if (pipe(fromChild) != 0) {
    close(toChild[0]);
    close(toChild[1]);
    return std::nullopt;
  }
  llvm::outs().flush();
  Child child;
  child.process = fork();
  if (child.process == 0) {
    startProcess(toChild[0], fromChild[1]);
    int code = work(toChild[0], fromChild[1]);
    llvm::outs().flush();
    _exit(code);
  }
  close(toChild[0]);
  close(fromChild[1]);
  child.inputEnd = toChild[1];
  child.outputEnd = fromChild[0];
  if (child.process < 0)
    return std::nullopt;
  // Writing to a process that does not read must not block the server.
  fcntl(child.inputEnd, F_SETFL, O_NONBLOCK);
  return child;
}

Child::Child(Child &&other)
    : process(std::exchange(other.process, -1)),
      inputEnd(std::exchange(other.inputEnd, -1)),
      outputEnd(std::exchange(other.outputEnd, -1)) {}

Child &Child::operator=(Child &&other) {
  std::swap(process, other.process);
  std::swap(inputEnd, other.inputEnd);
  std::swap(outputEnd, other.outputEnd);
  return *this;
}

int Child::end() {
  for (int *descriptor : {&inputEnd, &outputEnd})
    if (*descriptor >= 0)
      close(std::exchange(*descriptor, -1));
  int status = 0;
  if (process <= 0)
    return status;
  // A process that is at its end already keeps its own status.
  if (waitpid(process, &status, WNOHANG) == 0) {
    kill(process, SIGKILL);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
      continue;
  }
  process = -1;
  return status;
}

bool qcc::lsp::readAvailable(int descriptor, std::string &bytes) {
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
