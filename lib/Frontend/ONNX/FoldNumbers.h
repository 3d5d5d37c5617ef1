//===- FoldNumbers.h - Arithmetic of a few constants ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_FOLDNUMBERS_H
#define QCC_LIB_FRONTEND_ONNX_FOLDNUMBERS_H

#include "NodeImporter.h"

namespace qcc::onnx {

/// The elements of a constant of few floats.
std::optional<llvm::SmallVector<double>> readNumbers(GraphValue &x);

/// The result of a node on a few constant floats, with the bits that a program
/// would compute: a sum, difference, product, quotient, root, square or rounded
/// number. PyTorch computes sizes in this way, and sizes have to be known.
/// Nothing for other nodes.
std::optional<GraphValue> foldNumbers(NodeImporter &n);

/// A few constants in another type: integers as floats, and floats without
/// their fractions as integers.
std::optional<GraphValue> foldCast(NodeImporter &n, mlir::Type type);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_FOLDNUMBERS_H
