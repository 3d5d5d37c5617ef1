//===- MockTargetTests.cpp - A target that no part of qcc knows -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MockTarget.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "qcc/Explain/Explain.h"
#include "qcc/Pipelines/Pipelines.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Transforms/Contraction/LoweringConfigs.h"
#include "qcc/Transforms/Contraction/TunedConfigs.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Steps/Steps.h"
#include "qcc/Tuning/KernelKey.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace qcc;

/// y = x * w, with K columns of x.
static std::string program(int64_t k) {
  std::string x = "tensor<?x" + std::to_string(k) + "xi8>",
              w = "tensor<5x" + std::to_string(k) + "xi8>";
  return "func.func @f(%x: " + x + ") -> tensor<?x5xi32> {\n" +
         "%w = arith.constant dense<3> : " + w + "\n" +
         "%y = qnn.linear %x, %w : " + x + ", " + w + " -> tensor<?x5xi32>\n" +
         "return %y : tensor<?x5xi32>\n}\n";
}

namespace {
class MockTarget : public testing::Test {
protected:
  MockTarget() {
    registerAllDialects(registry);
    registry.insert<mock::AbacusDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  void lower(int64_t k, Stage last, StageOptions options = {}) {
    module = parseSourceString<ModuleOp>(program(k), &context);
    ASSERT_TRUE(module);
    for (Stage stage :
         {Stage::Graph, Stage::Tensor, Stage::Kernel, Stage::Buffer}) {
      PassManager passes((*module)->getName());
      buildStage(passes, stage, target, options);
      ASSERT_TRUE(succeeded(passes.run(*module)));
      if (stage == last)
        break;
    }
  }
  /// Runs the stages up to `last`, and returns the contraction.
  kernel::ContractOp run(int64_t k, Stage last, StageOptions options = {}) {
    lower(k, last, options);
    return contraction();
  }
  kernel::ContractOp contraction() {
    kernel::ContractOp found;
    module->walk([&](kernel::ContractOp op) { found = op; });
    EXPECT_TRUE(found);
    return found;
  }
  /// The contraction, formed and without a config.
  kernel::ContractOp form(int64_t k) {
    lower(k, Stage::Tensor);
    PassManager passes((*module)->getName());
    buildFormContractions(passes, target);
    EXPECT_TRUE(succeeded(passes.run(*module)));
    return contraction();
  }

  DialectRegistry registry;
  MLIRContext context;
  TargetRef target = std::make_shared<mock::AbacusTarget>();
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(MockTarget, Selection) {
  EXPECT_EQ(printConfig(run(6, Stage::Kernel).getLoweringConfigAttr()),
            "#abacus.config<\"fast\", 8, \"model\">");
  // An odd K is refused by the fast one.
  EXPECT_EQ(printConfig(run(7, Stage::Kernel).getLoweringConfigAttr()),
            "#abacus.config<\"slow\", 8, \"model\">");
}

/// Passes find the target by its name, through its dialect.
TEST_F(MockTarget, Name) {
  form(6);
  PassManager passes((*module)->getName());
  SelectLoweringConfigOptions options;
  options.targetName = "abacus";
  passes.addNestedPass<func::FuncOp>(createSelectLoweringConfig(options));
  ASSERT_TRUE(succeeded(passes.run(*module)));
  EXPECT_EQ(contraction().getLoweringConfigAttr().getAtomName(), "bead");
}

TEST_F(MockTarget, Packing) {
  kernel::ContractOp fast = run(6, Stage::Kernel);
  EXPECT_TRUE(fast.isPacked());
  // 5 columns in tiles of 8, 6 elements of K in words of 2.
  EXPECT_EQ(cast<ShapedType>(fast.getRhs().getType()).getShape(),
            ArrayRef<int64_t>({1, 3, 8}));
  EXPECT_FALSE(run(7, Stage::Kernel).isPacked());
}

TEST_F(MockTarget, Refusals) {
  kernel::ContractOp op = form(7);
  auto refusal = [&](const char *text) {
    auto config = cast<kernel::LoweringConfigAttrInterface>(
        parseAttribute(text, &context));
    return refuseConfig(op, config, *target).value_or("");
  };
  EXPECT_EQ(refusal("#abacus.config<\"slow\", 8, \"pinned\">"), "");
  EXPECT_EQ(refusal("#abacus.config<\"slow\", 9, \"pinned\">"),
            "lowering_config asks for more than 8 columns; ask for less");
  EXPECT_EQ(refusal("#abacus.config<\"fast\", 8, \"pinned\">"),
            "lowering_config needs an even K; pad it");
  EXPECT_EQ(refusal("#abacus.config<\"slide rule\", 8, \"pinned\">"),
            "lowering_config has strategy 'slide rule', but target 'abacus' "
            "does not have it; choose another strategy or target");
}

/// The target says whether conversions of bf16 are left to its instructions.
TEST_F(MockTarget, ConversionsOfBF16) {
  struct WithoutBF16 : mock::AbacusTarget {
    bool convertsBF16() const override { return false; }
  };
  auto numConversions = [&](TargetRef target) {
    module = parseSourceString<ModuleOp>(
        "func.func @f(%x: tensor<4xbf16>) -> tensor<4xbf16> {\n"
        "%y = math.sqrt %x : tensor<4xbf16>\n"
        "return %y : tensor<4xbf16>\n}\n",
        &context);
    PassManager passes((*module)->getName());
    buildStage(passes, Stage::Graph, target);
    buildStage(passes, Stage::Tensor, target);
    EXPECT_TRUE(succeeded(passes.run(*module)));
    int count = 0;
    module->walk([&](Operation *op) {
      count += isa<arith::ExtFOp, arith::TruncFOp>(op);
    });
    return count;
  };
  EXPECT_EQ(numConversions(target), 2);
  EXPECT_EQ(numConversions(std::make_shared<WithoutBF16>()), 0);
}

TEST_F(MockTarget, Explain) {
  auto explain = [&](int64_t k) {
    run(k, Stage::Buffer);
    auto entry = module->lookupSymbol<func::FuncOp>("f");
    return explainStep(*entry.getOps<func::CallOp>().begin(),
                       SymbolTable(*module), *target);
  };
  StepExplanation fast = explain(6);
  EXPECT_EQ(fast.kind, "contract");
  EXPECT_EQ(fast.atom, "bead");
  EXPECT_EQ(fast.config, "8 columns");
  EXPECT_EQ(fast.source, "model");
  EXPECT_EQ(fast.shareOfPeak, 0.5);
  EXPECT_EQ(fast.operations, "60*d0");
  EXPECT_TRUE(fast.alternatives.empty());
  StepExplanation slow = explain(7);
  ASSERT_EQ(slow.alternatives.size(), 1u);
  EXPECT_EQ(slow.alternatives[0].atom, "computer");
  EXPECT_EQ(slow.alternatives[0].reason, "there is none");
}

TEST_F(MockTarget, Tuner) {
  kernel::ContractOp op = form(6);
  std::vector<std::string> tried;
  for (kernel::LoweringConfigAttrInterface config :
       candidateConfigs(op, *target, 3))
    tried.push_back(printConfig(config));
  // The model's choice, the best of the other strategy, another of the first.
  EXPECT_EQ(tried, (std::vector<std::string>{
                       "#abacus.config<\"fast\", 8, \"tuned\">",
                       "#abacus.config<\"slow\", 8, \"tuned\">"}));
  auto database = std::make_shared<TuningDatabase>();
  TuningEntry entry;
  entry.config = "#abacus.config<\"slow\", 4, \"tuned\">";
  database->set(keyOf(op, *target), entry);
  StageOptions options;
  options.tuning = database;
  EXPECT_EQ(printConfig(run(6, Stage::Kernel, options).getLoweringConfigAttr()),
            entry.config);
}
