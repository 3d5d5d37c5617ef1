//===- DeviceProgram.h - Device part of a module ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code and the weights of a module go to its device once, at the first run,
// and serve all contexts.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_DEVICEPROGRAM_H
#define QCC_LIB_RUNTIME_DEVICEPROGRAM_H

#include "qcc/Runtime/Device.h"
#include "qcc/Runtime/Module.h"

#include <mutex>

namespace qcc::rt {

/// Memory of a device that only grows.
class DeviceBuffer {
public:
  explicit DeviceBuffer(std::shared_ptr<Device> device)
      : device_(std::move(device)) {}
  DeviceBuffer(DeviceBuffer &&other) noexcept;
  DeviceBuffer &operator=(DeviceBuffer &&) = delete;
  ~DeviceBuffer() { reset(); }

  /// Makes at least `size` bytes available; the contents are lost if it grows.
  /// No work may be under way that uses them.
  Status reserve(int64_t size);

  char *data() const { return data_; }
  int64_t capacity() const { return capacity_; }

private:
  void reset();

  std::shared_ptr<Device> device_;
  char *data_ = nullptr;
  int64_t capacity_ = 0;
};

class DeviceProgram {
public:
  /// `variant` is the module's, which owns this.
  DeviceProgram(std::shared_ptr<Device> device, const Variant &variant)
      : device_(device), variant_(variant), weights_(std::move(device)) {}

  /// Makes everything below available, unless it is. A failure is tried again
  /// by the next call.
  Status load();

  const std::shared_ptr<Device> &device() const { return device_; }
  Result<const void *> kernel(std::string_view name) const {
    return module_->kernel(name);
  }
  char *weights() const { return weights_.data(); }

private:
  Status loadWeights();
  /// What was loaded: "machine code" or "PTX".
  Result<const char *> loadKernels();

  const std::shared_ptr<Device> device_;
  const Variant &variant_;
  std::mutex mutex_;
  bool isLoaded_ = false;
  std::unique_ptr<DeviceModule> module_;
  DeviceBuffer weights_;
};

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_DEVICEPROGRAM_H
