/*===- threads.c - Many callers, pools, hooks, cancellation
----------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/threads %capi/program.so

#define _GNU_SOURCE

#include "Check.h"

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

enum { callers = 8, runs = 1000, columns = 4, maxRows = 7 };

static qccModule module;
static int numSteps; ///< Of main.

/// A call of main with its own data.
typedef struct Call {
  float x[maxRows][columns], y[maxRows][columns], bias[columns];
  int64_t shape[2], biasShape[1];
  DLTensor xs, biases, ys;
  DLTensor *arguments[2], *results[1];
} Call;

static void setCall(Call *call, int seed, int64_t rows) {
  for (int i = 0; i < maxRows * columns; ++i) {
    (&call->x[0][0])[i] = (float)(seed + i);
    (&call->y[0][0])[i] = -1;
  }
  for (int j = 0; j < columns; ++j)
    call->bias[j] = (float)(seed * j);
  call->shape[0] = rows;
  call->shape[1] = call->biasShape[0] = columns;
  call->xs = makeTensor(call->x, kDLFloat, 32, 2, call->shape);
  call->biases = makeTensor(call->bias, kDLFloat, 32, 1, call->biasShape);
  call->ys = makeTensor(call->y, kDLFloat, 32, 2, call->shape);
  call->arguments[0] = &call->xs;
  call->arguments[1] = &call->biases;
  call->results[0] = &call->ys;
}

static int isRight(const Call *call) {
  for (int64_t i = 0; i < call->shape[0]; ++i)
    for (int j = 0; j < columns; ++j)
      if (call->y[i][j] != 2 * call->x[i][j] + call->bias[j])
        return 0;
  return 1;
}

static qccStatus runCall(qccContext context, Call *call) {
  return qccContextRun(context, call->arguments, 2, call->results, 1);
}

/*===----------------------------------------------------------------------===*\
|* Eight threads, one module
\*===----------------------------------------------------------------------===*/

typedef struct Caller {
  pthread_t thread;
  int seed;
  qccThreadPool pool; ///< Shared, or null.
  int wrong;
} Caller;

static void *callOften(void *argument) {
  Caller *caller = argument;
  qccContextOptions options = qccContextOptionsInit();
  options.threads = caller->pool ? 0 : 1;
  options.pool = caller->pool;
  qccContext context = NULL;
  qccStatus status = qccContextCreate(module, "main", &options, &context);
  static _Thread_local Call call;
  for (int i = 0; !status && i < runs; ++i) {
    setCall(&call, caller->seed + i, 1 + i % maxRows);
    status = runCall(context, &call);
    if (!status && !isRight(&call))
      ++caller->wrong;
  }
  if (status) {
    fprintf(stderr, "%s\n", qccStatusGetMessage(status));
    ++caller->wrong;
  }
  qccStatusDestroy(status);
  qccContextDestroy(context);
  return NULL;
}

static void manyCallers(qccThreadPool pool) {
  Caller all[callers];
  for (int i = 0; i < callers; ++i) {
    all[i].seed = 1000 * i;
    all[i].pool = pool;
    all[i].wrong = 0;
    CHECK(pthread_create(&all[i].thread, NULL, callOften, &all[i]) == 0);
  }
  for (int i = 0; i < callers; ++i) {
    pthread_join(all[i].thread, NULL);
    CHECK(all[i].wrong == 0);
  }
}

static void pools(void) {
  qccThreadPool pool = NULL;
  CHECK_FAILS(qccThreadPoolCreate(-1, &pool), QCC_STATUS_INVALID_ARGUMENT,
              "a pool of -1 threads");
  CHECK_OK(qccThreadPoolCreate(3, &pool));
  CHECK(qccThreadPoolGetNumThreads(pool) == 3);
  manyCallers(pool);

  qccContextOptions options = qccContextOptionsInit();
  options.pool = pool;
  options.threads = 4;
  qccContext context = NULL;
  CHECK_FAILS(qccContextCreate(module, NULL, &options, &context),
              QCC_STATUS_INVALID_ARGUMENT,
              "the context asks for 4 threads of a pool of 3");
  options.threads = 2;
  CHECK_OK(qccContextCreate(module, NULL, &options, &context));
  qccThreadPoolDestroy(pool); // The context keeps it.
  static Call call;
  setCall(&call, 1, maxRows);
  CHECK_OK(runCall(context, &call));
  CHECK(isRight(&call));
  qccContextDestroy(context);
}

/// Contexts without a pool or threads use that of the process.
static void poolOfProcess(void) {
  qccThreadPool first = NULL, pool = NULL;
  CHECK_OK(qccThreadPoolGetDefault(&first));
  int32_t size = qccThreadPoolGetNumThreads(first);
  CHECK(size >= 1);
  qccContextInfo info = qccContextInfoInit();
  qccContext context = NULL;
  CHECK_OK(qccContextCreate(module, NULL, NULL, &context));
  CHECK_OK(qccContextGetInfo(context, &info));
  CHECK(info.threads == size);
  qccContextDestroy(context);
  qccThreadPoolDestroy(first);

  CHECK_OK(qccThreadPoolCreate(3, &pool));
  qccThreadPoolSetDefault(pool);
  qccThreadPoolDestroy(pool);
  CHECK_OK(qccContextCreate(module, NULL, NULL, &context));
  CHECK_OK(qccContextGetInfo(context, &info));
  CHECK(info.threads == 3);
  qccThreadPoolSetDefault(NULL);
  static Call call;
  setCall(&call, 3, maxRows);
  CHECK_OK(runCall(context, &call));
  CHECK(isRight(&call));
  qccContextDestroy(context);
  CHECK_FAILS(qccThreadPoolGetDefault(NULL), QCC_STATUS_INVALID_ARGUMENT,
              "the handle of the thread pool is a null pointer");
}

static void poolsOfCpus(void) {
  cpu_set_t allowed;
  CHECK(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
  int32_t cpus[2] = {0, -1};
  while (!CPU_ISSET(cpus[0], &allowed))
    ++cpus[0];
  qccThreadPoolOptions options = qccThreadPoolOptionsInit();
  options.cpus = cpus;
  options.numCpus = 1;
  options.threads = 3;
  qccThreadPool pool = NULL;
  CHECK_OK(qccThreadPoolCreateWithOptions(&options, &pool));
  CHECK(qccThreadPoolGetNumThreads(pool) == 3);
  manyCallers(pool);
  qccThreadPoolDestroy(pool);
  options.numCpus = 2;
  CHECK_FAILS(qccThreadPoolCreateWithOptions(&options, &pool),
              QCC_STATUS_INVALID_ARGUMENT, "there is no CPU -1");
  options.cpus = NULL;
  CHECK_FAILS(qccThreadPoolCreateWithOptions(&options, &pool),
              QCC_STATUS_INVALID_ARGUMENT,
              "the array of CPUs is a null pointer");
  CHECK_OK(qccThreadPoolCreateWithOptions(NULL, &pool));
  qccThreadPoolDestroy(pool);
}

/*===----------------------------------------------------------------------===*\
|* Threads of the host
\*===----------------------------------------------------------------------===*/

/// A host that looks around while a step runs.
typedef struct Host {
  int steps;
  qccContext context;
  qccCancelToken cancel;
  int busyStatuses;
} Host;

static void *callBusyContext(void *argument) {
  Host *host = argument;
  Call call;
  setCall(&call, 1, 2);
  int64_t shape[2];
  qccContextInfo info = qccContextInfoInit();
  qccStepInfo step = qccStepInfoInit();
  DLManagedTensor *result = NULL;
  qccStatus statuses[6] = {
      runCall(host->context, &call),
      qccContextPlan(host->context, call.arguments, 2),
      qccContextGetResultShape(host->context, 0, shape, 2),
      qccContextAllocateResults(host->context, call.arguments, 2, &result, 1),
      qccContextGetInfo(host->context, &info),
      qccContextGetStep(host->context, 0, &step)};
  for (int i = 0; i < 6; ++i) {
    if (qccStatusGetCode(statuses[i]) == QCC_STATUS_BUSY &&
        strstr(qccStatusGetMessage(statuses[i]),
               "this context is in use by another thread"))
      ++host->busyStatuses;
    qccStatusDestroy(statuses[i]);
  }
  return NULL;
}

/// Backwards, one after another: any order will do.
static void runAll(int32_t threads, void (*body)(void *, int32_t),
                   void *bodyContext) {
  for (int32_t i = threads; i-- > 0;)
    body(bodyContext, i);
}

static void countSteps(void *self, int32_t threads,
                       void (*body)(void *, int32_t), void *bodyContext) {
  ++((Host *)self)->steps;
  runAll(threads, body, bodyContext);
}

static void disturb(void *self, int32_t threads, void (*body)(void *, int32_t),
                    void *bodyContext) {
  Host *host = self;
  pthread_t other;
  if (pthread_create(&other, NULL, callBusyContext, host) == 0)
    pthread_join(other, NULL);
  countSteps(self, threads, body, bodyContext);
}

static void cancelAfterStep(void *self, int32_t threads,
                            void (*body)(void *, int32_t), void *bodyContext) {
  countSteps(self, threads, body, bodyContext);
  qccCancelTokenCancel(((Host *)self)->cancel);
}

static void hostThreads(void) {
  Host host = {0, NULL, NULL, 0};
  qccContextOptions options = qccContextOptionsInit();
  options.threads = 3;
  qccHostThreads hook = qccHostThreadsInit();
  hook.context = &host;
  hook.parallelFor = disturb;
  options.hostThreads = &hook;
  CHECK_OK(qccContextCreate(module, NULL, &options, &host.context));
  static Call call;
  setCall(&call, 5, maxRows);
  CHECK_OK(runCall(host.context, &call));
  CHECK(isRight(&call));
  CHECK(host.steps == numSteps);
  CHECK(host.busyStatuses == 6 * numSteps);
  qccContextDestroy(host.context);

  qccThreadPool pool = NULL;
  CHECK_OK(qccThreadPoolCreate(2, &pool));
  options.pool = pool;
  CHECK_FAILS(qccContextCreate(module, NULL, &options, &host.context),
              QCC_STATUS_INVALID_ARGUMENT,
              "both a pool and the host's own threads are given");
  qccThreadPoolDestroy(pool);
}

static void cancellation(void) {
  Host host = {0, NULL, NULL, 0};
  CHECK_OK(qccCancelTokenCreate(&host.cancel));
  CHECK(!qccCancelTokenIsCancelled(host.cancel));
  qccContextOptions options = qccContextOptionsInit();
  options.threads = 2;
  options.cancel = host.cancel;
  qccHostThreads hook = qccHostThreadsInit();
  hook.context = &host;
  hook.parallelFor = cancelAfterStep;
  options.hostThreads = &hook;
  CHECK_OK(qccContextCreate(module, NULL, &options, &host.context));
  static Call call;
  setCall(&call, 5, maxRows);
  // After the last step there is nothing left to cancel.
  if (numSteps == 1)
    CHECK_OK(runCall(host.context, &call));
  else
    CHECK_FAILS(runCall(host.context, &call), QCC_STATUS_CANCELLED,
                "the run was cancelled before the end of step 2 of 2");
  CHECK(host.steps == 1 && qccCancelTokenIsCancelled(host.cancel));
  CHECK_FAILS(runCall(host.context, &call), QCC_STATUS_CANCELLED,
              "the run was cancelled before the end of step 1 of");
  CHECK(host.steps == 1);
  int64_t shape[2];
  CHECK_OK(qccContextGetResultShape(host.context, 0, shape, 2));
  qccContextDestroy(host.context);

  options.hostThreads = NULL;
  CHECK_OK(qccContextCreate(module, NULL, &options, &host.context));
  CHECK_FAILS(runCall(host.context, &call), QCC_STATUS_CANCELLED, "");
  qccCancelTokenReset(host.cancel);
  qccCancelToken token = host.cancel;
  qccCancelTokenDestroy(token); // The context keeps it.
  CHECK_OK(runCall(host.context, &call));
  CHECK(isRight(&call));
  qccContextDestroy(host.context);
}

/*===----------------------------------------------------------------------===*\
|* Forked processes
\*===----------------------------------------------------------------------===*/

/// In a child only the module and contexts on one thread can be used.
static int runInChild(qccContext alone, qccContext context, qccThreadPool pool,
                      Call *call) {
  qccStatus status = runCall(alone, call);
  int right = !status && isRight(call);
  qccStatusDestroy(status);
  const char *text = "the process was forked after the threads of this context";
  status = runCall(context, call);
  right &= qccStatusGetCode(status) == QCC_STATUS_UNSUPPORTED &&
           strstr(qccStatusGetMessage(status), text) != NULL;
  qccStatusDestroy(status);
  qccContextDestroy(context);

  qccContextOptions options = qccContextOptionsInit();
  options.pool = pool;
  status = qccContextCreate(module, NULL, &options, &context);
  text = "the process was forked after the thread pool had been created";
  right &= qccStatusGetCode(status) == QCC_STATUS_UNSUPPORTED &&
           strstr(qccStatusGetMessage(status), text) != NULL;
  qccStatusDestroy(status);
  qccThreadPoolDestroy(pool);
  return right;
}

static void forkedProcess(void) {
  qccThreadPool pool = NULL;
  CHECK_OK(qccThreadPoolCreate(2, &pool));
  qccContextOptions options = qccContextOptionsInit();
  options.threads = 1;
  qccContext alone = NULL, context = NULL;
  CHECK_OK(qccContextCreate(module, NULL, &options, &alone));
  options.threads = 2;
  CHECK_OK(qccContextCreate(module, NULL, &options, &context));
  static Call call;
  setCall(&call, 7, maxRows);
  CHECK_OK(runCall(context, &call));
  pid_t child = fork();
  if (child == 0)
    _exit(runInChild(alone, context, pool, &call) ? 0 : 1);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK_OK(runCall(context, &call));
  qccContextDestroy(context);
  qccContextDestroy(alone);
  qccThreadPoolDestroy(pool);
}

int main(int argc, char **argv) {
  module = loadProgram(argc, argv);
  qccEntryInfo entry = qccEntryInfoInit();
  CHECK_OK(qccModuleGetEntry(module, NULL, &entry));
  numSteps = (int)entry.numSteps;
  manyCallers(NULL);
  pools();
  poolOfProcess();
  poolsOfCpus();
  hostThreads();
  cancellation();
  forkedProcess();
  qccModuleDestroy(module);
  return finishTest();
}
