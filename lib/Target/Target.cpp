//===- Target.cpp - Targets -----------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Target/Target.h"

using namespace mlir;
using namespace qcc;

const Strategy *
Target::strategyOf(kernel::LoweringConfigAttrInterface config) const {
  for (const std::unique_ptr<Strategy> &strategy : strategies)
    if (config && strategy->getName() == config.getStrategyName())
      return strategy.get();
  return nullptr;
}

llvm::Expected<TargetRef> qcc::findTarget(StringRef name,
                                          MLIRContext &context) {
  llvm::Error problems = llvm::Error::success();
  for (Dialect *dialect : context.getLoadedDialects()) {
    auto *names = dialect->getRegisteredInterface<TargetDialectInterface>();
    if (!names)
      continue;
    llvm::Expected<TargetRef> target = names->find(name);
    if (!target) {
      problems = llvm::joinErrors(std::move(problems), target.takeError());
    } else if (*target) {
      llvm::consumeError(std::move(problems));
      return target;
    }
  }
  if (problems)
    return std::move(problems);
  return llvm::createStringError("no target has the name '%s'",
                                 name.str().c_str());
}
