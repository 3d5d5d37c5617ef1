//===- CudaDevice.cpp - NVIDIA GPUs as devices ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each call makes the primary context of the GPU current for its duration, so
// that callers may be any threads and have contexts of their own.
//
//===----------------------------------------------------------------------===//

#include "CudaObjects.h"
#include "qcc/Runtime/Device.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>

namespace qcc::rt {
namespace {

using namespace cuda;

/// Memory of the GPU that callers handed over lately, so that the driver is
/// asked once for each. What a caller frees stays known: its addresses are
/// never those of the host.
class KnownMemory {
public:
  bool has(Pointer first, Pointer last) {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range &range) {
      return range.first <= first && last <= range.last;
    });
  }
  void add(Pointer first, Pointer last) {
    std::lock_guard<std::mutex> lock(mutex_);
    ranges_[next_++ % ranges_.size()] = {first, last};
  }
  /// Memory that the device itself frees.
  void remove(Pointer address) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (Range &range : ranges_)
      if (range.first <= address && address <= range.last)
        range = Range();
  }

private:
  struct Range {
    Pointer first = 1, last = 0; ///< Both are in it; none is.
  };
  std::mutex mutex_;
  std::array<Range, 64> ranges_;
  size_t next_ = 0;
};

class CudaDevice : public Device {
public:
  CudaDevice(ContextRef context, int number, int architecture,
             int maxSharedBytes, std::string description)
      : context_(std::move(context)), driver_(context_->driver),
        number_(number), architecture_(architecture),
        maxSharedBytes_(maxSharedBytes), description_(std::move(description)) {}

  std::string name() const override {
    return "cuda:" + std::to_string(number_);
  }
  qcc_device_kind kind() const override { return QCC_DEVICE_CUDA; }
  MemoryLocation location() const override { return {2, number_}; }
  int architecture() const override { return architecture_; }
  /// Machine code runs on later chips of its generation.
  bool runsMachineCode(int architecture) const override {
    return architecture / 10 == architecture_ / 10 &&
           architecture <= architecture_;
  }
  int64_t blockSharedBytes() const override { return maxSharedBytes_; }
  std::string report() const override { return description_ + "\n"; }

  Result<void *> allocate(int64_t size) override {
    if (size < 0)
      return invalidArgument("an allocation of negative size");
    Pointer pointer = 0;
    Status status;
    if (size > 0)
      status = context_->runApart("memory of the GPU cannot be allocated", [&] {
        return driver_.memAlloc(&pointer, size);
      });
    if (!status.isOk())
      return status.withPrefix(std::to_string(size) + " bytes: ");
    return reinterpret_cast<void *>(pointer);
  }

  Status deallocate(void *memory) override {
    if (!memory)
      return Status::ok();
    known_.remove(addressOf(memory));
    return context_->runApart("memory of the GPU cannot be freed", [&] {
      return driver_.memFree(addressOf(memory));
    });
  }

  Status copy(void *destination, const void *source, int64_t size,
              CopyDirection direction, DeviceStream *stream) override {
    if (size == 0)
      return Status::ok();
    Stream *queue = streamOf(stream);
    return context_->run("a copy failed", [&] {
      Error error = kSuccess;
      if (direction == CopyDirection::HostToDevice)
        error =
            driver_.copyToDevice(addressOf(destination), source, size, queue);
      else if (direction == CopyDirection::DeviceToHost)
        error = driver_.copyToHost(destination, addressOf(source), size, queue);
      else
        error = driver_.copyOnDevice(addressOf(destination), addressOf(source),
                                     size, queue);
      return error != kSuccess || stream ? error
                                         : driver_.streamSynchronize(queue);
    });
  }

  Status checkHealth() override {
    size_t available = 0, total = 0;
    return context_->run("the GPU does not answer", [&] {
      return driver_.memGetInfo(&available, &total);
    });
  }
  Status checkMemory(const void *memory, int64_t size) override;
  Result<std::unique_ptr<DeviceModule>> loadModule(const void *image,
                                                   int64_t size) override;
  Status launch(const LaunchParams &params, DeviceStream *stream) override;
  bool hasTensorMaps() const override { return driver_.encodeTensorMap; }
  Status encodeTensorMap(const TensorMap &map,
                         EncodedTensorMap &encoded) override;

  Result<std::unique_ptr<DeviceStream>> createStream() override {
    constexpr unsigned nonBlocking = 1; // does not wait for the default stream
    Stream *stream = nullptr;
    Status status = context_->runApart("a stream cannot be created", [&] {
      return driver_.streamCreate(&stream, nonBlocking);
    });
    if (!status.isOk())
      return status;
    return std::unique_ptr<DeviceStream>(
        new CudaStream(context_, stream, /*isOwned=*/true));
  }

  Result<std::unique_ptr<DeviceStream>> borrowStream(void *handle) override;

  Result<std::unique_ptr<DeviceEvent>> createEvent() override {
    Event *event = nullptr;
    Status status = context_->runApart("an event cannot be created", [&] {
      return driver_.eventCreate(&event, 0);
    });
    if (!status.isOk())
      return status;
    return std::unique_ptr<DeviceEvent>(new CudaEvent(context_, event));
  }

  bool hasGraphs() const override { return true; }
  Status beginGraph(DeviceStream *stream) override {
    // Other threads may call the driver meanwhile as they like.
    constexpr int ofThisThread = 1;
    return context_->run("launches cannot be recorded", [&] {
      return driver_.beginCapture(streamOf(stream), ofThisThread);
    });
  }
  Result<std::unique_ptr<DeviceGraph>> endGraph(DeviceStream *stream) override;

private:
  Result<bool> hasAddress(Pointer address) const;
  Error start(Function *function, const LaunchParams &params,
              Stream *stream) const;
  static Pointer addressOf(const void *memory) {
    return reinterpret_cast<Pointer>(memory);
  }

  const ContextRef context_;
  const Driver &driver_;
  const int number_, architecture_;
  const int maxSharedBytes_; ///< Of a block that asks for them.
  const std::string description_;
  KnownMemory known_;
};

} // namespace

/// Whether an address is one of the GPU's memory; a failure if a kernel has
/// failed before. Allocations are not asked for: memory that is mapped in
/// parts, as PyTorch's may be, belongs to several.
Result<bool> CudaDevice::hasAddress(Pointer address) const {
  unsigned type = 0;
  int owner = -1;
  Status status = context_->run("an address cannot be looked up", [&] {
    Error error =
        driver_.pointerGetAttribute(&type, kPointerMemoryType, address);
    return error != kSuccess
               ? error
               : driver_.pointerGetAttribute(&owner, kPointerDevice, address);
  });
  if (status.code() == StatusCode::KernelFailed)
    return status;
  return status.isOk() && owner == number_ &&
         (type == kMemoryOfDevice || type == kMemoryUnified);
}

Status CudaDevice::checkMemory(const void *memory, int64_t size) {
  if (size == 0)
    return Status::ok();
  Pointer first = addressOf(memory), last = first + size - 1;
  if (known_.has(first, last))
    return Status::ok();
  Result<bool> begins = hasAddress(first);
  if (!begins.isOk())
    return begins.status();
  if (!*begins)
    return invalidArgument(
        "is said to be on " + name() +
        ", but its pointer is not to memory of the device; hand over what the "
        "device's allocator gave, or say where the memory is");
  Result<bool> ends = hasAddress(last);
  if (!ends.isOk())
    return ends.status();
  if (!*ends)
    return invalidArgument("has " + std::to_string(size) +
                           " bytes, but the memory of its pointer ends before; "
                           "hand over all of it");
  known_.add(first, last);
  return Status::ok();
}

Result<std::unique_ptr<DeviceModule>> CudaDevice::loadModule(const void *image,
                                                             int64_t) {
  constexpr size_t logBytes = 8192;
  std::string log(logBytes, '\0');
  const int options[] = {kErrorLog, kErrorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(logBytes)};
  cuda::Module *module = nullptr;
  auto what = "the driver cannot load the kernels";
  Status status = context_->runApart(what, [&] {
    return driver_.moduleLoad(&module, image, 2, options, values);
  });
  log.resize(log.find_first_of('\0'));
  if (!status.isOk())
    return Status(status.code(),
                  status.message() +
                      (log.empty() ? "" : "; the driver's log:\n" + log));
  return std::unique_ptr<DeviceModule>(new CudaModule(context_, module));
}

Error CudaDevice::start(Function *function, const LaunchParams &params,
                        Stream *stream) const {
  auto **arguments = const_cast<void **>(params.arguments);
  if (!params.isProgrammatic || !driver_.hasProgrammaticLaunch)
    return driver_.launchKernel(function, params.grid.x, params.grid.y,
                                params.grid.z, params.block.x, params.block.y,
                                params.block.z, unsigned(params.sharedBytes),
                                stream, arguments, nullptr);
  LaunchAttribute programmatic = {kProgrammaticSerialization, 0, 1, {}};
  LaunchConfig config = {unsigned(params.grid.x),
                         unsigned(params.grid.y),
                         unsigned(params.grid.z),
                         unsigned(params.block.x),
                         unsigned(params.block.y),
                         unsigned(params.block.z),
                         unsigned(params.sharedBytes),
                         stream,
                         &programmatic,
                         1};
  return driver_.launchKernelEx(&config, function, arguments, nullptr);
}

Status CudaDevice::launch(const LaunchParams &params, DeviceStream *stream) {
  auto *kernel = static_cast<CudaKernel *>(const_cast<void *>(params.kernel));
  if (params.sharedBytes < 0 || params.sharedBytes > maxSharedBytes_)
    return unsupported("the kernel takes " +
                       std::to_string(params.sharedBytes) +
                       " bytes of shared memory, but a block of " + name() +
                       " has " + std::to_string(maxSharedBytes_) +
                       "; compile for a chip that has no more");
  return context_->run("the launch of a kernel failed", [&] {
    Error error = kSuccess;
    if (params.sharedBytes > kernel->allowedSharedBytes) {
      error = driver_.setAttribute(kernel->function, kMaxDynamicShared,
                                   int(params.sharedBytes));
      if (error == kSuccess)
        kernel->allowedSharedBytes = params.sharedBytes;
    }
    if (error == kSuccess)
      error = start(kernel->function, params, streamOf(stream));
    return error != kSuccess || stream ? error
                                       : driver_.streamSynchronize(nullptr);
  });
}

Status CudaDevice::encodeTensorMap(const TensorMap &map,
                                   EncodedTensorMap &encoded) {
  const auto *swizzle =
      std::find(std::begin(kSwizzles), std::end(kSwizzles), map.swizzle);
  if (!hasTensorMaps() || swizzle == std::end(kSwizzles))
    return unsupported("the driver makes no such tensor map; update it");
  uint64_t dims[QCC_MAX_TENSOR_MAP_RANK], strides[QCC_MAX_TENSOR_MAP_RANK - 1];
  unsigned box[QCC_MAX_TENSOR_MAP_RANK], steps[QCC_MAX_TENSOR_MAP_RANK];
  std::copy(std::begin(map.dims), std::end(map.dims), dims);
  std::copy(std::begin(map.strides), std::end(map.strides), strides);
  std::copy(std::begin(map.box), std::end(map.box), box);
  std::fill(std::begin(steps), std::end(steps), 1);
  return context_->run("the driver refuses a tensor map", [&] {
    return driver_.encodeTensorMap(
        encoded.bytes, kMapOfBytes, unsigned(map.rank), map.address, dims,
        strides, box, steps, kNotInterleaved,
        int(swizzle - std::begin(kSwizzles)), kPromoteTo256, kOutsideZeros);
  });
}

Result<std::unique_ptr<DeviceStream>> CudaDevice::borrowStream(void *handle) {
  auto *stream = static_cast<Stream *>(handle);
  cuda::Context *owner = nullptr;
  Status status = context_->run("the stream cannot be used", [&] {
    return driver_.streamGetContext(stream, &owner);
  });
  if (!status.isOk())
    return status;
  if (owner != context_->context)
    return invalidArgument("the stream is not of the primary context of " +
                           name() + "; create it there");
  return std::unique_ptr<DeviceStream>(
      new CudaStream(context_, stream, /*isOwned=*/false));
}

Result<std::unique_ptr<DeviceGraph>>
CudaDevice::endGraph(DeviceStream *stream) {
  GraphProgram *program = nullptr;
  Status status = context_->runApart("launches cannot be recorded", [&] {
    Graph *graph = nullptr;
    Error error = driver_.endCapture(streamOf(stream), &graph);
    if (error == kSuccess)
      error = driver_.graphInstantiate(&program, graph, 0);
    if (graph)
      driver_.graphDestroy(graph);
    return error;
  });
  if (!status.isOk())
    return status;
  return std::unique_ptr<DeviceGraph>(new CudaGraph(context_, program));
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

Result<int> countCudaDevices() {
  Result<const Driver *> driver = Driver::open();
  if (!driver.isOk())
    return driver.status();
  int count = 0;
  Error error = (*driver)->deviceGetCount(&count);
  if (error != kSuccess)
    return (*driver)->toStatus(error, "GPUs cannot be counted");
  return count;
}

/// "NVIDIA H100 (sm_90), 132 multiprocessors, 79.1 GiB"
static Result<std::string> describe(const Driver &driver, DeviceNumber device,
                                    int architecture) {
  char name[256] = "";
  size_t memory = 0;
  int multiprocessors = 0;
  Error error = driver.deviceGetName(name, sizeof(name) - 1, device);
  if (error == kSuccess)
    error = driver.deviceTotalMem(&memory, device);
  if (error == kSuccess)
    error =
        driver.deviceGetAttribute(&multiprocessors, kMultiprocessors, device);
  if (error != kSuccess)
    return driver.toStatus(error, "the GPU does not say what it is");
  return std::string(name) + " (sm_" + std::to_string(architecture) + "), " +
         std::to_string(multiprocessors) + " multiprocessors, " +
         std::to_string(memory >> 20) + " MiB";
}

Result<std::shared_ptr<Device>> openCudaDevice(int number) {
  Result<int> count = countCudaDevices();
  if (!count.isOk())
    return count.status();
  if (number < 0 || number >= *count)
    return notFound("there is no GPU " + std::to_string(number) +
                    "; the driver has " + std::to_string(*count) +
                    ", counted from 0");
  const Driver &driver = **Driver::open();
  DeviceNumber device = 0;
  int major = 0, minor = 0, maxShared = 0;
  cuda::Context *context = nullptr;
  Error error = driver.deviceGet(&device, number);
  if (error == kSuccess)
    error = driver.deviceGetAttribute(&major, kMajor, device);
  if (error == kSuccess)
    error = driver.deviceGetAttribute(&minor, kMinor, device);
  if (error == kSuccess)
    error = driver.deviceGetAttribute(&maxShared, kMaxSharedOfBlock, device);
  if (error != kSuccess)
    return driver.toStatus(error, "GPU " + std::to_string(number));
  Result<std::string> description =
      describe(driver, device, 10 * major + minor);
  if (!description.isOk())
    return description.status();
  error = driver.primaryRetain(&context, device);
  if (error != kSuccess)
    return driver.toStatus(error,
                           "GPU " + std::to_string(number) + " cannot be used");
  auto primary =
      std::make_shared<const PrimaryContext>(driver, device, context);
  return std::shared_ptr<Device>(std::make_shared<CudaDevice>(
      primary, number, 10 * major + minor, maxShared, *std::move(description)));
}

Result<std::shared_ptr<Device>> openDevice(const std::string &name) {
  if (name == "cpu")
    return std::shared_ptr<Device>();
  int number = 0;
  std::string digits = name.substr(0, 5) == "cuda:" ? name.substr(5) : "";
  const char *end = digits.data() + digits.size();
  auto read = std::from_chars(digits.data(), end, number);
  bool isNumber = !digits.empty() && read.ec == std::errc() && read.ptr == end;
  if (name != "cuda" && !isNumber)
    return invalidArgument("there is no device '" + name +
                           "'; use cpu, cuda or cuda:N");
  return openCudaDevice(number);
}

} // namespace qcc::rt
