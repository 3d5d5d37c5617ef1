/*===- device.c - Programs on a GPU, by a driver of tests
------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// REQUIRES: compiler
// RUN: qcc compile %S/Inputs/negate.mlir --target=x86,cuda \
// RUN:   --mcpu=x86-64-v3,sm_75,sm_80,sm_90 -o %t.so
// RUN: env LD_LIBRARY_PATH=%fake-cuda %capi/device %t.so

#include "Check.h"

#include <dlfcn.h>

typedef unsigned long long Pointer;
static int (*allocate)(Pointer *, size_t);
static int (*copyToDevice)(Pointer, const void *, size_t, void *);
static int (*copyToHost)(void *, Pointer, size_t, void *);
static void *(*makeStream)(int context);
static int (*countCalls)(const char *function);

static void findDriver(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  CHECK(driver);
  *(void **)&allocate = dlsym(driver, "cuMemAlloc_v2");
  *(void **)&copyToDevice = dlsym(driver, "cuMemcpyHtoDAsync_v2");
  *(void **)&copyToHost = dlsym(driver, "cuMemcpyDtoHAsync_v2");
  *(void **)&makeStream = dlsym(driver, "qccFakeStream");
  *(void **)&countCalls = dlsym(driver, "qccFakeCalls");
  CHECK(allocate && copyToDevice && copyToHost && makeStream && countCalls);
}

enum { kCount = 5 };
static int32_t x[kCount] = {1, -2, 3, 1 << 30, 0};
static int64_t shape[1] = {kCount};

static void checkNegated(const int32_t *y) {
  for (int i = 0; i < kCount; ++i)
    CHECK(y[i] == -x[i]);
}

static void runsOnTheHost(qccContext context) {
  int32_t y[kCount] = {0};
  DLTensor xs = makeTensor(x, kDLInt, 32, 1, shape);
  DLTensor ys = makeTensor(y, kDLInt, 32, 1, shape);
  DLTensor *arguments[1] = {&xs}, *results[1] = {&ys};
  CHECK_OK(qccContextRun(context, arguments, 1, results, 1));
  checkNegated(y);
}

static void countStep(void *count, size_t step, const qccStepInfo *info) {
  (void)step;
  CHECK(info->nanoseconds > 0);
  ++*(int *)count;
}

/// A run on a stream returns before its end, unless the caller wants to wait or
/// to see each step.
static void waitsWhereItMust(qccContext context, DLTensor **arguments,
                             DLTensor **results) {
  int steps = 0;
  qccStepHook hook = qccStepHookInit();
  hook.context = &steps;
  hook.afterStep = countStep;
  void *streams[2] = {makeStream(0), (void *)1 /* CU_STREAM_LEGACY */};
  for (int i = 0; i < 2; ++i)
    for (int wanted = 0; wanted < 3; ++wanted) {
      qccRunOptions options = qccRunOptionsInit();
      options.stream = streams[i];
      options.flags = wanted == 1 ? QCC_RUN_WAIT : 0;
      options.step = wanted == 2 ? &hook : NULL;
      options.profile = wanted == 2;
      // The run before may be under way on the other stream.
      CHECK_OK(qccContextRunWithOptions(context, arguments, 1, results, 1,
                                        &options));
      int before = countCalls("cuStreamSynchronize");
      CHECK_OK(qccContextRunWithOptions(context, arguments, 1, results, 1,
                                        &options));
      CHECK(countCalls("cuStreamSynchronize") == before + (wanted != 0));
    }
  CHECK(steps == 4);
}

static void runsOnTheDevice(qccContext context) {
  Pointer from = 0, to = 0;
  CHECK(allocate(&from, sizeof(x)) == 0 && allocate(&to, sizeof(x)) == 0);
  CHECK(copyToDevice(from, x, sizeof(x), NULL) == 0);
  DLTensor xs = makeTensor((void *)(uintptr_t)from, kDLInt, 32, 1, shape);
  DLTensor ys = makeTensor((void *)(uintptr_t)to, kDLInt, 32, 1, shape);
  xs.device.device_type = ys.device.device_type = kDLCUDA;
  DLTensor *arguments[1] = {&xs}, *results[1] = {&ys};
  qccRunOptions options = qccRunOptionsInit();
  options.stream = makeStream(0);
  CHECK_OK(
      qccContextRunWithOptions(context, arguments, 1, results, 1, &options));
  int32_t y[kCount] = {0};
  CHECK(copyToHost(y, to, sizeof(y), NULL) == 0);
  checkNegated(y);
  waitsWhereItMust(context, arguments, results);

  DLManagedTensor *owned = NULL;
  CHECK_OK(qccContextCall(context, arguments, 1, &owned, 1, &options));
  CHECK(owned->dl_tensor.device.device_type == kDLCUDA);
  CHECK(copyToHost(y, (Pointer)(uintptr_t)owned->dl_tensor.data, sizeof(y),
                   NULL) == 0);
  checkNegated(y);
  owned->deleter(owned);

  options.stream = makeStream(1);
  CHECK_FAILS(
      qccContextRunWithOptions(context, arguments, 1, results, 1, &options),
      QCC_STATUS_INVALID_ARGUMENT, "not of the primary context of cuda:0");
  xs.device.device_id = 1;
  CHECK_FAILS(qccContextRun(context, arguments, 1, results, 1),
              QCC_STATUS_INVALID_ARGUMENT,
              "is on device 1 of DLPack's type 2, but the program runs on "
              "cuda:0");
  xs.device.device_id = 0;
  xs.data = x;
  CHECK_FAILS(qccContextRun(context, arguments, 1, results, 1),
              QCC_STATUS_INVALID_ARGUMENT,
              "its pointer is not to memory of the device");
}

static void say(qccModule module, const char *device, const char *target) {
  qccContext context;
  CHECK_OK(qccContextCreate(module, NULL, NULL, &context));
  qccContextInfo info = qccContextInfoInit();
  CHECK_OK(qccContextGetInfo(context, &info));
  CHECK(strcmp(info.device, device) == 0);
  for (size_t i = 0; i < qccModuleGetNumVariants(module); ++i) {
    qccVariantInfo variant = qccVariantInfoInit();
    CHECK_OK(qccModuleGetVariant(module, i, &variant));
    CHECK(variant.chosen == (strcmp(variant.target, target) == 0));
  }
  runsOnTheHost(context);
  qccContextDestroy(context);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  findDriver();
  qccModule module;
  qccModuleOptions options = qccModuleOptionsInit();
  CHECK_OK(qccModuleLoadFile(argv[1], &options, &module));
  say(module, "cpu", "x86-64-v3");
  qccModuleDestroy(module);
  options.device = "cuda:1";
  CHECK_OK(qccModuleLoadFile(argv[1], &options, &module));
  say(module, "cuda:1", "sm_75");
  qccModuleDestroy(module);
  options.device = "cuda";
  CHECK_OK(qccModuleLoadFile(argv[1], &options, &module));
  say(module, "cuda:0", "sm_80");

  qccContext context;
  CHECK_OK(qccContextCreate(module, NULL, NULL, &context));
  runsOnTheDevice(context);
  qccContextDestroy(context);
  qccModuleDestroy(module);

  options.device = "cuda:7";
  CHECK_FAILS(qccModuleLoadFile(argv[1], &options, &module),
              QCC_STATUS_NOT_FOUND, "there is no GPU 7");
  options.device = "emulator";
  CHECK_FAILS(qccModuleLoadFile(argv[1], &options, &module),
              QCC_STATUS_INVALID_ARGUMENT,
              "there is no device 'emulator'; use cpu, cuda or cuda:N");
  return 0;
}
