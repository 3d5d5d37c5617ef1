/*===- compile-limits.c - Compilations that end early ---------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Cancelled at many moments, out of time and above a limit of memory: each   *|
|* is a status of its own, soon, without diagnostics and without a loss, and  *|
|* the next compilation is right.                                             *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/compile-limits
// REQUIRES: compiler, x86-64-v3
// Memory is counted, of which a sanitizer takes more.
// UNSUPPORTED: sanitizer

#define _GNU_SOURCE

#include "qcc-c/Compiler.h"

#include "Check.h"

#include <malloc.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { numLayers = 3 };

static char program[1 << 16];
static qccCancelToken token;
static int numDiagnostics;

/// The time that the process has computed for, which does not pass while other
/// processes keep the machine busy. A compilation takes at least as long.
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/// A chain of layers of different sizes, so that each is a kernel of its own.
static void writeProgram(int layers) {
  size_t at = 0;
#define ADD(...)                                                               \
  at += (size_t)snprintf(program + at, sizeof(program) - at, __VA_ARGS__)
  ADD("!q = !quant.uniform<i8:f32, 3.0e-02>\n"
      "func.func @main(%%x0: tensor<?x64x!q>) -> tensor<?x%dx!q> {\n",
      64 + layers);
  for (int i = 0; i < layers; ++i) {
    int from = 64 + i, to = from + 1;
    ADD("  %%w%d = arith.constant dense_resource<w%d> : tensor<%dx%dx!q>\n"
        "  %%x%d = qnn.linear %%x%d, %%w%d : tensor<?x%dx!q>, "
        "tensor<%dx%dx!q> -> tensor<?x%dx!q>\n",
        i, i, to, from, i + 1, i, i, from, to, from, to);
  }
  ADD("  return %%x%d : tensor<?x%dx!q>\n}\n", layers, 64 + layers);
#undef ADD
  CHECK(at < sizeof(program));
}

static void count(void *context, const qccDiagnostic *diagnostic) {
  (void)context;
  fprintf(stderr, "%s\n", diagnostic->message);
  ++numDiagnostics;
}

static qccCompileOptions makeOptions(void) {
  static const qccDiagnosticHook hook = {sizeof(hook), NULL, count};
  qccCompileOptions options = qccCompileOptionsInit();
  options.weights = "random:7";
  options.target = "x86-64-v3";
  options.diagnostics = &hook;
  return options;
}

static qccStatus compileProgram(const qccCompileOptions *options) {
  qccArtifact artifact = NULL;
  qccStatus status =
      qccCompileText(program, strlen(program), options, &artifact);
  CHECK((status == NULL) == (artifact != NULL));
  qccArtifactDestroy(artifact);
  return status;
}

static double cancelDelay, cancelTime;

static void *cancelLater(void *argument) {
  (void)argument;
  usleep((useconds_t)(cancelDelay * 1e6));
  cancelTime = now();
  qccCancelTokenCancel(token);
  return NULL;
}

/// Cancels after a time; returns how long the compilation took to end then.
static double cancelAt(double delay) {
  qccCompileOptions options = makeOptions();
  options.cancel = token;
  qccCancelTokenReset(token);
  cancelDelay = delay;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, cancelLater, NULL) == 0);
  qccStatus status = compileProgram(&options);
  double end = now();
  pthread_join(thread, NULL);
  qccStatusCode code = qccStatusGetCode(status);
  // It may have been done by then.
  CHECK(code == QCC_STATUS_CANCELLED || code == QCC_STATUS_OK);
  if (code == QCC_STATUS_CANCELLED)
    CHECK(strstr(qccStatusGetMessage(status), "it was cancelled") != NULL);
  qccStatusDestroy(status);
  return code == QCC_STATUS_CANCELLED ? end - cancelTime : 0;
}

int main(void) {
  enum { numMoments = 10 };
  CHECK_OK(qccCancelTokenCreate(&token));
  writeProgram(numLayers);
  qccCompileOptions options = makeOptions();
  CHECK_OK(compileProgram(&options));
  double start = now();
  CHECK_OK(compileProgram(&options));
  double whole = now() - start;

  // Limits that are not reached change nothing.
  qccArtifact free = NULL, limited = NULL;
  CHECK_OK(qccCompileText(program, strlen(program), &options, &free));
  options.timeoutNanoseconds = INT64_MAX / 8;
  options.memoryLimitBytes = INT64_MAX;
  CHECK_OK(qccCompileText(program, strlen(program), &options, &limited));
  CHECK(qccArtifactGetSize(free) == qccArtifactGetSize(limited));
  CHECK(memcmp(qccArtifactGetData(free), qccArtifactGetData(limited),
               qccArtifactGetSize(free)) == 0);
  qccArtifactDestroy(free);
  qccArtifactDestroy(limited);

  // Before it starts, and at moments of all stages.
  options = makeOptions();
  options.cancel = token;
  qccCancelTokenCancel(token);
  CHECK_FAILS(compileProgram(&options), QCC_STATUS_CANCELLED,
              "the compilation ended while reading the program: it was "
              "cancelled");
  double longest = 0;
  for (int i = 0; i < numMoments; ++i) {
    double time = cancelAt(whole * (i + 0.5) / numMoments);
    longest = time > longest ? time : longest;
  }
  printf("a compilation of %.2f s ends at most %.3f s after it is cancelled\n",
         whole, longest);
  CHECK(longest > 0 && longest < whole / 2 + 0.3);

  options = makeOptions();
  options.timeoutNanoseconds = (int64_t)(whole * 0.3e9);
  start = now();
  CHECK_FAILS(compileProgram(&options), QCC_STATUS_TIMED_OUT,
              "it took longer than the time limit of");
  CHECK(now() - start < whole * 0.8 + 0.3);
  options.timeoutNanoseconds = INT64_MAX;
  CHECK_OK(compileProgram(&options));
  options.timeoutNanoseconds = -1;
  CHECK_FAILS(compileProgram(&options), QCC_STATUS_INVALID_ARGUMENT,
              "a limit is negative");

  // What ends early gives all back.
  size_t held = mallinfo2().uordblks;
  for (int i = 0; i < 10; ++i)
    cancelAt(whole * (i + 0.5) / 10);
  int64_t lost = (int64_t)(mallinfo2().uordblks - held);
  printf("%lld bytes lost\n", (long long)lost);
  CHECK(lost < 1 << 20);

  // Weights that do not fit are not made.
  options = makeOptions();
  options.memoryLimitBytes = 200 << 20;
  CHECK_OK(compileProgram(&options));
  snprintf(program, sizeof(program),
           "func.func @main() -> tensor<400x1048576xi8> {\n"
           "  %%w = arith.constant dense_resource<w> : "
           "tensor<400x1048576xi8>\n"
           "  return %%w : tensor<400x1048576xi8>\n"
           "}\n");
  start = now();
  CHECK_FAILS(compileProgram(&options), QCC_STATUS_OUT_OF_MEMORY,
              "the limit of 209715200 bytes of memory does not suffice");
  CHECK(now() - start < 1);
  options.memoryLimitBytes = 1; // Not even the compiler itself fits.
  writeProgram(numLayers);
  CHECK_FAILS(compileProgram(&options), QCC_STATUS_OUT_OF_MEMORY,
              "the limit of 1 bytes");
  options.memoryLimitBytes = 0;
  CHECK_OK(compileProgram(&options));
  CHECK(numDiagnostics == 0);
  qccCancelTokenDestroy(token);
  return finishTest();
}
