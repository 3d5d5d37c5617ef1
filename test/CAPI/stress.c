/*===- stress.c - Everything at once --------------------------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Threads load and unload programs in all ways, run them with all kinds of   *|
|* threads, cancel, time out, fork, and have allocators that fail at random.  *|
|* Two of the programs have equal weights, which they share. Each result is   *|
|* looked at, and each status has to be one of those that the deed may have.  *|
|* Where the compiler is there (stress-compiled.test), programs are compiled  *|
|* as well, with weights of a hook that fails at random, and with limits.     *|
|*                                                                            *|
|* Usage: stress PROGRAM OTHER LENDER BORROWER SECONDS [SEED]                 *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/stress %capi/program.so %capi/other.so \
// RUN:     %capi/lender.so %capi/borrower.so 5

#define _GNU_SOURCE

#ifdef QCC_TEST_COMPILER
#include "qcc-c/Compiler.h"
#endif

#include "Check.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { numThreads = 8, numPrograms = 4, maxSize = 64, maxBytes = 1 << 20 };

static const char *paths[numPrograms];
static char bytes[numPrograms][maxBytes];
static size_t sizes[numPrograms];
/// What the entry `increment` of each adds.
static const int32_t increments[numPrograms] = {1, 2, 3, 3};
static double endTime;
static atomic_long numDeeds, numRuns, numWrong, numUnexpected;
static qccThreadPool sharedPool;

/// What a thread of the test knows.
typedef struct Worker {
  pthread_t thread;
  uint64_t random;
} Worker;

static uint32_t next(Worker *self, uint32_t limit) {
  self->random = self->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(self->random >> 33) % limit;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/// Takes a status, which may be one of two codes; true on success.
static bool take(qccStatus status, qccStatusCode also, const char *deed) {
  qccStatusCode code = qccStatusGetCode(status);
  if (code != QCC_STATUS_OK && code != also) {
    atomic_fetch_add(&numUnexpected, 1);
    fprintf(stderr, "%s: %s: %s\n", deed, qccStatusCodeGetName(code),
            qccStatusGetMessage(status));
  }
  qccStatusDestroy(status);
  return code == QCC_STATUS_OK;
}

/*===----------------------------------------------------------------------===*\
|* Hooks
\*===----------------------------------------------------------------------===*/

/// Some memory, or none; the context is a Worker.
static void *allocateOrNot(void *context, size_t size, size_t alignment) {
  void *memory = NULL;
  if (next(context, 4) == 0 || posix_memalign(&memory, alignment, size) != 0)
    return NULL;
  return memory;
}

static void deallocate(void *context, void *memory, size_t size,
                       size_t alignment) {
  (void)context, (void)size, (void)alignment;
  free(memory);
}

static void runAllHere(void *context, int32_t threads,
                       void (*body)(void *, int32_t), void *bodyContext) {
  (void)context;
  for (int32_t i = threads; i-- > 0;)
    body(bodyContext, i);
}

/*===----------------------------------------------------------------------===*\
|* Deeds
\*===----------------------------------------------------------------------===*/

/// Modules of all threads share what this allocator gives, so that it has no
/// thread's state.
static void *allocateForAll(void *context, size_t size, size_t alignment) {
  static atomic_uint calls;
  void *memory = NULL;
  (void)context;
  if (atomic_fetch_add(&calls, 1) % 4 == 0 ||
      posix_memalign(&memory, alignment, size) != 0)
    return NULL;
  return memory;
}

static qccModule load(Worker *self, int which) {
  static const qccAllocator allocator = {sizeof(allocator), NULL,
                                         allocateForAll, deallocate};
  qccModuleOptions options = qccModuleOptionsInit();
  qccStatusCode also = QCC_STATUS_OK;
  if (next(self, 3) == 0) {
    options.weightAllocator = &allocator;
    also = QCC_STATUS_OUT_OF_MEMORY;
  }
  options.weightPages = (int32_t)next(self, 3);
  options.flags = next(self, 3) == 0 ? QCC_MODULE_PRIVATE_COPY : 0;
  qccModule module = NULL;
  uint32_t way = next(self, 3);
  if (way == 0) {
    take(qccModuleLoadFile(paths[which], &options, &module), also,
         "load a file");
  } else if (way == 1) {
    take(qccModuleLoadMemory(bytes[which], sizes[which], &options, &module),
         also, "load memory");
  } else {
    int file = open(paths[which], O_RDONLY | O_CLOEXEC);
    take(qccModuleLoadDescriptor(file, &options, &module), also,
         "load a descriptor");
    close(file);
  }
  return module;
}

/// Runs the program with the number, which increments by it, on some threads.
static void runOnce(Worker *self, qccContext context, int32_t increment,
                    qccStatusCode also, const qccRunOptions *options) {
  int32_t x[maxSize], y[maxSize];
  int64_t shape[1] = {next(self, maxSize) + 1};
  for (int64_t i = 0; i < shape[0]; ++i)
    x[i] = (int32_t)next(self, 1000);
  memset(y, 0, sizeof(y));
  bool inPlace = next(self, 4) == 0;
  int32_t before[maxSize];
  memcpy(before, x, sizeof(before));
  DLTensor xs = makeTensor(x, kDLInt, 32, 1, shape);
  DLTensor ys = makeTensor(inPlace ? x : y, kDLInt, 32, 1, shape);
  DLTensor *arguments[1] = {&xs}, *results[1] = {&ys};
  DLManagedTensor *managed[1] = {NULL};
  const int32_t *found = inPlace ? x : y;
  bool calls = !inPlace && next(self, 2) == 0;
  qccStatus status =
      calls ? qccContextCall(context, arguments, 1, managed, 1, options)
            : qccContextRunWithOptions(context, arguments, 1, results, 1,
                                       options);
  if (take(status, also, calls ? "call" : "run")) {
    atomic_fetch_add(&numRuns, 1);
    if (calls)
      found = managed[0]->dl_tensor.data;
    for (int64_t i = 0; i < shape[0]; ++i)
      if (found[i] != before[i] + increment)
        atomic_fetch_add(&numWrong, 1);
  }
  if (managed[0])
    managed[0]->deleter(managed[0]);
}

/// A child has this thread alone: it runs what is loaded, on it.
static void runInChild(Worker *self, qccContext context, int32_t increment) {
  pid_t child = fork();
  if (child == 0) {
    long wrong = numWrong, unexpected = numUnexpected;
    runOnce(self, context, increment, QCC_STATUS_OK, NULL);
    _exit(numWrong != wrong || numUnexpected != unexpected);
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
    atomic_fetch_add(&numUnexpected, 1);
    fprintf(stderr, "a child ended with %d\n", status);
  }
}

static void loadAndRun(Worker *self) {
  int which = (int)next(self, numPrograms);
  int32_t increment = increments[which];
  qccModule module = load(self, which);
  if (!module)
    return;
  qccContextOptions options = qccContextOptionsInit();
  qccStatusCode also = QCC_STATUS_OK;
  uint32_t kind = next(self, 5);
  options.threads = kind == 0 ? 1 : (int32_t)next(self, 3) + 1;
  if (kind == 1)
    options.pool = sharedPool;
  qccHostThreads hostThreads = qccHostThreadsInit();
  hostThreads.parallelFor = runAllHere;
  if (kind == 2)
    options.hostThreads = &hostThreads;
  qccAllocator allocator = {sizeof(allocator), self, allocateOrNot, deallocate};
  if (kind == 3) {
    options.allocator = &allocator;
    also = QCC_STATUS_OUT_OF_MEMORY;
  }
  qccContext context = NULL;
  take(qccContextCreate(module, "increment", &options, &context), QCC_STATUS_OK,
       "create a context");
  if (next(self, 2) == 0) {
    qccModuleDestroy(module); // The context keeps it.
    module = NULL;
  }
  for (uint32_t i = next(self, 20); context && i-- > 0;)
    runOnce(self, context, increment, also, NULL);
  if (context && kind == 0 && next(self, 10) == 0)
    runInChild(self, context, increment);

  qccRunOptions run = qccRunOptionsInit();
  take(qccCancelTokenCreate(&run.cancel), QCC_STATUS_OK, "create a token");
  if (context && kind != 3) {
    if (next(self, 2) == 0)
      qccCancelTokenCancel(run.cancel);
    runOnce(self, context, increment, QCC_STATUS_CANCELLED, &run);
    qccCancelTokenReset(run.cancel);
    run.timeoutNanoseconds = next(self, 20000) + 1;
    runOnce(self, context, increment, QCC_STATUS_TIMED_OUT, &run);
  }
  qccCancelTokenDestroy(run.cancel);
  qccContextDestroy(context);
  qccModuleDestroy(module);
}

#ifdef QCC_TEST_COMPILER
/// A weight of a program, and who is asked for it.
typedef struct Weight {
  Worker *worker;
  int32_t value;
  bool mayFail;
  int lent;
} Weight;

static void giveBack(void *self) { --((Weight *)self)->lent; }

static qccStatus lendOrNot(void *self, const qccWeightRequest *request,
                           qccWeightBytes *bytes) {
  Weight *weight = self;
  (void)request;
  if (weight->mayFail && next(weight->worker, 2) == 0)
    return qccStatusCreate(QCC_STATUS_IO_ERROR, "not today");
  ++weight->lent;
  bytes->data = &weight->value;
  bytes->numBytes = sizeof(weight->value);
  bytes->giveBack = giveBack;
  bytes->context = weight;
  return NULL;
}

/// Compiles a program with one thing that may go wrong; null if it did.
static qccArtifact compileProgram(Worker *self, const char *program,
                                  int32_t value, bool isNonsense) {
  qccCompileOptions options = qccCompileOptionsInit();
  Weight weight = {self, value, false, 0};
  qccWeightHook hook = qccWeightHookInit();
  hook.context = &weight;
  hook.find = lendOrNot;
  options.weightHook = &hook;
  qccStatusCode also = isNonsense ? QCC_STATUS_INVALID_PROGRAM : QCC_STATUS_OK;
  uint32_t trouble = isNonsense ? 0 : next(self, 6);
  if (trouble == 1) {
    weight.mayFail = true;
    also = QCC_STATUS_INVALID_PROGRAM;
  } else if (trouble == 2) {
    options.timeoutNanoseconds = next(self, 200000000) + 1;
    also = QCC_STATUS_TIMED_OUT;
  } else if (trouble == 3) {
    options.memoryLimitBytes = next(self, 1 << 27) + 1;
    also = QCC_STATUS_OUT_OF_MEMORY;
  } else if (trouble == 4) {
    take(qccCancelTokenCreate(&options.cancel), QCC_STATUS_OK,
         "create a token");
    qccCancelTokenCancel(options.cancel);
    also = QCC_STATUS_CANCELLED;
  }
  qccArtifact artifact = NULL;
  take(qccCompileText(program, strlen(program), &options, &artifact), also,
       "compile");
  qccCancelTokenDestroy(options.cancel);
  if (weight.lent != 0 || (trouble == 4 && artifact)) {
    atomic_fetch_add(&numUnexpected, 1);
    fprintf(stderr, "a compilation keeps a weight, or goes on\n");
  }
  return artifact;
}

/// A program that increments by a number of its own, or nonsense.
static void compileAndRun(Worker *self) {
  int32_t increment = (int32_t)next(self, 1000) + 3;
  bool isNonsense = next(self, 4) == 0;
  char program[512];
  snprintf(program, sizeof(program),
           "func.func @main(%%x: tensor<?xi32>) -> tensor<?xi32> {\n"
           "  %%c = arith.constant dense_resource<c> : tensor<i32>\n"
           "  %%c0 = arith.constant 0 : index\n"
           "  %%n = tensor.dim %%x, %%c0 : tensor<?xi32>\n"
           "  %%e = tensor.empty(%%n) : tensor<?xi32>\n"
           "  %%b = linalg.broadcast ins(%%c : tensor<i32>)\n"
           "      outs(%%e : tensor<?xi32>) dimensions = [0]\n"
           "  %%y = arith.addi %%x, %%b : tensor<?xi32>\n"
           "  return %%y : tensor<?xi%d>\n"
           "}\n",
           isNonsense ? 31 : 32);
  qccModule module = NULL;
  qccContext context = NULL;
  qccArtifact artifact = compileProgram(self, program, increment, isNonsense);
  if (!artifact)
    return;
  take(qccModuleLoadMemory(qccArtifactGetData(artifact),
                           qccArtifactGetSize(artifact), NULL, &module),
       QCC_STATUS_OK, "load what was compiled");
  qccArtifactDestroy(artifact);
  take(qccContextCreate(module, NULL, NULL, &context), QCC_STATUS_OK,
       "create a context");
  if (context) {
    int32_t x[2] = {5, -7}, y[2] = {0};
    int64_t shape[1] = {2};
    DLTensor xs = makeTensor(x, kDLInt, 32, 1, shape);
    DLTensor ys = makeTensor(y, kDLInt, 32, 1, shape);
    DLTensor *arguments[1] = {&xs}, *results[1] = {&ys};
    take(qccContextRun(context, arguments, 1, results, 1), QCC_STATUS_OK,
         "run what was compiled");
    if (y[0] != 5 + increment || y[1] != increment - 7)
      atomic_fetch_add(&numWrong, 1);
  }
  qccContextDestroy(context);
  qccModuleDestroy(module);
}
#else
static void compileAndRun(Worker *self) { (void)self; }
#endif

static void *work(void *argument) {
  Worker *self = argument;
  while (now() < endTime) {
    if (next(self, 20) == 0)
      compileAndRun(self);
    else
      loadAndRun(self);
    atomic_fetch_add(&numDeeds, 1);
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < numPrograms + 2)
    return 2;
  for (int i = 0; i < numPrograms; ++i) {
    paths[i] = argv[1 + i];
    FILE *file = fopen(paths[i], "rb");
    CHECK(file != NULL);
    sizes[i] = file ? fread(bytes[i], 1, maxBytes, file) : 0;
    if (file)
      fclose(file);
  }
  CHECK_OK(qccThreadPoolCreate(3, &sharedPool));
  uint64_t seed = argc > numPrograms + 2
                      ? strtoull(argv[numPrograms + 2], NULL, 10)
                      : (uint64_t)getpid();
  printf("seed %llu\n", (unsigned long long)seed);
  fflush(stdout);
  endTime = now() + atof(argv[numPrograms + 1]);
  static Worker workers[numThreads];
  for (int i = 0; i < numThreads; ++i) {
    workers[i].random = seed * 1000 + (uint64_t)i;
    CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
  }
  for (int i = 0; i < numThreads; ++i)
    pthread_join(workers[i].thread, NULL);
  qccThreadPoolDestroy(sharedPool);
  printf("%ld deeds, %ld runs, %ld wrong, %ld unexpected\n", numDeeds, numRuns,
         numWrong, numUnexpected);
  CHECK(numRuns > 0);
  CHECK(numWrong == 0);
  CHECK(numUnexpected == 0);
  return finishTest();
}
