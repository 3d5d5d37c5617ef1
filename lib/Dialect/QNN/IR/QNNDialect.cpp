//===- QNNDialect.cpp - The qnn dialect -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Transforms/InliningUtils.h"
#include "qcc/Dialect/QNN/IR/QNN.h"

using namespace mlir;
using namespace qcc::qnn;

namespace {
/// The ops are pure functions of their operands.
struct QNNInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

#include "qcc/Dialect/QNN/IR/QNNOpsDialect.cpp.inc"

void QNNDialect::initialize() {
  addInterfaces<QNNInlinerInterface>();
  addOperations<
#define GET_OP_LIST
#include "qcc/Dialect/QNN/IR/QNNOps.cpp.inc"
      >();
}
