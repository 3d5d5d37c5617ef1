//===- Compile.cpp - The C API of the compiler ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing is shared between compilations: each has a context of MLIR.
//
//===----------------------------------------------------------------------===//

#include "../Convert.h"
#include "CrashGuard.h"
#include "Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "qcc-c/Compiler.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Frontend/Import.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Support/FileIO.h"
#include "qcc/Target/KnownTargets.h"
#include "qcc/Tuning/TuningDatabase.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <new>
#include <optional>

using namespace qcc;
using namespace qcc::capi;

struct qccArtifactImpl {
  Artifact bytes;
};

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {
using SourceBuffer = std::unique_ptr<llvm::MemoryBuffer>;

/// What a compilation is made of, checked before it starts.
struct Request {
  std::string name;
  std::vector<TargetRef> targets;
  ImportOptions import;
  LoadedTuning tuning;
  qccDiagnosticHook diagnostics;
  Signals signals;
};

/// What the thread that compiles leaves behind.
struct Outcome {
  DiagnosticLog log;
  /// Where it was, for the message after a crash.
  std::string place = "while reading the program";
  std::optional<Artifact> artifact;
  llvm::Error error = llvm::Error::success();
};
} // namespace

/// A failure after the stages. One with a code is the system's.
static rt::Status toStatus(llvm::Error error) {
  rt::StatusCode code = rt::StatusCode::Internal;
  std::string message;
  llvm::handleAllErrors(std::move(error), [&](llvm::ErrorInfoBase &info) {
    if (info.convertToErrorCode() != llvm::inconvertibleErrorCode())
      code = rt::StatusCode::IOError;
    message = info.message();
  });
  return rt::Status(code, message);
}

static rt::Result<Request> makeRequest(const qccCompileOptions *given) {
  qccCompileOptions known;
  rt::Status status = readStruct(given, known);
  if (!status.isOk())
    return status;
  Request request;
  request.name = known.name ? known.name : "<memory>";
  if (known.flags & ~QCC_COMPILE_KEEP_SIGNALS)
    return rt::unsupported("a flag is set that this version of the library "
                           "does not have; update the library");
  request.signals =
      known.flags & QCC_COMPILE_KEEP_SIGNALS ? Signals::Keep : Signals::Catch;
  request.diagnostics = known.diagnostics;
  if (!rt::HostFeatures::hostStatus().isOk())
    return rt::HostFeatures::hostStatus();
  auto targets = parseTargets(known.target ? known.target : "native",
                              rt::HostFeatures::host().names());
  if (!targets)
    return rt::invalidArgument(llvm::toString(targets.takeError()));
  request.targets = std::move(*targets);
  if (known.weights) {
    auto weights = WeightsSource::parse(known.weights);
    if (!weights)
      return rt::invalidArgument(llvm::toString(weights.takeError()));
    request.import.weights = std::move(*weights);
  }
  if (known.tuning) {
    rt::Result<LoadedTuning> tuning = loadTuning(known.tuning);
    if (!tuning.isOk())
      return tuning.status();
    request.tuning = std::move(*tuning);
  }
  return request;
}

static void compile(SourceBuffer source, const Request &request,
                    Outcome &outcome) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler(
      [&](mlir::Diagnostic &diagnostic) { outcome.log.add(diagnostic); });

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
  compiler.configure = [&](mlir::PassManager &, Stage stage) {
    outcome.place = "in stage " + stageName(stage).str();
  };
  if (mlir::failed(compiler.runStages(*module, Stage::LLVM)))
    return;
  outcome.place = "while generating code";
  llvm::Expected<Artifact> artifact = compiler.emitArtifact(*module);
  if (artifact)
    outcome.artifact = std::move(*artifact);
  else
    outcome.error = artifact.takeError();
}

static rt::Result<Artifact> compile(SourceBuffer source,
                                    const Request &request) {
  Outcome outcome;
  rt::Status status = runGuarded(
      request.signals, [&] { compile(std::move(source), request, outcome); });
  outcome.log.deliver(request.diagnostics);
  rt::Status failure = toStatus(std::move(outcome.error));
  if (!status.isOk())
    return status.withPrefix(outcome.place + ": ");
  if (outcome.artifact)
    return std::move(*outcome.artifact);
  if (!failure.message().empty())
    return failure;
  std::string errors = outcome.log.errors();
  return rt::invalidArgument(
      errors.empty() ? "the program is rejected without a reason" : errors);
}

/// A source that could not be read is null and has a status.
static qccStatus compileSource(rt::Result<SourceBuffer> source,
                               const Request &request, qccArtifact *handle) {
  if (!source.isOk())
    return toC(source.status());
  if (!*source)
    return toC(rt::outOfMemory("there is no memory for the program's text"));
  rt::Result<Artifact> artifact = compile(std::move(*source), request);
  if (!artifact.isOk())
    return artifact.status().code() == rt::StatusCode::InvalidArgument
               ? qccStatusCreate(QCC_STATUS_INVALID_PROGRAM,
                                 artifact.message().c_str())
               : toC(artifact.status());
  return handOver(new (std::nothrow) qccArtifactImpl{std::move(*artifact)},
                  handle, "artifact");
}

//===----------------------------------------------------------------------===//
// The C API
//===----------------------------------------------------------------------===//

static rt::Result<SourceBuffer> readSource(const std::string &path) {
  rt::Result<InputFile> file = InputFile::open(path);
  if (!file.isOk())
    return file.status().withPrefix(path + ": ");
  auto buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(file->size(), path);
  if (!buffer)
    return SourceBuffer();
  rt::Status status = file->read(buffer->getBufferStart(), file->size(), 0);
  if (!status.isOk())
    return status.withPrefix(path + ": ");
  return SourceBuffer(std::move(buffer));
}

qccStatus qccCompileText(const char *text, size_t length,
                         const qccCompileOptions *options,
                         qccArtifact *artifact) {
  if (!text || !artifact)
    return nullPointer(text ? "the handle of the artifact" : "the text");
  rt::Result<Request> request = makeRequest(options);
  if (!request.isOk())
    return toC(request.status());
  return compileSource(SourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(
                           llvm::StringRef(text, length), request->name)),
                       *request, artifact);
}

qccStatus qccCompileFile(const char *path, const qccCompileOptions *options,
                         qccArtifact *artifact) {
  if (!path || !artifact)
    return nullPointer(path ? "the handle of the artifact" : "the path");
  rt::Result<Request> request = makeRequest(options);
  if (!request.isOk())
    return toC(request.status());
  request->import.path = path;
  return compileSource(readSource(path), *request, artifact);
}

const void *qccArtifactGetData(qccArtifact artifact) {
  return artifact ? artifact->bytes.data() : nullptr;
}

size_t qccArtifactGetSize(qccArtifact artifact) {
  return artifact ? artifact->bytes.size() : 0;
}

qccStatus qccArtifactWriteFile(qccArtifact artifact, const char *path) {
  if (!artifact || !path)
    return nullPointer(artifact ? "the path" : "the artifact");
  return toC(writeFile(
      path, std::string_view(artifact->bytes.data(), artifact->bytes.size())));
}

void qccArtifactDestroy(qccArtifact artifact) { delete artifact; }
