//===- Device.h - What runs kernels -----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between the runtime and a device: memory, code, launches,
// streams, events, and a report of what it is. The host CPU is the first
// implementation; an emulator or a GPU implements the same interface, so what
// is said here holds for all of them:
//
//   * Work handed to a stream runs in order. Without a stream (null) a call
//     returns when its work is done.
//   * Memory is bare pointers of the device, aligned to 64 bytes at least. Only
//     copies tell host and device memory apart.
//   * Nothing is released while work that uses it is under way.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_DEVICE_H
#define QCC_RUNTIME_DEVICE_H

#include "qcc/Runtime/Allocator.h"
#include "qcc/Runtime/Status.h"
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

struct Dim3 {
  int x = 1, y = 1, z = 1;
};

struct LaunchParams {
  const void *kernel = nullptr;
  Dim3 grid;
  Dim3 block;
  int64_t sharedBytes = 0;
  void *const *arguments = nullptr;
  int numArguments = 0;
};

enum class CopyDirection { HostToDevice, DeviceToHost, DeviceToDevice };

class Device {
public:
  virtual ~Device() = default;

  /// A short name such as "cpu".
  virtual std::string name() const = 0;
  /// What the device is and can do, in lines for a person.
  virtual std::string report() const = 0;

  /// `size` may be 0; the pointer is then null.
  virtual Result<void *> allocate(int64_t size) = 0;
  virtual Status deallocate(void *memory) = 0;
  virtual Status copy(void *destination, const void *source, int64_t size,
                      CopyDirection direction, DeviceStream *stream) = 0;

  virtual Result<std::unique_ptr<DeviceModule>> loadModule(const void *image,
                                                           int64_t size) = 0;
  virtual Status launch(const LaunchParams &params, DeviceStream *stream) = 0;

  virtual Result<std::unique_ptr<DeviceStream>> createStream() = 0;
  virtual Result<std::unique_ptr<DeviceEvent>> createEvent() = 0;
};

/// The host. A module image is a descriptor in memory, which must outlive the
/// module; its kernels are the steps of all entries, by name. A launch runs one
/// on grid.x threads of the pool; its only argument is the qcc_frame. Streams
/// run their work at once.
std::unique_ptr<Device>
createCpuDevice(std::shared_ptr<ThreadPool> pool,
                const Allocator &allocator = defaultAllocator());

} // namespace qcc::rt

#endif // QCC_RUNTIME_DEVICE_H
