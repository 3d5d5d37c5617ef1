//===- QNN.h - The qnn dialect ----------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_QNN_H
#define QCC_DIALECT_QNN_IR_QNN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qcc/Dialect/QNN/IR/QNNInterfaces.h"
#include "qcc/Dialect/QNN/IR/Windows.h"

#include "qcc/Dialect/QNN/IR/QNNOpsDialect.h.inc"

#define GET_OP_CLASSES
#include "qcc/Dialect/QNN/IR/QNNOps.h.inc"

#endif // QCC_DIALECT_QNN_IR_QNN_H
