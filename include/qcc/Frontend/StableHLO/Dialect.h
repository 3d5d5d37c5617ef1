//===- Dialect.h - StableHLO as text of MLIR --------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dialects that let MLIR's parser read programs of JAX and TensorFlow: ops of
// any name, in their generic form or in the form that StableHLO prints, with
// attributes and types kept as text. The ops have no verifiers; importStableHLO
// verifies what it imports.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_FRONTEND_STABLEHLO_DIALECT_H
#define QCC_FRONTEND_STABLEHLO_DIALECT_H

#include "mlir/IR/Dialect.h"

namespace qcc::stablehlo {

/// What the dialects of this file have in common.
class TextDialect : public mlir::Dialect {
public:
  TextDialect(llvm::StringRef name, mlir::MLIRContext *context,
              mlir::TypeID id);

  /// An OpaqueAttr with the text between the brackets.
  mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser,
                                 mlir::Type type) const override;
  /// An OpaqueType.
  mlir::Type parseType(mlir::DialectAsmParser &parser) const override;
  std::optional<ParseOpHook>
  getParseOperationHook(llvm::StringRef opName) const override;
};

/// The ops of the StableHLO specification.
class StableHLODialect : public TextDialect {
public:
  explicit StableHLODialect(mlir::MLIRContext *context)
      : TextDialect("stablehlo", context,
                    mlir::TypeID::get<StableHLODialect>()) {}
  static constexpr llvm::StringLiteral getDialectNamespace() {
    return "stablehlo";
  }
};

/// Ops of clients, which JAX uses beside those of the specification.
class CHLODialect : public TextDialect {
public:
  explicit CHLODialect(mlir::MLIRContext *context)
      : TextDialect("chlo", context, mlir::TypeID::get<CHLODialect>()) {}
  static constexpr llvm::StringLiteral getDialectNamespace() { return "chlo"; }
};

/// How JAX spreads values over devices.
class ShardyDialect : public TextDialect {
public:
  explicit ShardyDialect(mlir::MLIRContext *context)
      : TextDialect("sdy", context, mlir::TypeID::get<ShardyDialect>()) {}
  static constexpr llvm::StringLiteral getDialectNamespace() { return "sdy"; }
};

} // namespace qcc::stablehlo

MLIR_DECLARE_EXPLICIT_TYPE_ID(qcc::stablehlo::StableHLODialect)
MLIR_DECLARE_EXPLICIT_TYPE_ID(qcc::stablehlo::CHLODialect)
MLIR_DECLARE_EXPLICIT_TYPE_ID(qcc::stablehlo::ShardyDialect)

#endif // QCC_FRONTEND_STABLEHLO_DIALECT_H
