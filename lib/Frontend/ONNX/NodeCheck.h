//===- NodeCheck.h - Nodes against the signatures of ops --------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one rule that every node passes before its op is imported: nodes of the
// model, and nodes that others are composed of. Import functions rely on it:
// required attributes and inputs are there, attributes have their types, and
// inputs have element types that the op takes.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_NODECHECK_H
#define QCC_LIB_FRONTEND_ONNX_NODECHECK_H

#include "NodeImporter.h"
#include "Signatures.h"

namespace qcc::onnx {

/// Refuses a node, with all reasons at once, whose attributes, inputs, outputs
/// or element types its op does not have.
mlir::LogicalResult checkNode(NodeImporter &n, const Signature &signature);

/// The same for a node of a composition, without its attributes, which come
/// from an import function.
mlir::LogicalResult checkOperands(NodeImporter &n, const Signature &signature);

using Refuse = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Refuses a call with an attribute that the function does not have.
mlir::LogicalResult checkCall(const Node &call, const LocalFunction &function,
                              Refuse refuse);

/// Refuses an attribute that takes the value of an attribute of the function
/// around the node, where there is no function (null), or where it has no
/// attribute of this name.
mlir::LogicalResult
checkReferences(const Node &node, const LocalFunction *function, Refuse refuse);

/// Whether a node may have an attribute although its op lacks it: the names of
/// attributes that tools keep notes in.
bool isTolerated(llvm::StringRef attribute);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_NODECHECK_H
