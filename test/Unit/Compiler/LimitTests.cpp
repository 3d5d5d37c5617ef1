//===- LimitTests.cpp - Code generation that ends early -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a whole compilation does is a test of test/CAPI.
//
//===----------------------------------------------------------------------===//

#include "TestCompile.h"
#include "qcc/Support/WorkLimits.h"

using namespace qcc;
using namespace qcc::test;

namespace {
/// A program after the llvm stage, for one target, and limits that are
/// cancelled once they were asked so often.
class LimitedCode : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(matmulProgram(), &context);
    compiler = std::make_unique<Compiler>(targetsOf(GetParam()));
    ASSERT_TRUE(module);
    ASSERT_TRUE(succeeded(compiler->runStages(*module, Stage::LLVM)));
  }

  /// The message of a failure, or nothing.
  std::string emit(int cancelledAfter) {
    asked = 0;
    WorkLimits limits([&] { return ++asked > cancelledAfter; }, 0, 0);
    compiler->limits = &limits;
    bool isDevice = llvm::StringRef(GetParam()).starts_with("sm_");
    llvm::Error error = isDevice ? compiler->emitPTX(*module).takeError()
                                 : compiler->emitObject(*module).takeError();
    compiler->limits = nullptr;
    return error ? llvm::toString(std::move(error)) : "";
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<Compiler> compiler;
  int asked = 0;
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Targets, LimitedCode,
                         testing::Values("x86-64-v3", "sm_80",
                                         // Parts for several threads.
                                         "x86-64-v3,cascadelake,znver4"),
                         [](const auto &info) {
                           std::string name = info.param;
                           for (char &c : name)
                             c = isalnum(c) ? c : '_';
                           return name;
                         });

TEST_P(LimitedCode, EndsAtEachMoment) {
  ASSERT_EQ(emit(INT_MAX), "");
  const int questions = asked;
  // The optimizer asks before its passes, the code generator at each function.
  EXPECT_GT(questions, 100);
  for (int i = 0; i < 20; ++i) {
    int moment = i * questions / 20;
    EXPECT_EQ(emit(moment), "it was cancelled")
        << moment << " of " << questions;
    // Little is done after that.
    EXPECT_EQ(asked, moment + 1);
  }
  EXPECT_EQ(emit(questions - 1), "it was cancelled");
  EXPECT_EQ(emit(questions), "");
}

TEST_P(LimitedCode, EndsOnSeveralThreads) {
  compiler->threads = 3;
  EXPECT_EQ(emit(0), "it was cancelled");
  EXPECT_EQ(emit(INT_MAX), "");
}
