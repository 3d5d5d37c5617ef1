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

/// Refuses a node whose attributes, inputs, outputs or element types do not
/// match the signature of its op. Gives all reasons at once.
mlir::LogicalResult checkNode(NodeImporter &n, const Signature &signature);

/// The same for a node of a composition, without its attributes, which come
/// from an import function.
mlir::LogicalResult checkOperands(NodeImporter &n, const Signature &signature);

using Refuse = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Refuses a call with an attribute that the function does not have.
mlir::LogicalResult checkCall(const Node &call, const LocalFunction &function,
                              Refuse refuse);

/// Refuses a node with an attribute that refers to an attribute of the function
/// around the node, if `function` is null or lacks the attribute.
mlir::LogicalResult
checkReferences(const Node &node, const LocalFunction *function, Refuse refuse);

/// Whether a node may have an attribute that its op lacks: tools keep notes in
/// attributes of these names.
bool isTolerated(llvm::StringRef attribute);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_NODECHECK_H
