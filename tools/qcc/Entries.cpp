//===- Entries.cpp - Entries of a source program --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "qcc/Dialect/QNN/IR/FunctionAttrs.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Reference/Interpreter.h"
#include "llvm/ADT/StringExtras.h"

using namespace qcc;
using namespace qcc::driver;
using mlir::func::FuncOp;

Reported<FuncOp> driver::findEntry(mlir::ModuleOp module,
                                   llvm::StringRef name) {
  llvm::SmallVector<FuncOp> entries;
  llvm::SmallVector<llvm::StringRef> names;
  for (auto func : module.getOps<FuncOp>()) {
    if (!func.isPublic())
      continue;
    if (func.getName() == name)
      return func;
    entries.push_back(func);
    names.push_back(func.getName());
  }
  if (name.empty() && entries.size() == 1)
    return entries.front();
  if (name.empty())
    return reportError(
        tools::ExitRejected,
        "the program has " + llvm::Twine(entries.size()) +
            " entries; choose one with --entry: " + llvm::join(names, ", "));
  return reportError(tools::ExitRejected,
                     "no entry '" + name +
                         "'; the program has: " + llvm::join(names, ", "));
}

/// The names that the program gives the dimensions of an argument, if it is an
/// attribute of such names, which the stages check.
static std::vector<std::string> readDimNames(FuncOp entry, unsigned argument,
                                             size_t rank) {
  auto list = entry.getArgAttrOfType<mlir::ArrayAttr>(argument, kDimNamesAttr);
  std::vector<std::string> names;
  if (!list || list.size() != rank)
    return names;
  for (mlir::Attribute name : list) {
    auto text = llvm::dyn_cast<mlir::StringAttr>(name);
    names.push_back(text ? text.str() : "");
  }
  return names;
}

Reported<std::vector<tools::TensorSpec>> driver::specsOf(FuncOp entry) {
  std::vector<tools::TensorSpec> specs;
  for (auto [i, argument] : llvm::enumerate(entry.getArguments())) {
    auto element = reference::elementTypeOf(argument.getType());
    if (!element)
      return reportError(tools::ExitRejected, element.takeError());
    tools::TensorSpec spec;
    spec.dtype = {static_cast<uint8_t>(element->code), element->bits};
    if (auto tensor =
            llvm::dyn_cast<mlir::RankedTensorType>(argument.getType()))
      for (int64_t dim : tensor.getShape())
        spec.shape.push_back(mlir::ShapedType::isDynamic(dim) ? -1 : dim);
    spec.name = layerName(argument.getLoc()).str();
    spec.dimNames = readDimNames(entry, i, spec.shape.size());
    specs.push_back(std::move(spec));
  }
  return specs;
}
