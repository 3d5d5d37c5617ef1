//===- ScalingTests.cpp - Compile time of long programs -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time to compile a program grows with its length, not with a power of it:
// ratios of the CPU time of this process, for programs whose quadratic parts
// would show.
//
//===----------------------------------------------------------------------===//

#include "TestCompile.h"

#include <algorithm>
#include <ctime>

using namespace qcc;
using namespace qcc::test;

static std::string numbered(const char *name, int i) {
  return name + std::to_string(i);
}

/// A chain of one op on tensors of a type.
static std::string chain(int length, const std::string &type,
                         const std::string &op) {
  std::string text = "func.func @f(%t0: " + type + ") -> " + type + " {\n";
  for (int i = 0; i < length; ++i)
    text += numbered("%t", i + 1) + " = " + op + " " + numbered("%t", i) +
            ", " + numbered("%t", i) + " : " + type + "\n";
  return text + "return " + numbered("%t", length) + " : " + type + "\n}";
}

/// A function of many arguments that adds the first two.
static std::string arguments(int count) {
  std::string text = "func.func @f(%x0: tensor<?xf32>";
  for (int i = 1; i < count; ++i)
    text += ", " + numbered("%x", i) + ": tensor<?xf32>";
  return text + ") -> tensor<?xf32> {\n%y = arith.addf %x0, %x1 : "
                "tensor<?xf32>\nreturn %y : tensor<?xf32>\n}";
}

/// The seconds of a CPU that the stages take, until the LLVM dialect.
static double secondsOf(const std::string &program, bool fuse) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  Compiler compiler(targetsOf("x86-64-v3"));
  compiler.stageOptions.fuse = fuse;
  std::clock_t start = std::clock();
  bool isGood = module && succeeded(compiler.runStages(*module, Stage::LLVM));
  EXPECT_TRUE(isGood);
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Programs of one length and of four times that: linear parts alone would take
/// four times as long, quadratic ones sixteen times. Others may use the CPU and
/// its caches: the best of some tries counts.
static void expectLinear(const std::string &small, const std::string &large,
                         bool fuse = true) {
  double before = secondsOf(small, fuse), after = secondsOf(large, fuse);
  for (int tries = 1; tries < 4 && after > 8 * before; ++tries) {
    before = std::max(before, secondsOf(small, fuse));
    after = std::min(after, secondsOf(large, fuse));
  }
  EXPECT_LE(after, 8 * before) << before << " s, " << after << " s";
}

static void expectLinearChain(int length, const std::string &type,
                              const std::string &op, bool fuse = true) {
  expectLinear(chain(length, type, op), chain(4 * length, type, op), fuse);
}

TEST(Scaling, DynamicElementwise) {
  expectLinearChain(500, "tensor<?xf32>", "arith.addf");
}

TEST(Scaling, StaticElementwise) {
  expectLinearChain(1000, "tensor<4x16xf32>", "arith.maximumf");
}

TEST(Scaling, UnfusedElementwise) {
  expectLinearChain(40, "tensor<?xf32>", "arith.addf", /*fuse=*/false);
}

TEST(Scaling, Arguments) { expectLinear(arguments(500), arguments(2000)); }
