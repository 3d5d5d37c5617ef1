//===- Check.cpp - Check of a document ------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Messages.h"
#include "Positions.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Base/Memory.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Explain/Report.h"
#include "qcc/Explain/Summary.h"
#include "qcc/Frontend/MLIR/Import.h"
#include "qcc/KnownTargets/KnownTargets.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Runtime/HostFeatures.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace qcc;
using namespace qcc::lsp;
using llvm::StringRef;
namespace json = llvm::json;

/// What stands between the programs of one file; tests of passes have several.
static constexpr StringRef kSplitMarker = "// -----";

/// An editor that shows more helps nobody.
static constexpr unsigned kMostDiagnostics = 200;

json::Object qcc::lsp::makeDiagnostic(json::Object range, Severity severity,
                                      StringRef source, StringRef message) {
  return json::Object{{"range", std::move(range)},
                      {"severity", int(severity)},
                      {"source", source.str()},
                      {"message", message.str()}};
}

namespace {
/// A check of one program, a document or a part of it.
class ProgramCheck {
public:
  ProgramCheck(const CheckRequest &request, llvm::raw_ostream &results)
      : request(request), results(results),
        context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
    context.getDiagEngine().registerHandler(
        [this](mlir::Diagnostic &diagnostic) { report(diagnostic); });
  }

  /// Parses `text`, which has the positions of the document.
  bool parse(StringRef text);
  /// Checks what was parsed as a program of qcc.
  void compile();

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  void report(mlir::Diagnostic &diagnostic);
  /// Reports what has no position.
  void refuse(StringRef message) {
    send(makeDiagnostic(rangeAt(request.text, 0, 0), Severity::Warning, "qcc",
                        message));
  }
  void send(json::Object diagnostic);
  json::Object rangeOf(mlir::Location location) const;
  std::optional<TargetRef> resolveTarget();
  void addHints(const ProgramReport &report);

  const CheckRequest &request;
  llvm::raw_ostream &results;
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  bool isParsed = false;
  unsigned count = 0;
  llvm::StringSet<> sent;
};
} // namespace

json::Object ProgramCheck::rangeOf(mlir::Location location) const {
  json::Object range = rangeAt(request.text, 0, 0);
  location->walk([&](mlir::Location part) {
    auto position = mlir::dyn_cast<mlir::FileLineColLoc>(part);
    if (!position || position.getFilename() != request.path ||
        position.getLine() == 0)
      return mlir::WalkResult::advance();
    range = rangeAt(request.text, position.getLine() - 1,
                    std::max(position.getColumn(), 1u) - 1);
    return mlir::WalkResult::interrupt();
  });
  return range;
}

void ProgramCheck::send(json::Object diagnostic) {
  std::string text =
      printJson(json::Object{{"diagnostic", std::move(diagnostic)}});
  // Several entries, or several steps of an op, may have the same to say.
  if (!sent.insert(text).second || ++count > kMostDiagnostics)
    return;
  results << text << '\n';
  results.flush();
}

void ProgramCheck::report(mlir::Diagnostic &diagnostic) {
  Severity severity = Severity::Information;
  if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
    severity = isParsed ? Severity::Warning : Severity::Error;
  else if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning)
    severity = Severity::Warning;
  json::Object result =
      makeDiagnostic(rangeOf(diagnostic.getLocation()), severity,
                     isParsed ? "qcc" : "mlir", diagnostic.str());
  json::Array notes;
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    notes.push_back(json::Object{
        {"location", json::Object{{"uri", request.uri},
                                  {"range", rangeOf(note.getLocation())}}},
        {"message", note.str()}});
  if (!notes.empty())
    result["relatedInformation"] = std::move(notes);
  send(std::move(result));
}

bool ProgramCheck::parse(StringRef text) {
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, request.path), llvm::SMLoc());
  module = parseMLIR(sources, &context, /*keepsAllPositions=*/true);
  isParsed = true;
  return static_cast<bool>(module);
}

std::optional<TargetRef> ProgramCheck::resolveTarget() {
  auto targets =
      parseTargets(request.settings.mcpu, rt::HostFeatures::host().names());
  if (!targets) {
    refuse("setting 'mcpu': " + llvm::toString(targets.takeError()));
    return std::nullopt;
  }
  if (targets->size() > 1) {
    refuse("setting 'mcpu': a document is checked for one processor at a time, "
           "but '" +
           request.settings.mcpu + "' names several");
    return std::nullopt;
  }
  return targets->front();
}

void ProgramCheck::addHints(const ProgramReport &report) {
  for (const EntryReport &entry : report.entries) {
    Summary summary(entry);
    for (const Summary::Reason &reason : summary.reasons)
      for (const StepExplanation &step : entry.steps) {
        if (!llvm::is_contained(reason.steps, step.step()))
          continue;
        // "FILE:LINE:COLUMN"
        auto [start, column] = StringRef(step.location).rsplit(':');
        auto [file, line] = start.rsplit(':');
        unsigned lineNumber, columnNumber;
        if (file != request.path || line.getAsInteger(10, lineNumber) ||
            column.getAsInteger(10, columnNumber))
          continue;
        std::string message = "not faster: " + reason.text;
        if (!reason.remedy.empty())
          message += "; " + reason.remedy;
        send(makeDiagnostic(rangeAt(request.text, lineNumber - 1,
                                    std::max(columnNumber, 1u) - 1),
                            Severity::Hint, "qcc", message));
      }
  }
}

void ProgramCheck::compile() {
  std::optional<TargetRef> target = resolveTarget();
  if (!target)
    return;
  auto weights = WeightsSource::parse(request.settings.weights);
  if (!weights)
    return refuse("setting 'weights': " + llvm::toString(weights.takeError()));
  // Other processes of the machine need memory, too.
  WorkLimits limits({}, 0, rt::availableMemory() / 2);
  auto refuseLimits = [&] {
    if (!limits.status().isOk())
      refuse(limits.status().message());
  };
  ImportOptions options;
  options.weights = std::move(*weights);
  options.path = request.path;
  options.limits = &limits;
  module = importParsed(std::move(module), options);
  if (!module)
    return refuseLimits();
  Compiler compiler(*target);
  compiler.limits = &limits;
  compiler.configure = [&](mlir::PassManager &, Stage stage) {
    results << printJson(json::Object{{"stage", stageName(stage)}}) << '\n';
    results.flush();
  };
  if (mlir::failed(compiler.runStages(*module, Stage::Buffer)))
    return refuseLimits();
  if (request.settings.hints) {
    ProgramReport report;
    if (llvm::Error error = report.addEntries(*module, **target))
      return refuse(llvm::toString(std::move(error)));
    addHints(report);
  }
  if (mlir::failed(compiler.runStages(*module, Stage::LLVM, Stage::Buffer)))
    refuseLimits();
}

void qcc::lsp::checkDocument(const CheckRequest &request,
                             llvm::raw_ostream &results) {
  auto checkPart = [&](StringRef part) {
    // Lines before the part keep its positions those of the document.
    StringRef before(request.text.data(), part.data() - request.text.data());
    std::string text(before.count('\n'), '\n');
    text += part;
    ProgramCheck check(request, results);
    bool isWhole = part.size() == request.text.size();
    if (check.parse(text) && isWhole && request.settings.compile)
      check.compile();
  };
  StringRef text = request.text;
  size_t begin = 0;
  for (size_t at = text.find(kSplitMarker); at != StringRef::npos;
       at = text.find(kSplitMarker, at + 1)) {
    StringRef rest = text.drop_front(at + kSplitMarker.size());
    bool isLine = (at == 0 || text[at - 1] == '\n') &&
                  rest.split('\n').first.trim().empty();
    if (!isLine)
      continue;
    checkPart(text.slice(begin, at));
    begin = at;
  }
  checkPart(text.drop_front(begin));
  results << printJson(json::Object{{"end", true}}) << '\n';
  results.flush();
}
