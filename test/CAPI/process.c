/*===- process.c - Counters, log and health of a process ------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/process %capi/program.so

#include "Check.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int32_t x[3] = {1, 2, 3};
static int64_t shape[1] = {3};

static qccProcessInfo info(void) {
  qccProcessInfo info = qccProcessInfoInit();
  CHECK_OK(qccGetProcessInfo(&info));
  return info;
}

/// Runs the entry `increment`.
static qccStatus run(qccContext context, const qccRunOptions *options) {
  int32_t y[3] = {0};
  DLTensor xs = makeTensor(x, kDLInt, 32, 1, shape);
  DLTensor ys = makeTensor(y, kDLInt, 32, 1, shape);
  DLTensor *arguments[1] = {&xs}, *results[1] = {&ys};
  return qccContextRunWithOptions(context, arguments, 1, results, 1, options);
}

/*===----------------------------------------------------------------------===*\
|* Counters
\*===----------------------------------------------------------------------===*/

static void countLoads(const char *path) {
  qccProcessInfo before = info();
  qccModule module = NULL;
  CHECK_OK(qccModuleLoadFile(path, NULL, &module));
  qccProcessInfo after = info();
  CHECK(after.loads == before.loads + 1);
  CHECK(after.failedLoads == before.failedLoads);
  CHECK(after.loadNanoseconds > before.loadNanoseconds);
  CHECK(after.modules == before.modules + 1);
  qccModuleDestroy(module);
  module = NULL;
  CHECK_FAILS(qccModuleLoadFile("/no/such/file", NULL, &module),
              QCC_STATUS_NOT_FOUND, "");
  CHECK_FAILS(qccModuleLoadMemory("x", 1, NULL, &module), QCC_STATUS_CORRUPT,
              "");
  after = info();
  CHECK(after.loads == before.loads + 3);
  CHECK(after.failedLoads == before.failedLoads + 2);
  CHECK(after.modules == before.modules);
  CHECK(after.deviceLoads == 0 && after.deviceLoadNanoseconds == 0);
}

static void countRuns(qccContext context) {
  qccProcessInfo before = info();
  qccRunOptions options = qccRunOptionsInit();
  CHECK_OK(run(context, NULL));
  options.timeoutNanoseconds = 1;
  CHECK_FAILS(run(context, &options), QCC_STATUS_TIMED_OUT, "");
  options = qccRunOptionsInit();
  CHECK_OK(qccCancelTokenCreate(&options.cancel));
  qccCancelTokenCancel(options.cancel);
  CHECK_FAILS(run(context, &options), QCC_STATUS_CANCELLED, "");
  qccCancelTokenDestroy(options.cancel);
  options = qccRunOptionsInit();
  options.timeoutNanoseconds = -1;
  CHECK_FAILS(run(context, &options), QCC_STATUS_INVALID_ARGUMENT, "");
  CHECK_FAILS(qccContextRun(context, NULL, 0, NULL, 0),
              QCC_STATUS_INVALID_ARGUMENT, "");
  options = qccRunOptionsInit();
  options.flags = ~(uint64_t)0;
  CHECK_FAILS(run(context, &options), QCC_STATUS_UNSUPPORTED, "");
  CHECK_FAILS(run(NULL, NULL), QCC_STATUS_INVALID_ARGUMENT, "");

  // Calls that allocate, and runs that are started.
  DLTensor xs = makeTensor(x, kDLInt, 32, 1, shape);
  DLTensor *arguments[1] = {&xs};
  DLManagedTensor *results[1] = {NULL};
  CHECK_OK(qccContextCall(context, arguments, 1, results, 1, NULL));
  DLTensor *views[1] = {&results[0]->dl_tensor};
  qccRun started = NULL;
  CHECK_OK(
      qccContextStart(context, arguments, 1, views, 1, NULL, NULL, &started));
  CHECK_OK(qccRunWait(started));
  qccRunDestroy(started);
  started = NULL;
  CHECK_FAILS(
      qccContextStart(context, arguments, 0, views, 1, NULL, NULL, &started),
      QCC_STATUS_INVALID_ARGUMENT, "");
  results[0]->deleter(results[0]);

  qccProcessInfo after = info();
  CHECK(after.runs == before.runs + 10);
  CHECK(after.timedOutRuns == before.timedOutRuns + 1);
  CHECK(after.cancelledRuns == before.cancelledRuns + 1);
  CHECK(after.busyRuns == before.busyRuns);
  CHECK(after.failedRuns == before.failedRuns + 5);
  CHECK(after.runsUnderWay == 0 && after.runsWaiting == 0);
}

/// A run that holds its pool until it is told to go on.
typedef struct Holding {
  qccContext context;
  atomic_bool holds, goesOn;
} Holding;

static void hold(void *self, size_t step, const qccStepInfo *info) {
  Holding *holding = self;
  (void)step;
  (void)info;
  holding->holds = true;
  while (!holding->goesOn)
    usleep(100);
}

static void *runMain(void *self) {
  Holding *holding = self;
  static float values[5][4], bias[4], y[5][4];
  int64_t rows[2] = {5, 4}, columns[1] = {4};
  DLTensor xs = makeTensor(values, kDLFloat, 32, 2, rows);
  DLTensor biases = makeTensor(bias, kDLFloat, 32, 1, columns);
  DLTensor ys = makeTensor(y, kDLFloat, 32, 2, rows);
  DLTensor *arguments[2] = {&xs, &biases}, *results[1] = {&ys};
  qccStepHook hook = qccStepHookInit();
  hook.context = holding;
  hook.afterStep = hold;
  qccRunOptions options = qccRunOptionsInit();
  options.step = &hook;
  CHECK_OK(qccContextRunWithOptions(holding->context, arguments, 2, results, 1,
                                    &options));
  return NULL;
}

static void *runWaiting(void *context) {
  CHECK_OK(run(context, NULL));
  return NULL;
}

/// How many threads of the process have a name.
static int countThreads(const char *name) {
  DIR *tasks = opendir("/proc/self/task");
  int count = 0;
  for (struct dirent *task; tasks && (task = readdir(tasks));) {
    char path[300], found[32] = "";
    snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task->d_name);
    FILE *file = fopen(path, "r");
    if (!file)
      continue;
    if (fgets(found, sizeof(found), file))
      found[strcspn(found, "\n")] = '\0';
    fclose(file);
    count += strcmp(found, name) == 0;
  }
  if (tasks)
    closedir(tasks);
  return count;
}

static void countWaiting(qccModule module) {
  qccContextOptions options = qccContextOptionsInit();
  int named = countThreads("qcc-1"); // Another pool has one, too.
  CHECK_OK(qccThreadPoolCreate(2, &options.pool));
  Holding holding = {NULL, false, false};
  qccContext second = NULL;
  int64_t contexts = info().contexts;
  CHECK_OK(qccContextCreate(module, "main", &options, &holding.context));
  CHECK_OK(qccContextCreate(module, "increment", &options, &second));
  CHECK(info().contexts == contexts + 2);
  pthread_t threads[2];
  CHECK(pthread_create(&threads[0], NULL, runMain, &holding) == 0);
  while (!holding.holds)
    usleep(100);
  CHECK(countThreads("qcc-1") == named + 1);
  qccProcessInfo now = info();
  CHECK(now.runsUnderWay == 1 && now.runsWaiting == 0);
  // A second run of the context is refused, that of another one waits.
  qccProcessInfo before = now;
  CHECK_FAILS(qccContextRun(holding.context, NULL, 0, NULL, 0), QCC_STATUS_BUSY,
              "");
  CHECK(info().busyRuns == before.busyRuns + 1);
  CHECK(pthread_create(&threads[1], NULL, runWaiting, second) == 0);
  for (int i = 0; i < 100000 && now.runsWaiting == 0; ++i) {
    usleep(100);
    now = info();
  }
  CHECK(now.runsUnderWay == 2 && now.runsWaiting == 1);
  holding.goesOn = true;
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  now = info();
  CHECK(now.runsUnderWay == 0 && now.runsWaiting == 0);
  qccContextDestroy(holding.context);
  qccContextDestroy(second);
  qccThreadPoolDestroy(options.pool);
  CHECK(info().contexts == contexts);
}

/*===----------------------------------------------------------------------===*\
|* The log
\*===----------------------------------------------------------------------===*/

typedef struct Log {
  int counts[QCC_LOG_DEBUG + 1];
  uint64_t tag;
  char last[400];
} Log;

static void tell(void *self, const qccLogRecord *record) {
  Log *log = self;
  CHECK(record->size == sizeof(*record));
  ++log->counts[record->level];
  log->tag = record->tag;
  snprintf(log->last, sizeof(log->last), "%s", record->message);
}

static void logs(const char *path, qccContext context) {
  Log log;
  memset(&log, 0, sizeof(log));
  qccLogHandler handler = qccLogHandlerInit();
  CHECK_FAILS(qccSetLogHandler(&handler), QCC_STATUS_INVALID_ARGUMENT,
              "the log handler is given, but its function is a null pointer");
  handler.context = &log;
  handler.handle = tell;
  handler.level = 7;
  CHECK_FAILS(qccSetLogHandler(&handler), QCC_STATUS_INVALID_ARGUMENT,
              "the level of the log handler is 7");
  handler.level = QCC_LOG_INFO;
  CHECK_OK(qccSetLogHandler(&handler));

  qccModule module = NULL;
  CHECK_OK(qccModuleLoadFile(path, NULL, &module));
  CHECK(log.counts[QCC_LOG_INFO] == 1);
  qccModuleInfo about = qccModuleInfoInit();
  CHECK_OK(qccModuleGetInfo(module, &about));
  CHECK(strstr(log.last, about.fingerprint) != NULL);
  qccModuleDestroy(module);
  CHECK_FAILS(qccModuleLoadFile("/no/such/file", NULL, &module),
              QCC_STATUS_NOT_FOUND, "");
  CHECK(log.counts[QCC_LOG_ERROR] == 1);
  CHECK(strstr(log.last, "/no/such/file") != NULL);

  qccRunOptions options = qccRunOptionsInit();
  options.tag = 1234567890123;
  options.timeoutNanoseconds = 1;
  CHECK_FAILS(run(context, &options), QCC_STATUS_TIMED_OUT, "");
  CHECK(log.counts[QCC_LOG_WARNING] == 1 && log.tag == options.tag);
  CHECK(strstr(log.last, "(timed out): the time limit of the run") != NULL);
  options.timeoutNanoseconds = 0;
  CHECK_OK(run(context, &options));
  CHECK(log.counts[QCC_LOG_DEBUG] == 0);

  // Another level, and nobody.
  handler.level = QCC_LOG_DEBUG;
  CHECK_OK(qccSetLogHandler(&handler));
  CHECK_OK(run(context, &options));
  CHECK(log.counts[QCC_LOG_DEBUG] == 1 && log.tag == options.tag);
  CHECK_OK(qccSetLogHandler(NULL));
  CHECK_FAILS(run(NULL, NULL), QCC_STATUS_INVALID_ARGUMENT, "");
  CHECK(log.counts[QCC_LOG_ERROR] == 1);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  countLoads(argv[1]);
  qccModule module = loadProgram(argc, argv);
  qccContext context = NULL;
  CHECK_OK(qccContextCreate(module, "increment", NULL, &context));
  countRuns(context);
  countWaiting(module);
  logs(argv[1], context);
  CHECK_OK(qccModuleCheckHealth(module));
  CHECK_FAILS(qccModuleCheckHealth(NULL), QCC_STATUS_INVALID_ARGUMENT,
              "the module is a null pointer");
  size_t digits = strspn(qccGetRevision(), "0123456789abcdef");
  CHECK(digits == 40 || qccGetRevision()[0] == '\0');
  qccContextDestroy(context);
  qccModuleDestroy(module);
  return finishTest();
}
