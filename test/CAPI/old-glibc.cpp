//===- old-glibc.cpp - Functions that an older glibc lacks ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The definitions of tools/standalone/OldGlibc.cpp, which this program has in
// place of glibc's. Its own dlsym finds nothing, so that no definition calls
// the function of glibc.
//
//===----------------------------------------------------------------------===//

// The program is not built with a sanitizer.
// UNSUPPORTED: sanitizer
// RUN: %capi/old-glibc %t

#include "Check.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <fcntl.h>
#include <malloc.h>
#include <mutex>
#include <set>
#include <spawn.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

extern "C" void *dlsym(void *, const char *) { return nullptr; }

static bool isAbout(Clock::time_point start, milliseconds expected) {
  Clock::duration passed = Clock::now() - start;
  return passed >= expected && passed < expected + std::chrono::seconds(30);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  std::string file = argv[1], link = file + ".link";

  // Of a file and of a link to it.
  int descriptor = open(file.c_str(), O_CREAT | O_TRUNC | O_RDWR, 0600);
  CHECK(descriptor >= 0 && write(descriptor, "seven b", 7) == 7);
  unlink(link.c_str());
  CHECK(symlink(file.c_str(), link.c_str()) == 0);
  struct stat result;
  CHECK(stat(link.c_str(), &result) == 0 && result.st_size == 7);
  CHECK(S_ISREG(result.st_mode));
  CHECK(lstat(link.c_str(), &result) == 0 && S_ISLNK(result.st_mode));
  CHECK(fstat(descriptor, &result) == 0 && result.st_size == 7);
  CHECK(fstatat(AT_FDCWD, link.c_str(), &result, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(result.st_mode));
  CHECK(stat((file + ".none").c_str(), &result) == -1 && errno == ENOENT);

  // Waits until a time of the steady clock.
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock<std::mutex> lock(mutex);
  Clock::time_point start = Clock::now();
  CHECK(!condition.wait_for(lock, milliseconds(1), [] { return false; }));
  CHECK(!condition.wait_until(lock, start + milliseconds(30),
                              [] { return false; }));
  CHECK(isAbout(start, milliseconds(30)));
  CHECK(condition.wait_until(lock, start - milliseconds(30)) ==
        std::cv_status::timeout);
  std::timed_mutex timed;
  CHECK(timed.try_lock_for(milliseconds(20)));
  start = Clock::now();
  CHECK(pthread_mutex_clocklock(timed.native_handle(), CLOCK_MONOTONIC, [] {
          static timespec time;
          clock_gettime(CLOCK_MONOTONIC, &time);
          time.tv_sec += 1;
          return &time;
        }()) == ETIMEDOUT);
  CHECK(isAbout(start, milliseconds(900)));

  // A process gets the descriptors below the first that is closed.
  CHECK(dup2(descriptor, 40) == 40 && dup2(descriptor, 41) == 41);
  posix_spawn_file_actions_t actions;
  CHECK(posix_spawn_file_actions_init(&actions) == 0);
  CHECK(posix_spawn_file_actions_addclosefrom_np(&actions, 41) == 0);
  const char *command[] = {
      "sh", "-c", "test -e /proc/self/fd/40 && ! test -e /proc/self/fd/41",
      nullptr};
  pid_t process;
  CHECK(posix_spawn(&process, "/bin/sh", &actions, nullptr,
                    const_cast<char **>(command), environ) == 0);
  int status = 0;
  CHECK(waitpid(process, &status, 0) == process && status == 0);
  posix_spawn_file_actions_destroy(&actions);

  CHECK(mallinfo2().arena + mallinfo2().hblkhd > 0);
  std::set<unsigned> numbers;
  for (int i = 0; i < 100; ++i)
    numbers.insert(arc4random());
  CHECK(numbers.size() > 90);
  return finishTest();
}
