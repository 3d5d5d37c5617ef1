//===- Import.cpp - Programs from MLIR text and bytecode ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Frontend/MLIR/Import.h"
#include "ImportSteps.h"
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

OwningOpRef<ModuleOp> qcc::importMLIR(const llvm::SourceMgr &sources,
                                      MLIRContext *context,
                                      const ImportOptions &options) {
  // With operations of unknown dialects, which verifyProgram rejects by name.
  bool allowsUnregistered = context->allowsUnregisteredDialects();
  context->allowUnregisteredDialects();
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, context);
  context->allowUnregisteredDialects(allowsUnregistered);
  // Verified again with its weights, among which there may be scales.
  if (!module || failed(verifyProgram(*module)) ||
      failed(fillResources(*module, options.weights)) ||
      failed(verify(*module)))
    return {};
  return module;
}
