//===- EmulatorDevice.cpp - The emulator behind Device.h ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/EmulatorDevice.h"

#include "qcc/Emulator/TensorMap.h"

#include <chrono>
#include <climits>
#include <mutex>

namespace qcc::emu {
namespace {

class EmulatorStream : public rt::DeviceStream {
public:
  /// The first failure since the last call.
  rt::Status synchronize() override {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(failure_, rt::Status::ok());
  }
  void fail(rt::Status status) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (failure_.isOk())
      failure_ = std::move(status);
  }

private:
  std::mutex mutex_;
  rt::Status failure_;
};

/// Time is the host's: how long emulation took.
class EmulatorEvent : public rt::DeviceEvent {
public:
  using Clock = std::chrono::steady_clock;

  rt::Status record(rt::DeviceStream *) override {
    isRecorded_ = true;
    time_ = Clock::now();
    return rt::Status::ok();
  }
  rt::Status synchronize() override { return rt::Status::ok(); }
  rt::Result<int64_t> nanosecondsSince(const rt::DeviceEvent &start) override {
    const auto &other = static_cast<const EmulatorEvent &>(start);
    if (!isRecorded_ || !other.isRecorded_)
      return rt::invalidArgument("an event was not recorded");
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time_ -
                                                                other.time_)
        .count();
  }

private:
  bool isRecorded_ = false;
  Clock::time_point time_;
};

class EmulatorModule : public rt::DeviceModule {
public:
  explicit EmulatorModule(std::shared_ptr<const Module> module)
      : module_(std::move(module)) {}

  rt::Result<const void *> kernel(std::string_view name) override {
    rt::Result<const Kernel *> kernel = module_->kernel(name);
    if (!kernel.isOk())
      return kernel.status();
    return static_cast<const void *>(*kernel);
  }

private:
  std::shared_ptr<const Module> module_;
};

class EmulatorDevice : public rt::Device {
public:
  explicit EmulatorDevice(EmulatorDeviceOptions options)
      : options_(std::move(options)) {}

  std::string name() const override { return "emulator"; }
  qcc_device_kind kind() const override { return QCC_DEVICE_CUDA; }
  /// DLPack has no number for it but that of other devices, kDLExtDev.
  rt::MemoryLocation location() const override { return {12, 0}; }
  /// PTX is text, and says itself what it is for.
  int architecture() const override { return INT_MAX; }
  bool runsExactly(int) const override { return true; }

  std::string report() const override {
    bool checks = options_.launch.checking == Checking::All;
    return "PTX emulator for sm_70 to sm_120\nchecks: " +
           std::string(checks ? "all" : "bounds and alignment") +
           ", seed: " + std::to_string(options_.launch.seed) + "\n";
  }

  rt::Result<void *> allocate(int64_t size) override {
    rt::Result<DeviceAddress> address = emulator_.allocate(size);
    if (!address.isOk())
      return address.status();
    return reinterpret_cast<void *>(*address);
  }
  rt::Status deallocate(void *memory) override {
    return emulator_.deallocate(addressOf(memory));
  }

  rt::Status copy(void *destination, const void *source, int64_t size,
                  rt::CopyDirection direction, rt::DeviceStream *) override {
    switch (direction) {
    case rt::CopyDirection::HostToDevice:
      return emulator_.copyToDevice(addressOf(destination), source, size);
    case rt::CopyDirection::DeviceToHost:
      return emulator_.copyToHost(destination, addressOf(source), size);
    case rt::CopyDirection::DeviceToDevice:
      break;
    }
    return emulator_.copyOnDevice(addressOf(destination), addressOf(source),
                                  size);
  }

  rt::Status checkMemory(const void *memory, int64_t size) override {
    std::vector<char> bytes(size);
    return emulator_.copyToHost(bytes.data(), addressOf(memory), size);
  }

  rt::Result<std::unique_ptr<rt::DeviceModule>>
  loadModule(const void *image, int64_t size) override {
    if (!image || size < 0)
      return rt::invalidArgument("a module without an image");
    rt::Result<std::shared_ptr<const Module>> module = emulator_.loadModule(
        std::string_view(static_cast<const char *>(image), size));
    if (!module.isOk())
      return module.status();
    return std::unique_ptr<rt::DeviceModule>(
        new EmulatorModule(std::move(*module)));
  }

  rt::Status launch(const rt::LaunchParams &params,
                    rt::DeviceStream *stream) override {
    if (!params.kernel)
      return rt::invalidArgument("a launch without a kernel");
    const auto &kernel = *static_cast<const Kernel *>(params.kernel);
    const std::vector<ParameterInfo> &parameters = kernel.parameters();
    if (params.numArguments != int(parameters.size()) ||
        (params.numArguments > 0 && !params.arguments))
      return rt::invalidArgument(
          "'" + kernel.name() + "' takes " + std::to_string(parameters.size()) +
          " arguments, not " + std::to_string(params.numArguments));
    std::vector<Argument> arguments;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const auto *bytes = static_cast<const uint8_t *>(params.arguments[i]);
      if (!bytes)
        return rt::invalidArgument("argument " + std::to_string(i) +
                                   " has no value");
      arguments.push_back(
          Argument(std::vector<uint8_t>(bytes, bytes + parameters[i].size)));
    }
    LaunchConfig config;
    config.grid = params.grid;
    config.block = params.block;
    config.dynamicShared = params.sharedBytes;
    config.isProgrammatic = params.isProgrammatic;
    rt::Result<LaunchResult> result =
        emulator_.launch(kernel, config, arguments, options_.launch);
    if (!result.isOk())
      return result.status();
    if (options_.observe)
      options_.observe(*result);
    if (result->reports.empty())
      return rt::Status::ok();
    std::string message = formatReport(result->reports.front());
    if (result->reports.size() > 1)
      message += "and " + std::to_string(result->reports.size() - 1) +
                 " more reports\n";
    rt::Status failure(rt::StatusCode::KernelFailed, std::move(message));
    if (!stream)
      return failure;
    static_cast<EmulatorStream *>(stream)->fail(std::move(failure));
    return rt::Status::ok();
  }

  bool hasTensorMaps() const override { return true; }
  rt::Status encodeTensorMap(const rt::TensorMap &given,
                             rt::EncodedTensorMap &encoded) override {
    TensorMap map;
    map.address = addressOf(given.address);
    map.rank = given.rank;
    map.swizzle = given.swizzle;
    std::copy(std::begin(given.dims), std::end(given.dims), map.dims.begin());
    std::copy(std::begin(given.strides), std::end(given.strides),
              map.strides.begin());
    std::copy(std::begin(given.box), std::end(given.box), map.box.begin());
    auto bytes = qcc::emu::encodeTensorMap(map);
    if (!bytes.isOk())
      return bytes.status();
    static_assert(sizeof(encoded.bytes) == TensorMap::bytes);
    std::copy(bytes->begin(), bytes->end(), encoded.bytes);
    return rt::Status::ok();
  }

  rt::Result<std::unique_ptr<rt::DeviceStream>> createStream() override {
    return std::unique_ptr<rt::DeviceStream>(new EmulatorStream());
  }
  rt::Result<std::unique_ptr<rt::DeviceEvent>> createEvent() override {
    return std::unique_ptr<rt::DeviceEvent>(new EmulatorEvent());
  }

private:
  static DeviceAddress addressOf(const void *memory) {
    return reinterpret_cast<DeviceAddress>(memory);
  }

  EmulatorDeviceOptions options_;
  Emulator emulator_;
};

} // namespace

std::unique_ptr<rt::Device>
createEmulatorDevice(EmulatorDeviceOptions options) {
  return std::make_unique<EmulatorDevice>(std::move(options));
}

} // namespace qcc::emu
