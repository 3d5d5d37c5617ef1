//===- FakeCuda.cpp - A driver of GPUs on the emulator --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcuda.so.1 of tests, with the functions that the runtime calls: kernels run
// on the emulator, and what it reports is an error of the next function that
// waits, and of all that follow it, as with a real driver. The variable
// QCC_FAKE_CUDA of the environment makes functions fail:
// "cuMemAlloc_v2=2@3,cuInit=100" gives error 2 from the third allocation on,
// and 100 from the first cuInit on.
//
//===----------------------------------------------------------------------===//

#include "CudaOfTests.h"
#include "qcc/Emulator/TensorMap.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>

using namespace qcc;
using namespace qcc::test;

namespace {
struct Graph {
  std::vector<std::function<int()>> launches;
};

struct Stream {
  int context;
  Graph *recorded = nullptr; ///< Not null while launches are recorded.
};

struct Gpu {
  emu::Emulator emulator;
  std::map<Pointer, size_t> allocations;
  std::map<std::string, int> calls;
  std::vector<std::shared_ptr<const emu::Module>> modules;
  std::deque<Stream> streams; ///< Of tests.
  int sticky = 0;
};
} // namespace

static Gpu &gpu() {
  static Gpu *one = new Gpu();
  return *one;
}

/// The handle of the default stream.
static Stream *const legacyStream = reinterpret_cast<Stream *>(1);

/// The primary context, and one that a program made itself; their addresses are
/// their handles.
static int contexts[] = {0, 1};

/// The error that the environment or a kernel that failed gives a call.
static int failureOf(const char *function) {
  int count = ++gpu().calls[function];
  const char *variable = getenv("QCC_FAKE_CUDA");
  std::string wanted = variable ? variable : "";
  size_t at = ("," + wanted).find("," + std::string(function) + "=");
  if (at != std::string::npos) {
    int code = 0, first = 1;
    sscanf(wanted.c_str() + at + strlen(function) + 1, "%d@%d", &code, &first);
    if (count >= first)
      return code;
  }
  return gpu().sticky;
}

#define BEGIN()                                                                \
  if (int failure = failureOf(__func__))                                       \
  return failure

EXPORT int cuInit(unsigned) {
  BEGIN();
  return 0;
}
EXPORT int cuDeviceGetCount(int *count) {
  BEGIN();
  *count = 2;
  return 0;
}
EXPORT int cuDeviceGet(int *device, int number) {
  BEGIN();
  *device = number;
  return 0;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  BEGIN();
  *value = attributeOf(attribute, device);
  return 0;
}
EXPORT int cuCtxSetCurrent(int *) { return 0; }
EXPORT int cuCtxSynchronize() { return 0; }
EXPORT int cuDevicePrimaryCtxRetain(int **context, int) {
  BEGIN();
  *context = &contexts[0];
  return 0;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
EXPORT int cuCtxPushCurrent_v2(int *) {
  BEGIN();
  return 0;
}
EXPORT int cuCtxPopCurrent_v2(int **context) {
  *context = &contexts[0];
  return 0;
}

EXPORT int cuMemAlloc_v2(Pointer *pointer, size_t size) {
  BEGIN();
  rt::Result<emu::DeviceAddress> address = gpu().emulator.allocate(size);
  if (!address.isOk())
    return 2;
  *pointer = *address;
  gpu().allocations[*address] = size;
  return 0;
}
EXPORT int cuMemFree_v2(Pointer pointer) {
  BEGIN();
  gpu().allocations.erase(pointer);
  return gpu().emulator.deallocate(pointer).isOk() ? 0 : 1;
}
EXPORT int cuMemGetInfo_v2(size_t *available, size_t *total) {
  BEGIN();
  *available = *total = size_t(8) << 30;
  return 0;
}
EXPORT int cuMemcpyHtoDAsync_v2(Pointer to, const void *from, size_t size,
                                Stream *) {
  BEGIN();
  return gpu().emulator.copyToDevice(to, from, size).isOk() ? 0 : 1;
}
EXPORT int cuMemcpyDtoHAsync_v2(void *to, Pointer from, size_t size, Stream *) {
  BEGIN();
  return gpu().emulator.copyToHost(to, from, size).isOk() ? 0 : 1;
}
EXPORT int cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t size,
                                Stream *) {
  BEGIN();
  return gpu().emulator.copyOnDevice(to, from, size).isOk() ? 0 : 1;
}
EXPORT int cuMemcpyHtoD_v2(Pointer to, const void *from, size_t size) {
  return cuMemcpyHtoDAsync_v2(to, from, size, nullptr);
}
EXPORT int cuMemcpyDtoH_v2(void *to, Pointer from, size_t size) {
  return cuMemcpyDtoHAsync_v2(to, from, size, nullptr);
}
EXPORT int cuMemsetD8_v2(Pointer to, unsigned char value, size_t size) {
  std::vector<unsigned char> bytes(size, value);
  return cuMemcpyHtoDAsync_v2(to, bytes.data(), size, nullptr);
}
EXPORT int cuPointerGetAttribute(void *value, int attribute, Pointer pointer) {
  BEGIN();
  if (!isAllocated(gpu().allocations, pointer))
    return 1;
  *static_cast<int *>(value) = attributeOfMemory(attribute);
  return 0;
}

EXPORT int cuModuleLoadDataEx(const emu::Module **module, const void *image,
                              unsigned numOptions, const int *options,
                              void **values) {
  BEGIN();
  // Machine code is PTX behind the first bytes of an ELF file here, and
  // "\x7fOLD" is what a later ptxas wrote.
  std::string_view text = static_cast<const char *>(image);
  if (text.substr(0, 4) == "\x7fOLD")
    return 209;
  if (text.substr(0, 4) == "\x7f"
                           "ELF")
    text.remove_prefix(4);
  auto loaded = gpu().emulator.loadModule(text, "module.ptx");
  if (loaded.isOk()) {
    gpu().modules.push_back(*loaded);
    *module = loaded->get();
    return 0;
  }
  writeErrorLog(loaded.message(), numOptions, options, values);
  return 218;
}
EXPORT int cuModuleUnload(const emu::Module *) { return 0; }
EXPORT int cuModuleGetFunction(const emu::Kernel **kernel,
                               const emu::Module *module, const char *name) {
  BEGIN();
  rt::Result<const emu::Kernel *> found = module->kernel(name);
  if (!found.isOk())
    return 500;
  *kernel = *found;
  return 0;
}
EXPORT int cuFuncSetAttribute(const emu::Kernel *, int, int) {
  BEGIN();
  return 0;
}
EXPORT int cuLaunchKernel(const emu::Kernel *kernel, unsigned gridX,
                          unsigned gridY, unsigned gridZ, unsigned blockX,
                          unsigned blockY, unsigned blockZ, unsigned shared,
                          Stream *stream, void **parameters, void **) {
  BEGIN();
  std::vector<emu::Argument> arguments = argumentsOf(*kernel, parameters);
  emu::LaunchConfig config;
  config.grid = {int(gridX), int(gridY), int(gridZ)};
  config.block = {int(blockX), int(blockY), int(blockZ)};
  config.dynamicShared = shared;
  auto launch = [=] {
    auto result = gpu().emulator.launch(*kernel, config, arguments);
    if (!result.isOk())
      return 1;
    if (!result->reports.empty())
      gpu().sticky = 719;
    return 0;
  };
  if (!stream || stream == legacyStream || !stream->recorded)
    return launch();
  stream->recorded->launches.push_back(launch);
  return 0;
}

EXPORT int cuLaunchKernelEx(const LaunchConfig *config,
                            const emu::Kernel *kernel, void **parameters,
                            void **) {
  BEGIN();
  return launchProgrammatically<Stream>(*config, kernel, parameters,
                                        cuLaunchKernel)
      .value_or(1);
}

EXPORT int cuTensorMapEncodeTiled(void *encoded, int type, unsigned rank,
                                  void *address, const uint64_t *dims,
                                  const uint64_t *strides, const unsigned *box,
                                  const unsigned *steps, int interleave,
                                  int swizzle, int, int) {
  BEGIN();
  if (type != 0 || interleave != 0 || rank < 1 || rank > 5 ||
      reinterpret_cast<uintptr_t>(encoded) % 64 != 0)
    return 1;
  constexpr int swizzles[] = {0, 32, 64, 128};
  emu::TensorMap map;
  map.address = reinterpret_cast<uint64_t>(address);
  map.rank = int(rank);
  map.swizzle = swizzles[swizzle];
  for (unsigned i = 0; i < rank; ++i) {
    map.dims[i] = dims[i];
    map.box[i] = int(box[i]);
    map.elementStrides[i] = int(steps[i]);
    if (i > 0)
      map.strides[i - 1] = strides[i - 1];
  }
  auto bytes = emu::encodeTensorMap(map);
  if (!bytes.isOk())
    return 1;
  std::copy(bytes->begin(), bytes->end(), static_cast<uint8_t *>(encoded));
  return 0;
}

EXPORT int cuThreadExchangeStreamCaptureMode(int *) {
  BEGIN();
  return 0;
}
EXPORT int cuStreamIsCapturing(Stream *stream, int *state) {
  BEGIN();
  *state = stream && stream != legacyStream && stream->recorded;
  return 0;
}
EXPORT int cuStreamBeginCapture_v2(Stream *stream, int) {
  BEGIN();
  stream->recorded = new Graph();
  return 0;
}
EXPORT int cuStreamEndCapture(Stream *stream, Graph **graph) {
  *graph = std::exchange(stream->recorded, nullptr);
  BEGIN();
  return 0;
}
EXPORT int cuGraphInstantiateWithFlags(Graph **program, Graph *graph,
                                       unsigned long long) {
  BEGIN();
  *program = new Graph(*graph);
  return 0;
}
EXPORT int cuGraphDestroy(Graph *graph) {
  delete graph;
  return 0;
}
EXPORT int cuGraphExecDestroy(Graph *program) {
  delete program;
  return 0;
}
EXPORT int cuGraphLaunch(Graph *program, Stream *) {
  BEGIN();
  for (auto &launch : program->launches)
    if (int error = launch())
      return error;
  return 0;
}

EXPORT int cuStreamCreate(Stream **stream, unsigned) {
  BEGIN();
  *stream = new Stream{0, nullptr};
  return 0;
}
EXPORT int cuStreamDestroy_v2(Stream *stream) {
  delete stream;
  return 0;
}
EXPORT int cuStreamSynchronize(Stream *) {
  BEGIN();
  return 0;
}
EXPORT int cuStreamGetCtx(Stream *stream, int **context) {
  BEGIN();
  *context = &contexts[stream == legacyStream ? 0 : stream->context];
  return 0;
}
EXPORT int cuEventCreate(int **event, unsigned) {
  BEGIN();
  *event = new int(0);
  return 0;
}
EXPORT int cuEventDestroy_v2(int *event) {
  delete event;
  return 0;
}
EXPORT int cuEventRecord(int *, Stream *) {
  BEGIN();
  return 0;
}
EXPORT int cuEventSynchronize(int *) {
  BEGIN();
  return 0;
}
EXPORT int cuEventElapsedTime(float *milliseconds, int *, int *) {
  BEGIN();
  *milliseconds = 0.5f;
  return 0;
}

/// For tests: a stream of the primary context, or of another one.
EXPORT void *qccFakeStream(int context) {
  return &gpu().streams.emplace_back(Stream{context, nullptr});
}
/// For tests: as a process that starts anew.
EXPORT void qccFakeReset() {
  gpu().sticky = 0;
  gpu().calls.clear();
}
/// For tests: how often a function was called.
EXPORT int qccFakeCalls(const char *function) { return gpu().calls[function]; }
