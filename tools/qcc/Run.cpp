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
#include "common/TestData.h"
#include "common/Text.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Reference/Interpreter.h"
#include "qcc/Runtime/Module.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace qcc;
using namespace qcc::driver;
using mlir::func::FuncOp;

//===----------------------------------------------------------------------===//
// Reference
//===----------------------------------------------------------------------===//

std::optional<ReferenceResults>
driver::runReference(FuncOp entry, const std::vector<HostTensor> &inputs,
                     unsigned threads,
                     reference::Interpreter::Observer observer) {
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
  reference::Interpreter interpreter(threads);
  interpreter.setObserver(std::move(observer));
  if (llvm::Error error = interpreter.run(entry, values, results)) {
    reportError("reference: " + llvm::toString(std::move(error)));
    return std::nullopt;
  }
  return results;
}

rt::Tensor driver::viewOf(const reference::TensorValue &value) {
  return rt::Tensor(
      value.bytes.get(),
      rt::DType{static_cast<uint8_t>(value.type.code), value.type.bits},
      value.shape);
}

static std::vector<rt::Tensor> viewsOf(const ReferenceResults &results) {
  std::vector<rt::Tensor> views;
  for (const reference::TensorValue &value : results)
    views.push_back(driver::viewOf(value));
  return views;
}

/// Says which step differs first, and where; returns whether none does, or
/// nothing after a failure that was reported.
static std::optional<bool> reportSteps(const ProgramOptions &program,
                                       const RunOptions &options,
                                       const rt::ModuleOptions &moduleOptions,
                                       std::vector<HostTensor> inputs) {
  if (program.input == "-") {
    printf("steps: not compared, since the standard input cannot be read "
           "twice; give a file\n");
    return false;
  }
  std::optional<tools::StepCheck> steps =
      driver::checkSteps(program, options, moduleOptions, std::move(inputs));
  if (!steps)
    return std::nullopt;
  printf("steps: %s, %lld elements, %lld differ\n",
         tools::counted(steps->values, "value").c_str(),
         (long long)steps->elements, (long long)steps->differing);
  if (!steps->first.empty())
    printf("  first: %s\n", steps->first.c_str());
  return steps->differing == 0;
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
  auto module = rt::Module::load(artifact->data(), artifact->size(), options);
  if (!module.isOk()) {
    reportError(module.message());
    return std::nullopt;
  }
  return *module;
}

/// Runs the tests of --test-data; returns the exit code.
static int runTests(const tools::ModulePtr &module, const RunOptions &options) {
  return tools::runTestData(
      module, options, stdout,
      [](const std::string &message) { reportError(message); });
}

static int runArtifact(const ProgramOptions &program, RunOptions &options) {
  if (options.check)
    return reportError("--check needs the program, which '" + program.input +
                       "' does not hold; run the program itself");
  auto moduleOptions = tools::moduleOptionsOf(options);
  if (!moduleOptions.isOk())
    return reportError(moduleOptions.message());
  auto module = openArtifact(program, *moduleOptions);
  if (!module.isOk())
    return reportError(module.message());
  if (!options.testData.empty())
    return runTests(*module, options);
  return reportStatus(
      tools::runModule(*module, program.input, options, std::nullopt, stdout));
}

int driver::runRun(const ProgramOptions &given, const RunOptions &givenRun) {
  ProgramOptions program = given;
  RunOptions options = givenRun;
  options.check |= options.checkSteps;
  options.describeResults = !options.check;
  addFiles(options.files, program);
  rt::Status status = tools::checkOptions(options);
  if (!status.isOk())
    return reportError(status.message());
  if (tools::isArtifact(program.input))
    return runArtifact(program, options);
  auto moduleOptions = tools::moduleOptionsOf(options);
  if (!moduleOptions.isOk())
    return reportError(moduleOptions.message());
  aimAt(moduleOptions->device.get(), program);
  moduleOptions->name = program.input;
  if (program.target == "cuda" && !moduleOptions->device && !options.list)
    return reportError("programs of target cuda run on a device; say "
                       "--device=cuda or --device=emulator");

  Session session(program);
  if (!session.load())
    return 1;
  std::optional<std::vector<HostTensor>> inputs;
  std::optional<ReferenceResults> expected;
  if (!options.list && options.testData.empty()) {
    FuncOp entry = findEntry(session.module(), options.entry);
    if (!entry)
      return 1;
    options.entry = entry.getName().str();
    auto specs = specsOf(entry);
    if (!specs)
      return 1;
    auto made = tools::makeRunInputs(*specs, options, options.entry, stdout);
    if (!made.isOk())
      return reportError(made.message());
    inputs = *std::move(made);
    // The stages rewrite the module: the reference runs first.
    if (session.isReference() || options.check)
      if (!session.guarded("while interpreting the program", [&] {
            expected = runReference(entry, *inputs, options.threads);
            return expected.has_value();
          }))
        return 1;
  }
  if (session.isReference())
    return reportStatus(
        tools::finishResults(viewsOf(*expected), options, stdout));

  auto module = compileAndLoad(session, *moduleOptions);
  if (!module)
    return 1;
  if (!options.testData.empty())
    return runTests(*module, options);
  tools::Execution execution;
  status = tools::runModule(*module, program.input, options, std::move(inputs),
                            stdout, &execution);
  if (!status.isOk() || !options.check || options.list)
    return reportStatus(status);
  tools::CheckReport report =
      tools::checkResults(execution.outputs, viewsOf(*expected));
  fputs(report.text.c_str(), stdout);
  bool areSame = report.differing == 0;
  if (!areSame || options.checkSteps) {
    std::optional<bool> steps = reportSteps(program, options, *moduleOptions,
                                            std::move(execution.storage));
    areSame &= steps.value_or(false);
  }
  return areSame ? reportStatus(status) : 1;
}
