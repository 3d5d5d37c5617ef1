//===- Compile.cpp - Compiling for a caller -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing is shared between compilations: each has a context of MLIR. All that
// LLVM does, reading options included, is done under the guard.
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "../Convert.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Explain/Report.h"
#include "qcc/Frontend/Import.h"
#include "qcc/KnownTargets/KnownTargets.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Support/FileFormat.h"
#include "qcc/Support/FileIO.h"
#include "qcc/Tuning/TuningDatabase.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <optional>

using namespace qcc;
using namespace qcc::capi;

namespace {
using SourceBuffer = std::unique_ptr<llvm::MemoryBuffer>;

/// What a compilation is made of, checked before it starts.
struct Request {
  std::string name;
  std::vector<TargetRef> targets;
  ImportOptions import;
  WorkLimits limits;
  LoadedTuning tuning;
  bool explain = false;
  bool assemblesKernels = false;
  unsigned threads = 1;
};
} // namespace

/// A failure after the stages. One with a code is the system's.
static rt::Status toStatus(llvm::Error error) {
  rt::StatusCode code = rt::StatusCode::Internal;
  std::string message;
  llvm::handleAllErrors(std::move(error), [&](llvm::ErrorInfoBase &info) {
    std::error_code error = info.convertToErrorCode();
    // The second is what the system says of threads that it cannot start.
    if (error == std::errc::not_enough_memory ||
        error == std::errc::resource_unavailable_try_again)
      code = rt::StatusCode::OutOfMemory;
    else if (error == std::errc::not_supported)
      code = rt::StatusCode::Unsupported;
    else if (error != llvm::inconvertibleErrorCode())
      code = rt::StatusCode::IOError;
    message = info.message();
  });
  return rt::Status(code, message);
}

rt::Result<FixedInputs>
capi::readFixedInputs(const qccCompileOptions &options) {
  FixedInputs fixed;
  rt::Status status = readNamed(
      options.dims, options.numDims, "dims", [&](const qccNamedSize &dim) {
        fixed.dims[dim.name] = dim.value;
        return dim.value >= 0 ? rt::Status::ok()
                              : rt::invalidArgument("the size of '" +
                                                    std::string(dim.name) +
                                                    "' is negative");
      });
  if (!status.isOk())
    return status;
  status = readNamed(
      options.shapes, options.numShapes, "shapes",
      [&](const qccNamedShape &given) {
        if (given.rank < 0 || (given.rank > 0 && !given.dims))
          return rt::invalidArgument("its dims are not there");
        std::vector<int64_t> shape(given.dims, given.dims + given.rank);
        for (int64_t size : shape)
          if (size < 0)
            return rt::invalidArgument("a size of '" + std::string(given.name) +
                                       "' is negative");
        fixed.shapes[given.name] = std::move(shape);
        return rt::Status::ok();
      });
  if (!status.isOk())
    return status;
  status = readNamed(options.constants, options.numConstants, "constants",
                     [&](const qccWeightTensor &given) {
                       rt::Result<HostView> view = viewTensor(given.tensor);
                       if (!view.isOk())
                         return view.status();
                       fixed.constants[given.name] = *std::move(view);
                       return rt::Status::ok();
                     });
  if (!status.isOk())
    return status;
  return fixed;
}

static rt::Result<Request> makeRequest(const qccCompileOptions &known,
                                       WeightsSource weights) {
  Request request;
  request.name = known.name ? known.name : "<memory>";
  if (!rt::HostFeatures::hostStatus().isOk())
    return rt::HostFeatures::hostStatus();
  auto targets = parseTargets(known.target ? known.target : "native",
                              rt::HostFeatures::host().names());
  if (!targets)
    return rt::invalidArgument(llvm::toString(targets.takeError()));
  request.targets = std::move(*targets);
  request.explain = known.flags & QCC_COMPILE_EXPLAIN;
  if (request.explain && request.targets.size() > 1)
    return rt::invalidArgument("an explanation is of one processor, but the "
                               "target names " +
                               std::to_string(request.targets.size()) +
                               "; compile for one at a time");
  request.assemblesKernels = known.flags & QCC_COMPILE_CUBIN;
  bool hasDevice = llvm::any_of(
      request.targets, [](const TargetRef &t) { return t->isDevice(); });
  if (request.assemblesKernels && !hasDevice)
    return rt::invalidArgument("the flag QCC_COMPILE_CUBIN is about kernels "
                               "for GPUs, but the target names no chip; add "
                               "one, such as sm_80");
  request.import.weights = std::move(weights);
  rt::Result<FixedInputs> fixed = readFixedInputs(known);
  if (!fixed.isOk())
    return fixed.status();
  request.import.fixed = *std::move(fixed);
  if (known.tfliteRounding) {
    auto rounding = parseTFLiteRounding(known.tfliteRounding);
    if (!rounding)
      return rt::invalidArgument(llvm::toString(rounding.takeError()));
    request.import.tfliteRounding = *rounding;
  }
  if (known.timeoutNanoseconds < 0 || known.memoryLimitBytes < 0)
    return rt::invalidArgument("a limit is negative; 0 means no limit");
  std::function<bool()> isCancelled;
  if (known.cancel)
    isCancelled = [token = known.cancel] {
      return qccCancelTokenIsCancelled(token);
    };
  request.limits = WorkLimits(std::move(isCancelled), known.timeoutNanoseconds,
                              known.memoryLimitBytes);
  if (known.threads < 0)
    return rt::invalidArgument("the number of threads is negative; 0 means one "
                               "for each CPU");
  request.threads = known.threads ? known.threads : rt::availableCpus();
  if (known.tuning) {
    rt::Result<LoadedTuning> tuning = loadTuning(known.tuning);
    if (!tuning.isOk())
      return tuning.status();
    request.tuning = std::move(*tuning);
  }
  return request;
}

/// Runs all stages; gathers what `report` says where it is given. Failures are
/// diagnostics.
static mlir::LogicalResult runStages(const Compiler &compiler,
                                     mlir::ModuleOp module,
                                     ProgramReport *report) {
  if (!report)
    return compiler.runStages(module, Stage::LLVM);
  if (mlir::failed(compiler.runStages(module, Stage::Buffer)))
    return mlir::failure();
  if (llvm::Error error = report->addEntries(module, *compiler.getTarget()))
    return mlir::emitError(module.getLoc(), llvm::toString(std::move(error)));
  if (mlir::failed(compiler.runStages(module, Stage::Target, Stage::Buffer)))
    return mlir::failure();
  report->addKernels(module);
  if (mlir::failed(compiler.runStages(module, Stage::LLVM, Stage::Target)))
    return mlir::failure();
  report->addProgram(module);
  return mlir::success();
}

static void compile(SourceBuffer source, Request &request, Outcome &outcome) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler(
      [&](mlir::Diagnostic &diagnostic) { outcome.log.add(diagnostic); });
  request.import.limits = &request.limits;
  if (request.limits.isExceeded())
    return;

  for (const std::string &warning : request.tuning.warnings)
    mlir::emitWarning(mlir::UnknownLoc::get(&context), warning);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(source), llvm::SMLoc());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      importProgram(sources, &context, request.import);
  if (!module)
    return;
  Compiler compiler(request.targets);
  compiler.stageOptions.tuning = request.tuning.database;
  compiler.assemblesKernels = request.assemblesKernels;
  compiler.threads = request.threads;
  compiler.releasesConstants = true;
  compiler.limits = request.import.limits;
  compiler.configure = [&](mlir::PassManager &, Stage stage) {
    outcome.place = "in stage " + stageName(stage).str();
  };
  std::optional<ProgramReport> report;
  if (request.explain)
    report.emplace();
  if (mlir::failed(runStages(compiler, *module, report ? &*report : nullptr)))
    return;
  outcome.place = "while generating code";
  llvm::Expected<Artifact> artifact = compiler.emitArtifact(*module);
  if (!artifact) {
    outcome.failure = toStatus(artifact.takeError());
    return;
  }
  auto owner = std::make_shared<const Artifact>(std::move(*artifact));
  outcome.artifact = *owner;
  outcome.owner = std::move(owner);
  if (!report)
    return;
  report->artifactBytes = outcome.artifact.size();
  llvm::raw_string_ostream(outcome.explanation)
      << llvm::json::Value(report->toJson());
}

/// Null without memory for it.
static rt::Result<SourceBuffer> readFile(const std::string &path) {
  rt::Result<InputFile> file = InputFile::open(path);
  if (!file.isOk()) {
    // A folder may be a model of another tool.
    if (auto reason = refuseFileFormat(path, FileUse::Program))
      return rt::invalidArgument(path + ": " + *reason);
    return file.status().withPrefix(path + ": ");
  }
  auto buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(file->size(), path);
  if (!buffer)
    return SourceBuffer();
  rt::Status status = file->read(buffer->getBufferStart(), file->size(), 0);
  if (!status.isOk())
    return status.withPrefix(path + ": ");
  return SourceBuffer(std::move(buffer));
}

static void compile(const ProgramSource &program,
                    const qccCompileOptions &options, WeightsSource weights,
                    Outcome &outcome) {
  rt::Result<Request> request = makeRequest(options, std::move(weights));
  if (!request.isOk()) {
    outcome.failure = request.status();
    return;
  }
  if (program.path)
    request->import.path = program.path;
  rt::Result<SourceBuffer> source =
      program.path
          ? readFile(program.path)
          : rt::Result<SourceBuffer>(llvm::MemoryBuffer::getMemBufferCopy(
                program.bytes, request->name));
  if (!source.isOk())
    outcome.failure = source.status();
  else if (!*source)
    outcome.failure =
        rt::outOfMemory("there is no memory for the program's text");
  else
    compile(std::move(*source), *request, outcome);
  if (!outcome.owner && !request->limits.status().isOk())
    outcome.failure = request->limits.status().withPrefix(
        "the compilation ended " + outcome.place + ": ");
}

rt::Status capi::compileHere(const ProgramSource &program,
                             const qccCompileOptions &options,
                             WeightsSource weights, Signals signals,
                             Outcome &outcome) {
  rt::Status status = runGuarded(
      signals, [&] { compile(program, options, std::move(weights), outcome); });
  return status.isOk() ? outcome.failure
                       : status.withPrefix(outcome.place + ": ");
}
