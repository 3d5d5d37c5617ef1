//===- Run.cpp - qcc run and qcc bench ------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"
#include "qcc/JIT/JIT.h"
#include "qcc/Reference/Interpreter.h"
#include "qcc/Runtime/Context.h"
#include "qcc/Support/TensorFile.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cstring>

using namespace qcc;
using namespace qcc::driver;

namespace {
/// An entry of a loaded program and the inputs to run it on.
struct Call {
  mlir::func::FuncOp entry;
  std::string name;
  std::vector<HostTensor> inputs;
};
} // namespace

/// Loads the program and makes the inputs; reports what is wrong.
static std::optional<Call> begin(Session &session, const RunOptions &options) {
  if (!session.load())
    return std::nullopt;
  Call call;
  call.entry = findEntry(session.module(), options.entry);
  if (!call.entry)
    return std::nullopt;
  call.name = call.entry.getName().str();
  auto specs = specsOf(call.entry);
  if (!specs)
    return std::nullopt;
  auto inputs = makeInputs(*specs, options, call.name);
  if (!inputs)
    return std::nullopt;
  call.inputs = std::move(*inputs);
  return call;
}

//===----------------------------------------------------------------------===//
// Reference
//===----------------------------------------------------------------------===//

using ReferenceResults = llvm::SmallVector<reference::TensorValue>;

static std::optional<ReferenceResults>
runReference(mlir::func::FuncOp entry, const std::vector<HostTensor> &inputs,
             unsigned threads) {
  std::vector<reference::TensorValue> values;
  for (const HostTensor &input : inputs) {
    rt::DType dtype = input.dtype();
    auto value = reference::TensorValue::allocate(
        {static_cast<reference::TypeCode>(dtype.code), dtype.bits},
        input.shape());
    if (!value.bytes) {
      reportError("not enough memory for the reference");
      return std::nullopt;
    }
    memcpy(value.bytes.get(), input.data(), input.numBytes());
    values.push_back(std::move(value));
  }
  ReferenceResults results;
  if (llvm::Error error =
          reference::Interpreter(threads).run(entry, values, results)) {
    reportError("reference: " + llvm::toString(std::move(error)));
    return std::nullopt;
  }
  return results;
}

static rt::Tensor viewOf(const reference::TensorValue &value) {
  return rt::Tensor(value.bytes.get(),
                    {static_cast<uint8_t>(value.type.code), value.type.bits},
                    value.shape);
}

//===----------------------------------------------------------------------===//
// Compiled code
//===----------------------------------------------------------------------===//

namespace {
/// A compiled entry with its inputs and the memory of its results.
struct Execution {
  std::unique_ptr<rt::Context> context;
  std::vector<rt::Tensor> inputs, outputs;
  std::vector<rt::OwnedTensor> results;
};
} // namespace

/// Compiles the module of the session, which is used up.
static std::optional<Execution> prepare(Session &session, llvm::StringRef entry,
                                        std::vector<HostTensor> &inputs,
                                        unsigned threads, bool profile) {
  if (!session.runStages(Stage::LLVM))
    return std::nullopt;
  std::optional<Artifact> artifact = session.emitArtifact();
  if (!artifact)
    return std::nullopt;
  auto fail = [](const std::string &message) {
    reportError(message);
    return std::nullopt;
  };
  auto module = loadArtifact(*artifact);
  if (!module.isOk())
    return fail(module.message());
  rt::ContextOptions options;
  options.threads = threads;
  options.profile = profile;
  auto context = rt::Context::create(*module, std::string_view(entry), options);
  if (!context.isOk())
    return fail(context.message());
  Execution execution;
  execution.context = std::move(*context);
  for (HostTensor &input : inputs)
    execution.inputs.emplace_back(input.data(), input.dtype(), input.shape());
  auto results = execution.context->allocateResults(execution.inputs);
  if (!results.isOk())
    return fail(results.message());
  execution.results = std::move(*results);
  for (rt::OwnedTensor &result : execution.results)
    execution.outputs.push_back(result.tensor);
  return execution;
}

/// Writes or describes the results.
static int finish(const std::vector<rt::Tensor> &results,
                  const RunOptions &options) {
  if (options.outputs.size() > results.size())
    return reportError(
        llvm::formatv("the entry has {0} result(s), but --output "
                      "is given {1} times",
                      results.size(), options.outputs.size()));
  for (auto [i, result] : llvm::enumerate(results)) {
    if (i >= options.outputs.size()) {
      if (!options.check)
        llvm::outs() << "result " << i << ": " << result.describe() << '\n';
      continue;
    }
    rt::Status status =
        writeNpy(options.outputs[i], result.dtype, result.shape, result.data);
    if (!status.isOk())
      return reportError(status.message());
  }
  return 0;
}

int driver::runRun(const ProgramOptions &program, const RunOptions &options) {
  for (const std::string &output : options.outputs)
    if (!llvm::StringRef(output).ends_with(".npy"))
      return reportError("output '" + output +
                         "' must be a .npy file, the only format written");
  Session session(program);
  auto call = begin(session, options);
  if (!call)
    return 1;

  // The stages rewrite the module: the reference runs first.
  std::optional<ReferenceResults> expected;
  if (session.isReference() || options.check) {
    bool done = session.guarded("in the reference", [&] {
      expected = runReference(call->entry, call->inputs, options.threads);
      return expected.has_value();
    });
    if (!done)
      return 1;
  }
  std::vector<rt::Tensor> reference;
  if (expected)
    for (const reference::TensorValue &value : *expected)
      reference.push_back(viewOf(value));
  if (session.isReference())
    return finish(reference, options);

  std::optional<Execution> execution = prepare(
      session, call->name, call->inputs, options.threads, /*profile=*/false);
  if (!execution)
    return 1;
  rt::Status status =
      execution->context->run(execution->inputs, execution->outputs);
  if (!status.isOk())
    return reportError(status.message());
  if (int code = finish(execution->outputs, options))
    return code;
  if (!options.check)
    return 0;
  int64_t elements = 0, differing = 0;
  for (auto [result, wanted] : llvm::zip(execution->outputs, reference)) {
    elements += result.elements().value_or(0);
    differing += countDifferences(result, wanted);
  }
  llvm::outs() << "check: " << elements << " elements, " << differing
               << " differ\n";
  return differing > 0;
}

//===----------------------------------------------------------------------===//
// Bench
//===----------------------------------------------------------------------===//

static double quantile(const std::vector<double> &sorted, double at) {
  return sorted[static_cast<size_t>(at * (sorted.size() - 1) + 0.5)];
}

int driver::runBench(const ProgramOptions &program, const RunOptions &options,
                     const std::string &json) {
  if (program.target == "reference")
    return reportError("target reference is not measured; use x86");
  Session session(program);
  auto call = begin(session, options);
  if (!call)
    return 1;
  auto execution = prepare(session, call->name, call->inputs, options.threads,
                           /*profile=*/true);
  if (!execution)
    return 1;
  rt::Context &context = *execution->context;

  // A second of runs, at least five, after two to warm up.
  using Clock = std::chrono::steady_clock;
  const std::vector<rt::Step> &steps = context.entry().steps;
  std::vector<double> seconds;
  std::vector<std::vector<double>> stepSeconds(steps.size());
  double total = 0;
  for (int i = -2; i < 5 || (total < 1.0 && i < 10000); ++i) {
    auto start = Clock::now();
    rt::Status status = context.run(execution->inputs, execution->outputs);
    double elapsed =
        std::chrono::duration<double>(Clock::now() - start).count();
    if (!status.isOk())
      return reportError(status.message());
    if (i < 0)
      continue;
    seconds.push_back(elapsed);
    total += elapsed;
    for (auto [s, ns] : llvm::enumerate(context.stepNanoseconds()))
      stepSeconds[s].push_back(ns * 1e-9);
  }
  llvm::sort(seconds);
  double median = quantile(seconds, 0.5);
  double low = quantile(seconds, 0.1), high = quantile(seconds, 0.9);
  double operations = 0;
  const int64_t *values = context.values().data();
  for (const rt::Step &step : steps)
    operations += step.operations.get(values);

  llvm::raw_ostream &os = llvm::outs();
  os << llvm::formatv("median {0:f3} ms, spread {1:f3} .. {2:f3} ms (10 to 90 "
                      "%), {3} runs, {4} thread(s), {5:f2} GOP/s\n",
                      median * 1e3, low * 1e3, high * 1e3, seconds.size(),
                      context.threads(), operations / median * 1e-9);
  llvm::json::Array stepArray;
  for (auto [i, step] : llvm::enumerate(steps)) {
    llvm::sort(stepSeconds[i]);
    double time = quantile(stepSeconds[i], 0.5);
    double work = step.operations.get(values);
    os << llvm::formatv("  {0,5:f1} %  {1,9:f3} ms  {2,9:f2} GOP/s  {3} {4}\n",
                        100 * time / median, time * 1e3,
                        time > 0 ? work / time * 1e-9 : 0.0,
                        llvm::StringRef(step.name.data(), step.name.size()),
                        llvm::StringRef(step.layer.data(), step.layer.size()));
    stepArray.push_back(llvm::json::Object{
        {"name", llvm::StringRef(step.name.data(), step.name.size())},
        {"layer", llvm::StringRef(step.layer.data(), step.layer.size())},
        {"seconds", time},
        {"operations", work}});
  }
  if (json.empty())
    return 0;
  llvm::json::Value report =
      llvm::json::Object{{"entry", call->name},
                         {"target", session.compiler().getTarget().name},
                         {"threads", context.threads()},
                         {"runs", static_cast<int64_t>(seconds.size())},
                         {"median_seconds", median},
                         {"p10_seconds", low},
                         {"p90_seconds", high},
                         {"operations", operations},
                         {"operations_per_second", operations / median},
                         {"steps", std::move(stepArray)}};
  return writeFile(json, llvm::formatv("{0:2}\n", report).str());
}
