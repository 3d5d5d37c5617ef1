//===- KnownTargets.cpp - The list of targets -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/KnownTargets/KnownTargets.h"
#include "qcc/Target/NVPTX/NVPTXTarget.h"
#include "qcc/Target/NVPTX/Passes.h"
#include "qcc/Target/X86/Passes.h"
#include "qcc/Target/X86/X86Target.h"

using namespace qcc;

llvm::Expected<std::vector<TargetRef>>
qcc::parseTargets(llvm::StringRef list,
                  llvm::ArrayRef<std::string> hostFeatures) {
  std::vector<TargetRef> targets;
  llvm::SmallVector<llvm::StringRef> names;
  list.split(names, ',');
  for (llvm::StringRef name : names) {
    name = name.trim();
    if (name.empty())
      return llvm::createStringError(
          "no name between two commas in the list of processors '%s'; write "
          "for example %s",
          list.str().c_str(), x86::kExampleNames);
    llvm::Expected<TargetRef> target =
        nvptx::isChipName(name) ? nvptx::parseTarget(name)
                                : x86::parseTarget(name, hostFeatures);
    if (!target)
      return target.takeError();
    // Two names may be of one target: zen4 and znver4.
    if (llvm::none_of(targets, [&](const TargetRef &one) {
          return one->getName() == (*target)->getName();
        }))
      targets.push_back(std::move(*target));
  }
  return targets;
}

TargetRef qcc::hostTarget() { return x86::hostTarget(); }

std::vector<std::string> qcc::knownTargetNames() {
  std::vector<std::string> names = x86::Spec::knownCPUs();
  for (const nvptx::Spec &chip : nvptx::allChips())
    names.push_back(chip.name.str());
  return names;
}

llvm::ArrayRef<llvm::StringLiteral> qcc::usualProcessors() {
  return x86::kProcessors;
}

void qcc::registerTargets(mlir::DialectRegistry &registry) {
  nvptx::registerTarget(registry);
  x86::registerTarget(registry);
}

void qcc::registerTargetPasses() {
  registerNVPTXPasses();
  registerX86Passes();
}
