//===- DeviceRun.h - Running an entry on a device ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a context has on the device of its module: temporaries, copies of
// tensors that kernels cannot read where they are, a stream, events. A run is
// begin(), a launch() of each step in order, and finish(), or abandon() where
// the run ends early. Once shapes have been run, nothing is allocated but what
// the driver does.
//
// Where the caller captures its stream, the run is recorded and not done: its
// steps are launched one by one, nothing waits, and nothing is allocated.
// Graphs of the caller use the temporaries of the context for as long as it
// lives, so from then on memory that is outgrown is kept.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_DEVICERUN_H
#define QCC_LIB_RUNTIME_DEVICERUN_H

#include "DeviceProgram.h"
#include "qcc/Runtime/Context.h"

#include <thread>

namespace qcc::rt {

class DeviceRun {
public:
  DeviceRun(const Module &module, const Entry &entry, const LogHook &log);
  /// Waits for work that is under way.
  ~DeviceRun();

  /// What a run is made of.
  struct Request {
    const Tensor *inputs, *outputs;
    int64_t arenaBytes; ///< Of temporaries.
    void *stream;       ///< The caller's, or null.
    bool waits;         ///< Until it is over, also where there is a stream.
    bool looksAtSteps;  ///< Steps are observed or measured.
  };

  /// Loads the program, makes place for temporaries and copies inputs.
  Status begin(const Request &request);
  /// Whether the run at hand is recorded by the caller.
  bool isCaptured() const { return isCaptured_; }
  /// Whether a step does anything, by its number of blocks.
  static bool runs(const Step &step, const int64_t *values);
  Status launch(const Step &step, size_t number, const int64_t *values);
  /// All steps. Launches that were made before with the same arguments are
  /// recorded, and from then on repeated at once where the device can do so.
  Status launchAll(const int64_t *values);
  /// Waits for all launches so far.
  Status synchronize() { return stream_->synchronize(); }
  /// Copies results. Waits, unless the caller has a stream, does not want to
  /// wait, and all tensors are on the device.
  Status finish(const Tensor *outputs);
  void abandon();

  /// Each step of the run has its time measured.
  Status startClock();
  /// The times of a run that is over.
  Status readClock(std::vector<int64_t> &nanoseconds);

  /// Copies `bytes` bytes of an operand to memory of the host, while no work is
  /// under way.
  Status fetch(const OperandInfo &operand, const int64_t *values, int64_t bytes,
               AlignedBuffer &to) const;

private:
  /// An argument or a result, as kernels see it.
  struct BoundTensor {
    explicit BoundTensor(std::shared_ptr<Device> device)
        : copy(std::move(device)) {}

    DeviceBuffer copy;
    char *address = nullptr;
    bool isCopied = false;
  };

  /// Launches that were made, and their graph once they are made again.
  struct GraphOfLaunches {
    /// What the arguments of all launches depend on: sizes and addresses.
    std::vector<int64_t> key;
    std::unique_ptr<DeviceGraph> graph;
    bool isRefused = false; ///< The driver does not record them.
  };

  Status prepare();
  Status takeStream(void *handle);
  Status checkCapture(const Request &request) const;
  Status chooseStream(void *handle);
  Status bind(const Tensor &tensor, BoundTensor &bound, const char *role,
              size_t position);
  Status waitForLast();
  Status grow(DeviceBuffer &buffer, int64_t size);
  Status copy(void *to, const void *from, int64_t bytes, bool isToDevice,
              const MemoryLocation &other);
  Status launchSteps(const int64_t *values);
  void fillKey(const int64_t *values);
  Result<bool> findGraph();
  Status record(GraphOfLaunches &to, const int64_t *values);
  char *addressOf(const OperandInfo &operand, const int64_t *values) const;
  Status encode(const TensorMapInfo &info, const Step &step,
                const int64_t *values, EncodedTensorMap &map);

  DeviceProgram &program_;
  Device &device_;
  const Entry &entry_;
  const LogHook log_;

  bool isPrepared_ = false;
  std::vector<const void *> kernels_;  ///< of each step
  std::vector<int64_t> parameters_;    ///< of the launch at hand
  std::vector<EncodedTensorMap> maps_; ///< of the launch at hand
  std::vector<void *> pointers_;       ///< to each of them
  std::unique_ptr<DeviceStream> ownStream_, callersStream_;
  void *callersHandle_ = nullptr;
  DeviceStream *stream_ = nullptr; ///< of the run at hand
  void *handle_ = nullptr;         ///< Its handle; null of the context's own.
  bool hasWork_ = false;           ///< The run at hand may have.
  bool isCaptured_ = false;        ///< The run at hand.
  bool wasCaptured_ = false;       ///< Some run.
  std::unique_ptr<DeviceEvent> end_;
  void *endHandle_ = nullptr; ///< Of the stream that end_ was recorded in.
  std::thread::id endThread_; ///< The thread that recorded end_.
  bool isUnderWay_ = false;   ///< Work before end_ may be.
  bool mustWait_ = false;     ///< for copies of the host's memory
  DeviceBuffer arena_;
  std::vector<DeviceBuffer> outgrown_; ///< Which captured runs may use.
  std::vector<BoundTensor> tensors_;   ///< arguments, then results
  std::vector<std::unique_ptr<DeviceEvent>> clock_;
  bool isTimed_ = false; ///< The run at hand.

  std::vector<int64_t> key_; ///< Of the run at hand.
  /// Of the last runs whose keys differ, the last one first.
  std::vector<GraphOfLaunches> graphs_;
};

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_DEVICERUN_H
