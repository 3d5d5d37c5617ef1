//===- CompilerAPI.cpp - The C API of the compiler ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Convert.h"
#include "BoundLLVM.h"
#include "Isolated.h"
#include "qcc/KnownTargets/KnownTargets.h"
#include "qcc/Support/FileIO.h"
#include "llvm/ADT/StringExtras.h"
#include <string_view>

using namespace qcc;
using namespace qcc::capi;

struct qccArtifactImpl {
  std::shared_ptr<const void> owner;
  llvm::ArrayRef<char> bytes;
  std::string explanation; ///< JSON, or empty.
};

/// In this process or in another one, as the options say.
static rt::Status compileAnywhere(const ProgramSource &program,
                                  const qccCompileOptions &options,
                                  Outcome &outcome) {
  constexpr uint32_t known = QCC_COMPILE_KEEP_SIGNALS | QCC_COMPILE_EXPLAIN |
                             QCC_COMPILE_ISOLATED | QCC_COMPILE_CUBIN;
  if (options.flags & ~known)
    return rt::unsupported("a flag is set that this version of the library "
                           "does not have; update the library");
  bool isolated = options.flags & QCC_COMPILE_ISOLATED;
  if (options.isolatedCompiler && !isolated)
    return rt::invalidArgument("isolatedCompiler is given without the flag "
                               "QCC_COMPILE_ISOLATED; set it");
  rt::Result<WeightsSource> weights = readWeights(options);
  if (!weights.isOk())
    return weights.status();
  if (isolated)
    return compileIsolated(program, options, *weights, outcome);
  // The process of an isolated compilation has no other LLVM.
  rt::Status status = checkBoundLLVM();
  if (!status.isOk())
    return status;
  return compileHere(program, options, *std::move(weights),
                     options.flags & QCC_COMPILE_KEEP_SIGNALS ? Signals::Keep
                                                              : Signals::Catch,
                     outcome);
}

static qccStatus compileProgram(const ProgramSource &program,
                                const qccCompileOptions *given,
                                qccArtifact *artifact) {
  qccCompileOptions options;
  rt::Status status = readStruct(given, options);
  if (!status.isOk())
    return toC(status);
  rt::Result<qccDiagnosticHook> diagnostics = readDiagnosticHook(options);
  if (!diagnostics.isOk())
    return toC(diagnostics.status());
  Outcome outcome;
  status = compileAnywhere(program, options, outcome);
  outcome.log.deliver(*diagnostics);
  if (!status.isOk())
    return toC(status);
  if (!outcome.owner) {
    std::string errors = outcome.log.errors();
    return qccStatusCreate(QCC_STATUS_INVALID_PROGRAM,
                           errors.empty()
                               ? "the program is rejected without a reason"
                               : errors.c_str());
  }
  *artifact = new qccArtifactImpl{std::move(outcome.owner), outcome.artifact,
                                  std::move(outcome.explanation)};
  return nullptr;
}

qccStatus qccCompileText(const char *text, size_t length,
                         const qccCompileOptions *options,
                         qccArtifact *artifact) {
  return withoutExceptions([&]() -> qccStatus {
    if (!text || !artifact)
      return nullPointer(text ? "the handle of the artifact" : "the text");
    return compileProgram({nullptr, llvm::StringRef(text, length)}, options,
                          artifact);
  });
}

qccStatus qccCompileFile(const char *path, const qccCompileOptions *options,
                         qccArtifact *artifact) {
  return withoutExceptions([&]() -> qccStatus {
    if (!path || !artifact)
      return nullPointer(path ? "the handle of the artifact" : "the path");
    return compileProgram({path, {}}, options, artifact);
  });
}

const char *qccGetProcessors(void) {
  static const std::string names = llvm::join(usualProcessors(), ",");
  return names.c_str();
}

const void *qccArtifactGetData(qccArtifact artifact) {
  return artifact ? artifact->bytes.data() : nullptr;
}

size_t qccArtifactGetSize(qccArtifact artifact) {
  return artifact ? artifact->bytes.size() : 0;
}

const char *qccArtifactGetExplanation(qccArtifact artifact) {
  return artifact ? artifact->explanation.c_str() : "";
}

qccStatus qccArtifactWriteFile(qccArtifact artifact, const char *path) {
  return withoutExceptions([&]() -> qccStatus {
    if (!artifact || !path)
      return nullPointer(artifact ? "the path" : "the artifact");
    return toC(writeFile(path, std::string_view(artifact->bytes.data(),
                                                artifact->bytes.size())));
  });
}

void qccArtifactDestroy(qccArtifact artifact) { delete artifact; }
