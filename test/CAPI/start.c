/*===- start.c - Runs that are started and go on by themselves ------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/start %capi/program.so

#include "Check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static qccModule module;

static int32_t x[3] = {1, 2, 3}, y[3];
static int64_t shape[1] = {3};
static DLTensor xs, ys, *arguments[1] = {&xs}, *results[1] = {&ys};

static qccContext createContext(const char *entry) {
  qccContext context = NULL;
  CHECK_OK(qccContextCreate(module, entry, NULL, &context));
  if (!context)
    exit(finishTest());
  return context;
}

/// A step hook that holds a run until it is let go.
typedef struct Gate {
  atomic_int entered, open;
} Gate;

static void hold(void *self, size_t step, const qccStepInfo *info) {
  Gate *gate = self;
  (void)step;
  (void)info;
  atomic_store(&gate->entered, 1);
  while (!atomic_load(&gate->open))
    usleep(100);
}

static void waits(void) {
  qccContext context = createContext("increment");
  Gate gate = {0, 0};
  qccStepHook hook = {sizeof(hook), &gate, hold};
  qccRunOptions options = qccRunOptionsInit();
  options.step = &hook;
  qccRun run = NULL;
  memset(y, 0, sizeof(y));
  CHECK_OK(
      qccContextStart(context, arguments, 1, results, 1, &options, NULL, &run));
  options.step = NULL; // What was given has been read.
  hook.afterStep = NULL;
  while (!atomic_load(&gate.entered))
    usleep(100);
  CHECK(!qccRunWaitFor(run, 0));
  CHECK(!qccRunWaitFor(run, 2000000));
  CHECK(!qccRunWaitFor(run, -5));
  // The context is the run's.
  CHECK_FAILS(qccContextRun(context, arguments, 1, results, 1), QCC_STATUS_BUSY,
              "this context is in use by another thread");
  qccRun second = NULL;
  CHECK_FAILS(
      qccContextStart(context, arguments, 1, results, 1, NULL, NULL, &second),
      QCC_STATUS_BUSY, "");
  CHECK(second == NULL);
  atomic_store(&gate.open, 1);
  CHECK(qccRunWaitFor(run, INT64_MAX));
  CHECK_OK(qccRunWait(run));
  CHECK_OK(qccRunWait(run)); // As often as one likes.
  CHECK(y[0] == 2 && y[2] == 4);
  qccRunDestroy(run);
  CHECK_OK(qccContextRun(context, arguments, 1, results, 1));
  qccContextDestroy(context);
}

/// A run whose handle is given up goes on, and the context waits for it.
static void forgottenRuns(void) {
  for (int i = 0; i < 50; ++i) {
    qccContext context = createContext("increment");
    qccRun run = NULL;
    memset(y, 0, sizeof(y));
    CHECK_OK(
        qccContextStart(context, arguments, 1, results, 1, NULL, NULL, &run));
    qccRunDestroy(run);
    qccContextDestroy(context);
    CHECK(y[2] == 4);
  }
}

/// Each completion starts the next run of the same context.
typedef struct Chain {
  qccContext context;
  int32_t values[3];
  DLTensor tensor;
  atomic_int numDone;
  int wrong;
} Chain;

enum { chainLength = 1000 };

static void startNext(void *self, qccStatus status) {
  Chain *chain = self;
  chain->wrong += qccStatusGetCode(status) != QCC_STATUS_OK;
  if (atomic_load(&chain->numDone) + 1 < chainLength) {
    qccCompletionHook hook = {sizeof(hook), chain, startNext};
    DLTensor *tensor[1] = {&chain->tensor};
    qccStatus next = qccContextStart(chain->context, tensor, 1, tensor, 1, NULL,
                                     &hook, NULL);
    chain->wrong += next != NULL;
    qccStatusDestroy(next);
  }
  atomic_fetch_add(&chain->numDone, 1);
}

static void completions(void) {
  enum { numChains = 4 };
  static Chain chains[numChains];
  for (int i = 0; i < numChains; ++i) {
    Chain *chain = &chains[i];
    chain->context = createContext("increment");
    chain->tensor = makeTensor(chain->values, kDLInt, 32, 1, shape);
    qccCompletionHook hook = {sizeof(hook), chain, startNext};
    DLTensor *tensor[1] = {&chain->tensor};
    CHECK_OK(qccContextStart(chain->context, tensor, 1, tensor, 1, NULL, &hook,
                             NULL));
  }
  for (int i = 0; i < numChains; ++i) {
    while (atomic_load(&chains[i].numDone) < chainLength)
      usleep(100);
    qccContextDestroy(chains[i].context);
    CHECK(chains[i].wrong == 0);
    CHECK(chains[i].values[0] == chainLength);
  }
}

/// Who waits is told after the completion hook.
static void noteCompletion(void *self, qccStatus status) {
  usleep(20000);
  *(qccStatusCode *)self = qccStatusGetCode(status);
}

static void failures(void) {
  qccContext context = createContext("refuse");
  qccStatusCode told = QCC_STATUS_OK;
  qccCompletionHook hook = {sizeof(hook), &told, noteCompletion};
  qccRun run = NULL;
  CHECK_OK(
      qccContextStart(context, arguments, 1, results, 1, NULL, &hook, &run));
  CHECK_FAILS(qccRunWait(run), QCC_STATUS_KERNEL_FAILED,
              "step 'refuse.step0' failed: the table of steps is only a test");
  CHECK(told == QCC_STATUS_KERNEL_FAILED);
  qccRunDestroy(run);
  run = NULL;
  // The context is free again whatever is refused.
  CHECK_FAILS(
      qccContextStart(context, arguments, 0, results, 1, NULL, &hook, &run),
      QCC_STATUS_INVALID_ARGUMENT, "but the call has 0");
  CHECK_FAILS(
      qccContextStart(context, arguments, 1, results, 1, NULL, NULL, NULL),
      QCC_STATUS_INVALID_ARGUMENT, "the handle of the run");
  CHECK_FAILS(
      qccContextStart(NULL, arguments, 1, results, 1, NULL, &hook, &run),
      QCC_STATUS_INVALID_ARGUMENT, "the context is a null pointer");
  hook.size = 0;
  CHECK_FAILS(
      qccContextStart(context, arguments, 1, results, 1, NULL, &hook, &run),
      QCC_STATUS_INVALID_ARGUMENT, "`size` of a structure is 0");
  CHECK_FAILS(qccRunWait(NULL), QCC_STATUS_INVALID_ARGUMENT,
              "the run is a null pointer");
  CHECK(run == NULL && qccRunWaitFor(NULL, 0));
  qccRunDestroy(NULL);
  CHECK_FAILS(qccContextRun(context, arguments, 1, results, 1),
              QCC_STATUS_KERNEL_FAILED, "");
  qccContextDestroy(context);
}

static void cancellation(void) {
  qccContext context = createContext("increment");
  qccRunOptions options = qccRunOptionsInit();
  CHECK_OK(qccCancelTokenCreate(&options.cancel));
  qccCancelTokenCancel(options.cancel);
  qccRun run = NULL;
  CHECK_OK(
      qccContextStart(context, arguments, 1, results, 1, &options, NULL, &run));
  qccCancelTokenDestroy(options.cancel); // The run keeps it.
  CHECK_FAILS(qccRunWait(run), QCC_STATUS_CANCELLED, "the run was cancelled");
  qccRunDestroy(run);
  options = qccRunOptionsInit();
  options.timeoutNanoseconds = 1;
  CHECK_OK(
      qccContextStart(context, arguments, 1, results, 1, &options, NULL, &run));
  CHECK_FAILS(qccRunWait(run), QCC_STATUS_TIMED_OUT, "the time limit");
  qccRunDestroy(run);
  qccContextDestroy(context);
}

/// A child starts runs on a context whose thread it does not have.
static void forks(void) {
  qccContext context = createContext("increment");
  qccRun run = NULL;
  CHECK_OK(
      qccContextStart(context, arguments, 1, results, 1, NULL, NULL, &run));
  CHECK_OK(qccRunWait(run));
  pid_t child = fork();
  if (child == 0) {
    qccRunDestroy(run);
    memset(y, 0, sizeof(y));
    qccStatus started =
        qccContextStart(context, arguments, 1, results, 1, NULL, NULL, &run);
    qccStatus ended = started ? NULL : qccRunWait(run);
    int right = !started && !ended && y[2] == 4;
    qccContextDestroy(context);
    _exit(right ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  qccRunDestroy(run);
  qccContextDestroy(context);
}

int main(int argc, char **argv) {
  module = loadProgram(argc, argv);
  xs = makeTensor(x, kDLInt, 32, 1, shape);
  ys = makeTensor(y, kDLInt, 32, 1, shape);
  waits();
  forgottenRuns();
  completions();
  failures();
  cancellation();
  forks();
  qccModuleDestroy(module);
  return finishTest();
}
