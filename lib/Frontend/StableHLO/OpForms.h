//===- OpForms.h - Parsers of the printed forms of ops ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_STABLEHLO_OPFORMS_H
#define QCC_LIB_FRONTEND_STABLEHLO_OPFORMS_H

#include "mlir/IR/OpImplementation.h"

namespace qcc::stablehlo {

/// Parses what follows the name of an op, which `state` has, into the operands
/// and attributes of its generic form.
mlir::ParseResult parseOpForm(mlir::OpAsmParser &parser,
                              mlir::OperationState &state);

} // namespace qcc::stablehlo

#endif // QCC_LIB_FRONTEND_STABLEHLO_OPFORMS_H
