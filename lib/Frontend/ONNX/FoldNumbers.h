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

/// The result of a node that computes with a few constant floats what a program
/// would: a sum, difference, product or quotient, a root or a square, a rounded
/// number. PyTorch writes sizes in this way, and a size has to be known.
/// Nothing where the node is another one.
std::optional<GraphValue> foldNumbers(NodeImporter &n);

/// A few constants in another type: integers as floats, and floats without
/// their fractions as integers.
std::optional<GraphValue> foldCast(NodeImporter &n, mlir::Type type);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_FOLDNUMBERS_H
