//===- CudaDriver.cpp - The driver of NVIDIA GPUs -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include <dlfcn.h>
#include <mutex>

namespace qcc::rt::cuda {

static constexpr char kLibrary[] = "libcuda.so.1";

/// Finds all functions of the library, which stays loaded.
static Status findFunctions(void *library, Driver &driver) {
  const char *missing = nullptr;
#define QCC_CUDA_FIND(symbol, name, parameters)                                \
  driver.name = reinterpret_cast<Error(*) parameters>(dlsym(library, #symbol));
#define QCC_CUDA_REQUIRE(symbol, name, parameters)                             \
  if (!driver.name)                                                            \
    missing = #symbol;
  QCC_CUDA_FUNCTIONS(QCC_CUDA_FIND)
  QCC_CUDA_LATER_FUNCTIONS(QCC_CUDA_FIND)
  QCC_CUDA_FUNCTIONS(QCC_CUDA_REQUIRE)
#undef QCC_CUDA_REQUIRE
#undef QCC_CUDA_FIND
  if (missing)
    return unsupported(std::string(kLibrary) + " has no function " + missing +
                       ": the driver is older than CUDA 11.4; update it");
  return Status::ok();
}

Result<const Driver *> Driver::open() {
  static std::mutex mutex;
  static Driver driver;
  static bool isOpen = false;
  std::lock_guard<std::mutex> lock(mutex);
  if (isOpen)
    return &driver;
  void *library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return unsupported("the driver of NVIDIA GPUs cannot be opened (" +
                       std::string(reason ? reason : kLibrary) +
                       "); install it, or run on a machine with a GPU");
  }
  Status status = findFunctions(library, driver);
  if (!status.isOk())
    return status;
  Error error = driver.init(0);
  if (error != kSuccess)
    return driver.toStatus(error, "the driver does not start");
  int version = 0;
  driver.hasProgrammaticLaunch =
      driver.launchKernelEx && driver.driverGetVersion(&version) == kSuccess &&
      version >= kProgrammaticGraphs;
  isOpen = true;
  return &driver;
}

/// Whether a kernel did something wrong, after which the driver refuses all
/// work of the process.
static bool isOfKernel(Error error) {
  return error == kIllegalAddress || error == kLaunchTimeout ||
         error == kAssert ||
         (error >= kHardwareStackError && error <= kLaunchFailed);
}

/// Whether the call does not fit a capture that is in progress.
static bool isOfCapture(Error error) {
  return error >= kCaptureUnsupported && error <= kCaptureWrongThread;
}

static StatusCode codeOf(Error error) {
  if (isOfCapture(error))
    return StatusCode::InvalidArgument;
  switch (error) {
  case kOutOfMemory:
    return StatusCode::OutOfMemory;
  case kNoDevice:
  case kInvalidDevice:
    return StatusCode::NotFound;
  case kNoBinary:
  case kInvalidPTX:
  case kUnsupportedPTX:
  case kInvalidImage:
  case kJitCompilerNotFound:
  case kLaunchOutOfResources:
    return StatusCode::Unsupported;
  default:
    return isOfKernel(error) ? StatusCode::KernelFailed : StatusCode::IOError;
  }
}

static const char *remedyOf(Error error) {
  switch (error) {
  case kOutOfMemory:
    return "; run smaller shapes or fewer contexts, or free memory of the GPU";
  case kNoDevice:
    return "; run on a machine with a GPU, or see CUDA_VISIBLE_DEVICES";
  case kInvalidPTX:
  case kUnsupportedPTX:
    return "; update the driver, or compile for an older chip";
  case kEccUncorrectable:
    return "; memory of the GPU is defective: end this process, and reset or "
           "replace the GPU (nvidia-smi -q -d ECC,ROW_REMAPPER shows its "
           "state)";
  case kNvlinkUncorrectable:
    return "; a link between GPUs is defective: end this process, and reset "
           "the GPUs (nvidia-smi nvlink -e shows the errors of the links)";
  case kJitCompilerNotFound:
    return "; install libnvidia-ptxjitcompiler.so.1, a part of the driver; a "
           "container gets it with NVIDIA_DRIVER_CAPABILITIES=compute";
  case kCaptureImplicit:
    return "; the default stream cannot be used while another stream of its "
           "kind is captured: give the run a stream, or capture with "
           "CU_STREAM_CAPTURE_MODE_RELAXED";
  default:
    if (isOfCapture(error))
      return "; a stream is being captured: see qccRunOptions::stream for what "
             "a run may do then";
    return isOfKernel(error)
               ? "; the driver refuses all further work of this process: start "
                 "it again"
               : "";
  }
}

Status Driver::toStatus(Error error, const std::string &what) const {
  if (error == kSuccess)
    return Status::ok();
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(error, &name) != kSuccess || !name)
    name = "an unknown error";
  if (getErrorString(error, &text) != kSuccess || !text)
    text = "no description";
  // What waits for a kernel, or comes after it, fails when the kernel does.
  return Status(codeOf(error), (isOfKernel(error) ? "a kernel failed" : what) +
                                   ": " + text + " (" + name + ", " +
                                   std::to_string(error) + ")" +
                                   remedyOf(error));
}

} // namespace qcc::rt::cuda
