//===- MockTarget.h - A target of a test ------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An abacus: one that is slow on all shapes, and one that is fast, needs an
// even K and packs its right operand two elements to a word. All that it is
// made of is in this folder.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_TARGET_MOCKTARGET_H
#define QCC_TEST_UNIT_TARGET_MOCKTARGET_H

#include "mlir/IR/Dialect.h"
#include "qcc/Target/Target.h"

namespace qcc::mock {

/// The key of a config: strategy, columns of a tile, source.
struct ConfigStorage;

/// `#abacus.config<"STRATEGY", COLUMNS, "SOURCE">`
class ConfigAttr : public mlir::Attribute::AttrBase<
                       ConfigAttr, mlir::Attribute, ConfigStorage,
                       kernel::LoweringConfigAttrInterface::Trait> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "abacus.config";

  static ConfigAttr get(mlir::MLIRContext *context, llvm::StringRef strategy,
                        int64_t columns, kernel::ConfigSource source);
  int64_t getColumns() const;

  llvm::StringRef getStrategyName() const;
  llvm::StringRef getAtomName() const { return "bead"; }
  kernel::ConfigSource getSource() const;
  kernel::LoweringConfigAttrInterface
  withSource(kernel::ConfigSource source) const;
  std::string describe() const;
};

class AbacusDialect : public mlir::Dialect {
public:
  explicit AbacusDialect(mlir::MLIRContext *context);
  static llvm::StringRef getDialectNamespace() { return "abacus"; }

  mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser,
                                 mlir::Type type) const override;
  void printAttribute(mlir::Attribute attribute,
                      mlir::DialectAsmPrinter &printer) const override;
};

class AbacusTarget : public Target {
public:
  AbacusTarget();
  llvm::StringRef getFamily() const override { return "abacus"; }
  std::string requiredFeatures() const override { return "beads"; }
  std::string tuningName() const override { return "abacus with beads"; }
  std::vector<Alternative>
  listAlternatives(kernel::ContractOp op) const override;
  bool convertsBF16() const override { return true; }
  void buildTargetStage(mlir::OpPassManager &) const override {}
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
      createTargetMachine(Effort) const override;
  void annotate(llvm::Function &) const override {}
};

} // namespace qcc::mock

#endif // QCC_TEST_UNIT_TARGET_MOCKTARGET_H
