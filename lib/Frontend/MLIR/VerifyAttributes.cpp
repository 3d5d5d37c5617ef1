//===- VerifyAttributes.cpp - Attributes that mean nothing ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR keeps any attribute on any op. One without the prefix of a dialect is
// most likely misspelled, and qcc's own are notes from one pass to another: in
// a program that is imported they would be believed.
//
//===----------------------------------------------------------------------===//

#include "ImportSteps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qcc/Dialect/QNN/IR/FunctionAttrs.h"
#include "qcc/Frontend/MLIR/NearestName.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qcc;

/// What a user may have meant by `name`.
static std::string suggestionFor(StringRef name, OperationName op) {
  SmallVector<StringRef> names;
  for (StringAttr known : op.getAttributeNames())
    if (!known.getValue().ends_with("SegmentSizes"))
      names.push_back(known);
  if (std::optional<StringRef> nearest = nearestOf(name, names))
    return "; did you mean '" + nearest->str() + "'?";
  std::string prefix =
      "; give notes of other tools a prefix, as in 'tool." + name.str() + "'";
  if (names.empty())
    return prefix;
  return "; it has " + llvm::join(names, ", ") + prefix;
}

/// Of the attributes of qcc's own, a program may have `allowed` in this place.
static LogicalResult verifyOwn(Operation *op, StringAttr name,
                               StringRef allowed) {
  if (!name.getValue().starts_with("qcc.") || name == allowed)
    return success();
  return op->emitOpError() << "has the attribute '" << name.getValue()
                           << "', by which passes of qcc talk to each other; "
                              "remove it";
}

/// linalg.batch_reduce_matmul has the attribute of its relatives, but its
/// elements are extended as signed ones whatever it says.
static LogicalResult verifyCast(Operation *op) {
  auto product = dyn_cast<linalg::BatchReduceMatmulOp>(op);
  if (!product || product.getCast() == linalg::TypeFn::cast_signed)
    return success();
  return op->emitOpError("does not extend elements as its attribute 'cast' "
                         "says, but as signed ones; use linalg.contract");
}

/// The name of a result is a text.
static LogicalResult verifyName(func::FuncOp function, unsigned i) {
  Attribute name = function.getResultAttr(i, kNameAttr);
  if (!name || isa<StringAttr>(name))
    return success();
  return function.emitOpError() << kNameAttr << " of result " << i << " is "
                                << name << ", but it must be a string";
}

LogicalResult qcc::verifyAttributes(Operation *op) {
  bool ok = succeeded(verifyCast(op));
  for (NamedAttribute attr : op->getDiscardableAttrs()) {
    StringRef name = attr.getName();
    ok &= succeeded(
        verifyOwn(op, attr.getName(),
                  isa<ModuleOp>(op) ? StringRef(kMetadataAttr) : StringRef()));
    if (name.contains('.'))
      continue;
    op->emitOpError() << "has no attribute '" << name << "'"
                      << suggestionFor(name, op->getName());
    ok = false;
  }
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return success(ok);
  auto verifyAll = [&](DictionaryAttr attrs, StringRef allowed) {
    if (attrs)
      for (NamedAttribute attr : attrs)
        ok &= succeeded(verifyOwn(op, attr.getName(), allowed));
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    verifyAll(function.getArgAttrDict(i), kDimNamesAttr);
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    verifyAll(function.getResultAttrDict(i), kNameAttr);
    ok &= succeeded(verifyName(function, i));
  }
  return success(ok);
}
