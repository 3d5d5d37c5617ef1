//===- Process.cpp - The process of an isolated compiler ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern "C" char **environ;

using namespace qcc;
using namespace qcc::capi;

void Process::swap(Process &other) noexcept {
  std::swap(pid, other.pid);
  std::swap(socket, other.socket);
  std::swap(output, other.output);
  std::swap(isReaped, other.isReaped);
  std::swap(status, other.status);
}

//===----------------------------------------------------------------------===//
// Start
//===----------------------------------------------------------------------===//

namespace {
/// What posix_spawn is told.
class SpawnOptions {
public:
  SpawnOptions(int socket, int output) {
    error = posix_spawn_file_actions_init(&files);
    if (error == 0 && (error = posix_spawnattr_init(&attributes)) != 0)
      posix_spawn_file_actions_destroy(&files);
    if (error != 0)
      return;
    constexpr int standardOutput = 1, standardError = 2;
    note(posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0));
    note(posix_spawn_file_actions_adddup2(&files, output, standardOutput));
    note(posix_spawn_file_actions_adddup2(&files, output, standardError));
    note(
        posix_spawn_file_actions_adddup2(&files, socket, Process::socketThere));
    note(posix_spawn_file_actions_addclosefrom_np(&files,
                                                  Process::socketThere + 1));
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    note(posix_spawnattr_setsigmask(&attributes, &none));
    note(posix_spawnattr_setsigdefault(&attributes, &all));
    // Of a group of its own: what a terminal sends is for the host.
    note(posix_spawnattr_setpgroup(&attributes, 0));
    note(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                                   POSIX_SPAWN_SETSIGDEF |
                                                   POSIX_SPAWN_SETPGROUP));
    isMade = true;
  }
  ~SpawnOptions() {
    if (!isMade)
      return;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnOptions(const SpawnOptions &) = delete;
  SpawnOptions &operator=(const SpawnOptions &) = delete;

  int spawn(pid_t &pid, const std::string &path, const std::string &argument) {
    if (error != 0)
      return error;
    std::string words[] = {path, argument};
    char *arguments[] = {words[0].data(), words[1].data(), nullptr};
    return posix_spawn(&pid, path.c_str(), &files, &attributes, arguments,
                       environ);
  }

private:
  void note(int result) { error = error != 0 ? error : result; }

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  bool isMade = false;
  int error = 0;
};
} // namespace

static rt::Status cannotStart(const std::string &path, int error) {
  rt::StatusCode code = rt::StatusCode::IOError;
  if (error == ENOENT || error == ENOTDIR)
    code = rt::StatusCode::NotFound;
  else if (error == ENOMEM || error == EAGAIN)
    code = rt::StatusCode::OutOfMemory;
  return rt::Status(code, "cannot start the compiler's process " + path + " (" +
                              strerror(error) +
                              "); install qcc-isolated-compiler beside libqcc, "
                              "or say where it is");
}

/// A copy above the numbers that the process uses.
static int copyAbove(int descriptor) {
  return fcntl(descriptor, F_DUPFD_CLOEXEC, Process::socketThere + 1);
}

rt::Result<Process> Process::start(const std::string &path,
                                   const std::string &argument) {
  Process process;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return cannotStart(path, errno);
  process.socket = ends[0];
  int theirs = copyAbove(ends[1]);
  int error = errno;
  close(ends[1]);
  int output = -1;
  if (theirs >= 0) {
    process.output = memfd_create("qcc-isolated-output", MFD_CLOEXEC);
    output = process.output < 0 ? -1 : copyAbove(process.output);
    error = errno;
  }
  if (theirs >= 0 && output >= 0)
    error = SpawnOptions(theirs, output).spawn(process.pid, path, argument);
  for (int descriptor : {theirs, output})
    if (descriptor >= 0)
      close(descriptor);
  if (error == 0 && process.pid > 0)
    return process;
  process.pid = -1;
  return cannotStart(path, error);
}

//===----------------------------------------------------------------------===//
// End
//===----------------------------------------------------------------------===//

Process::~Process() {
  if (pid > 0 && !isReaped) {
    kill(pid, SIGKILL);
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR)
      ;
  }
  for (int descriptor : {socket, output})
    if (descriptor >= 0)
      close(descriptor);
}

bool Process::waitForEnd(int milliseconds) {
  for (; milliseconds >= 0; --milliseconds) {
    int found = -1;
    pid_t ended = waitpid(pid, &found, WNOHANG);
    if (ended == pid)
      status = found;
    // ECHILD: the host ignores SIGCHLD, or waits for every child itself.
    isReaped = ended == pid || (ended < 0 && errno == ECHILD);
    if (isReaped)
      return true;
    usleep(1000);
  }
  return false;
}

/// The last of what the process printed, on one line.
std::string Process::readOutput() const {
  char text[400];
  off_t size = lseek(output, 0, SEEK_END);
  off_t begin = std::max<off_t>(size - static_cast<off_t>(sizeof(text)), 0);
  ssize_t length = size > 0 ? pread(output, text, sizeof(text), begin) : 0;
  std::string line(text, std::max<ssize_t>(length, 0));
  while (!line.empty() && line.back() == '\n')
    line.pop_back();
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line.empty() ? line : "; it printed: " + line;
}

rt::Status Process::describeEnd() {
  constexpr int patience = 1000;
  bool ended = waitForEnd(patience);
  const char *report = "; this is a bug of qcc, please report it with the "
                       "program";
  if (!ended)
    return rt::internalError("the compiler's process left the connection and "
                             "did not end" +
                             readOutput() + report);
  if (status == -1)
    return rt::internalError("the compiler's process ended, and its exit "
                             "status went to another wait of this process" +
                             readOutput());
  if (WIFEXITED(status)) {
    int code = WEXITSTATUS(status);
    if (code == exitWithoutMemory)
      return rt::outOfMemory("the compiler's process ran out of memory; free "
                             "some, or raise its limits");
    return rt::internalError("the compiler's process ended with exit code " +
                             std::to_string(code) + readOutput());
  }
  int signal = WTERMSIG(status);
  const char *name = strsignal(signal);
  std::string which = "signal " + std::to_string(signal) + " (" +
                      std::string(name ? name : "unknown") + ")";
  for (int crash : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP})
    if (signal == crash)
      return rt::internalError("the compiler crashed in its process, by " +
                               which + readOutput() + report);
  return rt::Status(rt::StatusCode::Killed,
                    "the compiler's process was killed by " + which +
                        ", which somebody sent, or the kernel for want of "
                        "memory");
}
