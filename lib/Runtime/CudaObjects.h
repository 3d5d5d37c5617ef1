//===- CudaObjects.h - Contexts, streams, events and code of GPUs *- C++
//-*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The objects of the CUDA driver behind the classes of Device.h. Each keeps the
// primary context of its GPU.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_CUDAOBJECTS_H
#define QCC_LIB_RUNTIME_CUDAOBJECTS_H

#include "CudaDriver.h"
#include "qcc/Runtime/Device.h"

#include <atomic>
#include <deque>
#include <mutex>

namespace qcc::rt::cuda {

/// The primary context of a GPU, for as long as something uses it.
class PrimaryContext {
public:
  PrimaryContext(const Driver &driver, DeviceNumber number, Context *context)
      : driver(driver), context(context), number_(number) {}
  PrimaryContext(const PrimaryContext &) = delete;
  PrimaryContext &operator=(const PrimaryContext &) = delete;
  ~PrimaryContext() { driver.primaryRelease(number_); }

  /// Runs a function of the driver in the context.
  template <typename Fn> Status run(const char *what, Fn fn) const {
    Error error = driver.pushCurrent(context);
    if (error != kSuccess)
      return driver.toStatus(error, "the GPU's context cannot be used");
    error = fn();
    Context *popped = nullptr;
    driver.popCurrent(&popped);
    return driver.toStatus(error, what);
  }

  /// The same for functions that wait or allocate, which a capture of the
  /// caller's or of another thread forbids: they have nothing to do with the
  /// streams that are captured.
  template <typename Fn> Status runApart(const char *what, Fn fn) const {
    return run(what, [&] {
      int mode = kCaptureRelaxed;
      Error error = driver.exchangeCaptureMode(&mode);
      if (error != kSuccess)
        return error;
      error = fn();
      driver.exchangeCaptureMode(&mode);
      return error;
    });
  }

  const Driver &driver;
  Context *const context;

private:
  const DeviceNumber number_;
};

using ContextRef = std::shared_ptr<const PrimaryContext>;

class CudaStream : public DeviceStream {
public:
  CudaStream(ContextRef context, Stream *stream, bool isOwned)
      : stream(stream), context_(std::move(context)), isOwned_(isOwned) {}
  ~CudaStream() override {
    if (isOwned_)
      (void)context_
          ->runApart("", [&] { return context_->driver.streamDestroy(stream); })
          .isOk();
  }

  Status synchronize() override {
    return context_->runApart("waiting for the GPU failed", [&] {
      return context_->driver.streamSynchronize(stream);
    });
  }
  void *handle() const override { return stream; }
  Result<bool> isCapturing() override {
    int state = kNotCapturing;
    Status status = context_->run("the stream cannot be used", [&] {
      return context_->driver.isCapturing(stream, &state);
    });
    if (!status.isOk())
      return status;
    return state != kNotCapturing;
  }

  bool isPerThread() const override { return stream == kStreamPerThread; }

  Stream *const stream;

private:
  const ContextRef context_;
  const bool isOwned_;
};

/// The driver's stream; the default one for null.
inline Stream *streamOf(DeviceStream *stream) {
  return stream ? static_cast<CudaStream *>(stream)->stream : nullptr;
}

class CudaEvent : public DeviceEvent {
public:
  CudaEvent(ContextRef context, Event *event)
      : context_(std::move(context)), event_(event) {}
  ~CudaEvent() override {
    (void)context_
        ->runApart("", [&] { return context_->driver.eventDestroy(event_); })
        .isOk();
  }

  Status record(DeviceStream *stream) override {
    return context_->run("an event cannot be recorded", [&] {
      return context_->driver.eventRecord(event_, streamOf(stream));
    });
  }
  Status synchronize() override {
    return context_->runApart("waiting for the GPU failed", [&] {
      return context_->driver.eventSynchronize(event_);
    });
  }
  Result<int64_t> nanosecondsSince(const DeviceEvent &start) override {
    float milliseconds = 0;
    Status status = context_->runApart("a time cannot be measured", [&] {
      return context_->driver.eventElapsed(
          &milliseconds, static_cast<const CudaEvent &>(start).event_, event_);
    });
    if (!status.isOk())
      return status;
    return int64_t(double(milliseconds) * 1e6);
  }

private:
  const ContextRef context_;
  Event *const event_;
};

/// A kernel of a module. A handle for launch() points to one.
struct CudaKernel {
  explicit CudaKernel(Function *function) : function(function) {}

  Function *const function;
  /// Bytes of shared memory that launches may take without asking for more.
  std::atomic<int64_t> allowedSharedBytes = 48 << 10;
};

class CudaModule : public DeviceModule {
public:
  CudaModule(ContextRef context, Module *module)
      : context_(std::move(context)), module_(module) {}
  ~CudaModule() override {
    (void)context_
        ->runApart("", [&] { return context_->driver.moduleUnload(module_); })
        .isOk();
  }

  Result<const void *> kernel(std::string_view name) override {
    std::string text(name);
    Function *function = nullptr;
    Status status = context_->run("a kernel is missing", [&] {
      return context_->driver.moduleGetFunction(&function, module_,
                                                text.c_str());
    });
    if (!status.isOk())
      return status.withPrefix("'" + text + "': ");
    std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<const void *>(&kernels_.emplace_back(function));
  }

private:
  const ContextRef context_;
  Module *const module_;
  std::mutex mutex_;
  std::deque<CudaKernel> kernels_; ///< Addresses of elements stay.
};

class CudaGraph : public DeviceGraph {
public:
  CudaGraph(ContextRef context, GraphProgram *program)
      : context_(std::move(context)), program_(program) {}
  ~CudaGraph() override {
    (void)context_
        ->runApart(
            "", [&] { return context_->driver.graphProgramDestroy(program_); })
        .isOk();
  }

  Status launch(DeviceStream *stream) override {
    return context_->run("the launch of a graph failed", [&] {
      return context_->driver.graphLaunch(program_, streamOf(stream));
    });
  }

private:
  const ContextRef context_;
  GraphProgram *const program_;
};

} // namespace qcc::rt::cuda

#endif // QCC_LIB_RUNTIME_CUDAOBJECTS_H
