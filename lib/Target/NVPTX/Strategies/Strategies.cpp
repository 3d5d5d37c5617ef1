//===- Strategies.cpp - Checks that strategies share ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

LogicalResult qcc::nvptx::verifyForm(kernel::ContractOp op, ConfigAttr config) {
  if (op.isPacked() != config.isPacked())
    return op.emitError() << "has strategy " << config.getStrategyName()
                          << ", which needs a right operand that is "
                          << (config.isPacked() ? "packed" : "not packed");
  if (auto roles = op.getRoles();
      succeeded(roles) && roles->columnsOfGroup != 1)
    return op.emitOpError("has columns with a left operand group by group, "
                          "which no strategy of nvptx reads; make groups a "
                          "loop of their own");
  if (op.getLhsPadding())
    return op.emitError("has lhs_padding, which no strategy of nvptx reads; "
                        "pad the left operand in memory");
  if (config.getParts() > 1 || config.getFewRows())
    return op.emitError("has parts of K, or configs for few rows; run "
                        "divide-contractions first");
  return success();
}
