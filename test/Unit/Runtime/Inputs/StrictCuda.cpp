//===- StrictCuda.cpp - A driver that keeps the rules of drivers ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcuda.so.1 of tests, as FakeCuda.cpp is, but with streams that are late,
// with contexts, events and captures. Work of a stream is done
//
//   late    when something waits for it,
//   early   when it is handed over,
//   random  some of it, of any stream, whenever a function is called,
//   pinned  late, with copies of host memory that are late as well.
//
// A call that breaks a rule of the driver fails as the driver's would, and is
// noted: qccStrictViolations() returns the notes, a line each.
//
//===----------------------------------------------------------------------===//

#include "CudaOfTests.h"

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

using namespace qcc;
using namespace qcc::test;

namespace {
constexpr int invalidValue = 1, invalidContext = 201, invalidHandle = 400,
              notReady = 600, illegalAddress = 700, launchFailed = 719,
              captureUnsupported = 900, captureInvalidated = 901,
              captureImplicit = 906, capturedEvent = 907;
constexpr int captureGlobal = 0, captureRelaxed = 2;

/// A piece of work; returns an error.
using Work = std::function<int()>;

struct Graph {
  std::vector<Work> work;
};

struct Capture {
  int mode = captureGlobal;
  std::thread::id thread;
  bool isInvalid = false;
  Graph graph;
};

struct Stream {
  bool isBlocking = true; ///< Waits for the default stream, and it for this.
  std::deque<Work> pending;
  uint64_t handedOver = 0, done = 0;
  std::unique_ptr<Capture> capture;
};

struct Event {
  std::shared_ptr<Stream> stream; ///< Null until it is recorded.
  uint64_t position = 0;          ///< Of the work before it.
  bool isCaptured = false;
};

enum class Mode { Late, Early, Random, Pinned };

struct Gpu {
  std::recursive_mutex mutex;
  emu::Emulator emulator;
  Mode mode = Mode::Late;
  std::mt19937 random;
  std::shared_ptr<Stream> legacy = std::make_shared<Stream>();
  std::map<Stream *, std::shared_ptr<Stream>> streams;
  std::map<std::thread::id, std::shared_ptr<Stream>> perThread;
  std::map<Pointer, size_t> allocations;
  std::map<const emu::Kernel *, int> dynamicShared;
  std::vector<std::shared_ptr<const emu::Module>> modules;
  int primary = 0; ///< How often the primary context was retained.
  int sticky = 0;
  std::string violations;
};
} // namespace

static Gpu &gpu() {
  static Gpu *one = new Gpu();
  return *one;
}

static thread_local std::vector<int *> contextsOfThread;
static thread_local int captureModeOfThread = captureGlobal;

static int violation(const std::string &what, int error) {
  gpu().violations += what + "\n";
  return error;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// 0 and 1 are handles of the default stream; behind 2, each thread has a
/// stream of its own.
static std::shared_ptr<Stream> find(Stream *handle) {
  if (reinterpret_cast<uintptr_t>(handle) <= 1)
    return gpu().legacy;
  if (reinterpret_cast<uintptr_t>(handle) == 2) {
    std::shared_ptr<Stream> &own = gpu().perThread[std::this_thread::get_id()];
    if (!own) {
      own = std::make_shared<Stream>();
      gpu().streams[own.get()] = own;
    }
    return own;
  }
  auto found = gpu().streams.find(handle);
  return found == gpu().streams.end() ? nullptr : found->second;
}

static void step(Stream &stream) {
  Work work = std::move(stream.pending.front());
  stream.pending.pop_front();
  ++stream.done;
  if (int error = work())
    gpu().sticky = error;
}

static void finish(Stream &stream, uint64_t position = UINT64_MAX) {
  while (!stream.pending.empty() && stream.done < position)
    step(stream);
}

static void finishAll() {
  for (auto &entry : gpu().streams)
    finish(*entry.second);
  finish(*gpu().legacy);
}

/// What other streams have before new work of this one.
static void finishBefore(Stream &stream) {
  if (&stream == gpu().legacy.get())
    for (auto &entry : gpu().streams)
      if (entry.second->isBlocking)
        finish(*entry.second);
  if (stream.isBlocking)
    finish(*gpu().legacy);
}

/// Some work of some streams, in the mode for that.
static void wander() {
  if (gpu().mode != Mode::Random)
    return;
  for (int count = gpu().random() % 4; count > 0; --count) {
    std::vector<Stream *> busy;
    for (auto &entry : gpu().streams)
      if (!entry.second->pending.empty())
        busy.push_back(entry.second.get());
    if (!gpu().legacy->pending.empty())
      busy.push_back(gpu().legacy.get());
    if (busy.empty())
      return;
    step(*busy[gpu().random() % busy.size()]);
  }
}

/// Ends the captures that a call breaks.
template <typename Breaks> static bool invalidateCaptures(Breaks breaks) {
  bool isAny = false;
  for (auto &entry : gpu().streams) {
    Stream &stream = *entry.second;
    if (!stream.capture || !breaks(stream))
      continue;
    isAny = stream.capture->isInvalid = true;
  }
  return isAny;
}

static int handOver(Stream *handle, Work work) {
  std::shared_ptr<Stream> stream = find(handle);
  if (!stream)
    return violation("work for a stream that there is not", invalidHandle);
  if (Capture *capture = stream->capture.get()) {
    if (capture->isInvalid)
      return captureInvalidated;
    capture->graph.work.push_back(std::move(work));
    return 0;
  }
  if (stream == gpu().legacy && invalidateCaptures([](const Stream &other) {
        return other.isBlocking && other.capture->mode != captureRelaxed;
      }))
    return violation("the default stream is used during a capture",
                     captureImplicit);
  finishBefore(*stream);
  stream->pending.push_back(std::move(work));
  ++stream->handedOver;
  if (gpu().mode == Mode::Early)
    finish(*stream);
  wander();
  return gpu().sticky;
}

//===----------------------------------------------------------------------===//
// What functions ask first
//===----------------------------------------------------------------------===//

static int hasContext(const char *function) {
  if (contextsOfThread.empty())
    return violation(std::string(function) + " without a context",
                     invalidContext);
  if (gpu().primary <= 0)
    return violation(std::string(function) + " in a context that has ended",
                     invalidContext);
  return 0;
}

/// Functions that may wait or allocate: captures forbid them to their thread,
/// and those of the global mode to all threads of that mode.
static int isSafe(const char *function) {
  if (captureModeOfThread == captureRelaxed)
    return 0;
  bool breaks = invalidateCaptures([](const Stream &stream) {
    const Capture &capture = *stream.capture;
    return capture.mode != captureRelaxed &&
           (capture.thread == std::this_thread::get_id() ||
            (capture.mode == captureGlobal &&
             captureModeOfThread == captureGlobal));
  });
  return breaks ? violation(std::string(function) + " during a capture",
                            captureUnsupported)
                : 0;
}

#define LOCK() std::lock_guard<std::recursive_mutex> lock(gpu().mutex)
#define BEGIN()                                                                \
  LOCK();                                                                      \
  wander();                                                                    \
  if (gpu().sticky)                                                            \
  return gpu().sticky
#define IN_CONTEXT()                                                           \
  BEGIN();                                                                     \
  if (int error = hasContext(__func__))                                        \
  return error
#define UNSAFE()                                                               \
  IN_CONTEXT();                                                                \
  if (int error = isSafe(__func__))                                            \
  return error

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

EXPORT int cuInit(unsigned) { return 0; }
EXPORT int cuDeviceGetCount(int *count) {
  *count = 1;
  return 0;
}
EXPORT int cuDeviceGet(int *device, int number) {
  *device = number;
  return number == 0 ? 0 : 101;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attributeOf(attribute, device);
  return 0;
}
EXPORT int cuDevicePrimaryCtxRetain(int **context, int) {
  LOCK();
  ++gpu().primary;
  *context = &gpu().primary;
  return 0;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int) {
  LOCK();
  if (gpu().primary-- <= 0)
    return violation("a context is released that nobody has", invalidContext);
  if (gpu().primary == 0 && !gpu().allocations.empty() && !gpu().sticky)
    return violation("a context ends whose memory was not freed", 0);
  return 0;
}
EXPORT int cuCtxPushCurrent_v2(int *context) {
  contextsOfThread.push_back(context);
  return 0;
}
EXPORT int cuCtxPopCurrent_v2(int **context) {
  if (contextsOfThread.empty())
    return violation("a context is popped that is not there", invalidContext);
  *context = contextsOfThread.back();
  contextsOfThread.pop_back();
  return 0;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

EXPORT int cuMemAlloc_v2(Pointer *pointer, size_t size) {
  UNSAFE();
  rt::Result<emu::DeviceAddress> address = gpu().emulator.allocate(size);
  if (size == 0 || !address.isOk())
    return size == 0 ? invalidValue : 2;
  *pointer = *address;
  gpu().allocations[*address] = size;
  return 0;
}
EXPORT int cuMemFree_v2(Pointer pointer) {
  UNSAFE();
  // The driver waits for what may use it.
  finishAll();
  if (gpu().allocations.erase(pointer) == 0)
    return violation("memory is freed that is not allocated", invalidValue);
  return gpu().emulator.deallocate(pointer).isOk() ? gpu().sticky : 1;
}
EXPORT int cuMemGetInfo_v2(size_t *available, size_t *total) {
  IN_CONTEXT();
  *available = *total = size_t(8) << 30;
  return 0;
}
EXPORT int cuPointerGetAttribute(void *value, int attribute, Pointer pointer) {
  IN_CONTEXT();
  if (!isAllocated(gpu().allocations, pointer))
    return invalidValue;
  *static_cast<int *>(value) = attributeOfMemory(attribute);
  return 0;
}

static bool isCapturing(Stream *stream) {
  std::shared_ptr<Stream> found = find(stream);
  return found && found->capture;
}

EXPORT int cuMemcpyHtoDAsync_v2(Pointer to, const void *from, size_t size,
                                Stream *stream) {
  IN_CONTEXT();
  auto *bytes = static_cast<const char *>(from);
  auto copy = [=](const void *source) {
    return gpu().emulator.copyToDevice(to, source, size).isOk()
               ? 0
               : illegalAddress;
  };
  if (gpu().mode == Mode::Pinned || isCapturing(stream))
    return handOver(stream, [=] { return copy(from); });
  // The driver has its own copy when it returns.
  auto own = std::make_shared<std::vector<char>>(bytes, bytes + size);
  return handOver(stream, [=] { return copy(own->data()); });
}
EXPORT int cuMemcpyDtoHAsync_v2(void *to, Pointer from, size_t size,
                                Stream *stream) {
  IN_CONTEXT();
  int error = handOver(stream, [=] {
    return gpu().emulator.copyToHost(to, from, size).isOk() ? 0
                                                            : illegalAddress;
  });
  // Memory that is not pinned has its values when the driver returns.
  if (!error && gpu().mode != Mode::Pinned && !isCapturing(stream))
    finish(*find(stream));
  return error ? error : gpu().sticky;
}
EXPORT int cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t size,
                                Stream *stream) {
  IN_CONTEXT();
  return handOver(stream, [=] {
    return gpu().emulator.copyOnDevice(to, from, size).isOk() ? 0
                                                              : illegalAddress;
  });
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

EXPORT int cuModuleLoadDataEx(const emu::Module **module, const void *image,
                              unsigned numOptions, const int *options,
                              void **values) {
  UNSAFE();
  auto loaded =
      gpu().emulator.loadModule(static_cast<const char *>(image), "module.ptx");
  if (!loaded.isOk()) {
    writeErrorLog(loaded.message(), numOptions, options, values);
    return 218;
  }
  gpu().modules.push_back(*loaded);
  *module = loaded->get();
  return 0;
}
EXPORT int cuModuleUnload(const emu::Module *) {
  UNSAFE();
  finishAll();
  return gpu().sticky;
}
EXPORT int cuModuleGetFunction(const emu::Kernel **kernel,
                               const emu::Module *module, const char *name) {
  IN_CONTEXT();
  rt::Result<const emu::Kernel *> found = module->kernel(name);
  if (!found.isOk())
    return 500;
  *kernel = *found;
  return 0;
}
EXPORT int cuFuncSetAttribute(const emu::Kernel *kernel, int attribute,
                              int value) {
  IN_CONTEXT();
  constexpr int maxDynamicShared = 8;
  if (attribute == maxDynamicShared)
    gpu().dynamicShared[kernel] = value;
  return 0;
}
EXPORT int cuLaunchKernel(const emu::Kernel *kernel, unsigned gridX,
                          unsigned gridY, unsigned gridZ, unsigned blockX,
                          unsigned blockY, unsigned blockZ, unsigned shared,
                          Stream *stream, void **parameters, void **) {
  IN_CONTEXT();
  if (!gridX || !gridY || !gridZ || !blockX || !blockY || !blockZ ||
      blockX * blockY * blockZ > 1024)
    return violation("a launch of no blocks or too many threads", invalidValue);
  constexpr int withoutAsking = 48 << 10;
  int &most = gpu().dynamicShared.emplace(kernel, withoutAsking).first->second;
  if (int(shared) > most)
    return violation("a launch with more shared memory than was asked for",
                     invalidValue);
  std::vector<emu::Argument> arguments = argumentsOf(*kernel, parameters);
  emu::LaunchConfig config;
  config.grid = {int(gridX), int(gridY), int(gridZ)};
  config.block = {int(blockX), int(blockY), int(blockZ)};
  config.dynamicShared = shared;
  return handOver(stream, [=] {
    auto result = gpu().emulator.launch(*kernel, config, arguments);
    return result.isOk() && result->reports.empty() ? 0 : launchFailed;
  });
}
EXPORT int cuLaunchKernelEx(const LaunchConfig *config,
                            const emu::Kernel *kernel, void **parameters,
                            void **) {
  std::optional<int> error = launchProgrammatically<Stream>(
      *config, kernel, parameters, cuLaunchKernel);
  return error ? *error
               : violation("a launch with attributes that nobody knows",
                           invalidValue);
}

//===----------------------------------------------------------------------===//
// Streams, captures and events
//===----------------------------------------------------------------------===//

EXPORT int cuStreamCreate(Stream **stream, unsigned flags) {
  UNSAFE();
  auto made = std::make_shared<Stream>();
  made->isBlocking = !(flags & 1);
  gpu().streams[made.get()] = made;
  *stream = made.get();
  return 0;
}
EXPORT int cuStreamDestroy_v2(Stream *stream) {
  UNSAFE();
  std::shared_ptr<Stream> found = find(stream);
  if (!found || found == gpu().legacy)
    return violation("a stream is destroyed that there is not", invalidHandle);
  finish(*found);
  gpu().streams.erase(stream);
  return gpu().sticky;
}
EXPORT int cuStreamSynchronize(Stream *stream) {
  UNSAFE();
  std::shared_ptr<Stream> found = find(stream);
  if (!found)
    return violation("a wait for a stream that there is not", invalidHandle);
  if (found->capture) {
    found->capture->isInvalid = true;
    return violation("a wait for a stream that is captured",
                     captureUnsupported);
  }
  finishBefore(*found);
  finish(*found);
  return gpu().sticky;
}
EXPORT int cuStreamGetCtx(Stream *stream, int **context) {
  BEGIN();
  *context = &gpu().primary;
  return find(stream) ? 0 : invalidHandle;
}
EXPORT int cuStreamIsCapturing(Stream *stream, int *state) {
  BEGIN();
  std::shared_ptr<Stream> found = find(stream);
  constexpr int none = 0, active = 1, invalidated = 2;
  if (!found)
    return invalidHandle;
  *state = !found->capture             ? none
           : found->capture->isInvalid ? invalidated
                                       : active;
  return 0;
}
EXPORT int cuThreadExchangeStreamCaptureMode(int *mode) {
  std::swap(*mode, captureModeOfThread);
  return 0;
}
EXPORT int cuStreamBeginCapture_v2(Stream *stream, int mode) {
  IN_CONTEXT();
  std::shared_ptr<Stream> found = find(stream);
  if (!found || found == gpu().legacy || found->capture)
    return violation("a capture of a stream that has none", captureUnsupported);
  found->capture = std::make_unique<Capture>();
  found->capture->mode = mode;
  found->capture->thread = std::this_thread::get_id();
  return 0;
}
EXPORT int cuStreamEndCapture(Stream *stream, Graph **graph) {
  LOCK();
  std::shared_ptr<Stream> found = find(stream);
  *graph = nullptr;
  if (!found || !found->capture)
    return violation("the end of a capture that did not begin", invalidValue);
  std::unique_ptr<Capture> capture = std::move(found->capture);
  if (capture->isInvalid)
    return captureInvalidated;
  *graph = new Graph(std::move(capture->graph));
  return gpu().sticky;
}
EXPORT int cuGraphInstantiateWithFlags(Graph **program, Graph *graph,
                                       unsigned long long) {
  IN_CONTEXT();
  *program = new Graph(*graph);
  return 0;
}
EXPORT int cuGraphDestroy(Graph *graph) {
  delete graph;
  return 0;
}
EXPORT int cuGraphExecDestroy(Graph *program) {
  LOCK();
  delete program;
  return 0;
}
EXPORT int cuGraphLaunch(Graph *program, Stream *stream) {
  IN_CONTEXT();
  return handOver(stream, [all = program->work] {
    for (const Work &work : all)
      if (int error = work())
        return error;
    return 0;
  });
}

EXPORT int cuEventCreate(Event **event, unsigned) {
  IN_CONTEXT();
  *event = new Event();
  return 0;
}
EXPORT int cuEventDestroy_v2(Event *event) {
  delete event;
  return 0;
}
EXPORT int cuEventRecord(Event *event, Stream *stream) {
  IN_CONTEXT();
  std::shared_ptr<Stream> found = find(stream);
  if (!found)
    return violation("an event in a stream that there is not", invalidHandle);
  event->isCaptured = found->capture != nullptr;
  if (event->isCaptured)
    return 0;
  event->stream = found;
  event->position = found->handedOver;
  return 0;
}
EXPORT int cuEventSynchronize(Event *event) {
  UNSAFE();
  if (event->isCaptured)
    return violation("a wait for an event of a capture", capturedEvent);
  if (event->stream)
    finish(*event->stream, event->position);
  return gpu().sticky;
}
EXPORT int cuEventElapsedTime(float *milliseconds, Event *start, Event *end) {
  UNSAFE();
  for (Event *event : {start, end}) {
    if (!event->stream || event->isCaptured)
      return violation("the time of an event that was not recorded",
                       invalidHandle);
    if (event->stream->done < event->position)
      return violation("the time of an event that is not over", notReady);
  }
  *milliseconds = 0.5f;
  return 0;
}

//===----------------------------------------------------------------------===//
// For tests
//===----------------------------------------------------------------------===//

/// As a process that starts anew. `seed` is that of the random mode.
EXPORT void qccStrictReset(const char *mode, unsigned seed) {
  LOCK();
  finishAll();
  gpu().mode = !strcmp(mode, "early")    ? Mode::Early
               : !strcmp(mode, "random") ? Mode::Random
               : !strcmp(mode, "pinned") ? Mode::Pinned
                                         : Mode::Late;
  gpu().random.seed(seed);
  gpu().sticky = 0;
  gpu().violations.clear();
}
EXPORT const char *qccStrictViolations() { return gpu().violations.c_str(); }
/// How much work no stream has done yet.
EXPORT size_t qccStrictPending() {
  LOCK();
  size_t count = gpu().legacy->pending.size();
  for (auto &entry : gpu().streams)
    count += entry.second->pending.size();
  return count;
}
