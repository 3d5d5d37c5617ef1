//===- Target.cpp - What programs are compiled for ------------------------===//
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
  for (Dialect *dialect : context.getLoadedDialects())
    if (auto *targets =
            dialect->getRegisteredInterface<TargetDialectInterface>()) {
      llvm::Expected<TargetRef> target = targets->find(name);
      if (!target || *target)
        return target;
    }
  return llvm::createStringError("no target has the name '%s'",
                                 name.str().c_str());
}
