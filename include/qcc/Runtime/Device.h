//===- Device.h - Devices ---------------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between the runtime and a device: memory, code, launches,
// streams, events, and a report of what it is. The host CPU, NVIDIA GPUs and
// the emulator of PTX (qcc/Emulator/EmulatorDevice.h) implement it, and what is
// said here holds for all of them:
//
//   * Work handed to a stream runs in order. Without a stream (null) a call
//     returns when its work is done.
//   * Memory is bare pointers of the device, aligned to 64 bytes at least. Only
//     copies tell host and device memory apart.
//   * Nothing is released while work that uses it is under way.
//   * Any thread may call a device at any time.
//   * A kernel that fails is StatusCode::KernelFailed, of the launch or of what
//     waits for it.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_DEVICE_H
#define QCC_RUNTIME_DEVICE_H

#include "qcc/Artifact/ABI.h"
#include "qcc/Base/Status.h"
#include "qcc/Runtime/Allocator.h"
#include "qcc/Runtime/Tensor.h"
#include "qcc/Runtime/ThreadPool.h"

#include <memory>
#include <string>
#include <string_view>

namespace qcc::rt {

/// An in-order queue of work.
class DeviceStream {
public:
  virtual ~DeviceStream() = default;
  /// Waits for all work handed to the stream so far.
  virtual Status synchronize() = 0;
  /// What RunOptions::stream takes, such as a CUstream; null where callers have
  /// no streams of the device.
  virtual void *handle() const { return nullptr; }
  /// Whether a program records the work of its stream to repeat it later. Such
  /// work does not run, and nobody may wait for the stream.
  virtual Result<bool> isCapturing() { return false; }
  /// Whether each thread has a queue of its own behind this stream, as behind
  /// CU_STREAM_PER_THREAD.
  virtual bool isPerThread() const { return false; }
};

/// A point in a stream.
class DeviceEvent {
public:
  virtual ~DeviceEvent() = default;
  virtual Status record(DeviceStream *stream) = 0;
  virtual Status synchronize() = 0;
  /// The time from `start` to this event, both recorded on this device.
  virtual Result<int64_t> nanosecondsSince(const DeviceEvent &start) = 0;
};

/// Code that a device has loaded.
class DeviceModule {
public:
  virtual ~DeviceModule() = default;
  /// A handle for launch(), valid as long as the module.
  virtual Result<const void *> kernel(std::string_view name) = 0;
};

/// Launches that were recorded, to be repeated with the same arguments.
class DeviceGraph {
public:
  virtual ~DeviceGraph() = default;
  virtual Status launch(DeviceStream *stream) = 0;
};

struct Dim3 {
  int x = 1, y = 1, z = 1;
};

/// How a kernel sees memory that it copies in boxes; see qcc_tensor_map_desc.
struct TensorMap {
  void *address = nullptr;
  int rank = 1;
  int swizzle = 0;
  int64_t dims[QCC_MAX_TENSOR_MAP_RANK] = {};
  int64_t strides[QCC_MAX_TENSOR_MAP_RANK - 1] = {};
  int32_t box[QCC_MAX_TENSOR_MAP_RANK] = {};
};

/// The parameter of a kernel that a device makes of a tensor map.
struct alignas(64) EncodedTensorMap {
  unsigned char bytes[128];
};

struct LaunchParams {
  const void *kernel = nullptr;
  Dim3 grid;
  Dim3 block;
  int64_t sharedBytes = 0;
  void *const *arguments = nullptr;
  int numArguments = 0;
  /// Whether the kernel may start while kernels before it on the stream end; it
  /// waits for them itself.
  bool isProgrammatic = false;
};

enum class CopyDirection { HostToDevice, DeviceToHost, DeviceToDevice };

class Device {
public:
  virtual ~Device() = default;

  /// The name that it is asked for by: "cpu", "cuda:0", "emulator".
  virtual std::string name() const = 0;
  /// The variants of artifacts that it runs.
  virtual qcc_device_kind kind() const = 0;
  /// Where its memory is.
  virtual MemoryLocation location() const = 0;
  /// Of a GPU the latest architecture that it runs code of: 90 for sm_90.
  virtual int architecture() const { return 0; }
  /// Whether it runs code for one architecture alone: 90 for sm_90a.
  virtual bool runsExactly(int number) const {
    return number == architecture();
  }
  /// Whether it runs machine code that was made for an architecture.
  virtual bool runsMachineCode(int /*architecture*/) const { return false; }
  /// Bytes of shared memory that a block may have.
  virtual int64_t blockSharedBytes() const { return INT64_MAX; }
  /// What the device is and can do, in lines for a person.
  virtual std::string report() const = 0;

  /// `size` may be 0; the pointer is then null.
  virtual Result<void *> allocate(int64_t size) = 0;
  virtual Status deallocate(void *memory) = 0;
  virtual Status copy(void *destination, const void *source, int64_t size,
                      CopyDirection direction, DeviceStream *stream) = 0;
  /// Success while the device answers and does work for this process.
  virtual Status checkHealth() { return Status::ok(); }
  /// Fails where `memory`, which callers say is the device's, is not.
  virtual Status checkMemory(const void *memory, int64_t size) = 0;

  virtual Result<std::unique_ptr<DeviceModule>> loadModule(const void *image,
                                                           int64_t size) = 0;
  virtual Status launch(const LaunchParams &params, DeviceStream *stream) = 0;
  /// Whether kernels may have tensor maps as parameters.
  virtual bool hasTensorMaps() const { return false; }
  /// Fails for a map that the device does not copy by: an address or a stride
  /// that is no multiple of 16, a box that is too large.
  virtual Status encodeTensorMap(const TensorMap &, EncodedTensorMap &) {
    return unsupported("device " + name() + " has no tensor maps");
  }

  virtual Result<std::unique_ptr<DeviceStream>> createStream() = 0;
  /// A stream of the caller's, by the handle that the device's own interface
  /// gives it, such as a CUstream.
  virtual Result<std::unique_ptr<DeviceStream>> borrowStream(void *handle) {
    return unsupported("device " + name() +
                       " has no streams of other programs; give none");
  }
  virtual Result<std::unique_ptr<DeviceEvent>> createEvent() = 0;

  /// Whether launches can be recorded.
  virtual bool hasGraphs() const { return false; }
  /// What this thread launches on the stream from here on is recorded and not
  /// run, until endGraph(), which has to follow.
  virtual Status beginGraph(DeviceStream *) {
    return unsupported("device " + name() + " records no launches");
  }
  virtual Result<std::unique_ptr<DeviceGraph>> endGraph(DeviceStream *) {
    return unsupported("device " + name() + " records no launches");
  }
};

/// The host. A module image is a descriptor in memory, which must outlive the
/// module; its kernels are the steps of all entries, by name. A launch runs one
/// on grid.x threads of the pool; its only argument is the qcc_frame. Streams
/// run their work at once.
std::unique_ptr<Device>
createCpuDevice(std::shared_ptr<ThreadPool> pool,
                const Allocator &allocator = defaultAllocator());

/// A GPU by its number, through the driver of the machine, libcuda.so.1, which
/// is opened when the first device is. Memory, streams and modules are those of
/// the GPU's primary context, which PyTorch and others use as well.
Result<std::shared_ptr<Device>> openCudaDevice(int number);

/// How many GPUs the driver has; a failure says why there is no driver.
Result<int> countCudaDevices();

/// The device of a name: null for "cpu"; "cuda" and "cuda:N" are GPUs.
Result<std::shared_ptr<Device>> openDevice(const std::string &name);

} // namespace qcc::rt

#endif // QCC_RUNTIME_DEVICE_H
