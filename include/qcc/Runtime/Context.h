//===- Context.h - Running an entry of a module -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Context owns what a run needs besides the program: the values table, the
// arena of temporaries, scratch and, unless it is handed over, a thread pool.
// It belongs to one caller at a time; any number of contexts of one module run
// at once. Once a shape has been run, running it again allocates nothing.
//
// How a run goes: the shapes of the inputs give the symbols; the plan function
// derives all other sizes from them, or refuses; inputs and outputs are
// checked; the threads go through the steps, which are phases of a run of the
// pool. Between steps the run can be cancelled.
//
// Of a program on a device the context has the temporaries there. Tensors may
// be in memory of the host, which is copied, or of the device.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_CONTEXT_H
#define QCC_RUNTIME_CONTEXT_H

#include "qcc/Runtime/Allocator.h"
#include "qcc/Runtime/Module.h"
#include "qcc/Runtime/Tensor.h"
#include "qcc/Runtime/ThreadPool.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace qcc::rt {

/// Threads that the host application owns. `parallelFor` calls
/// body(bodyContext, thread) for each thread in [0, threads), at once or in any
/// order, and returns when all have returned. It is called once per step: a
/// barrier inside of a foreign parallel loop could wait for ever.
struct HostThreads {
  void (*parallelFor)(void *context, int threads,
                      void (*body)(void *bodyContext, int thread),
                      void *bodyContext) = nullptr;
  void *context = nullptr;
};

/// A function that gets a line of text whenever the context does something that
/// costs time: planning, growing.
struct LogHook {
  void (*log)(void *context, const char *message) = nullptr;
  void *context = nullptr;
};

class Context;
class DeviceRun;

/// Called after each step that did not fail, by one thread while no other is
/// in a step: the values of the program can be looked at, by
/// Context::operandTensor.
struct StepObserver {
  void (*afterStep)(void *context, const Context &run, size_t step) = nullptr;
  void *context = nullptr;
};

struct ContextOptions {
  /// 0: as many as the pool has, or one for each CPU. Runs with so little work
  /// that waking threads takes longer are done by the calling thread.
  int threads = 0;
  /// Shared with other contexts, whose runs then follow one another; null: that
  /// of the process (ThreadPool::getDefault), or with a number of threads, the
  /// context's own.
  std::shared_ptr<ThreadPool> pool;
  HostThreads hostThreads;
  Allocator allocator = defaultAllocator();
  /// Runs end early once this is true; see RunOptions.
  const std::atomic<bool> *cancel = nullptr;
  LogHook log;
  /// Measure the time of each step, without that of the observer.
  bool profile = false;
  StepObserver observer;
};

/// When a thread computed its parts of a step, in nanoseconds from the start of
/// the run; both are 0 if it had none.
struct StepSpan {
  int64_t start = 0, end = 0;
};

/// What holds for one run. Where it can end early, long steps are done in
/// parts, and a run ends before its next part or step.
struct RunOptions {
  /// The run ends once this is true.
  const std::atomic<bool> *cancel = nullptr;
  /// The run ends once it takes longer; 0: never.
  int64_t timeoutNanoseconds = 0;
  /// The caller's stream of the device, such as a CUstream: the run follows
  /// what the stream has, and where all tensors are in memory of the device it
  /// may return before its end. A kernel that fails then makes a later call
  /// fail.
  void *stream = nullptr;
  /// Measure the time of each step, as the option of the context does for all
  /// runs.
  bool profile = false;
  /// Of this run, in place of the context's. On a device, a run that is
  /// observed waits after each step.
  StepObserver observer;
  /// Return at the end of the run also where there is a stream.
  bool waits = false;
};

/// A tensor with its memory.
struct OwnedTensor {
  std::shared_ptr<Device> device; ///< What has the memory; null for the host.
  AlignedBuffer buffer;
  Tensor tensor;
};

class Context {
public:
  /// `entry`: a name, or empty for the only entry or "main".
  static Result<std::unique_ptr<Context>>
  create(std::shared_ptr<const Module> module, std::string_view entry,
         const ContextOptions &options = ContextOptions());
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  ~Context();

  const Module &module() const { return *module_; }
  const Entry &entry() const { return entry_; }
  int threads() const { return threads_; }

  /// Evaluates all sizes for these dynamic dimensions.
  Status plan(const std::vector<int64_t> &symbols);

  /// The shapes of the results for inputs of these types and shapes; their data
  /// is not looked at.
  Result<std::vector<Shape>> resultShapes(const std::vector<Tensor> &inputs) {
    return resultShapes(inputs.data(), inputs.size());
  }
  Result<std::vector<Shape>> resultShapes(const Tensor *inputs,
                                          size_t numInputs);

  /// Allocates memory for the results: on the device of the program if all
  /// inputs are there, otherwise by the allocator of the options.
  Result<std::vector<OwnedTensor>>
  allocateResults(const std::vector<Tensor> &inputs) {
    return allocateResults(inputs.data(), inputs.size());
  }
  Result<std::vector<OwnedTensor>> allocateResults(const Tensor *inputs,
                                                   size_t numInputs);

  /// The outputs are the caller's memory, of the result shapes. An output may
  /// be the very memory of an input where the entry says so (`inPlace`), and
  /// overlaps nothing else.
  Status run(const std::vector<Tensor> &inputs,
             const std::vector<Tensor> &outputs,
             const RunOptions &options = RunOptions()) {
    return run(inputs.data(), inputs.size(), outputs.data(), outputs.size(),
               options);
  }
  Status run(const Tensor *inputs, size_t numInputs, const Tensor *outputs,
             size_t numOutputs, const RunOptions &options = RunOptions());

  /// The values table for the shapes that were planned last.
  const std::vector<int64_t> &values() const { return values_; }
  int64_t arenaBytes() const { return arenaBytes_; }
  int64_t scratchBytes() const { return scratchStride_ * threads_; }

  /// A tensor that a step reads or writes, as the program has it. It may be
  /// asked for by a StepObserver while the observer is called: later steps use
  /// the memory of temporaries again. Rows that do not follow one another,
  /// bytes that are stored shifted, and values inside of a border are copied to
  /// `copy`, as is what a device holds.
  Result<Tensor> operandTensor(const OperandInfo &operand,
                               AlignedBuffer &copy) const;

  /// The time that each step of the last run took, if the options of the run or
  /// of the context asked for it; empty if none has so far.
  const std::vector<int64_t> &stepNanoseconds() const {
    return stepNanoseconds_;
  }
  /// When each thread was in each step of the last run whose steps were
  /// measured: that of step i and thread t at i * threads() + t. Steps of a
  /// device have none.
  const std::vector<StepSpan> &stepSpans() const { return stepSpans_; }

private:
  class BusyGuard;

  Context(std::shared_ptr<const Module> module, const Entry &entry,
          const ContextOptions &options);

  Status planLocked();
  void divideSteps();
  Status bindInputs(const Tensor *inputs, size_t count, bool withData);
  Status bindOutputs(const Tensor *inputs, const Tensor *outputs, size_t count);
  Status checkTensor(const Tensor &tensor, const TensorInfo &info,
                     const char *role, size_t position, bool withData) const;
  Status checkOverlap(const Tensor *inputs, const Tensor *outputs) const;
  Status reserve();
  Status replaceLostPool();
  Status execute(const RunOptions &options);
  Status executeOnDevice(const Tensor *inputs, const Tensor *outputs,
                         const RunOptions &options);
  void runStepsOnPool();
  Status endOfRun() const;
  int nextStep(int threads);
  void runPart(size_t index, int part, int thread);
  void runPieces(size_t index, int64_t part);
  int64_t piecesOf(size_t index) const;
  void runStepsOnHostThreads();
  void startRun(const RunOptions &options);
  void finishStep(size_t index);
  static void recordFailure(const qcc_frame *frame, const char *message);
  bool mustEnd();
  void *hostAddress(const OperandInfo &operand, int64_t index) const;
  Shape resultShape(size_t index) const;

  const std::shared_ptr<const Module> module_;
  const Entry &entry_;
  const ContextOptions options_;
  std::shared_ptr<ThreadPool> pool_; ///< Null where it runs on one thread.
  bool usesDefaultPool_ = false;
  int threads_ = 1;
  bool hasParallelStep_ = false;
  std::atomic<bool> busy_{false};

  // The plan. symbols_ are those of the call, values_ those of the last plan.
  bool planned_ = false;
  int plannedThreads_ = 1;        ///< Of the pool, for a run of this plan.
  std::vector<int> partsOfSteps_; ///< With as many threads.
  std::vector<int64_t> symbols_;
  std::vector<int64_t> values_;
  int64_t arenaBytes_ = 0;
  int64_t scratchStride_ = 0;
  AlignedBuffer arena_;
  AlignedBuffer scratch_;
  std::unique_ptr<DeviceRun> deviceRun_; ///< Null where the host runs.

  // The run.
  std::vector<void *> tensors_;
  qcc_runtime_table table_;
  qcc_frame frame_;
  bool profile_ = false;
  StepObserver observer_;
  const std::atomic<bool> *cancelRun_ = nullptr;
  int64_t deadline_ = 0; ///< Of the steady clock; 0: none.
  bool canEnd_ = false;  ///< Whether anything could end the run early.
  /// Why the run ends early. Once set it stays: a thread may have left out a
  /// part of a step then.
  std::atomic<StatusCode> end_{StatusCode::Ok};
  size_t currentStep_ = 0;
  bool isInStep_ = false; ///< Whether the current step has begun.
  int stepParts_ = 1;     ///< Of the current step.
  /// Written by the one thread that finishes a step.
  bool stopping_ = false;
  std::atomic<bool> failed_{false};
  std::mutex failureMutex_;
  std::string failure_;
  int64_t stepStart_ = 0;
  /// How long the steps of the plan took in runs that could end early; 0: not
  /// known.
  std::vector<int64_t> stepDurations_;
  std::vector<int64_t> stepNanoseconds_;
  int64_t runStart_ = 0;
  std::vector<StepSpan> stepSpans_;
};

} // namespace qcc::rt

#endif // QCC_RUNTIME_CONTEXT_H
