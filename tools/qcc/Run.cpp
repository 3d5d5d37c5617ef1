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
#include "common/Messages.h"
#include "common/SelfTest.h"
#include "common/TestData.h"
#include "common/Text.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Reference/Interpreter.h"
#include "qcc/Runtime/Module.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include <algorithm>
#include <cstring>

using namespace qcc;
using namespace qcc::driver;
using mlir::func::FuncOp;

//===----------------------------------------------------------------------===//
// Reference
//===----------------------------------------------------------------------===//

Reported<ReferenceResults>
driver::runReference(FuncOp entry, const std::vector<HostTensor> &inputs,
                     unsigned threads,
                     reference::Interpreter::Observer observer) {
  std::vector<reference::TensorValue> values;
  for (const HostTensor &input : inputs) {
    rt::DType dtype = input.dtype();
    auto value = reference::TensorValue::allocate(
        {static_cast<reference::TypeCode>(dtype.code), dtype.bits},
        input.shape());
    if (!value.bytes)
      return reportError(tools::ExitFailed,
                         "not enough memory for the reference");
    memcpy(value.bytes.get(), input.data(), input.numBytes());
    values.push_back(std::move(value));
  }
  ReferenceResults results;
  reference::Interpreter interpreter(threads);
  interpreter.setObserver(std::move(observer));
  if (llvm::Error error = interpreter.run(entry, values, results))
    return reportError(tools::ExitFailed,
                       "reference: " + llvm::toString(std::move(error)));
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

/// Prints to `out` which step differs first, and where; returns the exit code.
static ExitCode reportSteps(const ProgramOptions &program,
                            const RunOptions &options,
                            const rt::ModuleOptions &moduleOptions,
                            std::vector<HostTensor> inputs, std::FILE *out) {
  if (program.input == "-") {
    fprintf(out, "steps: not compared, since the standard input cannot be read "
                 "twice; give a file\n");
    return tools::ExitDiffers;
  }
  auto steps =
      driver::checkSteps(program, options, moduleOptions, std::move(inputs));
  if (!steps)
    return steps.code();
  fprintf(out, "steps: %s, %lld elements, %lld differ\n",
          tools::counted(steps->values, "value").c_str(),
          (long long)steps->elements, (long long)steps->differing);
  if (!steps->first.empty())
    fprintf(out, "  first: %s\n", steps->first.c_str());
  return steps->differing == 0 ? tools::ExitSuccess : tools::ExitDiffers;
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

Reported<tools::ModulePtr>
driver::compileAndLoad(Session &session, const rt::ModuleOptions &options) {
  if (ExitCode code = session.runStages(Stage::LLVM))
    return code;
  auto artifact = session.emitArtifact();
  if (!artifact)
    return artifact.code();
  auto module = rt::Module::load(artifact->data(), artifact->size(), options);
  if (!module.isOk())
    return reportStatus(module.status());
  return *module;
}

/// Runs the tests of --test-data; returns the exit code.
static ExitCode runTests(const tools::ModulePtr &module,
                         const RunOptions &options) {
  return tools::runTestData(
      module, options, stdout,
      [](const std::string &message) { tools::printError("qcc", message); });
}

static ExitCode runArtifact(const ProgramOptions &program,
                            RunOptions &options) {
  if (options.check)
    return reportError(tools::ExitRejected,
                       "--check needs the program, which '" + program.input +
                           "' does not hold; run the program itself");
  if (options.selfTest)
    return tools::runSelfTests(
        program.input, options, stdout,
        [](const std::string &message) { tools::printError("qcc", message); });
  auto moduleOptions = tools::moduleOptionsOf(options);
  if (!moduleOptions.isOk())
    return reportStatus(moduleOptions.status());
  auto module = openArtifact(program, *moduleOptions);
  if (!module.isOk())
    return reportStatus(module.status());
  if (!options.testData.empty())
    return runTests(*module, options);
  return reportDifferences(tools::runModule(*module, program.input, options,
                                            std::nullopt,
                                            tools::textStream(options)));
}

namespace {
/// What a run of a program needs that is not compiled yet.
struct Prepared {
  /// Empty where nothing is run, or where tests have their own.
  std::optional<std::vector<HostTensor>> inputs;
  /// What the reference interpreter computes, if that is asked for.
  std::optional<ReferenceResults> expected;
};
} // namespace

/// Makes the inputs, and runs the reference: the stages rewrite the module.
static Reported<Prepared> prepare(Session &session, RunOptions &options,
                                  std::FILE *out) {
  Prepared prepared;
  if (options.list || !options.testData.empty())
    return prepared;
  auto entry = findEntry(session.module(), options.entry);
  if (!entry)
    return entry.code();
  options.entry = entry->getName().str();
  auto specs = specsOf(*entry);
  if (!specs)
    return specs.code();
  auto made = tools::makeRunInputs(*specs, options, options.entry, out);
  if (!made.isOk())
    return reportStatus(made.status());
  prepared.inputs = *std::move(made);
  if (!session.isReference() && !options.check)
    return prepared;
  bool done = session.guarded("while interpreting the program", [&] {
    auto expected = runReference(*entry, *prepared.inputs, options.threads);
    if (expected)
      prepared.expected = std::move(*expected);
    return bool(expected);
  });
  if (!done)
    return tools::ExitFailed;
  return prepared;
}

/// Compiles and runs a loaded program; returns the exit code.
static ExitCode runCompiled(Session &session, const RunOptions &options,
                            const rt::ModuleOptions &moduleOptions,
                            Prepared prepared, std::FILE *out) {
  const ProgramOptions &program = session.getOptions();
  auto module = compileAndLoad(session, moduleOptions);
  if (!module)
    return module.code();
  if (!options.testData.empty())
    return runTests(*module, options);
  tools::Execution execution;
  ExitCode code = reportDifferences(
      tools::runModule(*module, program.input, options,
                       std::move(prepared.inputs), out, &execution));
  if (code > tools::ExitDiffers || !options.check || options.list)
    return code;
  tools::CheckReport report =
      tools::checkResults(execution.outputs, viewsOf(*prepared.expected));
  fputs(report.text.c_str(), out);
  if (report.differing > 0)
    code = tools::ExitDiffers;
  if (report.differing == 0 && !options.checkSteps)
    return code;
  return std::max(code, reportSteps(program, options, moduleOptions,
                                    std::move(execution.storage), out));
}

int driver::runRun(const ProgramOptions &given, const RunOptions &givenRun) {
  ProgramOptions program = given;
  RunOptions options = givenRun;
  options.check |= options.checkSteps;
  options.describeResults = !options.check;
  options.versions = "qcc " QCC_VERSION ", LLVM " LLVM_VERSION_STRING;
  program.sizes = options.sources.sizes;
  addFiles(options.files, program);
  if (ExitCode code = reportUsage(tools::checkOptions(options)))
    return code;
  if (tools::isArtifact(program.input))
    return runArtifact(program, options);
  if (options.selfTest)
    return reportError(tools::ExitRejected,
                       "--self-test needs an artifact, which '" +
                           program.input +
                           "' is not; compile it with -o NAME.so first");
  auto moduleOptions = tools::moduleOptionsOf(options);
  if (!moduleOptions.isOk())
    return reportStatus(moduleOptions.status());
  aimAt(moduleOptions->device.get(), program);
  moduleOptions->name = program.input;
  if (program.target == "cuda" && !moduleOptions->device && !options.list)
    return reportError(tools::ExitUsage,
                       "programs of target cuda run on a device; say "
                       "--device=cuda or --device=emulator");

  Session session(program);
  if (ExitCode code = session.load())
    return code;
  options.sources.sizes = session.inputSizes();
  std::FILE *out = tools::textStream(options);
  auto prepared = prepare(session, options, out);
  if (!prepared)
    return prepared.code();
  if (session.isReference())
    return reportDifferences(
        tools::finishResults(viewsOf(*prepared->expected), options, out));
  return runCompiled(session, options, *moduleOptions, std::move(*prepared),
                     out);
}
