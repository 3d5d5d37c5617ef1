//===- CudaDriver.h - The driver of NVIDIA GPUs -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcuda.so.1 belongs to the driver of the machine and is opened at run time,
// so that the runtime neither needs CUDA to be built nor to be loaded. The
// declarations here are those of the driver's C interface, of version 11.4 and
// later, whose functions keep their meaning for ever.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_CUDADRIVER_H
#define QCC_LIB_RUNTIME_CUDADRIVER_H

#include "qcc/Base/Status.h"

#include <cstddef>
#include <cstdint>

namespace qcc::rt::cuda {

using Error = int;
using DeviceNumber = int;
using Pointer = unsigned long long;
struct Context;
struct Module;
struct Function;
struct Stream;
struct Event;
struct Graph;
struct GraphProgram;

// Errors that callers tell apart.
constexpr Error kSuccess = 0, kOutOfMemory = 2, kDeinitialized = 4,
                kNoDevice = 100, kInvalidDevice = 101, kInvalidImage = 200,
                kNoBinary = 209, kInvalidPTX = 218, kUnsupportedPTX = 222,
                kEccUncorrectable = 214, kNvlinkUncorrectable = 220,
                kJitCompilerNotFound = 221, kNotFound = 500, kNotReady = 600,
                kIllegalAddress = 700, kLaunchOutOfResources = 701,
                kLaunchTimeout = 702, kAssert = 710, kHardwareStackError = 714,
                kIllegalInstruction = 715, kMisalignedAddress = 716,
                kInvalidAddressSpace = 717, kInvalidPc = 718,
                kLaunchFailed = 719, kCaptureUnsupported = 900,
                kCaptureImplicit = 906, kCaptureWrongThread = 908;

// Attributes of devices, functions and pointers; options of the compiler.
constexpr int kMajor = 75, kMinor = 76, kMultiprocessors = 16,
              kMaxSharedOfBlock = 97;
constexpr int kMaxDynamicShared = 8;
constexpr unsigned kProgrammaticSerialization = 6;
/// The first driver that records such launches in graphs: 12.3.
constexpr int kProgrammaticGraphs = 12030;
constexpr int kPointerMemoryType = 2, kPointerDevice = 9;
constexpr int kErrorLog = 5, kErrorLogBytes = 6;
// States of a stream, and how a thread's calls respect captures.
constexpr int kNotCapturing = 0, kCaptureRelaxed = 2;
/// The handle behind which each thread has a stream of its own.
inline Stream *const kStreamPerThread = reinterpret_cast<Stream *>(2);
// Types of memory: a GPU's own, and what it shares with the host.
constexpr unsigned kMemoryOfDevice = 2, kMemoryUnified = 4;

// Elements, order, promotion of reads to the L2 cache, and what lies outside,
// of tensor maps: bytes, not interleaved, lines of 256 bytes, zeros.
constexpr int kMapOfBytes = 0, kNotInterleaved = 0, kPromoteTo256 = 3,
              kOutsideZeros = 0;
// The number of a swizzle is the place of its bytes here.
constexpr int kSwizzles[] = {0, 32, 64, 128};

/// An attribute of a launch that is on or off, in the room of all attributes.
struct LaunchAttribute {
  unsigned number, padding;
  int value;
  char rest[60];
};
static_assert(sizeof(LaunchAttribute) == 72, "as the driver has it");

/// What the driver calls CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  Stream *stream;
  const LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// Name in the library, name here, type.
#define QCC_CUDA_FUNCTIONS(DO)                                                 \
  DO(cuInit, init, (unsigned))                                                 \
  DO(cuDriverGetVersion, driverGetVersion, (int *))                            \
  DO(cuGetErrorName, getErrorName, (Error, const char **))                     \
  DO(cuGetErrorString, getErrorString, (Error, const char **))                 \
  DO(cuDeviceGetCount, deviceGetCount, (int *))                                \
  DO(cuDeviceGet, deviceGet, (DeviceNumber *, int))                            \
  DO(cuDeviceGetName, deviceGetName, (char *, int, DeviceNumber))              \
  DO(cuDeviceTotalMem_v2, deviceTotalMem, (size_t *, DeviceNumber))            \
  DO(cuDeviceGetAttribute, deviceGetAttribute, (int *, int, DeviceNumber))     \
  DO(cuDevicePrimaryCtxRetain, primaryRetain, (Context **, DeviceNumber))      \
  DO(cuDevicePrimaryCtxRelease_v2, primaryRelease, (DeviceNumber))             \
  DO(cuCtxPushCurrent_v2, pushCurrent, (Context *))                            \
  DO(cuCtxPopCurrent_v2, popCurrent, (Context **))                             \
  DO(cuMemAlloc_v2, memAlloc, (Pointer *, size_t))                             \
  DO(cuMemFree_v2, memFree, (Pointer))                                         \
  DO(cuMemGetInfo_v2, memGetInfo, (size_t *, size_t *))                        \
  DO(cuMemcpyHtoDAsync_v2, copyToDevice,                                       \
     (Pointer, const void *, size_t, Stream *))                                \
  DO(cuMemcpyDtoHAsync_v2, copyToHost, (void *, Pointer, size_t, Stream *))    \
  DO(cuMemcpyDtoDAsync_v2, copyOnDevice, (Pointer, Pointer, size_t, Stream *)) \
  DO(cuPointerGetAttribute, pointerGetAttribute, (void *, int, Pointer))       \
  DO(cuModuleLoadDataEx, moduleLoad,                                           \
     (Module **, const void *, unsigned, const int *, void **))                \
  DO(cuModuleUnload, moduleUnload, (Module *))                                 \
  DO(cuModuleGetFunction, moduleGetFunction,                                   \
     (Function **, Module *, const char *))                                    \
  DO(cuFuncSetAttribute, setAttribute, (Function *, int, int))                 \
  DO(cuLaunchKernel, launchKernel,                                             \
     (Function *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,  \
      unsigned, Stream *, void **, void **))                                   \
  DO(cuStreamCreate, streamCreate, (Stream **, unsigned))                      \
  DO(cuStreamDestroy_v2, streamDestroy, (Stream *))                            \
  DO(cuStreamSynchronize, streamSynchronize, (Stream *))                       \
  DO(cuStreamGetCtx, streamGetContext, (Stream *, Context **))                 \
  DO(cuEventCreate, eventCreate, (Event **, unsigned))                         \
  DO(cuEventDestroy_v2, eventDestroy, (Event *))                               \
  DO(cuEventRecord, eventRecord, (Event *, Stream *))                          \
  DO(cuEventSynchronize, eventSynchronize, (Event *))                          \
  DO(cuEventElapsedTime, eventElapsed, (float *, Event *, Event *))            \
  DO(cuStreamBeginCapture_v2, beginCapture, (Stream *, int))                   \
  DO(cuStreamEndCapture, endCapture, (Stream *, Graph **))                     \
  DO(cuStreamIsCapturing, isCapturing, (Stream *, int *))                      \
  DO(cuThreadExchangeStreamCaptureMode, exchangeCaptureMode, (int *))          \
  DO(cuGraphInstantiateWithFlags, graphInstantiate,                            \
     (GraphProgram **, Graph *, unsigned long long))                           \
  DO(cuGraphDestroy, graphDestroy, (Graph *))                                  \
  DO(cuGraphLaunch, graphLaunch, (GraphProgram *, Stream *))                   \
  DO(cuGraphExecDestroy, graphProgramDestroy, (GraphProgram *))

/// Functions that drivers have since CUDA 11.8 or later.
#define QCC_CUDA_LATER_FUNCTIONS(DO)                                           \
  DO(cuLaunchKernelEx, launchKernelEx,                                         \
     (const LaunchConfig *, Function *, void **, void **))                     \
  DO(cuTensorMapEncodeTiled, encodeTensorMap,                                  \
     (void *, int, unsigned, void *, const uint64_t *, const uint64_t *,       \
      const unsigned *, const unsigned *, int, int, int, int))

/// The functions of the driver.
struct Driver {
#define QCC_CUDA_DECLARE(symbol, name, parameters) Error(*name) parameters;
  QCC_CUDA_FUNCTIONS(QCC_CUDA_DECLARE)
  // Null where the driver is older.
  QCC_CUDA_LATER_FUNCTIONS(QCC_CUDA_DECLARE)
#undef QCC_CUDA_DECLARE
  /// Whether a launch may be one that starts while kernels before it end.
  bool hasProgrammaticLaunch;

  /// The driver, opened and initialized once. After a failure, the next call
  /// tries again: a driver may be loaded later.
  static Result<const Driver *> open();

  /// What an error of the driver means; `what` says what failed.
  Status toStatus(Error error, const std::string &what) const;
};

} // namespace qcc::rt::cuda

#endif // QCC_LIB_RUNTIME_CUDADRIVER_H
