//===- NumberRangeTests.cpp - Ranges of numbers ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "qcc/Analysis/NumberRange.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace qcc;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {
class Ranges : public testing::Test {
protected:
  Ranges() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        math::MathDialect>();
  }

  /// The body of a function of %x and %y, f32, that returns %r of a type.
  func::FuncOp parse(const std::string &body, const std::string &type) {
    module = parseSourceString<ModuleOp>(
        "func.func @f(%x: f32, %y: f32, %i: i32, %h: f16) -> " + type + " {\n" +
            body + "\nreturn %r : " + type + "\n}\n",
        &context);
    EXPECT_TRUE(module) << body;
    return *module->getOps<func::FuncOp>().begin();
  }
  /// The range of %r where %x and %y are within [-2, 3], without NaN, and %i
  /// within [-100, 100]; both ways to compute it agree on what they know.
  NumberRange rangeOfR(const std::string &body, const std::string &type) {
    func::FuncOp function = parse(body, type);
    Value r = function.getBody().front().getTerminator()->getOperand(0);
    NumberRange x{-2, 3, false}, i{-100, 100, false};
    return RegionRanges(function.getBody(), {x, x, i}).of(r);
  }
  /// The range of %r, whatever the arguments are.
  NumberRange unknownArguments(const std::string &body,
                               const std::string &type) {
    func::FuncOp function = parse(body, type);
    Value r = function.getBody().front().getTerminator()->getOperand(0);
    NumberRange forward = RegionRanges(function.getBody()).of(r);
    NumberRange backward = rangeOf(r);
    EXPECT_EQ(forward.low, backward.low) << body;
    EXPECT_EQ(forward.high, backward.high) << body;
    EXPECT_EQ(forward.canBeNaN, backward.canBeNaN) << body;
    return backward;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

static void expectRange(NumberRange range, double low, double high,
                        bool canBeNaN) {
  EXPECT_EQ(range.low, low);
  EXPECT_EQ(range.high, high);
  EXPECT_EQ(range.canBeNaN, canBeNaN);
}

/// Arithmetic is rounded outwards: to the next f32.
static void expectNear(NumberRange range, double low, double high) {
  EXPECT_LE(range.low, low);
  EXPECT_GE(range.high, high);
  EXPECT_NEAR(range.low, low, 1e-5 * std::abs(low) + 1e-30);
  EXPECT_NEAR(range.high, high, 1e-5 * std::abs(high) + 1e-30);
  EXPECT_FALSE(range.canBeNaN);
}

TEST_F(Ranges, Arithmetic) {
  expectNear(rangeOfR("%r = arith.mulf %x, %y : f32", "f32"), -6, 9);
  expectNear(rangeOfR("%r = arith.addf %x, %y : f32", "f32"), -4, 6);
  expectNear(rangeOfR("%r = arith.subf %x, %y : f32", "f32"), -5, 5);
  expectNear(rangeOfR("%r = math.fma %x, %x, %y : f32", "f32"), -8, 12);
  expectNear(rangeOfR("%c = arith.constant 4.0 : f32\n"
                      "%r = arith.divf %x, %c : f32",
                      "f32"),
             -0.5, 0.75);
  // A divisor that may be 0.
  expectRange(rangeOfR("%r = arith.divf %x, %y : f32", "f32"), -kInfinity,
              kInfinity, true);
  // 0 times infinity is NaN.
  expectRange(unknownArguments("%c = arith.constant 0.0 : f32\n"
                               "%r = arith.mulf %x, %c : f32",
                               "f32"),
              -kInfinity, kInfinity, true);
  // Nothing is said about f16, which overflows.
  expectRange(unknownArguments("%r = arith.addf %h, %h : f16", "f16"),
              -kInfinity, kInfinity, true);
}

TEST_F(Ranges, ClampsAndNaN) {
  const std::string clamp = "%a = arith.constant -128.0 : f32\n"
                            "%b = arith.constant 127.0 : f32\n";
  // These pass NaN on.
  expectRange(unknownArguments(clamp + "%c = arith.maximumf %x, %a : f32\n"
                                       "%r = arith.minimumf %c, %b : f32",
                               "f32"),
              -128, 127, true);
  // These take the number.
  expectRange(unknownArguments(clamp + "%c = arith.maxnumf %x, %a : f32\n"
                                       "%r = arith.minnumf %c, %b : f32",
                               "f32"),
              -128, 127, false);
  for (const char *predicate : {"uno", "une"})
    expectRange(unknownArguments(clamp +
                                     "%c = arith.maximumf %x, %a : f32\n"
                                     "%d = arith.minimumf %c, %b : f32\n"
                                     "%n = arith.cmpf " +
                                     predicate +
                                     ", %d, %d : f32\n"
                                     "%r = arith.select %n, %a, %d : f32",
                                 "f32"),
                -128, 127, false);
  // Another value than the tested one stays what it is.
  expectRange(unknownArguments(clamp + "%n = arith.cmpf uno, %y, %y : f32\n"
                                       "%r = arith.select %n, %a, %x : f32",
                               "f32"),
              -kInfinity, kInfinity, true);
}

TEST_F(Ranges, Rounding) {
  expectRange(rangeOfR("%c = arith.constant 2.5 : f32\n"
                       "%m = arith.minimumf %x, %c : f32\n"
                       "%r = math.roundeven %m : f32",
                       "f32"),
              -2, 2, false);
  expectRange(rangeOfR("%c = arith.constant 2.5 : f32\n"
                       "%m = arith.minimumf %x, %c : f32\n"
                       "%r = math.ceil %m : f32",
                       "f32"),
              -2, 3, false);
}

TEST_F(Ranges, Integers) {
  expectRange(rangeOfR("%r = arith.trunci %i : i32 to i8", "i8"), -100, 100,
              false);
  expectRange(rangeOfR("%r = arith.addi %i, %i : i32", "i32"), -200, 200,
              false);
  // Sums that wrap can be anything.
  expectRange(unknownArguments("%r = arith.addi %i, %i : i32", "i32"),
              -2147483648.0, 2147483647.0, false);
  expectRange(unknownArguments("%r = arith.trunci %i : i32 to i8", "i8"), -128,
              127, false);
  expectRange(rangeOfR("%r = arith.fptosi %x : f32 to i32", "i32"), -2, 3,
              false);
  // Out of range, a conversion gives anything.
  expectRange(unknownArguments("%r = arith.fptosi %x : f32 to i8", "i8"), -128,
              127, false);
}

TEST_F(Ranges, IntegersToFloats) {
  expectRange(rangeOfR("%r = arith.sitofp %i : i32 to f32", "f32"), -100, 100,
              false);
  // The greatest i32 is rounded up.
  expectRange(unknownArguments("%r = arith.sitofp %i : i32 to f32", "f32"),
              -2147483648.0, 2147483648.0, false);
  expectRange(unknownArguments("%r = arith.uitofp %i : i32 to f32", "f32"), 0,
              4294967296.0, false);
  // f16 has infinity for large ones.
  expectRange(unknownArguments("%r = arith.sitofp %i : i32 to f16", "f16"),
              -kInfinity, kInfinity, true);
}

TEST_F(Ranges, Bounds) {
  // Of a float assembled of the bits of a magnitude and the sign of %x.
  const std::string body =
      "%m = arith.constant 0x7fffffff : i32\n"
      "%s = arith.constant 0x80000000 : i32\n"
      "%a = arith.bitcast %y : f32 to i32\n%b = arith.andi %a, %m : i32\n"
      "%c = arith.bitcast %x : f32 to i32\n%d = arith.andi %c, %s : i32\n"
      "%e = arith.ori %b, %d : i32\n"
      "%r = arith.bitcast %e {qcc.bounds = array<f64: -1.0, 1.0>} : i32 to f32";
  expectRange(rangeOfR(body, "f32"), -1, 1, false);
  expectRange(unknownArguments(body, "f32"), -1, 1, true);
}

TEST_F(Ranges, Constants) {
  auto rangeOfText = [&](const std::string &value, bool isUnsigned = false) {
    module =
        parseSourceString<ModuleOp>("%r = arith.constant " + value, &context);
    return rangeOfConstant(module->getBody()->front().getResult(0), isUnsigned);
  };
  auto i8 = rangeOfText("dense<[-3, 7, 5]> : tensor<3xi8>");
  ASSERT_TRUE(i8);
  expectRange(*i8, -3, 7, false);
  auto u8 = rangeOfText("dense<[-3, 7, 5]> : tensor<3xi8>", true);
  ASSERT_TRUE(u8);
  expectRange(*u8, 5, 253, false);
  auto f32 = rangeOfText("dense<[0.5, -0.25]> : tensor<2xf32>");
  ASSERT_TRUE(f32);
  expectRange(*f32, -0.25, 0.5, false);
  EXPECT_FALSE(rangeOfText("dense<[0.5, 0x7FC00000]> : tensor<2xf32>"));
  EXPECT_FALSE(rangeOfText("dense<[0.5, 1.0]> : tensor<2xf16>"));
}
