//===- NVPTX.h - The nvptx dialect ------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_NVPTX_IR_NVPTX_H
#define QCC_TARGET_NVPTX_IR_NVPTX_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

#include "qcc/Target/NVPTX/IR/NVPTXIRDialect.h.inc"

#include "qcc/Target/NVPTX/IR/NVPTXEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "qcc/Target/NVPTX/IR/NVPTXIRAttrs.h.inc"

#define GET_OP_CLASSES
#include "qcc/Target/NVPTX/IR/NVPTXIR.h.inc"

namespace qcc::nvptx {
/// Why no block computes `op` by a config of the strategy multistage, whatever
/// the chip: a sentence whose subject is "lowering_config". Nothing if one can.
std::optional<std::string> refuseTile(kernel::ContractOp op, ConfigAttr config);

/// Elements, up to 16, that the addresses of an operand are a multiple of, for
/// all loops but one along which elements follow each other. Nothing if they do
/// not.
std::optional<int64_t> alignmentAlong(mlir::ShapedType type,
                                      mlir::AffineMap map, unsigned loop);

/// Bytes, up to 16, that the address of each run of K of a left operand without
/// a prologue is a multiple of, if its elements follow each other along K.
/// Nothing otherwise.
std::optional<int64_t> alignmentAlongK(kernel::ContractOp op);
} // namespace qcc::nvptx

#endif // QCC_TARGET_NVPTX_IR_NVPTX_H
