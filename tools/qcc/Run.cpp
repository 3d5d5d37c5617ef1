//===- Run.cpp - qcc run and qcc bench ------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What becomes of a compiled program is common to all tools (common/Run.h);
// here is what only a compiler can do: compile it first, and interpret it.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "common/Compare.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "qcc/JIT/JIT.h"
#include "qcc/Reference/Interpreter.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace qcc;
using namespace qcc::driver;
using mlir::func::FuncOp;

//===----------------------------------------------------------------------===//
// Reference
//===----------------------------------------------------------------------===//

using ReferenceResults = llvm::SmallVector<reference::TensorValue>;

static std::optional<ReferenceResults>
runReference(FuncOp entry, const std::vector<HostTensor> &inputs,
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

static std::vector<rt::Tensor> viewsOf(const ReferenceResults &results) {
  std::vector<rt::Tensor> views;
  for (const reference::TensorValue &value : results)
    views.emplace_back(
        value.bytes.get(),
        rt::DType{static_cast<uint8_t>(value.type.code), value.type.bits},
        value.shape);
  return views;
}

/// Compares with the reference; returns the exit code.
static int check(const std::vector<rt::Tensor> &results,
                 const std::vector<rt::Tensor> &wanted) {
  int64_t elements = 0, differing = 0;
  for (auto [result, expected] : llvm::zip_equal(results, wanted)) {
    int64_t count = result.elements().value_or(0);
    elements += count;
    bool sameType =
        result.dtype == expected.dtype && result.shape == expected.shape;
    differing += sameType ? tools::compare(result, expected).differing
                          : std::max<int64_t>(1, count);
  }
  printf("check: %lld elements, %lld differ\n", (long long)elements,
         (long long)differing);
  return differing > 0;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

rt::Result<tools::ModulePtr>
driver::openArtifact(const ProgramOptions &program,
                     const rt::ModuleOptions &options) {
  if (!program.given.empty())
    return rt::invalidArgument("'" + program.input +
                               "' is compiled already; leave out " +
                               llvm::join(program.given, ", "));
  return rt::Module::open(program.input, options);
}

std::optional<tools::ModulePtr>
driver::compileAndLoad(Session &session, const rt::ModuleOptions &options) {
  if (!session.runStages(Stage::LLVM))
    return std::nullopt;
  std::optional<Artifact> artifact = session.emitArtifact();
  if (!artifact)
    return std::nullopt;
  auto module = loadArtifact(*artifact, options);
  if (!module.isOk()) {
    reportError(module.message());
    return std::nullopt;
  }
  return *module;
}

static int runArtifact(const ProgramOptions &program,
                       const RunOptions &options) {
  if (options.check)
    return reportError("--check needs the program, which '" + program.input +
                       "' does not hold; run the program itself");
  rt::ModuleOptions moduleOptions;
  moduleOptions.variant = options.variant;
  moduleOptions.inspectOnly = options.list;
  moduleOptions.weightPages = tools::weightPagesOf(options);
  auto module = openArtifact(program, moduleOptions);
  if (!module.isOk())
    return reportError(module.message());
  return reportStatus(
      tools::runModule(*module, program.input, options, std::nullopt, stdout));
}

int driver::runRun(const ProgramOptions &program, const RunOptions &given) {
  RunOptions options = given;
  options.describeResults = !options.check;
  addFiles(options.files, program);
  rt::Status status = tools::checkOptions(options);
  if (!status.isOk())
    return reportError(status.message());
  if (tools::isArtifact(program.input))
    return runArtifact(program, options);
  if (program.target == "reference" &&
      (options.bench || options.profile || options.list ||
       !options.dumpSteps.empty() || !options.variant.empty() ||
       !options.weightPages.empty()))
    return reportError("target reference has no compiled steps to measure, "
                       "list or dump; use x86");

  Session session(program);
  if (!session.load())
    return 1;
  std::optional<std::vector<HostTensor>> inputs;
  std::optional<ReferenceResults> expected;
  if (!options.list) {
    FuncOp entry = findEntry(session.module(), options.entry);
    if (!entry)
      return 1;
    options.entry = entry.getName().str();
    auto specs = specsOf(entry);
    if (!specs)
      return 1;
    auto made = tools::makeInputs(*specs, options.sources, options.entry);
    if (!made.isOk())
      return reportError(made.message());
    inputs = *std::move(made);
    // The stages rewrite the module: the reference runs first.
    if (session.isReference() || options.check)
      if (!session.guarded("in the reference", [&] {
            expected = runReference(entry, *inputs, options.threads);
            return expected.has_value();
          }))
        return 1;
  }
  if (session.isReference())
    return reportStatus(
        tools::finishResults(viewsOf(*expected), options, stdout));

  rt::ModuleOptions moduleOptions;
  moduleOptions.variant = options.variant;
  moduleOptions.inspectOnly = options.list;
  moduleOptions.weightPages = tools::weightPagesOf(options);
  moduleOptions.name = program.input;
  auto module = compileAndLoad(session, moduleOptions);
  if (!module)
    return 1;
  tools::Execution execution;
  status = tools::runModule(*module, program.input, options, std::move(inputs),
                            stdout, &execution);
  if (status.isOk() && options.check && !options.list)
    return check(execution.outputs, viewsOf(*expected));
  return reportStatus(status);
}
