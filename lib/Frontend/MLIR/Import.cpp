//===- Import.cpp - Programs from MLIR text and bytecode ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Frontend/MLIR/Import.h"
#include "ImportSteps.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "qcc/Frontend/MLIR/NearestName.h"
#include "qcc/Frontend/StableHLO/Import.h"
#include "qcc/Frontend/TOSA/Import.h"
#include "qcc/Support/FileFormat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace qcc;

llvm::Expected<WeightsSource> WeightsSource::parse(StringRef text) {
  WeightsSource source;
  StringRef seed = text;
  if (seed.consume_front("random") && (seed.empty() || seed.starts_with(":"))) {
    source.kind = Kind::Random;
    if (seed.consume_front(":") && seed.getAsInteger(10, source.seed))
      return llvm::createStringError(
          "'" + text +
          "': the seed must be a non-negative integer, as in random:7");
    return source;
  }
  // The standard input has no suffix.
  bool isNamed = text.ends_with(".npz") || text.ends_with(".safetensors") ||
                 text == "/dev/stdin";
  if (!isNamed)
    if (auto reason = refuseFileFormat(text.str(), FileUse::Weights))
      return llvm::createStringError("'" + text + "': " + *reason);
  if (!isNamed)
    return llvm::createStringError(
        "'" + text +
        "' is no source of weights; give a file that ends in .npz or "
        ".safetensors, or random:SEED");
  source.kind = Kind::File;
  source.path = text.str();
  return source;
}

/// Whether a location names a position in `file`.
static bool isIn(StringRef file, Location location) {
  auto names = [&](Location part) {
    auto position = dyn_cast<FileLineColLoc>(part);
    return position && position.getFilename() == file ? WalkResult::interrupt()
                                                      : WalkResult::advance();
  };
  return location->walk(names).wasInterrupted();
}

/// An op with a name for its layer, `loc("fc1")`, has no position in the text
/// any more, which messages need: the name keeps it. With `keepsAll`, it is the
/// same for an op whose location names other files, or nothing.
static void keepPositions(const llvm::SourceMgr &sources,
                          const AsmParserState &state, bool keepsAll) {
  for (const AsmParserState::OperationDefinition &definition :
       state.getOpDefs()) {
    Operation *op = definition.op;
    auto name = dyn_cast<NameLoc>(op->getLoc());
    bool isOnlyName = name && isa<UnknownLoc>(name.getChildLoc());
    unsigned buffer = sources.FindBufferContainingLoc(definition.loc.Start);
    if ((!isOnlyName && !keepsAll) || buffer == 0)
      continue;
    StringRef file = sources.getMemoryBuffer(buffer)->getBufferIdentifier();
    if (isIn(file, op->getLoc()))
      continue;
    auto [line, column] =
        sources.getLineAndColumn(definition.loc.Start, buffer);
    Location position =
        FileLineColLoc::get(op->getContext(), file, line, column);
    op->setLoc(name ? NameLoc::get(name.getName(), position) : position);
  }
}

/// Adds to messages of MLIR's parsers what the parsers do not know.
static void explain(Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  StringRef name(text);
  if (name.consume_front("custom op '") && name.starts_with("qnn.")) {
    name = name.take_until([](char c) { return c == '\''; });
    SmallVector<StringRef> known;
    for (RegisteredOperationName op :
         diagnostic.getLocation().getContext()->getRegisteredOperations())
      if (op.getDialectNamespace() == "qnn")
        known.push_back(op.getStringRef());
    llvm::sort(known);
    if (std::optional<StringRef> nearest = nearestOf(name, known))
      diagnostic.attachNote() << "did you mean '" << *nearest << "'?";
    else
      diagnostic.attachNote()
          << "the ops of qnn are " << llvm::join(known, ", ");
  }
  if (StringRef(text).contains("out of expressed type range"))
    diagnostic.attachNote()
        << "scales are positive, finite and normal f32 (N9); a number in "
           "hexadecimal is the bits of an f64";
}

/// Runs one of MLIR's parsers. Some go on with what they could not read: where
/// the tool recovers from crashes, one of a parser is a diagnostic, unless it
/// follows from another.
static LogicalResult survive(const llvm::SourceMgr &sources,
                             MLIRContext *context, const bool &hasError,
                             function_ref<LogicalResult()> parser) {
  LogicalResult result = failure();
  llvm::CrashRecoveryContext recovery;
  if (recovery.RunSafely([&] { result = parser(); }))
    return result;
  StringRef name =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  if (!hasError)
    emitError(FileLineColLoc::get(context, name, 0, 0))
        << "the program is damaged: MLIR's parser crashed on it";
  return failure();
}

/// Types of bytecode are not verified as those of text are. One whose storage
/// is no integer cannot be printed, not even with the messages of verifiers.
static LogicalResult verifyStorage(ModuleOp module) {
  AttrTypeWalker walker;
  walker.addWalk([](quant::QuantizedType type) {
    return type.getStorageType().isInteger() ? WalkResult::advance()
                                             : WalkResult::interrupt();
  });
  auto visit = [&](Operation *op) {
    bool isDamaged = walker.walk(op->getAttrDictionary()).wasInterrupted();
    for (Type type : op->getResultTypes())
      isDamaged |= walker.walk(type).wasInterrupted();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          isDamaged |= walker.walk(type).wasInterrupted();
    if (!isDamaged)
      return WalkResult::advance();
    emitError(op->getLoc()) << "a quantized type of '" << op->getName()
                            << "' has storage that is no integer; use i8 or u8";
    return WalkResult::interrupt();
  };
  return failure(module.walk(visit).wasInterrupted());
}

static OwningOpRef<ModuleOp> parse(const llvm::SourceMgr &sources,
                                   MLIRContext *context,
                                   bool keepsAllPositions) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  bool hasError = false;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    explain(diagnostic);
    return failure(); // For the next handler to report.
  });
  // The module is verified here, once positions and depth are known.
  ParserConfig config(context, /*verifyAfterParse=*/false);
  if (isBytecode(*buffer)) {
    if (failed(checkBytecode(*buffer, context)))
      return {};
    limitReads(config);
    OwningOpRef<ModuleOp> module;
    auto read = [&] {
      module = parseSourceFile<ModuleOp>(sources, config);
      return success(static_cast<bool>(module));
    };
    if (failed(survive(sources, context, hasError, read)) ||
        failed(verifyDepth(*module)) || failed(verifyStorage(*module)) ||
        failed(verify(*module)))
      return {};
    return module;
  }
  if (failed(checkText(sources, context)))
    return {};
  Block block;
  AsmParserState state;
  if (failed(survive(sources, context, hasError, [&] {
        return parseAsmSourceFile(sources, &block, config, &state);
      })))
    return {};
  keepPositions(sources, state, keepsAllPositions);
  Location loc =
      FileLineColLoc::get(context, buffer->getBufferIdentifier(), 0, 0);
  OwningOpRef<ModuleOp> module =
      detail::constructContainerOpForParserIfNecessary<ModuleOp>(&block,
                                                                 context, loc);
  if (module && isa<UnknownLoc>(module->getLoc()))
    module->getOperation()->setLoc(loc);
  if (!module || failed(verifyDepth(*module)) || failed(verify(*module)))
    return {};
  return module;
}

/// Arguments of a program have types, which say what they are.
static LogicalResult refuseFixedInputs(const FixedInputs &fixed,
                                       const llvm::SourceMgr &sources,
                                       MLIRContext *context) {
  StringRef file =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  auto refuse = [&](StringRef what, StringRef name, StringRef given,
                    StringRef remedy) {
    return emitError(FileLineColLoc::get(context, file, 0, 0))
           << "the " << what << " '" << name << "' has a " << given
           << " given to it, which only an ONNX model can have; " << remedy;
  };
  StringRef types = "write sizes into the types of the program";
  if (!fixed.dims.empty())
    return refuse("dimension", fixed.dims.begin()->first, "size", types);
  if (!fixed.shapes.empty())
    return refuse("input", fixed.shapes.begin()->first, "shape", types);
  if (!fixed.constants.empty())
    return refuse("input", fixed.constants.begin()->first, "value",
                  "write a constant into the program");
  return success();
}

OwningOpRef<ModuleOp> qcc::parseMLIR(const llvm::SourceMgr &sources,
                                     MLIRContext *context,
                                     bool keepsAllPositions) {
  // Operations of unknown dialects are parsed, so that verifyProgram can reject
  // them by name.
  bool allowsUnregistered = context->allowsUnregisteredDialects();
  context->allowUnregisteredDialects();
  OwningOpRef<ModuleOp> module = parse(sources, context, keepsAllPositions);
  context->allowUnregisteredDialects(allowsUnregistered);
  return module;
}

OwningOpRef<ModuleOp> qcc::importMLIR(const llvm::SourceMgr &sources,
                                      MLIRContext *context,
                                      const ImportOptions &options) {
  if (failed(refuseFixedInputs(options.fixed, sources, context)))
    return {};
  return importParsed(parseMLIR(sources, context), options);
}

OwningOpRef<ModuleOp> qcc::importParsed(OwningOpRef<ModuleOp> module,
                                        const ImportOptions &options) {
  if (module && isStableHLO(*module))
    module = importStableHLO(*module);
  if (module && isTOSA(*module) && failed(lowerTOSA(*module)))
    return {};
  if (!module || failed(verifyImported(*module, options)))
    return {};
  return module;
}

llvm::Expected<TFLiteRounding> qcc::parseTFLiteRounding(StringRef name) {
  if (name == "reference")
    return TFLiteRounding::Reference;
  if (name == "xnnpack")
    return TFLiteRounding::XNNPACK;
  return llvm::createStringError("unknown rounding '" + name +
                                 "'; use reference or xnnpack");
}

LogicalResult qcc::verifyImported(ModuleOp module,
                                  const ImportOptions &options) {
  // The module is verified again with its weights, among which there may be
  // scales.
  return success(
      succeeded(verifyProgram(module)) && succeeded(verifyTensors(module)) &&
      succeeded(fillResources(module, options)) && succeeded(verify(module)));
}
