//===- DeviceRun.cpp - Running an entry on a device -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceRun.h"

#include <algorithm>
#include <climits>
#include <utility>

namespace qcc::rt {

/// How many graphs a context has: of shapes and buffers that take turns.
constexpr size_t maxGraphs = 8;

DeviceRun::DeviceRun(const Module &module, const Entry &entry,
                     const LogHook &log)
    : program_(*module.deviceProgram()), device_(*program_.device()),
      entry_(entry), log_(log), arena_(program_.device()) {
  size_t count = entry.arguments.size() + entry.results.size();
  tensors_.reserve(count);
  for (size_t i = 0; i < count; ++i)
    tensors_.emplace_back(program_.device());
  size_t most = 0, mostMaps = 0;
  for (const Step &step : entry.steps) {
    most = std::max(most, step.launch->parameters.size());
    mostMaps = std::max(mostMaps, step.launch->tensorMaps.size());
  }
  parameters_.resize(most);
  pointers_.resize(most);
  maps_.resize(mostMaps);
}

DeviceRun::~DeviceRun() {
  // A failure of work that nobody waits for any more has no one to be told to.
  (void)waitForLast().isOk();
}

//===----------------------------------------------------------------------===//
// Before and after a run
//===----------------------------------------------------------------------===//

Status DeviceRun::prepare() {
  if (isPrepared_)
    return Status::ok();
  Status status = program_.load();
  if (!status.isOk())
    return status;
  kernels_.clear();
  for (const Step &step : entry_.steps) {
    Result<const void *> kernel = program_.kernel(step.launch->kernel);
    if (!kernel.isOk())
      return kernel.status().withPrefix("step '" + std::string(step.name) +
                                        "': ");
    kernels_.push_back(*kernel);
  }
  Result<std::unique_ptr<DeviceStream>> stream = device_.createStream();
  if (!stream.isOk())
    return stream.status();
  Result<std::unique_ptr<DeviceEvent>> end = device_.createEvent();
  if (!end.isOk())
    return end.status();
  ownStream_ = std::move(*stream);
  end_ = std::move(*end);
  isPrepared_ = true;
  return Status::ok();
}

/// Waits for a run that returned before its end.
Status DeviceRun::waitForLast() {
  if (!isUnderWay_)
    return Status::ok();
  isUnderWay_ = false;
  return end_->synchronize();
}

/// Finds out what the caller's stream is. Waits for nothing.
Status DeviceRun::takeStream(void *handle) {
  isCaptured_ = false;
  if (!handle)
    return Status::ok();
  if (!callersStream_ || handle != callersHandle_) {
    Result<std::unique_ptr<DeviceStream>> stream = device_.borrowStream(handle);
    if (!stream.isOk())
      return stream.status();
    callersStream_ = std::move(*stream);
    callersHandle_ = handle;
  }
  Result<bool> isCaptured = callersStream_->isCapturing();
  if (isCaptured.isOk())
    isCaptured_ = *isCaptured;
  return isCaptured.status();
}

static Status notInCapture(const std::string &what) {
  return invalidArgument("the stream is being captured, and " + what);
}

/// What a run cannot do while the caller's stream is captured.
Status DeviceRun::checkCapture(const Request &request) const {
  if (!isPrepared_)
    return notInCapture("this context has not run yet, so that its code is not "
                        "on the GPU; run it once before the capture");
  if (request.waits)
    return notInCapture("nothing runs before the graph is launched; leave out "
                        "QCC_RUN_WAIT");
  if (request.looksAtSteps)
    return notInCapture("steps that are only recorded have no values and no "
                        "times; run without a profile and a step hook");
  auto isHost = [](const Tensor &tensor) { return tensor.location.isHost(); };
  size_t arguments = entry_.arguments.size(), results = entry_.results.size();
  if (std::any_of(request.inputs, request.inputs + arguments, isHost) ||
      std::any_of(request.outputs, request.outputs + results, isHost))
    return notInCapture("a tensor is in host memory, which the run would have "
                        "to wait for; give tensors on the GPU");
  return Status::ok();
}

/// The stream of this run. Runs on one stream follow one another; of another
/// stream, the last run must be over. What is only recorded follows nothing.
Status DeviceRun::chooseStream(void *handle) {
  stream_ = handle ? callersStream_.get() : ownStream_.get();
  handle_ = handle;
  bool follows =
      handle == endHandle_ &&
      (!stream_->isPerThread() || endThread_ == std::this_thread::get_id());
  return isCaptured_ || follows ? Status::ok() : waitForLast();
}

Status DeviceRun::grow(DeviceBuffer &buffer, int64_t size) {
  if (size <= buffer.capacity())
    return Status::ok();
  if (isCaptured_)
    return notInCapture("there is no memory for these shapes yet; run them "
                        "once before the capture");
  if (wasCaptured_)
    outgrown_.push_back(std::move(buffer));
  Status status = waitForLast();
  // A buffer that was moved is an empty one of the same device.
  // NOLINTNEXTLINE(bugprone-use-after-move)
  return status.isOk() ? buffer.reserve(size) : status;
}

/// Copies between memory of the device and of `other`.
Status DeviceRun::copy(void *to, const void *from, int64_t bytes,
                       bool isToDevice, const MemoryLocation &other) {
  CopyDirection direction = CopyDirection::DeviceToDevice;
  if (other.isHost())
    direction =
        isToDevice ? CopyDirection::HostToDevice : CopyDirection::DeviceToHost;
  return device_.copy(to, from, bytes, direction, stream_);
}

static bool isAligned(const void *memory) {
  return reinterpret_cast<uintptr_t>(memory) % QCC_DEVICE_ALIGNMENT == 0;
}

/// Finds the address by which kernels know a tensor: its own, or that of a copy
/// where kernels cannot use its own.
Status DeviceRun::bind(const Tensor &tensor, BoundTensor &bound,
                       const char *role, size_t position) {
  int64_t bytes = *tensor.bytes();
  bool isHost = tensor.location.isHost();
  mustWait_ |= isHost;
  bound.address = static_cast<char *>(tensor.data);
  bound.isCopied = bytes > 0 && (isHost || !isAligned(tensor.data));
  if (!bound.isCopied)
    return Status::ok();
  if (!isHost && log_.log) {
    std::string message = std::string(role) + " " + std::to_string(position) +
                          " is copied, since its memory on the device is not "
                          "aligned to " +
                          std::to_string(QCC_DEVICE_ALIGNMENT) + " bytes";
    log_.log(log_.context, message.c_str());
  }
  Status status = grow(bound.copy, bytes);
  bound.address = bound.copy.data();
  if (!status.isOk())
    return status.withPrefix("a copy of " + std::string(role) + " " +
                             std::to_string(position) + ": ");
  return status;
}

Status DeviceRun::begin(const Request &request) {
  const Tensor *inputs = request.inputs, *outputs = request.outputs;
  isTimed_ = false;
  hasWork_ = false;
  Status status = takeStream(request.stream);
  if (status.isOk())
    status = isCaptured_ ? checkCapture(request) : prepare();
  if (status.isOk())
    status = chooseStream(request.stream);
  if (!status.isOk())
    return status;
  if (request.arenaBytes > arena_.capacity() && !isCaptured_ && log_.log)
    log_.log(log_.context, "the arena grows");
  status = grow(arena_, request.arenaBytes);
  if (!status.isOk())
    return status.withPrefix("temporaries of '" + std::string(entry_.name) +
                             "': ");
  mustWait_ = !request.stream || request.waits;
  size_t numArguments = entry_.arguments.size();
  for (size_t i = 0; i < tensors_.size() && status.isOk(); ++i)
    status = i < numArguments ? bind(inputs[i], tensors_[i], "argument", i)
                              : bind(outputs[i - numArguments], tensors_[i],
                                     "result", i - numArguments);
  // From here on there may be work that reads the caller's memory.
  hasWork_ = status.isOk();
  wasCaptured_ |= hasWork_ && isCaptured_;
  for (size_t i = 0; i < numArguments && status.isOk(); ++i)
    if (tensors_[i].isCopied)
      status = copy(tensors_[i].address, inputs[i].data, *inputs[i].bytes(),
                    /*isToDevice=*/true, inputs[i].location);
  return status;
}

Status DeviceRun::finish(const Tensor *outputs) {
  size_t numArguments = entry_.arguments.size();
  Status status;
  for (size_t i = 0; i < entry_.results.size() && status.isOk(); ++i)
    if (tensors_[numArguments + i].isCopied)
      status =
          copy(outputs[i].data, tensors_[numArguments + i].address,
               *outputs[i].bytes(), /*isToDevice=*/false, outputs[i].location);
  // An event that is recorded in a capture is a part of the graph alone.
  if (status.isOk() && !isCaptured_)
    status = end_->record(stream_);
  if (!status.isOk()) {
    abandon();
    return status;
  }
  hasWork_ = false;
  if (isCaptured_)
    return Status::ok();
  endHandle_ = handle_;
  endThread_ = std::this_thread::get_id();
  isUnderWay_ = !mustWait_;
  return mustWait_ ? stream_->synchronize() : Status::ok();
}

void DeviceRun::abandon() {
  if (!hasWork_ || isCaptured_)
    return;
  // The run has failed already, or was asked to end. With its stream, earlier
  // runs are over.
  (void)stream_->synchronize().isOk();
  hasWork_ = false;
  isUnderWay_ = false;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

char *DeviceRun::addressOf(const OperandInfo &operand,
                           const int64_t *values) const {
  int64_t index = operand.index.get(values);
  switch (operand.kind) {
  case QCC_ARGUMENT:
    return tensors_[index].address;
  case QCC_RESULT:
    return tensors_[entry_.arguments.size() + index].address;
  case QCC_ARENA:
    return arena_.data() + index;
  case QCC_WEIGHTS:
    break;
  }
  return program_.weights() + index;
}

bool DeviceRun::runs(const Step &step, const int64_t *values) {
  return step.launch->grid.get(values) != 0;
}

Status DeviceRun::encode(const TensorMapInfo &info, const Step &step,
                         const int64_t *values, EncodedTensorMap &encoded) {
  TensorMap map;
  const std::vector<OperandInfo> &operands =
      info.isOutput ? step.outputs : step.inputs;
  map.address = addressOf(operands[info.operand], values) + info.offset;
  map.rank = int(info.dims.size());
  map.swizzle = info.swizzle;
  for (size_t i = 0; i < info.dims.size(); ++i)
    map.dims[i] = info.dims[i].get(values);
  std::copy(info.strides.begin(), info.strides.end(), map.strides);
  std::copy(info.box.begin(), info.box.end(), map.box);
  return device_.encodeTensorMap(map, encoded);
}

Status DeviceRun::launch(const Step &step, size_t number,
                         const int64_t *values) {
  const Launch &launch = *step.launch;
  if (!runs(step, values))
    return isTimed_ ? clock_[number + 1]->record(stream_) : Status::ok();
  for (size_t i = 0; i < launch.parameters.size(); ++i) {
    const LaunchParameter &parameter = launch.parameters[i];
    int64_t value = parameter.value.get(values);
    if (parameter.kind == QCC_PARAMETER_TENSOR_MAP) {
      EncodedTensorMap &map = maps_[value];
      Status status = encode(launch.tensorMaps[value], step, values, map);
      if (!status.isOk())
        return status;
      pointers_[i] = &map;
      continue;
    }
    if (parameter.kind != QCC_PARAMETER_SIZE) {
      const std::vector<OperandInfo> &operands =
          parameter.kind == QCC_PARAMETER_INPUT ? step.inputs : step.outputs;
      value = reinterpret_cast<int64_t>(addressOf(operands[value], values));
    }
    parameters_[i] = value;
    pointers_[i] = &parameters_[i];
  }
  int64_t grid = launch.grid.get(values), block = launch.block.get(values);
  constexpr int64_t mostThreads = 1024;
  if (grid < 1 || grid > INT_MAX || block < 1 || block > mostThreads)
    return invalidArgument("the shapes ask for " + std::to_string(grid) +
                           " blocks of " + std::to_string(block) +
                           " threads, which no device has; run smaller shapes");
  LaunchParams params;
  params.kernel = kernels_[number];
  params.grid.x = int(grid);
  params.block.x = int(block);
  params.sharedBytes = launch.sharedBytes.get(values);
  params.arguments = pointers_.data();
  params.numArguments = int(launch.parameters.size());
  params.isProgrammatic = launch.isProgrammatic;
  Status status = device_.launch(params, stream_);
  if (status.isOk() && isTimed_)
    status = clock_[number + 1]->record(stream_);
  return status;
}

Status DeviceRun::launchSteps(const int64_t *values) {
  for (size_t i = 0; i < entry_.steps.size(); ++i) {
    const Step &step = entry_.steps[i];
    Status status = launch(step, i, values);
    if (!status.isOk())
      return status.withPrefix("step '" + std::string(step.name) + "': ");
  }
  return Status::ok();
}

void DeviceRun::fillKey(const int64_t *values) {
  key_.assign(values, values + entry_.numValues);
  for (const BoundTensor &tensor : tensors_)
    key_.push_back(reinterpret_cast<int64_t>(tensor.address));
  key_.push_back(reinterpret_cast<int64_t>(arena_.data()));
}

/// Puts what has the key of the run in front. Returns whether it was known;
/// otherwise it is new, in place of what was not used for longest.
Result<bool> DeviceRun::findGraph() {
  auto known =
      std::find_if(graphs_.begin(), graphs_.end(),
                   [&](const GraphOfLaunches &of) { return of.key == key_; });
  bool isKnown = known != graphs_.end();
  if (!isKnown && graphs_.size() < maxGraphs) {
    known = graphs_.emplace(known);
  } else if (!isKnown) {
    --known;
    // The graph that is replaced may be under way.
    Status status = known->graph ? end_->synchronize() : Status::ok();
    if (!status.isOk())
      return status;
    known->graph.reset();
    known->isRefused = false;
  }
  known->key = key_;
  std::rotate(graphs_.begin(), known, known + 1);
  return isKnown;
}

/// Records the launches on the context's own stream, which has no other work.
Status DeviceRun::record(GraphOfLaunches &to, const int64_t *values) {
  DeviceStream *stream = stream_;
  stream_ = ownStream_.get();
  Status status = device_.beginGraph(stream_);
  if (status.isOk()) {
    status = launchSteps(values);
    Result<std::unique_ptr<DeviceGraph>> graph = device_.endGraph(stream_);
    if (status.isOk())
      status = graph.status();
    if (status.isOk())
      to.graph = std::move(*graph);
  }
  stream_ = stream;
  return status;
}

Status DeviceRun::launchAll(const int64_t *values) {
  if (isCaptured_ || !device_.hasGraphs() || entry_.steps.size() < 2)
    return launchSteps(values);
  fillKey(values);
  Result<bool> isKnown = findGraph();
  if (!isKnown.isOk())
    return isKnown.status();
  GraphOfLaunches &of = graphs_.front();
  if (*isKnown && !of.graph && !of.isRefused) {
    Status status = record(of, values);
    of.isRefused = !status.isOk();
    // Nothing has run. Without a graph the launches take longer, no more.
    if (of.isRefused && log_.log)
      log_.log(log_.context, status.message().c_str());
  }
  return of.graph ? of.graph->launch(stream_) : launchSteps(values);
}

Status DeviceRun::startClock() {
  while (clock_.size() < entry_.steps.size() + 1) {
    Result<std::unique_ptr<DeviceEvent>> event = device_.createEvent();
    if (!event.isOk())
      return event.status();
    clock_.push_back(std::move(*event));
  }
  isTimed_ = true;
  return clock_.front()->record(stream_);
}

Status DeviceRun::readClock(std::vector<int64_t> &nanoseconds) {
  Status status = clock_.back()->synchronize();
  for (size_t i = 0; i < nanoseconds.size() && status.isOk(); ++i) {
    Result<int64_t> time = clock_[i + 1]->nanosecondsSince(*clock_[i]);
    status = time.status();
    if (time.isOk())
      nanoseconds[i] = *time;
  }
  return status;
}

Status DeviceRun::fetch(const OperandInfo &operand, const int64_t *values,
                        int64_t bytes, AlignedBuffer &to) const {
  Status status = to.reserve(bytes);
  if (!status.isOk())
    return status;
  status = device_.copy(to.data(), addressOf(operand, values), bytes,
                        CopyDirection::DeviceToHost, ownStream_.get());
  return status.isOk() ? ownStream_->synchronize() : status;
}

} // namespace qcc::rt
