//===- CpuDevice.cpp - The host as a device -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is the host's, a kernel is a step function, a stream is always idle.
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/Device.h"

#include "FloatEnvironment.h"
#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Runtime/Module.h"

#include <chrono>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace qcc::rt {
namespace {

class CpuStream : public DeviceStream {
public:
  Status synchronize() override { return Status::ok(); }
};

class CpuEvent : public DeviceEvent {
public:
  using Clock = std::chrono::steady_clock;

  Status record(DeviceStream *) override {
    recorded_ = true;
    time_ = Clock::now();
    return Status::ok();
  }
  Status synchronize() override { return Status::ok(); }
  Result<int64_t> nanosecondsSince(const DeviceEvent &start) override {
    const auto &other = static_cast<const CpuEvent &>(start);
    if (!recorded_ || !other.recorded_)
      return invalidArgument("an event was not recorded");
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time_ -
                                                                other.time_)
        .count();
  }

private:
  bool recorded_ = false;
  Clock::time_point time_;
};

class CpuModule : public DeviceModule {
public:
  explicit CpuModule(std::shared_ptr<const Module> module)
      : module_(std::move(module)) {}

  Result<const void *> kernel(std::string_view name) override {
    for (const Entry &entry : module_->entries())
      for (const Step &step : entry.steps)
        if (step.name == name)
          return static_cast<const void *>(&step);
    return notFound("the module has no kernel '" + std::string(name) + "'");
  }

private:
  std::shared_ptr<const Module> module_;
};

class CpuDevice : public Device {
public:
  CpuDevice(std::shared_ptr<ThreadPool> pool, const Allocator &allocator)
      : pool_(std::move(pool)), allocator_(allocator) {}

  std::string name() const override { return "cpu"; }
  qcc_device_kind kind() const override { return QCC_DEVICE_CPU; }
  MemoryLocation location() const override { return {}; }

  std::string report() const override {
    HostInfo info = hostInfo();
    std::string text = info.brand + "\n" + std::to_string(info.cpus) +
                       " CPUs, L1d " + std::to_string(info.l1d >> 10) +
                       " KiB, L2 " + std::to_string(info.l2 >> 10) +
                       " KiB, L3 " + std::to_string(info.l3 >> 10) +
                       " KiB\nfeatures:";
    for (const std::string &feature : HostFeatures::host().names())
      text += " " + feature;
    return text + "\n";
  }

  Result<void *> allocate(int64_t size) override {
    if (size < 0)
      return invalidArgument("an allocation of negative size");
    AlignedBuffer buffer(allocator_);
    Status status = buffer.reserve(size);
    if (!status.isOk())
      return status;
    void *memory = buffer.data();
    if (memory) {
      std::lock_guard<std::mutex> lock(mutex_);
      buffers_.emplace(memory, std::move(buffer));
    }
    return memory;
  }

  Status deallocate(void *memory) override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (memory && buffers_.erase(memory) == 0)
      return invalidArgument("memory that this device did not allocate, or has "
                             "released already");
    return Status::ok();
  }

  Status copy(void *destination, const void *source, int64_t size,
              CopyDirection, DeviceStream *) override {
    if (size < 0 || (size > 0 && (!destination || !source)))
      return invalidArgument("a copy of negative size or without memory");
    if (size > 0)
      memmove(destination, source, size);
    return Status::ok();
  }

  Status checkMemory(const void *, int64_t) override { return Status::ok(); }

  Result<std::unique_ptr<DeviceModule>> loadModule(const void *image,
                                                   int64_t size) override {
    if (size < int64_t(sizeof(qcc_descriptor)))
      return corrupt("the module image is smaller than a descriptor");
    Result<std::shared_ptr<const Module>> module =
        Module::create(static_cast<const qcc_descriptor *>(image), nullptr);
    if (!module.isOk())
      return module.status();
    return std::unique_ptr<DeviceModule>(new CpuModule(std::move(*module)));
  }

  Status launch(const LaunchParams &params, DeviceStream *) override {
    if (!params.kernel || params.numArguments != 1 || !params.arguments ||
        !params.arguments[0])
      return invalidArgument("a launch on the CPU needs a kernel and one "
                             "argument, its frame");
    const auto &step = *static_cast<const Step *>(params.kernel);
    const auto *frame = static_cast<const qcc_frame *>(params.arguments[0]);
    int threads = step.parallel ? params.grid.x : 1;
    if (threads < 1 || threads > pool_->size())
      return invalidArgument("a launch on " + std::to_string(threads) +
                             " threads of a pool of " +
                             std::to_string(pool_->size()));
    pool_->run(threads, [&](int part, int) {
      FloatEnvironment environment;
      step.function(frame, part, threads);
    });
    return Status::ok();
  }

  Result<std::unique_ptr<DeviceStream>> createStream() override {
    return std::unique_ptr<DeviceStream>(new CpuStream());
  }
  Result<std::unique_ptr<DeviceEvent>> createEvent() override {
    return std::unique_ptr<DeviceEvent>(new CpuEvent());
  }

private:
  std::shared_ptr<ThreadPool> pool_;
  Allocator allocator_;
  std::mutex mutex_;
  std::unordered_map<void *, AlignedBuffer> buffers_;
};

} // namespace

std::unique_ptr<Device> createCpuDevice(std::shared_ptr<ThreadPool> pool,
                                        const Allocator &allocator) {
  return std::make_unique<CpuDevice>(std::move(pool), allocator);
}

} // namespace qcc::rt
