//===- PartsTests.cpp - A module in parts ---------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "qcc/KnownTargets/KnownTargets.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace qcc;

namespace {
/// Functions `f0`, `f1`, ... that each call an internal function of their own
/// and read an internal table; pairs of them share both.
std::unique_ptr<llvm::Module> makeModule(int functions, int instructions,
                                         llvm::LLVMContext &context) {
  std::string text;
  for (int i = 0; i < functions; ++i) {
    std::string n = std::to_string(i), shared = std::to_string(i / 2);
    if (i % 2 == 0) {
      text += "@table" + shared + " = internal constant i32 " + shared + "\n";
      text += "define internal i32 @help" + shared + "(i32 %x) noinline {\n";
      text += "  %t = load volatile i32, ptr @table" + shared + "\n";
      text += "  %y = add i32 %x, %t\n  ret i32 %y\n}\n";
    }
    text += "define hidden i32 @f" + n + "(i32 %x0) {\n";
    for (int k = 0; k < instructions; ++k)
      text += "  %x" + std::to_string(k + 1) + " = call i32 @help" + shared +
              "(i32 %x" + std::to_string(k) + ")\n";
    text += "  ret i32 %x" + std::to_string(instructions) + "\n}\n";
  }
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  return module;
}

std::vector<Part> split(int functions, int instructions, const Target &target) {
  llvm::LLVMContext context;
  return splitIntoParts(makeModule(functions, instructions, context), target);
}

} // namespace

TEST(Parts, AreOneForASmallModule) {
  TargetRef target = hostTarget();
  EXPECT_EQ(split(1, 10, *target).size(), 1u);
  EXPECT_EQ(split(20, 10, *target).size(), 1u);
}

TEST(Parts, DependOnTheModuleAlone) {
  TargetRef target = hostTarget();
  std::vector<Part> first = split(40, 300, *target);
  std::vector<Part> second = split(40, 300, *target);
  ASSERT_GT(first.size(), 4u);
  ASSERT_EQ(first.size(), second.size());
  for (auto [a, b] : llvm::zip_equal(first, second))
    EXPECT_EQ(a.bytes, b.bytes);
}

TEST(Parts, KeepWhatIsInternalWithItsUsers) {
  TargetRef target = hostTarget();
  for (const Part &part : split(40, 300, *target)) {
    llvm::LLVMContext context;
    auto module = llvm::cantFail(joinParts(part, {}, context));
    EXPECT_FALSE(llvm::verifyModule(*module));
    for (const llvm::Function &function : *module)
      if (function.getName().starts_with("help"))
        EXPECT_TRUE(function.hasInternalLinkage());
  }
}

TEST(Parts, AreTheModuleAgainOnceJoined) {
  TargetRef target = hostTarget();
  llvm::LLVMContext context;
  auto before = namesOfFunctions(*makeModule(40, 300, context));
  auto joined =
      llvm::cantFail(joinParts(split(40, 300, *target), before, context));
  EXPECT_FALSE(llvm::verifyModule(*joined));
  EXPECT_EQ(namesOfFunctions(*joined), before);
}

TEST(Parts, AreFinishedEachByItself) {
  TargetRef target = hostTarget();
  std::vector<Part> expected;
  for (unsigned threads : {1, 3}) {
    std::vector<Part> parts = split(40, 300, *target);
    CodeGenOptions options;
    options.threads = threads;
    llvm::cantFail(finishParts(
        parts, options,
        [](llvm::Module &module, llvm::TargetMachine &machine,
           WorkLimits *limits) {
          return emitCode(module, machine, FileKind::Object, limits);
        }));
    if (expected.empty())
      expected = parts;
    for (auto [a, b] : llvm::zip_equal(parts, expected)) {
      EXPECT_EQ(a.bytes, b.bytes);
      EXPECT_TRUE(llvm::StringRef(a.bytes.data(), a.bytes.size())
                      .starts_with("\177ELF"));
    }
  }
}
