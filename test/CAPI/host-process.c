/*===- host-process.c - Effects of compiling on the process --------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Nothing is printed, signal handlers and the floating-point environment are *|
|* those of the host, and the latter changes no result.                       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/host-process > %t.out 2> %t.err
// RUN: count 1 < %t.out
// RUN: count 0 < %t.err
// REQUIRES: compiler, x86-64-v3

#include "qcc-c/Compiler.h"

#include "Check.h"

#include <immintrin.h>
#include <pthread.h>
#include <signal.h>

/// Of its three scales one product is kept, rounded.
static const char program[] =
    "!x = !quant.uniform<i8:f32, 3.000000e-02>\n"
    "!w = !quant.uniform<i8:f32, 7.000000e-02>\n"
    "!y = !quant.uniform<i8:f32, 1.100000e-01>\n"
    "func.func @main(%x: tensor<?x8x!x>) -> tensor<?x4x!y> {\n"
    "  %w = arith.constant dense_resource<w> : tensor<4x8x!w>\n"
    "  %y = qnn.linear %x, %w\n"
    "      : tensor<?x8x!x>, tensor<4x8x!w> -> tensor<?x4x!y>\n"
    "  return %y : tensor<?x4x!y>\n"
    "}\n";

enum { lastSignal = 31 };

static int caught;
static void catchSignal(int signal) { caught = signal; }

static qccArtifact compileOrNull(const char *text) {
  qccCompileOptions options = qccCompileOptionsInit();
  options.weights = "random:7";
  qccArtifact artifact = NULL;
  qccStatusDestroy(qccCompileText(text, strlen(text), &options, &artifact));
  return artifact;
}

static void signalHandlers(void) {
  struct sigaction ours, before[lastSignal + 1], after;
  memset(&ours, 0, sizeof(ours));
  ours.sa_handler = catchSignal;
  for (int i = 1; i <= lastSignal; ++i) {
    if (i != SIGKILL && i != SIGSTOP && i != SIGPIPE)
      sigaction(i, &ours, NULL);
    sigaction(i, NULL, &before[i]);
  }
  for (int round = 0; round < 2; ++round) {
    qccArtifact artifact = compileOrNull(round ? "nonsense" : program);
    CHECK((artifact != NULL) == (round == 0));
    qccArtifactDestroy(artifact);
    for (int i = 1; i <= lastSignal; ++i) {
      sigaction(i, NULL, &after);
      CHECK(after.sa_handler == before[i].sa_handler);
      CHECK(after.sa_flags == before[i].sa_flags);
    }
  }
  raise(SIGUSR1);
  CHECK(caught == SIGUSR1);
  raise(SIGSEGV);
  CHECK(caught == SIGSEGV);
}

static void floatingPointEnvironment(void) {
  qccArtifact plain = compileOrNull(program);
  unsigned int before = _mm_getcsr();
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
  _MM_SET_ROUNDING_MODE(_MM_ROUND_UP);
  unsigned int odd = _mm_getcsr();
  qccArtifact flushed = compileOrNull(program);
  CHECK((_mm_getcsr() & ~_MM_EXCEPT_MASK) == (odd & ~_MM_EXCEPT_MASK));
  _mm_setcsr(before);
  CHECK(plain && flushed);
  CHECK(qccArtifactGetSize(plain) == qccArtifactGetSize(flushed));
  CHECK(memcmp(qccArtifactGetData(plain), qccArtifactGetData(flushed),
               qccArtifactGetSize(plain)) == 0);
  qccArtifactDestroy(plain);
  qccArtifactDestroy(flushed);
}

static void *compileOnSmallStack(void *artifact) {
  *(qccArtifact *)artifact = compileOrNull(program);
  return NULL;
}

/// Threads of a host may have little stack.
static void smallStack(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  pthread_t thread;
  qccArtifact artifact = NULL;
  CHECK(pthread_create(&thread, &attributes, compileOnSmallStack, &artifact) ==
        0);
  pthread_join(thread, NULL);
  CHECK(artifact != NULL);
  qccArtifactDestroy(artifact);
  pthread_attr_destroy(&attributes);
}

int main(void) {
  signalHandlers();
  floatingPointEnvironment();
  smallStack();
  return finishTest();
}
