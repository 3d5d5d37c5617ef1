//===- qcc-isolated-compiler.cpp - The process of an isolated compiler ----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libqcc starts this program for a compilation with QCC_COMPILE_ISOLATED. It
// opens the library that its argument names, which is the same libqcc, and
// serves one compilation on the descriptor that Process.h names.
// lib/CAPI/Compiler/Isolated.h says what the two tell each other.
//
// Exit codes: 0 after an answer; exitWithoutMemory; 1 for other failures, which
// are printed. A crash is left to the system, which tells the host.
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <malloc.h>
#include <new>
#include <sys/prctl.h>
#include <unistd.h>

using qcc::capi::Process;

static void endWithoutMemory() { _exit(Process::exitWithoutMemory); }

/// Code that finds no memory aborts, or uses a null pointer. The C library, or
/// the handler in qccServeCompilation, has set errno before.
static void endAfterCrash(int signal) {
  if (errno == ENOMEM)
    endWithoutMemory();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

/// One thread compiles, and the process ends with it. One arena that grows in
/// large steps and never shrinks saves time in the system.
static void adaptAllocator() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TOP_PAD, 16 << 20);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

static bool isSocket(int descriptor) {
  char path[64], target[64];
  snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(path, target, sizeof(target) - 1);
  return length > 0 && strncmp(target, "socket:", strlen("socket:")) == 0;
}

int main(int argc, char **argv) {
  if (argc != 2 || argv[1][0] == '-' || !isSocket(Process::socketThere)) {
    fprintf(stderr, "qcc-isolated-compiler is started by libqcc for a "
                    "compilation with QCC_COMPILE_ISOLATED; it has no use by "
                    "itself\n");
    return 1;
  }
  // A host that ends must not leave this process behind.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  adaptAllocator();
  std::set_new_handler(endWithoutMemory);
  for (int crash : {SIGABRT, SIGBUS, SIGSEGV})
    std::signal(crash, endAfterCrash);
  void *library = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    // The loader does not always add the system's own text.
    for (const char *part : std::initializer_list<const char *>{
             strerror(ENOMEM), "failed to map segment"})
      if (strstr(reason, part))
        endWithoutMemory();
    fprintf(stderr, "cannot open %s: %s\n", argv[1], reason);
    return 1;
  }
  auto serve =
      reinterpret_cast<bool (*)(int)>(dlsym(library, "qccServeCompilation"));
  if (!serve) {
    fprintf(stderr,
            "%s has no function qccServeCompilation; install libqcc "
            "and qcc-isolated-compiler of one release\n",
            argv[1]);
    return 1;
  }
  errno = 0;
  // The destructors of the compiler would only cost time.
  _exit(serve(Process::socketThere) ? 0 : 1);
}
