//===- ErrorTests.cpp - Errors of the interpreter -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

using namespace qcc::reference;
using namespace qcc::reference::test;

static void expectError(const char *program, std::vector<TensorValue> inputs,
                        const char *text) {
  EXPECT_NE(errorOf(program, std::move(inputs)).find(text), std::string::npos)
      << errorOf(program, inputs) << "\nwhere expected: " << text;
}
static TensorValue index(int64_t value) { return tensor<int64_t>({}, {value}); }

TEST(Errors, NameOperationAndPlace) {
  EXPECT_EQ(errorOf("func.func @main(%a: f64) -> f64 {\n"
                    "  %r = math.exp %a : f64\n"
                    "  return %r : f64\n}",
                    {tensor<double>({}, {1})}),
            "test.mlir:2:8: 'math.exp': is defined for f32, f16 and bf16 only "
            "(N8)");
}

TEST(Errors, Math) {
  expectError("func.func @main(%a: f32) -> f32 {"
              " %r = math.cbrt %a : f32 return %r : f32 }",
              {tensor<float>({}, {1})},
              "'math.cbrt': is not one of the functions");
  expectError("func.func @main(%a: f64) -> f64 {"
              " %r = math.exp %a : f64 return %r : f64 }",
              {tensor<double>({}, {1})}, "is defined for f32, f16 and bf16");
  expectError("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {"
              " %r = linalg.map { math.cbrt } ins(%a : tensor<2xf32>)"
              " outs(%a : tensor<2xf32>) return %r : tensor<2xf32> }",
              {tensor<float>({2}, {1, 2})}, "'math.cbrt': is not one of");
  expectError("func.func @main(%a: f32) -> f16 {"
              " %r = arith.truncf %a toward_zero : f32 to f16"
              " return %r : f16 }",
              {tensor<float>({}, {1})}, "rounds other than to nearest even");
}

TEST(Errors, Bounds) {
  TensorValue a = tensor<float>({3}, {1, 2, 3});
  expectError(R"(
    func.func @main(%a: tensor<?xf32>) -> f32 {
      %c3 = arith.constant 3 : index
      %r = tensor.extract %a[%c3] : tensor<?xf32>
      return %r : f32
    })",
              {a}, "index 3 of dimension 0");
  expectError(R"(
    func.func @main(%a: tensor<?xf32>, %i: index) -> f32 {
      %r = tensor.extract %a[%i] : tensor<?xf32>
      return %r : f32
    })",
              {tensor<float>({0}, {}), index(0)}, "of a tensor that has none");
  expectError(R"(
    func.func @main(%a: tensor<?xf32>) -> tensor<2xf32> {
      %r = tensor.extract_slice %a[2] [2] [1] : tensor<?xf32> to tensor<2xf32>
      return %r : tensor<2xf32>
    })",
              {a}, "reaches elements 2 to 3 of dimension 0");
  expectError(R"(
    func.func @main(%a: tensor<?xf32>, %i: index) -> tensor<4xf32> {
      %r = tensor.extract_slice %a[%i] [4] [1] : tensor<?xf32> to tensor<4xf32>
      return %r : tensor<4xf32>
    })",
              {a, index(0)}, "reaches elements 0 to 3 of dimension 0");
  expectError(R"(
    func.func @main(%i: index) -> tensor<?xf32> {
      %r = tensor.empty(%i) : tensor<?xf32>
      return %r : tensor<?xf32>
    })",
              {index(-2)}, "has a negative size: -2");
  expectError(R"(
    func.func @main(%i: index) -> tensor<?x?xf32> {
      %r = tensor.empty(%i, %i) : tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    })",
              {index(INT64_C(1) << 40)}, "not enough memory");
  expectError(R"(
    func.func @main(%a: tensor<?xf32>) -> tensor<4xf32> {
      %r = tensor.cast %a : tensor<?xf32> to tensor<4xf32>
      return %r : tensor<4xf32>
    })",
              {a}, "has size 3 where its type says 4");
  expectError(R"(
    func.func @main(%a: tensor<?xf32>) -> index {
      %c1 = arith.constant 1 : index
      %r = tensor.dim %a, %c1 : tensor<?xf32>
      return %r : index
    })",
              {a}, "dimension 1 of a tensor of rank 1");
}

TEST(Errors, Shapes) {
  expectError(R"(
    func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
      %r = arith.addf %a, %b : tensor<?xf32>
      return %r : tensor<?xf32>
    })",
              {tensor<float>({1}, {1}), tensor<float>({2}, {1, 2})},
              "operands have different shapes");
  expectError(R"(
    func.func @main(%a: tensor<?x?xf32>, %c: tensor<?x?xf32>)
        -> tensor<?x?xf32> {
      %r = linalg.matmul ins(%a, %a : tensor<?x?xf32>, tensor<?x?xf32>)
        outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    })",
              {tensor<float>({1, 2}, {1, 2}), tensor<float>({1, 2}, {0, 0})},
              "operands disagree about the size of loop");
}

TEST(Errors, Functions) {
  expectError("func.func private @f()\n"
              "func.func @main() { func.call @f() : () -> () return }",
              {}, "has no body");
  expectError("func.func @main() { func.call @main() : () -> () return }", {},
              "calls are nested more than 128 deep");
  expectError(R"(
    func.func @main(%s: index) {
      %z = arith.constant 0 : index
      scf.for %i = %z to %s step %z { scf.yield }
      return
    })",
              {index(1)}, "has a step that is not positive");
  expectError(R"(
    func.func @main() -> tensor<2xf32> {
      %r = arith.constant dense_resource<w> : tensor<2xf32>
      return %r : tensor<2xf32>
    })",
              {}, "the weight 'w' has no data: pass it with --weights");
  expectError(R"(
    func.func @main(%a: tensor<2xf64>) -> tensor<2xf64> {
      %r = linalg.softmax dimension(0) ins(%a : tensor<2xf64>)
        outs(%a : tensor<2xf64>) -> tensor<2xf64>
      return %r : tensor<2xf64>
    })",
              {tensor<double>({2}, {1, 2})},
              "'linalg.softmax': is defined for f32, f16 and bf16 only (N8)");
}

TEST(Errors, TensorsInABody) {
  expectError(R"(
    func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
      %r = linalg.map ins(%a : tensor<2xf32>) outs(%a : tensor<2xf32>)
        (%e: f32, %o: f32) {
          %z = arith.constant 0 : index
          %t = tensor.splat %e : tensor<2xf32>
          %s = tensor.extract %t[%z] : tensor<2xf32>
          linalg.yield %s : f32
        }
      return %r : tensor<2xf32>
    })",
              {tensor<float>({2}, {1, 2})},
              "'tensor.splat': is not supported in the body of another");
}

TEST(Errors, Inputs) {
  const char *program = "func.func @main(%a: tensor<?x2xf32>) { return }";
  expectError(program, {}, "takes 1 inputs, got 0");
  expectError(program, {tensor<float>({2}, {1, 2})},
              "input 0 has shape [2] where the function declares [?, 2]");
  expectError(program, {tensor<int32_t>({1, 2}, {1, 2})},
              "input 0 has another element type");
  expectError("func.func @main(%a: complex<f32>) { return }",
              {tensor<float>({}, {1})},
              "values of type complex<f32> are not supported");
}
