//===- QNNDialect.cpp - The qnn dialect -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/QNN/IR/QNN.h"

using namespace mlir;
using namespace qcc::qnn;

#include "qcc/Dialect/QNN/IR/QNNOpsDialect.cpp.inc"

void QNNDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "qcc/Dialect/QNN/IR/QNNOps.cpp.inc"
      >();
}
