//===- TunedConfigs.cpp - Tuned configs of a contraction ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Contraction/TunedConfigs.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "qcc/Transforms/Contraction/LoweringConfigs.h"
#include "qcc/Tuning/KernelKey.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qcc;

/// Null if the text is no config; what is wrong with it is no diagnostic of the
/// program.
static kernel::LoweringConfigAttrInterface
parseConfig(StringRef text, MLIRContext *context, std::string &reason) {
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (llvm::get_threadid() != thread)
      return failure();
    reason = diagnostic.str();
    return success();
  });
  Attribute attribute = parseAttribute(text, context);
  auto config =
      dyn_cast_or_null<kernel::LoweringConfigAttrInterface>(attribute);
  if (attribute && !config)
    reason = "it is another attribute";
  return config;
}

/// The first words of targets' tuning names, each once; one of our own name is
/// another host or an earlier state of it.
static std::string nameTargets(ArrayRef<std::string> targets, StringRef own) {
  SmallVector<std::string> names;
  for (StringRef target : targets) {
    std::string name = target.split(' ').first.str();
    if (name == own)
      name += " with other features or caches";
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  }
  return llvm::join(names, ", ");
}

TunedConfig qcc::findTunedConfig(kernel::ContractOp op, const Target &target,
                                 const TuningDatabase &database) {
  TuningKey key = keyOf(op, target);
  TunedConfig tuned;
  const TuningEntry *entry = database.find(key);
  if (!entry) {
    std::vector<std::string> others = database.targetsOf(key.shape, key.kernel);
    tuned.reason = "the tuning database has no " + key.shape + " of this kind";
    if (!others.empty())
      tuned.reason = "the tuning database has it only for " +
                     nameTargets(others, target.getName());
    return tuned;
  }
  tuned.isDamaged = true;
  std::string problem;
  auto config = parseConfig(entry->config, op.getContext(), problem);
  if (!config) {
    tuned.reason = "its config in the tuning database is damaged: " + problem;
    return tuned;
  }
  if (config.getSource() == kernel::ConfigSource::Model) {
    tuned.reason = "its config in the tuning database is of source 'model' "
                   "instead of tuned or pinned";
    return tuned;
  }
  if (auto refusal = refuseConfig(op, config, target)) {
    tuned.reason =
        "its config in the tuning database does not fit: " + *refusal;
    return tuned;
  }
  return {config, "", false};
}

std::string qcc::printConfig(kernel::LoweringConfigAttrInterface config) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << config;
  return text;
}
