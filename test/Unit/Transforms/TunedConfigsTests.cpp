//===- TunedConfigsTests.cpp ----------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Tuning/TestKernel.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Target/X86/X86Target.h"
#include "qcc/Transforms/Contraction/LoweringConfigs.h"
#include "qcc/Transforms/Contraction/TunedConfigs.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Tuning/KernelKey.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace qcc;
using namespace qcc::test;
using kernel::LoweringConfigAttrInterface;

static const char *const kConfig = "#x86.config<vector_tiles, atom = \"avx2\", "
                                   "tile = [2, 8, 2], block = [4, 8], "
                                   "lhs = panel, source = tuned>";

namespace {
class TunedConfigs : public testing::Test {
protected:
  TunedConfigs() : target(llvm::cantFail(x86::parseTarget("x86-64-v3", {}))) {
    kernel.context.loadDialect<x86::X86Dialect>();
  }

  /// A database with a config for the contraction of the test.
  std::shared_ptr<TuningDatabase> databaseWith(const std::string &config) {
    auto database = std::make_shared<TuningDatabase>();
    TuningEntry entry;
    entry.config = config;
    database->set(keyOf(kernel.contract, *target), entry);
    return database;
  }
  TunedConfig find(const std::string &config) {
    return findTunedConfig(kernel.contract, *target, *databaseWith(config));
  }
  /// The config after the pass.
  LoweringConfigAttrInterface
  select(std::shared_ptr<const TuningDatabase> database) {
    PassManager passes(&kernel.context);
    passes.addNestedPass<func::FuncOp>(
        createSelectLoweringConfig(target, std::move(database)));
    EXPECT_TRUE(succeeded(passes.run(*kernel.module)));
    return kernel.contract.getLoweringConfigAttr();
  }

  TargetRef target;
  TestKernel kernel{KernelText()};
};
} // namespace

TEST_F(TunedConfigs, Found) {
  TunedConfig tuned = find(kConfig);
  ASSERT_TRUE(tuned.config) << tuned.reason;
  EXPECT_EQ(printConfig(tuned.config), kConfig);
  EXPECT_FALSE(tuned.isDamaged);
  EXPECT_EQ(select(databaseWith(kConfig)), tuned.config);
  EXPECT_FALSE(kernel.contract->hasAttr(kNotTunedAttr));
}

/// What stands in the program wins, and the database is not asked.
TEST_F(TunedConfigs, PinnedInTheProgram) {
  auto pinned = llvm::cast<LoweringConfigAttrInterface>(mlir::parseAttribute(
      "#x86.config<vector_tiles, atom = \"avx2\", tile = [1, 8, 2], block = "
      "[1, 8], lhs = panel, source = pinned>",
      &kernel.context));
  kernel.contract.setLoweringConfigAttr(pinned);
  EXPECT_EQ(select(databaseWith(kConfig)), pinned);
  EXPECT_EQ(select(databaseWith("damaged")), pinned);
  EXPECT_FALSE(kernel.contract->hasAttr(kNotTunedAttr));
}

TEST_F(TunedConfigs, WithoutADatabase) {
  EXPECT_EQ(select(nullptr), chooseConfig(kernel.contract, *target));
  EXPECT_FALSE(kernel.contract->hasAttr(kNotTunedAttr));
}

TEST_F(TunedConfigs, Absent) {
  TunedConfig tuned =
      findTunedConfig(kernel.contract, *target, TuningDatabase());
  EXPECT_FALSE(tuned.config);
  EXPECT_FALSE(tuned.isDamaged);
  EXPECT_EQ(tuned.reason, "the tuning database has no ?x8x16 of this kind");
  std::string remark;
  ScopedDiagnosticHandler handler(&kernel.context, [&](Diagnostic &diagnostic) {
    EXPECT_EQ(diagnostic.getSeverity(), DiagnosticSeverity::Remark);
    remark = diagnostic.str();
  });
  EXPECT_EQ(select(std::make_shared<TuningDatabase>()),
            chooseConfig(kernel.contract, *target));
  EXPECT_EQ(remark, "the tuning database has no config for 1 kernel of 'f' on "
                    "target 'x86-64-v3'; the cost model chooses");
  EXPECT_TRUE(kernel.contract->hasAttr(kNotTunedAttr));
}

TEST_F(TunedConfigs, OtherTargets) {
  TuningDatabase database;
  TuningKey key = keyOf(kernel.contract, *target);
  TuningEntry entry;
  entry.config = kConfig;
  for (const char *name : {"b", "b with more", "a", "x86-64-v3 fewer"}) {
    key.target = name;
    database.set(key, entry);
  }
  TunedConfig tuned = findTunedConfig(kernel.contract, *target, database);
  EXPECT_FALSE(tuned.config);
  EXPECT_FALSE(tuned.isDamaged);
  EXPECT_EQ(tuned.reason, "the tuning database has it only for a, b, x86-64-v3 "
                          "with other features or caches");
}

TEST_F(TunedConfigs, Damaged) {
  auto reason = [&](const std::string &config) {
    // What is wrong with an entry is no error of the program.
    ScopedDiagnosticHandler handler(&kernel.context, [&](Diagnostic &) {
      ADD_FAILURE() << "a diagnostic for " << config;
    });
    TunedConfig tuned = find(config);
    EXPECT_FALSE(tuned.config);
    EXPECT_TRUE(tuned.isDamaged);
    return tuned.reason;
  };
  for (const char *config :
       {"x", "#x86.config<", "#x86.config<vector_tiles, atom = 7>",
        "#kernel.other", "[", "\xff"})
    EXPECT_EQ(reason(config).rfind(
                  "its config in the tuning database is damaged: ", 0),
              0u)
        << config;
  EXPECT_EQ(reason("7 : i32"), "its config in the tuning database is damaged: "
                               "it is another attribute");
  std::string config = kConfig;
  config.replace(config.find("avx2"), 4, "none");
  EXPECT_EQ(reason(config),
            "its config in the tuning database does not fit: lowering_config "
            "asks for atom \"none\", but target 'x86-64-v3' does not have it; "
            "choose another atom or target");
  config = kConfig;
  config.replace(config.find("tuned"), 5, "model");
  EXPECT_EQ(reason(config), "its config in the tuning database is of source "
                            "'model' instead of tuned or pinned");
}
