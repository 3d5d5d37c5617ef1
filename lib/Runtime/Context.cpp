//===- Context.cpp - Checking and planning a call -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happens before the first step: tensors are checked, sizes evaluated,
// memory reserved. Nothing on the way to success allocates (messages do).
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/Context.h"

#include "DeviceRun.h"

#include <algorithm>

namespace qcc::rt {

/// Holds the context for the duration of a call.
class Context::BusyGuard {
public:
  explicit BusyGuard(Context &context)
      : context_(context),
        acquired_(!context.busy_.exchange(true, std::memory_order_acquire)) {}
  ~BusyGuard() {
    if (acquired_)
      context_.busy_.store(false, std::memory_order_release);
  }
  BusyGuard(const BusyGuard &) = delete;
  BusyGuard &operator=(const BusyGuard &) = delete;

  bool acquired() const { return acquired_; }
  Status status() const {
    return Status(StatusCode::Busy,
                  "this execution context is in use by another thread; create "
                  "one context for each thread (they share the module)");
  }

private:
  Context &context_;
  const bool acquired_;
};

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

Context::Context(std::shared_ptr<const Module> module, const Entry &entry,
                 const ContextOptions &options)
    : module_(std::move(module)), entry_(entry), options_(options),
      arena_(options.allocator), scratch_(options.allocator) {
  symbols_.resize(entry.numSymbols);
  values_.resize(entry.numValues);
  tensors_.resize(entry.arguments.size() + entry.results.size());
  if (options.profile)
    stepNanoseconds_.resize(entry.steps.size());
  if (module_->device())
    deviceRun_ = std::make_unique<DeviceRun>(*module_, entry, options.log);
  stepDurations_.resize(entry.steps.size());
  partsOfSteps_.resize(entry.steps.size(), 1);
  hasParallelStep_ =
      !deviceRun_ &&
      std::any_of(entry.steps.begin(), entry.steps.end(),
                  [](const Step &step) { return step.parallel; });
}

Context::~Context() = default;

Result<std::unique_ptr<Context>>
Context::create(std::shared_ptr<const Module> module,
                std::string_view entryName, const ContextOptions &options) {
  if (!module)
    return invalidArgument("there is no module");
  Result<const Entry *> entry = module->requireEntry(entryName);
  if (!entry.isOk())
    return entry.status();
  if (options.threads < 0)
    return invalidArgument("the number of threads is negative; 0 means one for "
                           "each CPU");
  if (options.pool && options.hostThreads.parallelFor)
    return invalidArgument("both a pool and the host's own threads are given; "
                           "choose one");
  if (options.pool && options.pool->wasLostInFork())
    return unsupported("the process was forked after the thread pool had been "
                       "created; create one in the child");
  if (!module->refusal().isOk())
    return module->refusal();

  std::unique_ptr<Context> context(
      new Context(std::move(module), **entry, options));
  int threads = options.threads;
  if (options.hostThreads.parallelFor) {
    context->threads_ = threads ? threads : availableCpus();
  } else if (options.pool) {
    if (threads > options.pool->size())
      return invalidArgument("the context asks for " + std::to_string(threads) +
                             " threads of a pool of " +
                             std::to_string(options.pool->size()));
    context->pool_ = options.pool;
    context->threads_ = threads ? threads : options.pool->size();
  } else if (threads != 1 && context->hasParallelStep_) {
    Result<std::shared_ptr<ThreadPool>> pool =
        threads == 0 ? ThreadPool::getDefault() : ThreadPool::create(threads);
    if (!pool.isOk())
      return pool.status();
    context->pool_ = *pool;
    context->usesDefaultPool_ = threads == 0;
    context->threads_ = context->pool_->size();
  }
  // Threads without work would still get scratch.
  if (!context->hasParallelStep_)
    context->threads_ = 1;
  return context;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static std::string nameOf(const char *role, size_t position,
                          const TensorInfo &info) {
  std::string text = std::string(role) + " " + std::to_string(position);
  if (!info.name.empty())
    text += " ('" + std::string(info.name) + "')";
  return text;
}

/// A list of tensors that a call hands over.
static Status checkList(const char *role, const Tensor *tensors, size_t given,
                        size_t expected) {
  if (given == expected && (tensors || given == 0))
    return Status::ok();
  if (!tensors && given > 0)
    return invalidArgument(std::string("the list of ") + role +
                           "s is a null pointer");
  return invalidArgument("the entry has " + std::to_string(expected) + " " +
                         role + "s, but the call has " + std::to_string(given));
}

/// Of a tensor that is said to be in memory of a device.
static Status checkLocation(const Tensor &tensor, const Module &module) {
  const Device *device = module.device().get();
  if (!device)
    return invalidArgument("is on a device of DLPack's type " +
                           std::to_string(tensor.location.type) +
                           ", but the program runs on the CPU; copy it to host "
                           "memory");
  if (tensor.location != device->location())
    return invalidArgument(
        "is on device " + std::to_string(tensor.location.index) +
        " of DLPack's type " + std::to_string(tensor.location.type) +
        ", but the program runs on " + device->name() +
        "; copy it there or to host memory");
  return module.device()->checkMemory(tensor.data, *tensor.bytes());
}

/// What does not depend on the plan.
Status Context::checkTensor(const Tensor &tensor, const TensorInfo &info,
                            const char *role, size_t position,
                            bool withData) const {
  if (tensor.dtype != info.dtype)
    return invalidArgument(nameOf(role, position, info) +
                           " has elements of type " + tensor.dtype.name() +
                           ", but the program wants " + info.dtype.name());
  if (tensor.shape.size() != info.dims.size())
    return invalidArgument(nameOf(role, position, info) + " is " +
                           tensor.describe() + ", of rank " +
                           std::to_string(tensor.shape.size()) +
                           ", but the program wants " + info.describe() +
                           ", of rank " + std::to_string(info.dims.size()));
  std::optional<int64_t> bytes = tensor.bytes();
  if (!bytes)
    return invalidArgument(nameOf(role, position, info) + " is " +
                           tensor.describe() +
                           ", which has a negative dimension or too many "
                           "elements");
  if (!withData)
    return Status::ok();
  if (!tensor.location.isHost()) {
    Status status = checkLocation(tensor, *module_);
    if (!status.isOk())
      return status.withPrefix(nameOf(role, position, info) + " ");
  }
  if (!tensor.data && *bytes > 0)
    return invalidArgument(nameOf(role, position, info) +
                           " has no data: its pointer is null");
  auto begin = reinterpret_cast<uintptr_t>(tensor.data);
  if (*bytes > 0 && begin > uintptr_t(INTPTR_MAX) - uintptr_t(*bytes))
    return invalidArgument(nameOf(role, position, info) + " is " +
                           tensor.describe() +
                           ", which does not fit between its pointer and the "
                           "end of memory; hand over memory that has its size");
  if (begin % tensor.dtype.size() != 0)
    return invalidArgument(nameOf(role, position, info) +
                           " is not aligned to its elements; copy it to "
                           "aligned memory");
  return Status::ok();
}

/// Checks the inputs and takes the symbols from their shapes.
Status Context::bindInputs(const Tensor *inputs, size_t count, bool withData) {
  Status list = checkList("argument", inputs, count, entry_.arguments.size());
  if (!list.isOk())
    return list;
  constexpr int64_t unset = -1;
  std::fill(symbols_.begin(), symbols_.end(), unset);
  for (size_t i = 0; i < count; ++i) {
    const TensorInfo &info = entry_.arguments[i];
    Status status = checkTensor(inputs[i], info, "argument", i, withData);
    if (!status.isOk())
      return status;
    for (size_t d = 0; d < info.dims.size(); ++d) {
      int64_t given = inputs[i].shape[d];
      int64_t expected = info.dims[d].literal();
      if (info.dims[d].isDynamic()) {
        int64_t &symbol = symbols_[info.dims[d].valueIndex()];
        if (symbol == unset)
          symbol = given;
        expected = symbol;
      }
      if (given != expected)
        return invalidArgument(
            nameOf("argument", i, info) + " is " + inputs[i].describe() +
            ", but the program wants " + info.describe() + ": dimension " +
            std::to_string(d) + " must be " + std::to_string(expected));
    }
    tensors_[i] = inputs[i].data;
  }
  return Status::ok();
}

Shape Context::resultShape(size_t index) const {
  std::vector<int64_t> shape;
  for (Size dim : entry_.results[index].dims)
    shape.push_back(dim.get(values_.data()));
  return shape;
}

Status Context::bindOutputs(const Tensor *inputs, const Tensor *outputs,
                            size_t count) {
  Status list = checkList("result", outputs, count, entry_.results.size());
  if (!list.isOk())
    return list;
  for (size_t i = 0; i < count; ++i) {
    const TensorInfo &info = entry_.results[i];
    Status status = checkTensor(outputs[i], info, "result", i, true);
    if (!status.isOk())
      return status;
    for (size_t d = 0; d < info.dims.size(); ++d)
      if (outputs[i].shape[d] != info.dims[d].get(values_.data()))
        return invalidArgument(nameOf("result", i, info) + " is " +
                               outputs[i].describe() +
                               ", but for these inputs it must be " +
                               describe(info.dtype, resultShape(i)));
    tensors_[entry_.arguments.size() + i] = outputs[i].data;
  }
  return checkOverlap(inputs, outputs);
}

static bool overlap(const Tensor &a, const Tensor &b) {
  if (a.location != b.location)
    return false;
  auto beginA = reinterpret_cast<uintptr_t>(a.data);
  auto beginB = reinterpret_cast<uintptr_t>(b.data);
  int64_t sizeA = *a.bytes(), sizeB = *b.bytes();
  // An empty tensor overlaps nothing, wherever its pointer leads.
  return sizeA > 0 && sizeB > 0 && beginA < beginB + sizeB &&
         beginB < beginA + sizeA;
}

Status Context::checkOverlap(const Tensor *inputs,
                             const Tensor *outputs) const {
  for (size_t o = 0; o < entry_.results.size(); ++o) {
    for (size_t i = 0; i < entry_.arguments.size(); ++i) {
      bool shared = entry_.inPlace[o] == int32_t(i) &&
                    inputs[i].data == outputs[o].data &&
                    inputs[i].shape == outputs[o].shape;
      if (shared || !overlap(inputs[i], outputs[o]))
        continue;
      const char *reason =
          entry_.inPlace[o] == int32_t(i)
              ? ", but only tensors of one address and one shape may share it; "
                "give it all of the argument, or memory of its own"
              : ", which the program does not compute in place; give it memory "
                "of its own";
      return invalidArgument(
          nameOf("result", o, entry_.results[o]) + " overlaps the memory of " +
          nameOf("argument", i, entry_.arguments[i]) + reason);
    }
    for (size_t other = 0; other < o; ++other)
      if (overlap(outputs[other], outputs[o]))
        return invalidArgument(nameOf("result", o, entry_.results[o]) +
                               " overlaps the memory of " +
                               nameOf("result", other, entry_.results[other]) +
                               "; give it memory of its own");
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// Derives everything from symbols_.
Status Context::planLocked() {
  if (planned_ && std::equal(symbols_.begin(), symbols_.end(), values_.begin()))
    return Status::ok();
  planned_ = false;
  std::fill(stepDurations_.begin(), stepDurations_.end(), 0);
  std::copy(symbols_.begin(), symbols_.end(), values_.begin());
  int64_t arenaBytes = entry_.plan(values_.data());
  if (arenaBytes < 0) {
    uint64_t requirement = -1 - arenaBytes;
    if (requirement < entry_.requirements.size())
      return invalidArgument(
          "the program cannot run with these shapes: " +
          entry_.describeRequirement(requirement, values_.data()));
  }
  int64_t scratch = 0, allScratch = 0;
  bool fits = arenaBytes >= 0;
  for (const Step &step : entry_.steps) {
    int64_t bytes = step.scratchBytes.get(values_.data());
    constexpr int64_t limit = int64_t(1) << 47;
    fits &= bytes >= 0 && bytes <= limit;
    scratch = std::max(scratch, bytes);
  }
  fits = fits && !__builtin_mul_overflow(roundUpToAlignment(scratch),
                                         int64_t(threads_), &allScratch);
  for (size_t i = 0; i < entry_.results.size(); ++i)
    for (Size dim : entry_.results[i].dims)
      fits &= dim.get(values_.data()) >= 0;
  if (!fits)
    return invalidArgument("the program cannot run with these shapes: its "
                           "results or temporaries would exceed all memory");
  arenaBytes_ = arenaBytes;
  scratchStride_ = roundUpToAlignment(scratch);
  divideSteps();
  planned_ = true;
  if (options_.log.log) {
    std::string message = "planned '" + std::string(entry_.name) +
                          "': " + std::to_string(arenaBytes_) +
                          " bytes of arena, " + std::to_string(allScratch) +
                          " bytes of scratch for " + std::to_string(threads_) +
                          " threads";
    options_.log.log(options_.log.context, message.c_str());
  }
  return Status::ok();
}

Status Context::plan(const std::vector<int64_t> &symbols) {
  BusyGuard guard(*this);
  if (!guard.acquired())
    return guard.status();
  if (symbols.size() != symbols_.size())
    return invalidArgument("the entry has " + std::to_string(symbols_.size()) +
                           " dynamic dimensions, but " +
                           std::to_string(symbols.size()) + " are given");
  for (int64_t symbol : symbols)
    if (symbol < 0)
      return invalidArgument("a dimension of " + std::to_string(symbol) +
                             " is negative");
  std::copy(symbols.begin(), symbols.end(), symbols_.begin());
  return planLocked();
}

Result<std::vector<Shape>> Context::resultShapes(const Tensor *inputs,
                                                 size_t numInputs) {
  BusyGuard guard(*this);
  if (!guard.acquired())
    return guard.status();
  Status status = bindInputs(inputs, numInputs, /*withData=*/false);
  if (status.isOk())
    status = planLocked();
  if (!status.isOk())
    return status;
  std::vector<Shape> shapes;
  for (size_t i = 0; i < entry_.results.size(); ++i)
    shapes.push_back(resultShape(i));
  return shapes;
}

/// Memory of a device, which outlives what is allocated.
static Allocator allocatorOf(Device *device) {
  Allocator allocator;
  allocator.allocate = [](size_t size, size_t, void *device) -> void * {
    Result<void *> memory = static_cast<Device *>(device)->allocate(size);
    return memory.isOk() ? *memory : nullptr;
  };
  allocator.deallocate = [](void *memory, size_t, size_t, void *device) {
    (void)static_cast<Device *>(device)->deallocate(memory).isOk();
  };
  allocator.context = device;
  return allocator;
}

Result<std::vector<OwnedTensor>> Context::allocateResults(const Tensor *inputs,
                                                          size_t numInputs) {
  Result<std::vector<Shape>> shapes = resultShapes(inputs, numInputs);
  if (!shapes.isOk())
    return shapes.status();
  std::shared_ptr<Device> device = module_->device();
  if (numInputs == 0 ||
      std::any_of(inputs, inputs + numInputs,
                  [](const Tensor &input) { return input.location.isHost(); }))
    device = nullptr;
  std::vector<OwnedTensor> results;
  for (size_t i = 0; i < shapes->size(); ++i) {
    DType dtype = entry_.results[i].dtype;
    OwnedTensor result{
        device,
        AlignedBuffer(device ? allocatorOf(device.get()) : options_.allocator),
        Tensor(nullptr, dtype, (*shapes)[i])};
    if (device)
      result.tensor.location = device->location();
    std::string name = nameOf("result", i, entry_.results[i]);
    std::optional<int64_t> bytes = result.tensor.bytes();
    if (!bytes)
      return invalidArgument(name + " would be " + result.tensor.describe() +
                             ", which has too many elements");
    Status status = result.buffer.reserve(*bytes);
    if (!status.isOk())
      return status.withPrefix(name + ": ");
    result.tensor.data = result.buffer.data();
    results.push_back(std::move(result));
  }
  return results;
}

Status Context::reserve() {
  if (arenaBytes_ > arena_.capacity() && options_.log.log)
    options_.log.log(options_.log.context, "the arena grows");
  Status status = arena_.reserve(arenaBytes_);
  if (status.isOk())
    status = scratch_.reserve(scratchBytes());
  if (!status.isOk())
    return status.withPrefix("temporaries of '" + std::string(entry_.name) +
                             "': ");
  return status;
}

/// In a child of fork(), the pool of the process is another one.
Status Context::replaceLostPool() {
  if (!pool_ || !pool_->wasLostInFork())
    return Status::ok();
  if (!usesDefaultPool_)
    return unsupported("the process was forked after the threads of this "
                       "context had been started, and they were not copied; "
                       "create contexts and thread pools in the child");
  Result<std::shared_ptr<ThreadPool>> pool = ThreadPool::getDefault();
  if (pool.isOk())
    pool_ = *pool;
  return pool.status();
}

Status Context::run(const Tensor *inputs, size_t numInputs,
                    const Tensor *outputs, size_t numOutputs,
                    const RunOptions &options) {
  BusyGuard guard(*this);
  if (!guard.acquired())
    return guard.status();
  if (options.timeoutNanoseconds < 0)
    return invalidArgument("the time limit of the run is negative; 0 is none");
  Status status = replaceLostPool();
  if (status.isOk())
    status = bindInputs(inputs, numInputs, /*withData=*/true);
  if (status.isOk())
    status = planLocked();
  if (status.isOk())
    status = bindOutputs(inputs, outputs, numOutputs);
  if (!status.isOk())
    return status;
  if (deviceRun_)
    return executeOnDevice(inputs, outputs, options);
  if (options.stream)
    return invalidArgument(
        "a stream is given, but the program runs on the CPU; "
        "give none");
  status = module_->checkWeights();
  if (status.isOk())
    status = reserve();
  return status.isOk() ? execute(options) : status;
}

} // namespace qcc::rt
