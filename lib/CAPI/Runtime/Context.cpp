//===- Context.cpp - The C API of contexts --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every call takes hold of the context before it looks at it, so that a second
// thread gets a status and not a race.
//
//===----------------------------------------------------------------------===//

#include "../Convert.h"
#include "Handles.h"
#include "Tensors.h"

using namespace qcc;
using namespace qcc::capi;

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

/// The options as the runtime takes them; what they refer to goes into
/// `object`.
static rt::Result<rt::ContextOptions>
readOptions(const qccContextOptions *given, qccContextImpl &object) {
  qccContextOptions known;
  rt::Status status = readStruct(given, known);
  if (!status.isOk())
    return status;
  rt::ContextOptions options;
  options.threads = known.threads;
  options.profile = known.profile;
  if (known.pool)
    options.pool = known.pool->pool;
  options.hostThreads = {known.hostThreads.parallelFor,
                         known.hostThreads.context};
  options.log = {known.log.log, known.log.context};
  if (!known.allocator.allocate != !known.allocator.deallocate)
    return rt::invalidArgument("one function of the allocator is a null "
                               "pointer; give both or none");
  if (known.allocator.allocate) {
    object.allocator =
        std::make_shared<AllocatorHook>(AllocatorHook{known.allocator});
    options.allocator = object.allocator->allocator();
  }
  if (known.cancel) {
    object.cancel = known.cancel->flag;
    options.cancel = object.cancel.get();
  }
  return options;
}

qccStatus qccContextCreate(qccModule module, const char *entry,
                           const qccContextOptions *options,
                           qccContext *context) {
  return withoutExceptions([&]() -> qccStatus {
    if (!module || !context)
      return nullPointer(module ? "the handle of the context" : "the module");
    auto object = std::make_unique<qccContextImpl>();
    auto read = readOptions(options, *object);
    if (!read.isOk())
      return toC(read.status());
    auto created =
        rt::Context::create(module->module, entry ? entry : "", *read);
    if (!created.isOk())
      return toC(created.status());
    object->context = std::move(*created);
    object->profile = read->profile;
    object->device = module->device;
    const rt::Entry &found = object->context->entry();
    object->tensors.resize(found.arguments.size() + found.results.size());
    *context = object.release();
    return nullptr;
  });
}

void qccContextDestroy(qccContext context) { delete context; }

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// Holds the context for the duration of a call.
class Call {
public:
  explicit Call(qccContext context) : context_(context) {
    if (!context) {
      status_ = rt::invalidArgument("the context is a null pointer");
    } else if (context->busy.exchange(true, std::memory_order_acquire)) {
      context_ = nullptr;
      status_ = rt::Status(
          rt::StatusCode::Busy,
          "this context is in use by another thread; create one context for "
          "each thread (they share the module)");
    }
  }
  ~Call() {
    if (context_)
      context_->busy.store(false, std::memory_order_release);
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  const rt::Status &status() const { return status_; }
  const rt::Tensor *arguments() const { return context_->tensors.data(); }
  const rt::Tensor *results() const { return arguments() + numArguments(); }
  size_t numArguments() const { return entry().arguments.size(); }
  size_t numResults() const { return entry().results.size(); }
  const rt::Entry &entry() const { return context_->context->entry(); }

  /// Fails also where the context cannot be had.
  rt::Status takeArguments(DLTensor *const *tensors, size_t count) {
    if (!status_.isOk())
      return status_;
    return take("argument", tensors, count, 0, numArguments());
  }
  rt::Status takeResults(DLTensor *const *tensors, size_t count) {
    return take("result", tensors, count, numArguments(), numResults());
  }

private:
  rt::Status take(const char *role, DLTensor *const *tensors, size_t count,
                  size_t first, size_t expected) {
    if (count != expected)
      return rt::invalidArgument("the entry has " + std::to_string(expected) +
                                 " " + role + "s, but the call has " +
                                 std::to_string(count));
    if (!tensors && count > 0)
      return rt::invalidArgument("the array of " + std::string(role) +
                                 "s is a null pointer");
    rt::Status status;
    for (size_t i = 0; i < count && status.isOk(); ++i)
      status = toTensor(tensors[i], role, i, context_->tensors[first + i]);
    return status;
  }

  qccContext context_;
  rt::Status status_;
};
} // namespace

/// The options as the runtime takes them. The caller keeps the token for the
/// duration of the call.
static rt::Result<rt::RunOptions> readRunOptions(const qccRunOptions *given) {
  qccRunOptions known;
  rt::Status status = readStruct(given, known);
  if (!status.isOk())
    return status;
  rt::RunOptions options;
  if (known.cancel)
    options.cancel = known.cancel->flag.get();
  options.timeoutNanoseconds = known.timeoutNanoseconds;
  options.stream = known.stream;
  return options;
}

/// Runs on tensors that the call has taken.
static rt::Status run(qccContext context, const Call &call,
                      const rt::RunOptions &options) {
  rt::Status status =
      context->context->run(call.arguments(), call.numArguments(),
                            call.results(), call.numResults(), options);
  context->planned = status.isOk() ||
                     status.code() == rt::StatusCode::Cancelled ||
                     status.code() == rt::StatusCode::TimedOut ||
                     status.code() == rt::StatusCode::KernelFailed;
  return status;
}

qccStatus qccContextRun(qccContext context, DLTensor *const *arguments,
                        size_t numArguments, DLTensor *const *results,
                        size_t numResults) {
  return qccContextRunWithOptions(context, arguments, numArguments, results,
                                  numResults, nullptr);
}

qccStatus qccContextRunWithOptions(qccContext context,
                                   DLTensor *const *arguments,
                                   size_t numArguments,
                                   DLTensor *const *results, size_t numResults,
                                   const qccRunOptions *options) {
  return withoutExceptions([&]() -> qccStatus {
    auto read = readRunOptions(options);
    if (!read.isOk())
      return toC(read.status());
    Call call(context);
    rt::Status status = call.takeArguments(arguments, numArguments);
    if (status.isOk())
      status = call.takeResults(results, numResults);
    return toC(status.isOk() ? run(context, call, *read) : status);
  });
}

qccStatus qccContextPlan(qccContext context, DLTensor *const *arguments,
                         size_t numArguments) {
  return withoutExceptions([&]() -> qccStatus {
    Call call(context);
    rt::Status status = call.takeArguments(arguments, numArguments);
    if (!status.isOk())
      return toC(status);
    status =
        context->context->resultShapes(call.arguments(), numArguments).status();
    context->planned = status.isOk();
    return toC(status);
  });
}

/// Memory for results of arguments that the call has taken.
static rt::Result<std::vector<ManagedTensor>>
allocateResults(qccContext context, const Call &call,
                DLManagedTensor *const *results, size_t numResults) {
  if (numResults != call.numResults())
    return rt::invalidArgument(
        "the entry has " + std::to_string(call.numResults()) +
        " results, but the call has " + std::to_string(numResults));
  if (!results && numResults > 0)
    return rt::invalidArgument("the array of results is a null pointer");
  auto owned =
      context->context->allocateResults(call.arguments(), call.numArguments());
  context->planned = owned.isOk();
  if (!owned.isOk())
    return owned.status();
  std::vector<ManagedTensor> managed;
  for (rt::OwnedTensor &tensor : *owned)
    managed.push_back(toManaged(std::move(tensor), context->allocator));
  return managed;
}

/// Success: the results are the caller's.
static qccStatus handOver(std::vector<ManagedTensor> &managed,
                          DLManagedTensor **results) {
  for (ManagedTensor &tensor : managed)
    *results++ = tensor.release();
  return nullptr;
}

qccStatus qccContextAllocateResults(qccContext context,
                                    DLTensor *const *arguments,
                                    size_t numArguments,
                                    DLManagedTensor **results,
                                    size_t numResults) {
  return withoutExceptions([&]() -> qccStatus {
    Call call(context);
    rt::Status status = call.takeArguments(arguments, numArguments);
    if (!status.isOk())
      return toC(status);
    auto managed = allocateResults(context, call, results, numResults);
    return managed.isOk() ? handOver(*managed, results) : toC(managed.status());
  });
}

qccStatus qccContextCall(qccContext context, DLTensor *const *arguments,
                         size_t numArguments, DLManagedTensor **results,
                         size_t numResults, const qccRunOptions *options) {
  return withoutExceptions([&]() -> qccStatus {
    auto read = readRunOptions(options);
    if (!read.isOk())
      return toC(read.status());
    Call call(context);
    rt::Status status = call.takeArguments(arguments, numArguments);
    if (!status.isOk())
      return toC(status);
    auto managed = allocateResults(context, call, results, numResults);
    if (!managed.isOk())
      return toC(managed.status());
    std::vector<DLTensor *> views;
    for (ManagedTensor &tensor : *managed)
      views.push_back(&tensor->dl_tensor);
    status = call.takeResults(views.data(), views.size());
    if (status.isOk())
      status = run(context, call, *read);
    return status.isOk() ? handOver(*managed, results) : toC(status);
  });
}

//===----------------------------------------------------------------------===//
// Inspection
//===----------------------------------------------------------------------===//

static rt::Status noPlan() {
  return rt::invalidArgument("the sizes are not known yet; call "
                             "qccContextPlan or qccContextRun first");
}

/// A size, for the last plan or without one.
static std::optional<int64_t> sizeOf(qccContext context, rt::Size size) {
  if (size.isDynamic() && !context->planned)
    return std::nullopt;
  return size.get(context->context->values().data());
}

qccStatus qccContextGetResultShape(qccContext context, size_t result,
                                   int64_t *dims, size_t rank) {
  return withoutExceptions([&]() -> qccStatus {
    Call call(context);
    if (!call.status().isOk())
      return toC(call.status());
    if (result >= call.numResults())
      return invalidArgument("there is no result " + std::to_string(result) +
                             "; the entry has " +
                             std::to_string(call.numResults()));
    const std::vector<rt::Size> &sizes = call.entry().results[result].dims;
    if (rank != sizes.size())
      return invalidArgument("result " + std::to_string(result) + " has rank " +
                             std::to_string(sizes.size()) +
                             ", but there is room for " + std::to_string(rank) +
                             " dimensions");
    if (!dims && rank > 0)
      return nullPointer("the array of dimensions");
    for (rt::Size size : sizes)
      if (!sizeOf(context, size))
        return toC(noPlan());
    for (size_t d = 0; d < rank; ++d)
      dims[d] = *sizeOf(context, sizes[d]);
    return nullptr;
  });
}

qccStatus qccContextGetInfo(qccContext context, qccContextInfo *info) {
  return withoutExceptions([&]() -> qccStatus {
    Call call(context);
    if (!call.status().isOk())
      return toC(call.status());
    qccContextInfo known = qccContextInfoInit();
    known.entry = textOf(call.entry().name);
    known.threads = context->context->threads();
    known.numSteps = call.entry().steps.size();
    known.arenaBytes = context->context->arenaBytes();
    known.scratchBytes = context->context->scratchBytes();
    known.weightBytes = context->context->module().copiedWeightBytes();
    known.device = context->device.c_str();
    return toC(writeStruct(known, info));
  });
}

qccStatus qccContextGetStep(qccContext context, size_t index,
                            qccStepInfo *info) {
  return withoutExceptions([&]() -> qccStatus {
    Call call(context);
    if (!call.status().isOk())
      return toC(call.status());
    const std::vector<rt::Step> &steps = call.entry().steps;
    if (index >= steps.size())
      return invalidArgument("there is no step " + std::to_string(index) +
                             "; the entry has " + std::to_string(steps.size()));
    const rt::Step &step = steps[index];
    qccStepInfo known = qccStepInfoInit();
    known.name = textOf(step.name);
    known.layer = textOf(step.layer);
    known.location = textOf(step.location);
    known.parallel = step.parallel;
    known.operations = sizeOf(context, step.operations).value_or(-1);
    known.bytes = sizeOf(context, step.bytes).value_or(-1);
    if (context->profile)
      known.nanoseconds = context->context->stepNanoseconds()[index];
    return toC(writeStruct(known, info));
  });
}
