//===- NVPTX.h - The nvptx dialect ------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_NVPTX_IR_NVPTX_H
#define QCC_TARGET_NVPTX_IR_NVPTX_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

#include "qcc/Target/NVPTX/IR/NVPTXIRDialect.h.inc"

#include "qcc/Target/NVPTX/IR/NVPTXEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "qcc/Target/NVPTX/IR/NVPTXIRAttrs.h.inc"

#endif // QCC_TARGET_NVPTX_IR_NVPTX_H
