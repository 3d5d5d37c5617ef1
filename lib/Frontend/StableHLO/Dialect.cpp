//===- Dialect.cpp - StableHLO as text of MLIR ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Frontend/StableHLO/Dialect.h"
#include "OpForms.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace qcc::stablehlo;

MLIR_DEFINE_EXPLICIT_TYPE_ID(qcc::stablehlo::StableHLODialect)
MLIR_DEFINE_EXPLICIT_TYPE_ID(qcc::stablehlo::CHLODialect)
MLIR_DEFINE_EXPLICIT_TYPE_ID(qcc::stablehlo::ShardyDialect)

TextDialect::TextDialect(StringRef name, MLIRContext *context, TypeID id)
    : Dialect(name, context, id) {
  allowUnknownOperations();
  allowUnknownTypes();
}

Attribute TextDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  return OpaqueAttr::get(StringAttr::get(getContext(), getNamespace()),
                         parser.getFullSymbolSpec(),
                         NoneType::get(getContext()));
}

Type TextDialect::parseType(DialectAsmParser &parser) const {
  return OpaqueType::get(StringAttr::get(getContext(), getNamespace()),
                         parser.getFullSymbolSpec());
}

std::optional<Dialect::ParseOpHook>
TextDialect::getParseOperationHook(StringRef) const {
  return ParseOpHook(parseOpForm);
}
