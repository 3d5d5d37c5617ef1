//===- GraphPassesTests.cpp - Graph passes change no bit ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the programs of the passes' own lit tests through the reference
// interpreter, before and after the passes.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Conversion/Passes.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/QNN/Transforms/Passes.h"
#include "qcc/Reference/Interpreter.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace qcc;
using reference::TensorValue;
using reference::TypeCode;

/// Dynamic sizes are all this one, so that they fit each other.
static constexpr int64_t kDynamicSize = 8;

static TensorValue makeInput(Type type, std::mt19937 &random) {
  std::vector<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    for (int64_t size : tensor.getShape())
      shape.push_back(ShapedType::isDynamic(size) ? kDynamicSize : size);
  reference::ElementType element = cantFail(reference::elementTypeOf(type));
  TensorValue value = TensorValue::allocate(element, shape);
  for (int64_t i = 0; i < value.elementCount(); ++i) {
    uint8_t *bytes = value.bytes.get() + i * element.bytes();
    if (element.code == TypeCode::Float && element.bits == 32) {
      float number = std::uniform_real_distribution<float>(0.01f, 2.0f)(random);
      memcpy(bytes, &number, 4);
    } else if (element.code == TypeCode::Float) {
      bytes[1] = 0x38 + random() % 8; // f16 from 0.5 to 31
    } else if (element.bits == 8) {
      bytes[0] = random();
    } else {
      bytes[0] = 1 + random() % 4; // indices and zero points
    }
  }
  return value;
}

static bool sameBits(const TensorValue &a, const TensorValue &b) {
  return a.type == b.type && a.shape == b.shape &&
         memcmp(a.bytes.get(), b.bytes.get(), a.byteSize()) == 0;
}

/// Runs every public function of `program` before and after `passes`; returns
/// how many there were.
static unsigned compare(StringRef program, StringRef file,
                        function_ref<void(OpPassManager &)> passes) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, qnn::QNNDialect, quant::QuantDialect,
                  tensor::TensorDialect>();
  MLIRContext context(registry);
  auto before = parseSourceString<ModuleOp>(program, &context);
  if (!before) {
    ADD_FAILURE() << file.str();
    return 0;
  }
  OwningOpRef<ModuleOp> after = before->clone();
  PassManager pm(&context);
  passes(pm.nest<func::FuncOp>());
  EXPECT_TRUE(succeeded(pm.run(*after)));
  std::mt19937 random(1);
  unsigned count = 0;
  for (auto function : before->getOps<func::FuncOp>()) {
    SmallVector<TensorValue> inputs, expected, results;
    for (Type type : function.getArgumentTypes())
      inputs.push_back(makeInput(type, random));
    std::string where = (file + ": " + function.getName()).str();
    llvm::Error error =
        reference::Interpreter().run(function, inputs, expected);
    EXPECT_FALSE(static_cast<bool>(error))
        << where << ": " << toString(std::move(error));
    error = reference::Interpreter().run(
        after->lookupSymbol<func::FuncOp>(function.getName()), inputs, results);
    EXPECT_FALSE(static_cast<bool>(error))
        << where << ": " << toString(std::move(error));
    EXPECT_EQ(expected.size(), results.size()) << where;
    for (auto [a, b] : llvm::zip(expected, results))
      EXPECT_TRUE(sameBits(a, b)) << where;
    ++count;
  }
  return count;
}

static unsigned compareFile(StringRef file,
                            function_ref<void(OpPassManager &)> passes) {
  std::string path = (QCC_SOURCE_DIR "/test/" + file).str();
  auto buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_TRUE(static_cast<bool>(buffer)) << path;
  SmallVector<StringRef> programs;
  (*buffer)->getBuffer().split(programs, "// -----");
  unsigned count = 0;
  for (StringRef program : programs)
    count += compare(program, file, passes);
  return count;
}

TEST(GraphPasses, IntegerizeContractions) {
  unsigned count = 0;
  for (StringRef file :
       {"integerize-contractions.mlir", "integerize-contractions-movement.mlir",
        "integerize-contractions-refused.mlir"})
    count += compareFile(("Dialect/QNN/" + file).str(), [](OpPassManager &pm) {
      pm.addPass(createQNNIntegerizeContractions());
    });
  EXPECT_GE(count, 20u);
}

TEST(GraphPasses, FoldConstants) {
  EXPECT_GE(compareFile("Conversion/QNNToLinalg/fold-constants.mlir",
                        [](OpPassManager &pm) {
                          pm.addPass(createQNNFoldConstants());
                        }),
            6u);
}
