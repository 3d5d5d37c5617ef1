//===- Execute.cpp - Running the steps of an entry ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a run goes on after a step is decided once, by the thread that
// finishes the step, while no other is in a step.
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/Context.h"

#include "DeviceRun.h"
#include "FloatEnvironment.h"
#include "qcc/Runtime/Process.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace qcc::rt {

static bool isSet(const std::atomic<bool> *flag) {
  return flag && flag->load(std::memory_order_relaxed);
}

/// Whether the run must not go on, which any thread may ask.
bool Context::mustEnd() {
  if (!canEnd_)
    return false;
  if (end_.load(std::memory_order_relaxed) != StatusCode::Ok)
    return true;
  StatusCode end = StatusCode::Ok;
  if (isSet(options_.cancel) || isSet(cancelRun_))
    end = StatusCode::Cancelled;
  else if (deadline_ != 0 && steadyNanoseconds() >= deadline_)
    end = StatusCode::TimedOut;
  else
    return false;
  end_.store(end, std::memory_order_relaxed);
  return true;
}

void Context::recordFailure(const qcc_frame *frame, const char *message) {
  auto &context = *static_cast<Context *>(frame->context);
  std::lock_guard<std::mutex> lock(context.failureMutex_);
  if (context.failed_.load(std::memory_order_relaxed))
    return;
  try {
    context.failure_ = message ? message : "no reason given";
  } catch (const std::bad_alloc &) {
    // Generated code called, which no exception may pass.
    context.failure_.clear();
  }
  context.failed_.store(true, std::memory_order_relaxed);
}

void Context::startRun(const RunOptions &options) {
  table_.version = QCC_ABI_VERSION;
  table_.reserved = 0;
  table_.fail = &Context::recordFailure;
  frame_.tensors = tensors_.data();
  frame_.values = values_.data();
  frame_.arena = arena_.data();
  frame_.weights = module_->variant().weights;
  frame_.scratch = scratch_.data();
  frame_.scratch_stride = scratchStride_;
  frame_.runtime = &table_;
  frame_.context = this;
  failed_.store(false, std::memory_order_relaxed);
  currentStep_ = 0;
  isInStep_ = false;
  cancelRun_ = options.cancel;
  deadline_ = 0;
  if (options.timeoutNanoseconds > 0 &&
      __builtin_add_overflow(steadyNanoseconds(), options.timeoutNanoseconds,
                             &deadline_))
    deadline_ = 0; // Further away than time is counted.
  canEnd_ = options_.cancel || cancelRun_ || deadline_ != 0;
  end_.store(StatusCode::Ok, std::memory_order_relaxed);
  stopping_ = mustEnd();
  profile_ = options_.profile || options.profile;
  observer_ = options.observer.afterStep ? options.observer : options_.observer;
  if (profile_ || !stepNanoseconds_.empty())
    stepNanoseconds_.assign(entry_.steps.size(), 0);
  if (profile_)
    stepSpans_.assign(entry_.steps.size() * threads_, StepSpan());
  if (profile_ || canEnd_)
    runStart_ = stepStart_ = steadyNanoseconds();
}

/// Bytes from the first element of an operand in memory to its last.
static int64_t bytesInMemory(const OperandInfo &operand, const Shape &shape,
                             int64_t bytes) {
  if (operand.rowPitch == 0)
    return bytes;
  int64_t row = shape[operand.order.empty() ? shape.size() - 1
                                            : size_t(operand.order.back())];
  return bytes / row * operand.rowPitch;
}

/// The elements of the value of an operand side by side, in the order of its
/// dimensions. `sizes` are the operand's, with a border.
static void copyElements(const OperandInfo &operand, const Shape &sizes,
                         const Shape &shape, int64_t elementBytes,
                         const char *from, char *to) {
  size_t rank = operand.dims.size();
  // How many bytes lie between elements that follow each other.
  std::vector<int64_t> strides(rank), index(rank);
  int64_t stride = elementBytes, elements = 1;
  for (size_t i = rank; i-- > 0;) {
    size_t d = operand.order.empty() ? i : operand.order[i];
    strides[d] = stride;
    elements *= shape[d];
    stride *=
        i + 1 == rank && operand.rowPitch != 0 ? operand.rowPitch : sizes[d];
    if (!operand.border.empty())
      from += operand.border[d] * strides[d];
  }
  for (; elements > 0; --elements) {
    std::memcpy(to, from, elementBytes);
    to += elementBytes;
    for (size_t d = rank; d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape[d])
        break;
      from -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

void *Context::hostAddress(const OperandInfo &operand, int64_t index) const {
  switch (operand.kind) {
  case QCC_ARGUMENT:
    return tensors_[index];
  case QCC_RESULT:
    return tensors_[entry_.arguments.size() + index];
  case QCC_ARENA:
    return frame_.arena + index;
  case QCC_WEIGHTS:
    break;
  }
  return const_cast<char *>(frame_.weights) + index;
}

/// The sizes of the value of an operand, whose sizes with its border are given.
static Status removeBorder(const OperandInfo &operand,
                           std::vector<int64_t> &sizes) {
  for (size_t d = 0; !operand.border.empty() && d < sizes.size(); ++d) {
    sizes[d] -= operand.border[d] + operand.border[sizes.size() + d];
    if (sizes[d] < 0)
      return corrupt("the border of an operand does not fit in it");
  }
  return Status::ok();
}

Result<Tensor> Context::operandTensor(const OperandInfo &operand,
                                      AlignedBuffer &copy) const {
  const int64_t *values = values_.data();
  int64_t index = operand.index.get(values);
  Tensor tensor;
  tensor.dtype = operand.dtype;
  std::vector<int64_t> sizes;
  for (Size dim : operand.dims)
    sizes.push_back(dim.get(values));
  const Shape whole = sizes;
  Status status = removeBorder(operand, sizes);
  if (!status.isOk())
    return status;
  tensor.shape = whole;
  if (!deviceRun_)
    tensor.data = hostAddress(operand, index);
  std::optional<int64_t> bytes = tensor.bytes();
  bool isStoredAsItIs = operand.order.empty() && operand.rowPitch == 0 &&
                        operand.byteShift == 0 && operand.border.empty();
  AlignedBuffer fetched;
  if (deviceRun_ && bytes && *bytes > 0) {
    AlignedBuffer &to = isStoredAsItIs ? copy : fetched;
    status = deviceRun_->fetch(operand, values,
                               bytesInMemory(operand, whole, *bytes), to);
    if (!status.isOk())
      return status;
    tensor.data = to.data();
  }
  int64_t elementBytes = bytes && *bytes != 0 ? *bytes / *tensor.elements() : 0;
  tensor.shape = sizes;
  if (isStoredAsItIs || elementBytes == 0)
    return tensor;
  bytes = tensor.bytes();
  status = copy.reserve(*bytes);
  if (!status.isOk())
    return status;
  copyElements(operand, whole, tensor.shape, elementBytes,
               static_cast<const char *>(tensor.data), copy.data());
  if (operand.byteShift != 0)
    for (int64_t at = 0; at < *bytes; ++at)
      copy.data()[at] = static_cast<char>(copy.data()[at] - operand.byteShift);
  tensor.data = copy.data();
  return tensor;
}

/// Runs on one thread while no other is in a step. Decides whether to go on.
void Context::finishStep(size_t index) {
  int64_t duration = profile_ || canEnd_ ? steadyNanoseconds() - stepStart_ : 0;
  if (profile_)
    stepNanoseconds_[index] = duration;
  if (failed_.load(std::memory_order_relaxed) ||
      end_.load(std::memory_order_relaxed) != StatusCode::Ok) {
    stopping_ = true;
    return;
  }
  if (canEnd_)
    stepDurations_[index] = std::max<int64_t>(duration, 1);
  bool hasRun =
      !deviceRun_ || DeviceRun::runs(entry_.steps[index], values_.data());
  if (observer_.afterStep && hasRun)
    observer_.afterStep(observer_.context, *this, index);
  if (profile_ || canEnd_)
    stepStart_ = steadyNanoseconds();
  currentStep_ = index + 1;
  // After the last step there is nothing left to cancel.
  if (currentStep_ < entry_.steps.size() && mustEnd())
    stopping_ = true;
}

/// The operations of a step, plus the bytes that it reads and writes. What says
/// neither may be much.
static int64_t workOf(const Step &step, const int64_t *values) {
  int64_t operations = step.operations.get(values), work = 0;
  int64_t bytes = step.bytes.get(values);
  if ((operations == 0 && bytes == 0) ||
      __builtin_add_overflow(operations, bytes, &work))
    return INT64_MAX;
  return work;
}

/// In how many parts the steps of the plan are divided. A host application is
/// called once for each parallel step, however little there is to do.
void Context::divideSteps() {
  // In the 10 microseconds that a second thread is late, vector code does at
  // least so much.
  constexpr int64_t workOfRun = 1 << 15;
  // In the 0.2 microseconds that a second thread makes a step longer
  // (benchmarks/runtime-overhead), vector code does about so much, and kernels
  // of bytes do more.
  constexpr int64_t workOfPart = 1 << 12;
  bool hasHost = options_.hostThreads.parallelFor != nullptr;
  int64_t total = 0;
  plannedThreads_ = 1;
  for (size_t i = 0; i < entry_.steps.size(); ++i) {
    int64_t work =
        hasHost ? INT64_MAX : workOf(entry_.steps[i], values_.data());
    if (__builtin_add_overflow(total, work, &total) || total > workOfRun)
      plannedThreads_ = threads_;
    partsOfSteps_[i] =
        entry_.steps[i].parallel
            ? int(std::clamp<int64_t>(work / workOfPart, 1, threads_))
            : 1;
  }
}

/// In how many pieces a thread does its part of a step of a run that may end
/// early: so many that a piece takes two milliseconds or less. The first time,
/// slow code is taken for granted, which computes two operations in a
/// nanosecond; afterwards it is known how long the step takes.
int64_t Context::piecesOf(size_t index) const {
  constexpr int64_t workOfPiece = int64_t(1) << 22, maxPieces = 1 << 16,
                    nanosecondsOfPiece = 2000000;
  const Step &step = entry_.steps[index];
  if (!canEnd_ || !step.parallel)
    return 1;
  if (stepDurations_[index] > 0)
    return std::min((stepDurations_[index] - 1) / nanosecondsOfPiece + 1,
                    maxPieces);
  int64_t work = 0;
  if (__builtin_add_overflow(step.operations.get(values_.data()),
                             step.bytes.get(values_.data()), &work))
    return maxPieces;
  return std::clamp<int64_t>(work / (workOfPiece * stepParts_), 1, maxPieces);
}

/// A part of a step, and when the thread computed it.
void Context::runPart(size_t index, int part, int thread) {
  if (!profile_)
    return runPieces(index, part);
  StepSpan &span = stepSpans_[index * threads_ + thread];
  int64_t start = steadyNanoseconds() - runStart_;
  runPieces(index, part);
  // A thread may compute several parts.
  span = {span.end == 0 ? start : span.start, steadyNanoseconds() - runStart_};
}

/// A part of a step. A piece is the part that it would be of more parts, for
/// which any number is right; the scratch memory stays the part's.
void Context::runPieces(size_t index, int64_t part) {
  const Step &step = entry_.steps[index];
  int64_t pieces = piecesOf(index);
  if (pieces == 1)
    return step.function(&frame_, int32_t(part), stepParts_);
  qcc_frame frame = frame_;
  frame.scratch += part * frame.scratch_stride;
  frame.scratch_stride = 0;
  for (int64_t piece = 0; piece < pieces && !mustEnd(); ++piece)
    step.function(&frame, part * pieces + piece, stepParts_ * pieces);
}

/// Finishes the step that a run is in, and begins the next one. Returns the
/// number of its parts, 0 at the end.
int Context::nextStep(int threads) {
  if (isInStep_)
    finishStep(currentStep_);
  isInStep_ = !stopping_ && currentStep_ < entry_.steps.size();
  if (!isInStep_)
    return 0;
  return stepParts_ = std::min(partsOfSteps_[currentStep_], threads);
}

void Context::runStepsOnHostThreads() {
  const HostThreads &host = options_.hostThreads;
  while (int parts = nextStep(threads_)) {
    auto runHere = [&](int part) {
      FloatEnvironment environment;
      runPart(currentStep_, part, part);
    };
    FunctionRef<void(int)> body = runHere;
    if (parts == 1)
      body(0);
    else
      host.parallelFor(
          host.context, parts,
          [](void *body, int part) {
            (*static_cast<FunctionRef<void(int)> *>(body))(part);
          },
          &body);
  }
}

/// On the pool, or on the calling thread alone: where there is little work, and
/// where a hook of another run on the pool calls, which keeps the pool's
/// threads.
void Context::runStepsOnPool() {
  int threads = plannedThreads_;
  if (threads > 1)
    threads = pool_->isRunningHere() ? 1 : std::min(threads, pool_->size());
  FloatEnvironment environment;
  if (threads == 1) {
    while (nextStep(1) != 0)
      runPart(currentStep_, 0, 0);
    return;
  }
  auto part = [&](int part, int thread) {
    FloatEnvironment environment;
    runPart(currentStep_, part, thread);
  };
  auto next = [&] { return nextStep(threads); };
  if (!pool_->runUnless([&] { return mustEnd(); }, threads,
                        PhasedWork{part, next}))
    stopping_ = true;
}

Status Context::execute(const RunOptions &options) {
  startRun(options);
  if (!stopping_ && options_.hostThreads.parallelFor)
    runStepsOnHostThreads();
  else if (!stopping_)
    runStepsOnPool();
  return endOfRun();
}

Status Context::executeOnDevice(const Tensor *inputs, const Tensor *outputs,
                                const RunOptions &options) {
  startRun(options);
  if (stopping_)
    return endOfRun();
  bool looksAtSteps = observer_.afterStep || profile_;
  Status status =
      deviceRun_->begin({inputs, outputs, arenaBytes_, options.stream,
                         options.waits, looksAtSteps});
  if (status.isOk() && profile_)
    status = deviceRun_->startClock();
  // A run that may end early, or is looked at, has no launch ahead of time.
  // Nor is there anything to wait for in one that is only recorded.
  bool isWatched =
      !deviceRun_->isCaptured() && (canEnd_ || observer_.afterStep);
  bool isStepwise = canEnd_ || looksAtSteps;
  if (status.isOk() && !isStepwise)
    status = deviceRun_->launchAll(values_.data());
  for (size_t i = 0;
       isStepwise && i < entry_.steps.size() && status.isOk() && !stopping_;
       ++i) {
    const Step &step = entry_.steps[i];
    status = deviceRun_->launch(step, i, values_.data());
    if (status.isOk() && isWatched)
      status = deviceRun_->synchronize();
    if (!status.isOk())
      status = status.withPrefix("step '" + std::string(step.name) + "': ");
    else
      finishStep(i);
  }
  if (status.isOk() && !stopping_)
    status = deviceRun_->finish(outputs);
  else
    deviceRun_->abandon();
  if (status.isOk() && !stopping_ && profile_)
    status = deviceRun_->readClock(stepNanoseconds_);
  return status.isOk() ? endOfRun() : status;
}

Status Context::endOfRun() const {
  if (failed_.load(std::memory_order_relaxed))
    return Status(StatusCode::KernelFailed,
                  "step '" + std::string(entry_.steps[currentStep_].name) +
                      "' failed: " + failure_);
  if (!stopping_)
    return Status::ok();
  StatusCode end = end_.load(std::memory_order_relaxed);
  return Status(end, std::string(end == StatusCode::TimedOut
                                     ? "the time limit of the run passed"
                                     : "the run was cancelled") +
                         " before the end of step " +
                         std::to_string(currentStep_ + 1) + " of " +
                         std::to_string(entry_.steps.size()));
}

} // namespace qcc::rt
