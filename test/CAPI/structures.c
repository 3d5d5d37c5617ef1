/*===- structures.c - Structures of applications of other versions --------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Fields keep their places for ever. Hooks by value, as version 1.1 had them *|
|* in the options of contexts, are still called.                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/structures %capi/program.so

#include "Check.h"

/*===----------------------------------------------------------------------===*\
|* As in the headers of version 1.1
\*===----------------------------------------------------------------------===*/

typedef struct OldContextOptions {
  size_t size;
  int32_t threads;
  bool profile;
  qccThreadPool pool;
  struct {
    void *context;
    void (*parallelFor)(void *context, int32_t threads,
                        void (*body)(void *bodyContext, int32_t thread),
                        void *bodyContext);
  } hostThreads;
  struct {
    void *context;
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*deallocate)(void *context, void *memory, size_t size,
                       size_t alignment);
  } allocator;
  struct {
    void *context;
    void (*log)(void *context, const char *message);
  } log;
  qccCancelToken cancel;
} OldContextOptions;

typedef struct OldQuantization {
  int32_t axis;
  int64_t count;
  const float *scales;
  const int32_t *zeroPoints;
} OldQuantization;

typedef struct OldTensorInfo {
  size_t size;
  const char *name;
  DLDataType dtype;
  int32_t rank;
  const int64_t *dims;
  const OldQuantization *quantization;
  int32_t inPlaceArgument;
} OldTensorInfo;

typedef struct OldRunOptions {
  size_t size;
  qccCancelToken cancel;
  int64_t timeoutNanoseconds;
} OldRunOptions;

typedef struct OldModuleOptions {
  size_t size;
  const char *variant;
  int32_t weightPages;
  uint64_t flags;
} OldModuleOptions;

typedef struct OldStepInfo {
  size_t size;
  const char *name, *layer, *location;
  bool parallel;
  int64_t operations, bytes, nanoseconds;
} OldStepInfo;

#define SAME_PLACE(type, field)                                                \
  _Static_assert(offsetof(qcc##type, field) == offsetof(Old##type, field),     \
                 #type "::" #field " has kept its place")

SAME_PLACE(ContextOptions, threads);
SAME_PLACE(ContextOptions, profile);
SAME_PLACE(ContextOptions, pool);
SAME_PLACE(ContextOptions, cancel);
SAME_PLACE(Quantization, axis);
SAME_PLACE(Quantization, count);
SAME_PLACE(Quantization, scales);
SAME_PLACE(Quantization, zeroPoints);
SAME_PLACE(TensorInfo, name);
SAME_PLACE(TensorInfo, dtype);
SAME_PLACE(TensorInfo, rank);
SAME_PLACE(TensorInfo, dims);
SAME_PLACE(TensorInfo, quantization);
SAME_PLACE(TensorInfo, inPlaceArgument);
SAME_PLACE(RunOptions, cancel);
SAME_PLACE(RunOptions, timeoutNanoseconds);
SAME_PLACE(ModuleOptions, variant);
SAME_PLACE(ModuleOptions, weightPages);
SAME_PLACE(ModuleOptions, flags);
SAME_PLACE(StepInfo, name);
SAME_PLACE(StepInfo, parallel);
SAME_PLACE(StepInfo, operations);
SAME_PLACE(StepInfo, nanoseconds);
_Static_assert(offsetof(qccContextOptions, hooksOfVersion11) ==
                   offsetof(OldContextOptions, hostThreads),
               "hooks by value have kept their place");

/*===----------------------------------------------------------------------===*\
|* Calls of an old application
\*===----------------------------------------------------------------------===*/

static int numLoops, numAllocations, numLines;

static void runBackwards(void *context, int32_t threads,
                         void (*body)(void *, int32_t), void *bodyContext) {
  CHECK(context == &numLoops);
  ++numLoops;
  for (int32_t i = threads; i-- > 0;)
    body(bodyContext, i);
}

static void *allocate(void *context, size_t size, size_t alignment) {
  void *memory = NULL;
  CHECK(context == &numAllocations);
  ++numAllocations;
  return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

static void deallocate(void *context, void *memory, size_t size,
                       size_t alignment) {
  (void)size;
  (void)alignment;
  CHECK(context == &numAllocations);
  --numAllocations;
  free(memory);
}

static void countLine(void *context, const char *message) {
  CHECK(context == &numLines && strlen(message) > 0);
  ++numLines;
}

static float x[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, y[3][4],
             bias[4];

static void runOnce(qccContext context) {
  int64_t shape[2] = {3, 4}, biasShape[1] = {4};
  DLTensor xs = makeTensor(x, kDLFloat, 32, 2, shape);
  DLTensor biases = makeTensor(bias, kDLFloat, 32, 1, biasShape);
  DLTensor ys = makeTensor(y, kDLFloat, 32, 2, shape);
  DLTensor *arguments[2] = {&xs, &biases}, *results[1] = {&ys};
  memset(y, 0, sizeof(y));
  OldRunOptions options = {sizeof(options), NULL, INT64_MAX};
  CHECK_OK(qccContextRunWithOptions(context, arguments, 2, results, 1,
                                    (const qccRunOptions *)(void *)&options));
  CHECK(y[2][3] == 24);
}

static void hooksByValue(qccModule module) {
  OldContextOptions options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.threads = 2;
  options.hostThreads.context = &numLoops;
  options.hostThreads.parallelFor = runBackwards;
  options.allocator.context = &numAllocations;
  options.allocator.allocate = allocate;
  options.log.context = &numLines;
  options.log.log = countLine;
  const qccContextOptions *given = (const qccContextOptions *)(void *)&options;
  qccContext context = NULL;
  CHECK_FAILS(qccContextCreate(module, NULL, given, &context),
              QCC_STATUS_INVALID_ARGUMENT,
              "one function of the allocator is a null pointer");
  options.allocator.deallocate = deallocate;
  CHECK_OK(qccContextCreate(module, NULL, given, &context));
  runOnce(context);
  CHECK(numLoops == 2 && numAllocations == 1 && numLines > 0);
  qccContextDestroy(context);
  CHECK(numAllocations == 0);
}

static void oldInfos(qccModule module) {
  OldTensorInfo info;
  memset(&info, 0, sizeof(info));
  info.size = sizeof(info);
  CHECK_OK(qccModuleGetArgument(module, "quantized", 0,
                                (qccTensorInfo *)(void *)&info));
  CHECK(info.size == sizeof(info) && info.rank == 2);
  CHECK(info.quantization->axis == -1 && info.quantization->count == 1);
  CHECK(info.quantization->scales[0] == 0.5f);
  CHECK(info.quantization->zeroPoints[0] == 128);
  // A newer application learns how much of it there is.
  qccTensorInfo newer = qccTensorInfoInit();
  CHECK_OK(qccModuleGetArgument(module, "quantized", 0, &newer));
  CHECK(newer.quantization->size == sizeof(qccQuantization));
}

/*===----------------------------------------------------------------------===*\
|* Hooks of newer applications
\*===----------------------------------------------------------------------===*/

static void hooksWithSizes(qccModule module) {
  struct {
    qccLogHook known;
    size_t unknown;
  } log = {{sizeof(log), &numLines, countLine}, 0};
  qccContextOptions options = qccContextOptionsInit();
  options.log = &log.known;
  qccContext context = NULL;
  CHECK_OK(qccContextCreate(module, NULL, &options, &context));
  numLines = 0;
  log.known.log = NULL; // It was read when the context was created.
  runOnce(context);
  CHECK(numLines > 0);
  qccContextDestroy(context);
  log.unknown = 1;
  CHECK_FAILS(qccContextCreate(module, NULL, &options, &context),
              QCC_STATUS_UNSUPPORTED, "an option is set that this version");
  qccAllocator allocator = {0, NULL, allocate, deallocate};
  options = qccContextOptionsInit();
  options.allocator = &allocator;
  CHECK_FAILS(qccContextCreate(module, NULL, &options, &context),
              QCC_STATUS_INVALID_ARGUMENT, "`size` of a structure is 0");
  qccHostThreads threads = {1 << 20, NULL, runBackwards};
  options = qccContextOptionsInit();
  options.hostThreads = &threads;
  CHECK_FAILS(qccContextCreate(module, NULL, &options, &context),
              QCC_STATUS_INVALID_ARGUMENT, "`size` of a structure is 1048576");
}

/// A hook that is given has its function.
static void hooksWithoutFunctions(qccModule module) {
  static const char text[] = "is given, but its function is a null pointer";
  qccContext context = NULL;
  qccHostThreads threads = qccHostThreadsInit();
  qccAllocator allocator = qccAllocatorInit();
  qccLogHook log = qccLogHookInit();
  qccContextOptions options = qccContextOptionsInit();
  options.hostThreads = &threads;
  CHECK_FAILS(qccContextCreate(module, NULL, &options, &context),
              QCC_STATUS_INVALID_ARGUMENT, "hostThreads is given, but");
  options = qccContextOptionsInit();
  options.allocator = &allocator;
  CHECK_FAILS(qccContextCreate(module, NULL, &options, &context),
              QCC_STATUS_INVALID_ARGUMENT, "allocator is given, but");
  allocator.allocate = allocate;
  CHECK_FAILS(qccContextCreate(module, NULL, &options, &context),
              QCC_STATUS_INVALID_ARGUMENT,
              "one function of the allocator is a null pointer");
  options = qccContextOptionsInit();
  options.log = &log;
  CHECK_FAILS(qccContextCreate(module, NULL, &options, &context),
              QCC_STATUS_INVALID_ARGUMENT, text);
  CHECK(context == NULL);
  // By value, as version 1.1 had them, no function is no hook.
  OldContextOptions old;
  memset(&old, 0, sizeof(old));
  old.size = sizeof(old);
  old.hostThreads.context = &numLoops;
  CHECK_FAILS(
      qccContextCreate(module, NULL, (const qccContextOptions *)(void *)&old,
                       &context),
      QCC_STATUS_INVALID_ARGUMENT, "a hook has a context, but its function");

  CHECK_OK(qccContextCreate(module, NULL, NULL, &context));
  qccStepHook step = qccStepHookInit();
  qccRunOptions run = qccRunOptionsInit();
  run.step = &step;
  CHECK_FAILS(qccContextRunWithOptions(context, NULL, 0, NULL, 0, &run),
              QCC_STATUS_INVALID_ARGUMENT, text);
  qccCompletionHook completion = qccCompletionHookInit();
  qccRun started = NULL;
  CHECK_FAILS(
      qccContextStart(context, NULL, 0, NULL, 0, NULL, &completion, &started),
      QCC_STATUS_INVALID_ARGUMENT, text);
  CHECK(started == NULL);
  qccContextDestroy(context);
}

int main(int argc, char **argv) {
  OldModuleOptions options = {sizeof(options), "x86-64", 0, 0};
  qccModule module = NULL;
  CHECK_OK(qccModuleLoadFile(
      argv[argc - 1], (const qccModuleOptions *)(void *)&options, &module));
  hooksByValue(module);
  oldInfos(module);
  hooksWithSizes(module);
  hooksWithoutFunctions(module);
  qccModuleDestroy(module);
  return finishTest();
}
