//===- Report.cpp - Report of a compiled program --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Explain/Report.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Explain/Scaling.h"
#include "qcc/Explain/Summary.h"
#include "qcc/Transforms/Program/Program.h"
#include "qcc/Transforms/Steps/Steps.h"

using namespace mlir;
using namespace qcc;

llvm::Error
ProgramReport::addEntries(ModuleOp module, const Target &forTarget,
                          const llvm::StringMap<std::vector<int64_t>> &dims) {
  target = forTarget.getName();
  isForDevice = forTarget.isDevice();
  SymbolTable symbols(module);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (isStep(function))
      continue;
    std::vector<int64_t> sizes = dims.lookup(function.getName());
    auto temporaries = explainMemory(function, sizes);
    if (!temporaries)
      return temporaries.takeError();
    EntryReport &entry = entries.emplace_back();
    entry.name = function.getName();
    entry.dims = std::move(sizes);
    entry.temporaries = *temporaries;
    for (auto call : function.getOps<func::CallOp>())
      entry.steps.push_back(explainStep(call, symbols, forTarget, entry.dims));
    explainFlow(function, symbols, entry.steps);
  }
  return llvm::Error::success();
}

void ProgramReport::addKernels(ModuleOp module) {
  distinctKernels = countKernels(module);
  if (!isForDevice)
    return;
  for (EntryReport &entry : entries) {
    auto function = module.lookupSymbol<func::FuncOp>(entry.name);
    entry.launches = explainLaunches(function, entry.dims);
    for (auto [step, launch] :
         llvm::zip_equal(entry.steps, function.getOps<kernel::LaunchOp>())) {
      step.kernel.emplace();
      step.kernel->name = launch.getKernel().getLeafReference().str();
      step.kernel->threads = launch.getBlock();
      step.kernel->sharedBytes = launch.getSharedBytes();
    }
  }
}

static std::optional<SharedGrid> gridOf(const ProgramStep &step) {
  if (!step.parallel)
    return std::nullopt;
  bool isKnown = step.grid && step.grid[0] > 0 && step.grid[1] > 0;
  return isKnown ? SharedGrid{step.grid[0], step.grid[1]} : SharedGrid{0, 0};
}

void ProgramReport::addProgram(ModuleOp module) {
  for (const ProgramEntry &compiled : Program::of(module).entries)
    for (EntryReport &entry : entries) {
      if (entry.name != compiled.name)
        continue;
      for (const ProgramStep &step : compiled.steps)
        entry.scratchBytes = std::max(entry.scratchBytes, step.scratch);
      if (!isForDevice)
        for (auto [step, lowered] :
             llvm::zip_equal(entry.steps, compiled.steps))
          step.grid = gridOf(lowered);
      entry.arguments = compiled.arguments;
      entry.results = compiled.results;
      entry.inPlace = compiled.inPlace;
      if (entry.launches)
        addConstantOffsets(*entry.launches, compiled);
    }
}

unsigned ProgramReport::numSteps() const {
  unsigned count = 0;
  for (const EntryReport &entry : entries)
    count += entry.steps.size();
  return count;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// The number, or null.
static llvm::json::Value toJson(std::optional<int64_t> number) {
  return number ? llvm::json::Value(*number) : llvm::json::Value(nullptr);
}

template <typename T>
static llvm::json::Object toJson(const WeightExplanation::Values<T> &values) {
  return llvm::json::Object{
      {"count", values.count}, {"min", values.least}, {"max", values.greatest}};
}

static llvm::json::Object toJson(const WeightExplanation &weight) {
  llvm::json::Object object{{"shape", llvm::json::Array(weight.shape)},
                            {"type", weight.type}};
  if (weight.axis)
    object["axis"] = *weight.axis;
  if (weight.scales)
    object["scales"] = toJson(*weight.scales);
  if (weight.zeroPoints)
    object["zero_points"] = toJson(*weight.zeroPoints);
  return object;
}

static llvm::json::Object toJson(const StepExplanation &step) {
  llvm::json::Object object{
      {"name", step.name},
      {"step", step.step()},
      {"kind", step.kind},
      {"work", toString(step.work)},
      {"layer", step.layer},
      {"model_op", step.modelOp},
      {"location", step.location},
      {"fused", llvm::json::Array(step.fused)},
      {"operations", step.operations},
      {"bytes", step.bytes},
      {"reads", llvm::json::Array(step.reads)},
      {"outputs", llvm::json::Array(step.outputs)},
      {"results", llvm::json::Array(step.results)},
  };
  if (step.weight)
    object["weight"] = toJson(*step.weight);
  if (step.isContraction()) {
    object["atom"] = step.atom;
    object["config"] = step.config;
    object["config_source"] = step.source;
    object["expected_share_of_peak"] = step.shareOfPeak;
    llvm::json::Array refusals;
    for (const Alternative &other : step.alternatives)
      refusals.push_back(other.atom + ": " + other.reason);
    object["atoms_refused"] = std::move(refusals);
  }
  if (const std::optional<KernelExplanation> &kernel = step.kernel) {
    llvm::json::Object own{{"name", kernel->name},
                           {"threads", kernel->threads},
                           {"shared_bytes", kernel->sharedBytes}};
    if (kernel->registers) {
      own["registers"] = *kernel->registers;
      own["registers_by"] = kernel->registersBy;
      own["spilled_bytes"] = kernel->spilledBytes;
    }
    object["kernel"] = std::move(own);
  }
  llvm::json::Array unwanted;
  for (llvm::StringRef name : unwantedNames())
    if (isUnwanted(step, *unwantedNamed(name)))
      unwanted.push_back(name);
  object["unwanted"] = std::move(unwanted);
  if (step.expectedSeconds)
    object["expected_seconds"] = *step.expectedSeconds;
  if (step.measuredSeconds)
    object["seconds"] = *step.measuredSeconds;
  if (step.grid && step.grid->isKnown())
    object["shared_grid"] =
        llvm::json::Array{step.grid->rows, step.grid->columns};
  if (!step.notTuned.empty())
    object["not_tuned"] = step.notTuned;
  if (!step.refused.empty())
    object["refused"] = step.refused;
  return object;
}

static llvm::json::Object toJson(const EntryReport &entry) {
  return llvm::json::Object{
      {"arena_bytes", toJson(entry.temporaries.arenaBytes)},
      {"live_bytes", toJson(entry.temporaries.liveBytes)},
      {"scratch_bytes", entry.scratchBytes}};
}

static llvm::json::Value toJson(const LaunchParameter &parameter) {
  llvm::json::Object object{{"kind", parameter.kind},
                            {"value", parameter.value}};
  if (parameter.kind == "tensor_map") {
    object["offset"] = parameter.offset;
    object["dims"] = llvm::json::Array(parameter.dims);
    object["strides"] = llvm::json::Array(parameter.strides);
    object["box"] = llvm::json::Array(parameter.box);
    object["swizzle"] = parameter.swizzle;
  } else if (parameter.kind != "size") {
    object["type"] = parameter.type;
    object["dims"] = llvm::json::Array(parameter.dims);
    object["written"] = parameter.isWritten;
  }
  return object;
}

/// Null stands for dynamic dimensions.
static llvm::json::Value toJson(const ProgramTensor &tensor) {
  std::string type;
  llvm::raw_string_ostream(type) << tensor.elementType;
  llvm::json::Array dims;
  for (int64_t dim : tensor.dims)
    dims.push_back(dim < 0 ? llvm::json::Value(nullptr)
                           : llvm::json::Value(dim));
  return llvm::json::Object{{"type", type}, {"dims", std::move(dims)}};
}

static llvm::json::Value toJson(const Scaling &scaling) {
  return llvm::json::Object{{"threads", scaling.threads},
                            {"expected_seconds", scaling.seconds},
                            {"one_thread_seconds", scaling.oneThreadSeconds},
                            {"uneven_seconds", scaling.unevenSeconds},
                            {"change_seconds", scaling.changeSeconds}};
}

static llvm::json::Value toJson(const LaunchExplanation &launch);

template <typename T>
static llvm::json::Array toJsonArray(const std::vector<T> &items) {
  llvm::json::Array array;
  for (const T &item : items)
    array.push_back(toJson(item));
  return array;
}

static llvm::json::Value toJson(const LaunchExplanation &launch) {
  return llvm::json::Object{{"kernel", launch.kernel},
                            {"grid", launch.grid},
                            {"block", launch.block},
                            {"shared_bytes", launch.sharedBytes},
                            {"programmatic", launch.isProgrammatic},
                            {"parameters", toJsonArray(launch.parameters)}};
}

/// The larger one; nothing if one of them is not known.
static std::optional<int64_t> larger(std::optional<int64_t> a,
                                     std::optional<int64_t> b) {
  if (!a || !b)
    return std::nullopt;
  return std::max(*a, *b);
}

llvm::json::Object ProgramReport::toJson(unsigned threads) const {
  EntryReport most;
  most.temporaries = {0, 0};
  llvm::json::Array memories, kernels;
  for (const EntryReport &entry : entries) {
    const MemoryExplanation &temporaries = entry.temporaries;
    most.temporaries = {
        larger(most.temporaries.arenaBytes, temporaries.arenaBytes),
        larger(most.temporaries.liveBytes, temporaries.liveBytes)};
    most.scratchBytes = std::max(most.scratchBytes, entry.scratchBytes);
    llvm::json::Object memory = ::toJson(entry);
    memory["name"] = entry.name;
    memory["summary"] = Summary(entry).toJson();
    llvm::json::Array inPlace;
    for (auto [result, argument] : llvm::enumerate(entry.inPlace))
      if (argument >= 0)
        inPlace.push_back(llvm::json::Object{{"result", int64_t(result)},
                                             {"argument", argument}});
    memory["in_place"] = std::move(inPlace);
    if (threads > 0)
      memory["scaling"] = toJsonArray(expectScaling(entry, threads));
    if (isForDevice) {
      memory["arguments"] = toJsonArray(entry.arguments);
      memory["results"] = toJsonArray(entry.results);
    }
    if (entry.launches)
      memory["launches"] = toJsonArray(*entry.launches);
    memories.push_back(std::move(memory));
    for (const StepExplanation &step : entry.steps) {
      llvm::json::Object kernel = ::toJson(step);
      kernel["entry"] = entry.name;
      kernels.push_back(std::move(kernel));
    }
  }
  llvm::json::Object object = ::toJson(most);
  object["entries"] = std::move(memories);
  object["distinct_kernels"] = distinctKernels;
  object["artifact_bytes"] = artifactBytes;
  if (binaryBytes > 0)
    object["machine_code_bytes"] = binaryBytes;
  object["target"] = target;
  object["kernels"] = std::move(kernels);
  return object;
}
