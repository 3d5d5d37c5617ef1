//===- EvaluateConstantTests.cpp - Bodies on constants --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What evaluateConstant makes of one op on special and random operands, against
// the reference interpreter.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "qcc/Conversion/QNNToLinalg/EvaluateConstant.h"
#include "qcc/Reference/Interpreter.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace qcc;

/// More than what is computed at once, and odd.
static constexpr int64_t kCount = 1043;

namespace {
/// `op` is the body's op, with %a, %b and %c for its operands.
struct Case {
  std::string op, operand, result;
};
} // namespace

static std::vector<Case> makeCases() {
  std::vector<Case> cases;
  for (const char *name :
       {"addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi",
        "maxui", "minui", "shli", "shrsi", "shrui"})
    for (const char *type : {"i8", "i32"})
      cases.push_back(
          {"arith." + std::string(name) + " %a, %b : " + type, type, type});
  for (const char *name : {"addf", "subf", "mulf", "divf", "maximumf",
                           "minimumf", "maxnumf", "minnumf"})
    cases.push_back(
        {"arith." + std::string(name) + " %a, %b : f32", "f32", "f32"});
  cases.push_back({"math.copysign %a, %b : f32", "f32", "f32"});
  for (const char *name :
       {"arith.negf", "math.absf", "math.roundeven", "math.floor", "math.ceil",
        "math.trunc", "math.sqrt"})
    cases.push_back({std::string(name) + " %a : f32", "f32", "f32"});
  cases.push_back({"math.fma %a, %b, %c : f32", "f32", "f32"});
  cases.push_back({"arith.extsi %a : i8 to i32", "i8", "i32"});
  cases.push_back({"arith.extui %a : i8 to i32", "i8", "i32"});
  cases.push_back({"arith.trunci %a : i32 to i8", "i32", "i8"});
  cases.push_back({"arith.sitofp %a : i32 to f32", "i32", "f32"});
  cases.push_back({"arith.uitofp %a : i8 to f32", "i8", "f32"});
  cases.push_back({"arith.uitofp %a : i32 to f32", "i32", "f32"});
  cases.push_back({"arith.bitcast %a : i32 to f32", "i32", "f32"});
  cases.push_back({"arith.bitcast %a : f32 to i32", "f32", "i32"});
  cases.push_back({"arith.fptosi %a : f32 to i32", "f32", "i32"});
  cases.push_back({"arith.fptosi %a : f32 to i8", "f32", "i8"});
  for (const char *type : {"f16", "bf16"}) {
    cases.push_back(
        {std::string("arith.truncf %a : f32 to ") + type, "f32", type});
    cases.push_back(
        {std::string("arith.extf %a : ") + type + " to f32", type, "f32"});
  }
  auto choice = [&](const std::string &compare, const std::string &type) {
    cases.push_back({compare + ", %a, %b : " + type +
                         "\n    %r = arith.select %t, %b, %c : " + type,
                     type, type});
  };
  for (const char *predicate :
       {"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge",
        "ult", "ule", "une", "uno", "true", "false"})
    choice(std::string("arith.cmpf ") + predicate, "f32");
  for (const char *predicate :
       {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
    choice(std::string("arith.cmpi ") + predicate, "i8");
  return cases;
}

/// A constant of special and random elements of `type`, inline.
static std::string makeConstant(StringRef type, std::mt19937 &random) {
  static const uint32_t specials[] = {
      0,          0x80000000, 1,          0x3f800000, 0xbf000000, 0x3fc00000,
      0x7f800000, 0xff800000, 0x7fc00000, 0x4f000000, 0xffffffff, 0x7fffffff};
  unsigned width = type.ends_with("8") ? 1 : type.ends_with("16") ? 2 : 4;
  std::string text = "dense<\"0x";
  for (int64_t i = 0; i < kCount; ++i) {
    uint32_t bits = random();
    if (random() % 4 == 0)
      bits = specials[random() % std::size(specials)] >> (8 * (4 - width));
    else if (type == "f32" && random() % 2 == 0) {
      float small = (static_cast<int>(random() % 2000) - 1000) / 4.0f;
      memcpy(&bits, &small, 4);
    }
    for (unsigned byte = 0; byte < width; ++byte)
      for (unsigned shift : {4, 0})
        text += "0123456789ABCDEF"[bits >> (8 * byte + shift) & 15];
  }
  return text + "\">";
}

static std::string makeProgram(const Case &test, std::mt19937 &random) {
  std::string size = "tensor<" + std::to_string(kCount) + "x";
  std::string operand = size + test.operand + ">",
              result = size + test.result + ">";
  std::string text = "#id = affine_map<(d0) -> (d0)>\n"
                     "func.func @main() -> " +
                     result + " {\n";
  for (const char *name : {"x", "y", "z"})
    text += std::string("  %") + name + " = arith.constant " +
            makeConstant(test.operand, random) + " : " + operand + "\n";
  bool isChoice = test.op.find("%t") != std::string::npos;
  return text + "  %e = tensor.empty() : " + result +
         "\n  %g = linalg.generic {indexing_maps = [#id, #id, #id, #id], "
         "iterator_types = [\"parallel\"]} ins(%x, %y, %z : " +
         operand + ", " + operand + ", " + operand + ") outs(%e : " + result +
         ") {\n  ^bb0(%a: " + test.operand + ", %b: " + test.operand +
         ", %c: " + test.operand + ", %o: " + test.result + "):\n    " +
         (isChoice ? "%t = " : "%r = ") + test.op +
         "\n    linalg.yield %r : " + test.result + "\n  } -> " + result +
         "\n  return %g : " + result + "\n}\n";
}

/// Bits of elements, NaNs being one.
static std::vector<uint32_t> bitsOf(const char *bytes, Type element) {
  unsigned width = element.getIntOrFloatBitWidth() / 8;
  std::vector<uint32_t> bits(kCount, 0);
  for (int64_t i = 0; i < kCount; ++i) {
    memcpy(&bits[i], bytes + i * width, width);
    auto real = dyn_cast<FloatType>(element);
    if (real &&
        APFloat(real.getFloatSemantics(), APInt(8 * width, bits[i])).isNaN())
      bits[i] = ~0u;
  }
  return bits;
}

TEST(EvaluateConstant, AgreesWithTheReference) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, tensor::TensorDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::mt19937 random(1);
  for (const Case &test : makeCases()) {
    SCOPED_TRACE(test.op);
    auto module =
        parseSourceString<ModuleOp>(makeProgram(test, random), &context);
    ASSERT_TRUE(module);
    auto main = module->lookupSymbol<func::FuncOp>("main");
    SmallVector<reference::TensorValue> expected;
    ASSERT_FALSE(
        static_cast<bool>(reference::Interpreter(1).run(main, {}, expected)));
    Value result = main.front().getTerminator()->getOperand(0);
    std::optional<std::vector<char>> found = evaluateConstant(result);
    ASSERT_TRUE(found);
    Type element = getElementTypeOrSelf(result);
    EXPECT_EQ(
        bitsOf(found->data(), element),
        bitsOf(reinterpret_cast<char *>(expected[0].bytes.get()), element));
  }
}

// What has no step is left to the program.
TEST(EvaluateConstant, LeavesTheRest) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, func::FuncDialect,
                      linalg::LinalgDialect, math::MathDialect,
                      tensor::TensorDialect>();
  std::mt19937 random(1);
  for (Case test : {Case{"math.exp %a : f32", "f32", "f32"},
                    Case{"arith.addf %a, %b : f16", "f16", "f16"},
                    Case{"arith.addi %a, %o : i8", "i8", "i8"}}) {
    SCOPED_TRACE(test.op);
    auto module =
        parseSourceString<ModuleOp>(makeProgram(test, random), &context);
    ASSERT_TRUE(module);
    auto main = module->lookupSymbol<func::FuncOp>("main");
    EXPECT_FALSE(evaluateConstant(main.front().getTerminator()->getOperand(0)));
  }
}
