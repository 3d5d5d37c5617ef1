//===- OldGlibc.cpp - Functions that an older glibc lacks -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of the wheels run with a glibc that is older than the one of the
// build (cmake/old-glibc.py). This file defines the newer functions that they
// call. A definition calls the function of glibc where the process has one.
//
//===----------------------------------------------------------------------===//

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

/// The function of glibc; null where glibc is older. The definitions here are
/// hidden (-fvisibility=hidden), so dlsym does not find them.
template <typename Function>
static Function *inGlibc(const char *name, Function *) {
  return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

extern "C" {

//===----------------------------------------------------------------------===//
// glibc 2.32
//===----------------------------------------------------------------------===//

/// False makes every count of a shared_ptr atomic, which is always right.
char __libc_single_threaded = 0;

//===----------------------------------------------------------------------===//
// glibc 2.33
//===----------------------------------------------------------------------===//

#ifdef __x86_64__
constexpr int kStatVersion = 1;
#else
constexpr int kStatVersion = 0;
#endif

#pragma GCC visibility push(default)
int __xstat(int version, const char *path, struct stat *result);
int __lxstat(int version, const char *path, struct stat *result);
int __fxstat(int version, int descriptor, struct stat *result);
int __fxstat64(int version, int descriptor, struct stat64 *result);
int __fxstatat(int version, int folder, const char *path, struct stat *result,
               int flags);
#pragma GCC visibility pop

int stat(const char *path, struct stat *result) noexcept {
  return __xstat(kStatVersion, path, result);
}
int lstat(const char *path, struct stat *result) noexcept {
  return __lxstat(kStatVersion, path, result);
}
int fstat(int descriptor, struct stat *result) noexcept {
  return __fxstat(kStatVersion, descriptor, result);
}
int fstat64(int descriptor, struct stat64 *result) noexcept {
  return __fxstat64(kStatVersion, descriptor, result);
}
int fstatat(int folder, const char *path, struct stat *result,
            int flags) noexcept {
  return __fxstatat(kStatVersion, folder, path, result, flags);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/// The numbers of mallinfo are int, and wrong above 2 GiB; statistics alone
/// show them.
struct mallinfo2 mallinfo2() noexcept {
  if (auto *function = inGlibc("mallinfo2", mallinfo2))
    return function();
  struct mallinfo small = mallinfo();
  struct mallinfo2 result = {};
  result.arena = unsigned(small.arena);
  result.hblkhd = unsigned(small.hblkhd);
  result.uordblks = unsigned(small.uordblks);
  result.fordblks = unsigned(small.fordblks);
  return result;
}
#pragma GCC diagnostic pop

//===----------------------------------------------------------------------===//
// glibc 2.30
//===----------------------------------------------------------------------===//

/// The time of CLOCK_REALTIME at which `clock` will have this time, unless
/// somebody sets the clock. Callers in the C++ library compare with their own
/// clock once more.
static timespec onRealTimeClock(clockid_t clock, const timespec &time) {
  if (clock == CLOCK_REALTIME)
    return time;
  timespec there, here;
  clock_gettime(clock, &there);
  clock_gettime(CLOCK_REALTIME, &here);
  constexpr int64_t second = 1'000'000'000;
  int64_t nanoseconds = here.tv_nsec + time.tv_nsec - there.tv_nsec;
  timespec result;
  result.tv_sec = here.tv_sec + (time.tv_sec - there.tv_sec);
  result.tv_sec += nanoseconds / second;
  nanoseconds %= second;
  if (nanoseconds < 0) {
    nanoseconds += second;
    --result.tv_sec;
  }
  result.tv_nsec = nanoseconds;
  return result;
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           clockid_t clock, const timespec *time) {
  static auto *const function =
      inGlibc("pthread_cond_clockwait", pthread_cond_clockwait);
  if (function)
    return function(condition, mutex, clock, time);
  timespec converted = onRealTimeClock(clock, *time);
  return pthread_cond_timedwait(condition, mutex, &converted);
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                            const timespec *time) noexcept {
  static auto *const function =
      inGlibc("pthread_mutex_clocklock", pthread_mutex_clocklock);
  if (function)
    return function(mutex, clock, time);
  timespec converted = onRealTimeClock(clock, *time);
  return pthread_mutex_timedlock(mutex, &converted);
}

//===----------------------------------------------------------------------===//
// glibc 2.34
//===----------------------------------------------------------------------===//

/// An older glibc closes the descriptors that are open now. One that another
/// thread opens meanwhile stays open in the new process, unless it has
/// O_CLOEXEC.
int posix_spawn_file_actions_addclosefrom_np(
    posix_spawn_file_actions_t *actions, int first) noexcept {
  if (auto *function = inGlibc("posix_spawn_file_actions_addclosefrom_np",
                               posix_spawn_file_actions_addclosefrom_np))
    return function(actions, first);
  DIR *folder = opendir("/proc/self/fd");
  if (!folder)
    return errno;
  int error = 0;
  while (const dirent *entry = readdir(folder)) {
    int descriptor = atoi(entry->d_name);
    if (descriptor >= first && descriptor != dirfd(folder) && error == 0)
      error = posix_spawn_file_actions_addclose(actions, descriptor);
  }
  closedir(folder);
  return error;
}

//===----------------------------------------------------------------------===//
// glibc 2.36
//===----------------------------------------------------------------------===//

uint32_t arc4random() noexcept {
  uint32_t result = 0;
  while (getrandom(&result, sizeof(result), 0) != ssize_t(sizeof(result)))
    if (errno != EINTR)
      abort();
  return result;
}

} // extern "C"
