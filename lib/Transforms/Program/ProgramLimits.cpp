//===- ProgramLimits.cpp - Limits of programs -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limits of qcc/Artifact/ABI.h, which the reader of descriptors enforces: a
// program that exceeds them would compile and never load.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Diagnostics.h"
#include "qcc/Artifact/ABI.h"
#include "qcc/Dialect/QNN/IR/FunctionAttrs.h"
#include "qcc/Transforms/Program/Program.h"

using namespace mlir;
using namespace qcc;

static LogicalResult verifyString(Location loc, const Twine &what,
                                  StringRef text) {
  if (text.size() <= QCC_MAX_STRING)
    return success();
  return emitError(loc) << what << " has " << text.size()
                        << " characters; the runtime accepts "
                        << QCC_MAX_STRING;
}

static LogicalResult verifyStep(Location loc, const ProgramStep &step) {
  for (NamedAttribute attr : step.kernel)
    if (auto text = dyn_cast<StringAttr>(attr.getValue()))
      if (failed(verifyString(
              loc, "the " + attr.getName().getValue() + " of a step", text)))
        return failure();
  if (failed(verifyString(loc, "the name of a step", step.function)))
    return failure();
  for (const auto *operands : {&step.inputs, &step.outputs})
    for (const ProgramOperand &operand : *operands) {
      if (operand.dims.size() > QCC_MAX_RANK)
        return emitError(loc)
               << "a step has a tensor of rank " << operand.dims.size()
               << "; the runtime accepts ranks up to " << QCC_MAX_RANK;
      if (failed(verifyString(loc, "the name of a layer", operand.layer)))
        return failure();
    }
  return success();
}

LogicalResult qcc::verifyMetadata(ModuleOp module) {
  Attribute attr = module->getAttr(kMetadataAttr);
  if (!attr)
    return success();
  auto metadata = dyn_cast<DictionaryAttr>(attr);
  if (!metadata || !llvm::all_of(metadata, [](NamedAttribute pair) {
        return isa<StringAttr>(pair.getValue());
      }))
    return emitError(module.getLoc())
           << kMetadataAttr << " is " << attr
           << ", which is no dictionary of strings; write {author = \"me\"}";
  if (metadata.size() > QCC_MAX_COUNT)
    return emitError(module.getLoc())
           << "there are " << metadata.size()
           << " pairs of metadata; the runtime accepts " << QCC_MAX_COUNT;
  for (NamedAttribute pair : metadata)
    if (failed(verifyString(module.getLoc(), "a key of metadata",
                            pair.getName().getValue())) ||
        failed(verifyString(module.getLoc(),
                            "the text of '" + pair.getName().getValue() +
                                "' in the metadata",
                            cast<StringAttr>(pair.getValue()).getValue())))
      return failure();
  return success();
}

LogicalResult qcc::verifyLimits(Location loc, const ProgramEntry &entry) {
  std::pair<StringRef, size_t> counts[] = {
      {"arguments", entry.arguments.size()},
      {"results", entry.results.size()},
      {"steps", entry.steps.size()},
      {"requirements of its dimensions", entry.requirements.size()},
      {"computed sizes", static_cast<size_t>(entry.values)}};
  for (auto [what, count] : counts)
    if (count > QCC_MAX_COUNT)
      return emitError(loc)
             << "the entry '" << entry.name << "' has " << count << " " << what
             << "; the runtime accepts " << QCC_MAX_COUNT
             << ": divide it into several entries";
  for (const ProgramTensor &argument : entry.arguments)
    for (const std::string &name : argument.dimNames)
      if (failed(verifyString(loc, "the name of a dimension", name)))
        return failure();
  for (const std::string &text : entry.requirements)
    if (failed(verifyString(loc, "a requirement", text)))
      return failure();
  for (const ProgramStep &step : entry.steps)
    if (failed(verifyStep(loc, step)))
      return failure();
  return success();
}
