//===- Context.cpp - The C API of contexts --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Convert.h"
#include "Call.h"
#include "RunRecord.h"
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
  auto hooks = readHooks(known);
  if (!hooks.isOk())
    return hooks.status();
  options.hostThreads = {hooks->hostThreads.parallelFor,
                         hooks->hostThreads.context};
  options.log = {hooks->log.log, hooks->log.context};
  if (hooks->allocator.allocate) {
    object.allocator =
        std::make_shared<AllocatorHook>(AllocatorHook{hooks->allocator});
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
    object->device = module->device;
    const rt::Entry &found = object->context->entry();
    object->tensors.resize(found.arguments.size() + found.results.size());
    object->outerStrides.resize(object->tensors.size());
    *context = object.release();
    return nullptr;
  });
}

void qccContextDestroy(qccContext context) { delete context; }

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

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
    RunRecord record;
    auto read = readRunOptions(options);
    if (!read.isOk())
      return toC(record.end(read.status()));
    record.setTag(read->tag);
    Call call(context, read->eachSlice);
    rt::Status status = call.takeArguments(arguments, numArguments);
    if (status.isOk())
      status = call.takeResults(results, numResults);
    if (status.isOk())
      status = runTaken(context, *read);
    return toC(record.end(std::move(status)));
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

//===----------------------------------------------------------------------===//
// Results that are allocated
//===----------------------------------------------------------------------===//

/// Memory for results of arguments that the call has taken.
template <typename Managed>
static rt::Result<std::vector<ManagedTensor<Managed>>>
allocateTaken(qccContext context, const Call &call, Managed *const *results,
              size_t numResults) {
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
  std::vector<ManagedTensor<Managed>> managed;
  for (rt::OwnedTensor &tensor : *owned)
    managed.push_back(
        toManaged<Managed>(std::move(tensor), context->allocator));
  return managed;
}

/// From here on the results are the caller's.
template <typename Managed>
static void handOver(std::vector<ManagedTensor<Managed>> &managed,
                     Managed **results) {
  for (ManagedTensor<Managed> &tensor : managed)
    *results++ = tensor.release();
}

template <typename Managed>
static qccStatus allocateResults(qccContext context, DLTensor *const *arguments,
                                 size_t numArguments, Managed **results,
                                 size_t numResults) {
  return withoutExceptions([&]() -> qccStatus {
    Call call(context);
    rt::Status status = call.takeArguments(arguments, numArguments);
    if (!status.isOk())
      return toC(status);
    auto managed = allocateTaken(context, call, results, numResults);
    if (managed.isOk())
      handOver(*managed, results);
    return toC(managed.status());
  });
}

qccStatus qccContextAllocateResults(qccContext context,
                                    DLTensor *const *arguments,
                                    size_t numArguments,
                                    DLManagedTensor **results,
                                    size_t numResults) {
  return allocateResults(context, arguments, numArguments, results, numResults);
}

qccStatus qccContextAllocateResultsVersioned(qccContext context,
                                             DLTensor *const *arguments,
                                             size_t numArguments,
                                             DLManagedTensorVersioned **results,
                                             size_t numResults) {
  return allocateResults(context, arguments, numArguments, results, numResults);
}

template <typename Managed>
static rt::Status callTaken(qccContext context, DLTensor *const *arguments,
                            size_t numArguments, Managed **results,
                            size_t numResults, const RunSettings &settings) {
  if (settings.eachSlice)
    return rt::invalidArgument("results of runs of each slice are not "
                               "allocated; give memory for them");
  Call call(context);
  rt::Status status = call.takeArguments(arguments, numArguments);
  if (!status.isOk())
    return status;
  auto managed = allocateTaken(context, call, results, numResults);
  if (!managed.isOk())
    return managed.status();
  std::vector<DLTensor *> views;
  for (auto &tensor : *managed)
    views.push_back(&tensor->dl_tensor);
  status = call.takeResults(views.data(), views.size());
  if (status.isOk())
    status = runTaken(context, settings);
  if (status.isOk())
    handOver(*managed, results);
  return status;
}

template <typename Managed>
static qccStatus callEntry(qccContext context, DLTensor *const *arguments,
                           size_t numArguments, Managed **results,
                           size_t numResults, const qccRunOptions *options) {
  return withoutExceptions([&]() -> qccStatus {
    RunRecord record;
    auto read = readRunOptions(options);
    if (!read.isOk())
      return toC(record.end(read.status()));
    record.setTag(read->tag);
    return toC(record.end(callTaken(context, arguments, numArguments, results,
                                    numResults, *read)));
  });
}

qccStatus qccContextCall(qccContext context, DLTensor *const *arguments,
                         size_t numArguments, DLManagedTensor **results,
                         size_t numResults, const qccRunOptions *options) {
  return callEntry(context, arguments, numArguments, results, numResults,
                   options);
}

qccStatus
qccContextCallVersioned(qccContext context, DLTensor *const *arguments,
                        size_t numArguments, DLManagedTensorVersioned **results,
                        size_t numResults, const qccRunOptions *options) {
  return callEntry(context, arguments, numArguments, results, numResults,
                   options);
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

qccStepInfo capi::describeStep(qccContext context, size_t index,
                               bool isPlanned) {
  const rt::Context &run = *context->context;
  const rt::Step &step = run.entry().steps[index];
  auto sizeOfStep = [&](rt::Size size) {
    return size.isDynamic() && !isPlanned ? -1 : size.get(run.values().data());
  };
  qccStepInfo known = qccStepInfoInit();
  known.name = textOf(step.name);
  known.layer = textOf(step.layer);
  known.location = textOf(step.location);
  known.parallel = step.parallel;
  known.operations = sizeOfStep(step.operations);
  known.bytes = sizeOfStep(step.bytes);
  if (!run.stepNanoseconds().empty())
    known.nanoseconds = run.stepNanoseconds()[index];
  return known;
}

qccStatus qccContextGetStep(qccContext context, size_t index,
                            qccStepInfo *info) {
  return withoutExceptions([&]() -> qccStatus {
    Call call(context);
    if (!call.status().isOk())
      return toC(call.status());
    size_t numSteps = call.entry().steps.size();
    if (index >= numSteps)
      return invalidArgument("there is no step " + std::to_string(index) +
                             "; the entry has " + std::to_string(numSteps));
    return toC(
        writeStruct(describeStep(context, index, context->planned), info));
  });
}
