//===- DeviceProgram.cpp - Device part of a module ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceProgram.h"

#include "VariantChoice.h"
#include "qcc/Runtime/Process.h"

#include <utility>

namespace qcc::rt {

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) noexcept
    : device_(other.device_), data_(std::exchange(other.data_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)) {}

Status DeviceBuffer::reserve(int64_t size) {
  if (size <= capacity_)
    return Status::ok();
  reset(); // both together need not fit
  Result<void *> memory = device_->allocate(size);
  if (!memory.isOk())
    return memory.status();
  data_ = static_cast<char *>(*memory);
  capacity_ = size;
  return Status::ok();
}

void DeviceBuffer::reset() {
  // A device that does not take its memory back has failed before, and whoever
  // ran on it has been told so.
  if (data_)
    (void)device_->deallocate(data_).isOk();
  data_ = nullptr;
  capacity_ = 0;
}

/// By a stream of its own: the default one waits for streams of others, and
/// must not be used while one of them is captured.
Status DeviceProgram::loadWeights() {
  Status status = weights_.reserve(variant_.weightsSize);
  if (!status.isOk() || variant_.weightsSize == 0)
    return status;
  Result<std::unique_ptr<DeviceStream>> stream = device_->createStream();
  if (!stream.isOk())
    return stream.status();
  status =
      device_->copy(weights_.data(), variant_.weights, variant_.weightsSize,
                    CopyDirection::HostToDevice, stream->get());
  return status.isOk() ? (*stream)->synchronize() : status;
}

/// Machine code where the device runs it. Where the driver refuses it, being
/// older than ptxas perhaps, that is logged, and the driver compiles PTX.
Result<const char *> DeviceProgram::loadKernels() {
  if (!variant_.binary.empty() &&
      device_->runsMachineCode(architectureOf(variant_.features).number)) {
    Result<std::unique_ptr<DeviceModule>> module = device_->loadModule(
        variant_.binary.data(), int64_t(variant_.binary.size()));
    if (module.isOk()) {
      module_ = std::move(*module);
      return "machine code";
    }
    // A GPU that has failed, or has no memory, would not take PTX either.
    if (module.status().code() != StatusCode::Unsupported &&
        module.status().code() != StatusCode::Corrupt)
      return module.status();
    log(LogLevel::Warning, 0, [&] {
      return "the machine code of variant '" + std::string(variant_.target) +
             "' is not taken, and PTX is compiled: " +
             module.status().message();
    });
  }
  Result<std::unique_ptr<DeviceModule>> module = device_->loadModule(
      variant_.kernels.data(), int64_t(variant_.kernels.size()));
  if (!module.isOk())
    return module.status();
  module_ = std::move(*module);
  return "PTX";
}

Status DeviceProgram::load() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (isLoaded_)
    return Status::ok();
  int64_t start = steadyNanoseconds();
  Status status = loadWeights();
  if (!status.isOk())
    return status.withPrefix("weights for " + device_->name() + ": ");
  const char *form = "no kernels";
  if (!variant_.kernels.empty()) {
    Result<const char *> loaded = loadKernels();
    if (!loaded.isOk())
      return loaded.status().withPrefix("kernels of variant '" +
                                        std::string(variant_.target) +
                                        "' for " + device_->name() + ": ");
    form = *loaded;
  }
  isLoaded_ = true;
  int64_t time = steadyNanoseconds() - start;
  ProcessCounters &counters = ProcessCounters::get();
  counters.deviceLoads.fetch_add(1, std::memory_order_relaxed);
  counters.deviceLoadNanoseconds.fetch_add(time, std::memory_order_relaxed);
  log(LogLevel::Info, 0, [&] {
    return "code (" + std::string(form) + ") and weights of variant " +
           std::string(variant_.target) + " went to " + device_->name() +
           " in " + std::to_string(time) + " ns";
  });
  return Status::ok();
}

} // namespace qcc::rt
