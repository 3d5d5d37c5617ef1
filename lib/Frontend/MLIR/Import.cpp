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
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
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
  if (!text.ends_with(".npz") && !text.ends_with(".safetensors"))
    return llvm::createStringError(
        "'" + text +
        "' is no source of weights; give a file that ends in .npz or "
        ".safetensors, or random:SEED");
  source.kind = Kind::File;
  source.path = text.str();
  return source;
}

/// An op with a name for its layer, `loc("fc1")`, has no position in the text
/// any more, which messages need: the name keeps it.
static void keepPositions(const llvm::SourceMgr &sources,
                          const AsmParserState &state) {
  for (const AsmParserState::OperationDefinition &definition :
       state.getOpDefs()) {
    Operation *op = definition.op;
    auto name = dyn_cast<NameLoc>(op->getLoc());
    unsigned buffer = sources.FindBufferContainingLoc(definition.loc.Start);
    if (!name || !isa<UnknownLoc>(name.getChildLoc()) || buffer == 0)
      continue;
    auto [line, column] =
        sources.getLineAndColumn(definition.loc.Start, buffer);
    op->setLoc(
        NameLoc::get(name.getName(),
                     FileLineColLoc::get(
                         op->getContext(),
                         sources.getMemoryBuffer(buffer)->getBufferIdentifier(),
                         line, column)));
  }
}

static OwningOpRef<ModuleOp> parse(const llvm::SourceMgr &sources,
                                   MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  if (isBytecode(*buffer))
    return parseSourceFile<ModuleOp>(sources, context);
  Block block;
  AsmParserState state;
  // Verified here, once the positions are known.
  ParserConfig config(context, /*verifyAfterParse=*/false);
  if (failed(parseAsmSourceFile(sources, &block, config, &state)))
    return {};
  keepPositions(sources, state);
  Location loc =
      FileLineColLoc::get(context, buffer->getBufferIdentifier(), 0, 0);
  OwningOpRef<ModuleOp> module =
      detail::constructContainerOpForParserIfNecessary<ModuleOp>(&block,
                                                                 context, loc);
  if (!module || failed(verify(*module)))
    return {};
  return module;
}

OwningOpRef<ModuleOp> qcc::importMLIR(const llvm::SourceMgr &sources,
                                      MLIRContext *context,
                                      const ImportOptions &options) {
  // With operations of unknown dialects, which verifyProgram rejects by name.
  bool allowsUnregistered = context->allowsUnregisteredDialects();
  context->allowUnregisteredDialects();
  OwningOpRef<ModuleOp> module = parse(sources, context);
  context->allowUnregisteredDialects(allowsUnregistered);
  // Verified again with its weights, among which there may be scales.
  if (!module || failed(verifyProgram(*module)) ||
      failed(verifyTensors(*module)) ||
      failed(fillResources(*module, options.weights)) ||
      failed(verify(*module)))
    return {};
  return module;
}
