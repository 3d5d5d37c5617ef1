//===- ImportTests.cpp - Imports and rejections ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestImport.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "qcc/Support/InputLimits.h"
#include <gtest/gtest.h>

using namespace qcc;
using namespace qcc::test;

/// The program is rejected, and the report has each of the texts.
static void expectRejected(llvm::StringRef program,
                           std::initializer_list<llvm::StringRef> texts) {
  Imported imported = import(program);
  EXPECT_FALSE(imported.module) << program.str();
  for (llvm::StringRef text : texts)
    EXPECT_NE(imported.errors.find(text), std::string::npos)
        << "'" << text.str() << "' is not in:\n"
        << imported.errors;
}

static void expectImported(llvm::StringRef program) {
  Imported imported = import(program);
  EXPECT_TRUE(imported.module) << imported.errors;
}

TEST(Import, AcceptsTheDialectsOfPrograms) {
  expectImported(R"(
    !q = !quant.uniform<i8:f32, 0.5:3>
    func.func private @helper(%x: tensor<?x4xf32>) -> tensor<?x4x!q> {
      %q = qnn.quantize %x : tensor<?x4xf32> -> tensor<?x4x!q>
      return %q : tensor<?x4x!q>
    }
    func.func @main(%x: tensor<?x4xf32>, %i: index, %s: f32) -> (tensor<4x?xi8>, f32) {
      %q = call @helper(%x) : (tensor<?x4xf32>) -> tensor<?x4x!q>
      %c0 = arith.constant 0 : index
      %d = tensor.dim %q, %c0 : tensor<?x4x!q>
      %m = affine.min affine_map<(d) -> (d, 4)>(%i)
      %e = tensor.empty(%d) : tensor<4x?x!q>
      %t = linalg.transpose ins(%q : tensor<?x4x!q>) outs(%e : tensor<4x?x!q>) permutation = [1, 0]
      %b = quant.scast %t : tensor<4x?x!q> to tensor<4x?xi8>
      %r = scf.for %k = %c0 to %d step %m iter_args(%a = %s) -> (f32) {
        %l = math.exp %a : f32
        scf.yield %l : f32
      }
      return %b, %r : tensor<4x?xi8>, f32
    })");
}

TEST(Import, RejectsSyntaxErrors) {
  expectRejected("func.func @f(%x: tensor<4xf32>) {\n  return %x\n}", {"2: "});
  expectRejected("func.func @f() {\n  %x = qnn.convolve\n  return\n}",
                 {"2: ", "qnn.convolve"});
  expectRejected("func.func @f() {\n  \"mhlo.abs\"() : () -> ()\n  "
                 "return\n}",
                 {"2: ", "'mhlo'", "not accepted"});
}

TEST(Import, RejectsTextThatEndsEarly) {
  expectRejected("iterator_types=", {"1: ", "expected a list of iterator"});
  expectRejected("func.func @f() {\n  \"x\"() {iterator_types = [",
                 {"2: ", "expected \"parallel\" or \"reduction\""});
  expectRejected("iterator_types = [\"parallel\", // and", {"1: "});
  expectRejected("(permutation) permutation =\n",
                 {"2: ", "expected a list of dimensions"});
  expectRejected("() dimensions = [0,", {"1: ", "list of dimensions"});
}

/// `count` copies of a text, each followed by its number and `after`.
static std::string repeat(llvm::StringRef text, size_t count,
                          llvm::StringRef after = "") {
  std::string all;
  for (size_t i = 0; i < count; ++i)
    all += (i ? ", " : "") + text.str() + std::to_string(i) + after.str();
  return all;
}

TEST(Import, RejectsTooManyArguments) {
  std::string arguments = repeat("%x", limits::kArguments, ": tensor<1xf32>");
  auto function = [&](llvm::StringRef more) {
    return "func.func @f(" + arguments + more.str() +
           ") -> tensor<1xf32> { return %x0 : tensor<1xf32> }";
  };
  expectImported(function(""));
  expectRejected(function(", %y: tensor<1xf32>"),
                 {"1: ", "4097 arguments", "at most 4096", "join"});
}

TEST(Import, RejectsTooManyOperations) {
  std::string program = "func.func @f(%x0: f32) {\n";
  for (size_t i = 0; i < limits::kOperations; ++i)
    program += "%y" + std::to_string(i) + " = arith.negf %x0 : f32\n";
  expectRejected(program + "return }", {"1: ", "operations", "at most"});
}

TEST(Import, RejectsLargeRanks) {
  std::string shape;
  for (int i = 0; i < 100; ++i)
    shape += "1x";
  Imported imported =
      import("func.func @f(%x: tensor<" + shape + "f32>) { return }");
  EXPECT_FALSE(imported.module);
  EXPECT_NE(imported.errors.find("rank 100;"), std::string::npos)
      << imported.errors;
  for (int i = 0; i < 3; ++i)
    shape += shape + shape + shape + shape;
  imported = import("func.func @f(%x: tensor<" + shape + "f32>) { return }");
  EXPECT_FALSE(imported.module);
  EXPECT_NE(imported.errors.find("1: a shape or a number of"),
            std::string::npos)
      << imported.errors;
  EXPECT_LT(imported.errors.size(), 200u);
}

TEST(Import, RejectsForeignOperations) {
  expectRejected(R"(func.func @f(%i: index) {
    %m = memref.alloc() : memref<4xf32>
    return })",
                 {"2: ", "'memref.alloc'", "not accepted", "linalg, tensor"});
  expectRejected(R"(func.func @f() {
    affine.for %i = 0 to 4 { }
    return })",
                 {"2: ", "'affine.for'", "scf"});
  expectRejected(R"(
    !q = !quant.uniform<i8:f32, 0.5>
    func.func @f(%x: tensor<4xf32>) -> tensor<4x!q> {
      %q = quant.qcast %x : tensor<4xf32> to tensor<4x!q>
      return %q : tensor<4x!q> })",
                 {"4: ", "'quant.qcast'", "qnn.quantize"});
  expectRejected(R"(
    !q = !quant.uniform<i8:f32, 0.5>
    func.func @f(%x: tensor<4x!q>) -> tensor<4xf32> {
      %q = quant.dcast %x : tensor<4x!q> to tensor<4xf32>
      return %q : tensor<4xf32> })",
                 {"4: ", "'quant.dcast'", "qnn.dequantize"});
  expectRejected(R"(
    func.func private @g() { return }
    func.func @f() {
      %g = func.constant @g : () -> ()
      func.call_indirect %g() : () -> ()
      return })",
                 {"4: ", "5: ", "by name"});
  expectRejected(R"(func.func @f(%x: i32) -> index {
      %y = builtin.unrealized_conversion_cast %x : i32 to index
      return %y : index })",
                 {"2: ", "no meaning of its own"});
  expectRejected("module @inner { }\nfunc.func @f() { return }",
                 {"1: ", "outside of a function"});
}

TEST(Import, RejectsTypes) {
  expectRejected("func.func @f(%x: memref<4xf32>) { return }",
                 {"1: ", "memref<4xf32>", "use a tensor"});
  expectRejected("func.func @f(%x: tensor<*xf32>) { return }",
                 {"1: ", "tensor<*xf32>", "rank"});
  expectRejected("func.func @f(%x: tensor<4xcomplex<f32>>) { return }",
                 {"1: ", "complex<f32>", "not supported"});
  expectRejected("func.func @f(%x: tensor<4xf8E4M3FN>) { return }",
                 {"1: ", "f8E4M3FN", "not supported"});
  expectRejected("func.func @f(%x: tensor<4xsi8>) { return }",
                 {"1: ", "si8", "not supported"});
  expectRejected("func.func @f(%x: vector<4xf32>) { return }",
                 {"1: ", "vector<4xf32>", "not supported"});
  expectRejected("func.func @f(%x: tensor<4xf32, \"sparse\">) { return }",
                 {"1: ", "encoding"});
  expectRejected("func.func @f(%x: i17) { return }",
                 {"1: ", "i17", "callers cannot pass"});
  expectRejected(
      "func.func @f(%x: tensor<4611686018427387904x4xi8>) { return }",
      {"1: ", "too many elements"});
  expectRejected(
      "func.func @f(%x: tensor<0x4611686018427387904x4xi8>) { return }",
      {"1: ", "too many elements"});
  // Integers of a body that has no boundary may have any width.
  expectImported(R"(func.func @f(%x: i32) -> i32 {
      %a = arith.extsi %x : i32 to i48
      %b = arith.trunci %a : i48 to i32
      return %b : i32 })");
}

TEST(Import, RejectsQuantizedTypes) {
  expectRejected("func.func @f(%x: tensor<4x!quant.uniform<i8:f32, "
                 "0x7FF8000000000000>>) { "
                 "return }",
                 {"1: ", "NaN"});
  expectRejected(
      "func.func @f(%x: tensor<4x!quant.uniform<i8:f32, 1.0:128>>) { return }",
      {"1: ", "zero point 128", "[-128, 127]"});
  expectRejected("func.func @f(%x: tensor<4x!quant.uniform<i8:f32:0, {1.0, "
                 "2.0}>>) { return }",
                 {"1: ", "2 scales", "4 channels"});
  expectRejected("func.func @f(%x: tensor<4x4x!quant.uniform<i8:f32:{0:2, "
                 "1:2}, {{1.0, 2.0}, {3.0, 4.0}}>>) { return }",
                 {"1: ", "sub-channel"});
  expectRejected("func.func @f(%x: tensor<4x!quant.uniform<i4:f32, 1.0>>) { "
                 "return }",
                 {"1: ", "i4 storage"});
  expectRejected("func.func @f(%x: !quant.uniform<i8:f32, 1.0>) { return }",
                 {"1: ", "scalar"});
}

TEST(Import, RejectsFunctions) {
  expectRejected("func.func private @g()\nfunc.func @f() { return }",
                 {"1: ", "'g' has no body"});
  expectRejected("func.func private @g() { return }", {"no public function"});
  expectRejected("", {"no public function"});
  expectRejected(R"(func.func @f() {
      call @g() : () -> ()
      return }
    func.func private @g() {
      call @f() : () -> ()
      return })",
                 {"recursive", "loop"});
  expectRejected("func.func @f() {\n  return\n^bb1:\n  return }",
                 {"1: ", "several blocks"});
  // The same function twice is no recursion.
  expectImported(R"(
    func.func private @g() { return }
    func.func @f() {
      call @g() : () -> ()
      call @g() : () -> ()
      return })");
}

TEST(Import, ReadsBytecode) {
  Imported source = import("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { "
                           "return %x : tensor<4xf32> }");
  ASSERT_TRUE(source.module);
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  ASSERT_TRUE(
      mlir::succeeded(mlir::writeBytecodeToFile(*source.module, stream)));
  EXPECT_TRUE(import(bytes).module);
  for (size_t size = 4; size < bytes.size(); ++size) {
    Imported imported = import(llvm::StringRef(bytes).take_front(size));
    EXPECT_FALSE(imported.module) << size;
    EXPECT_FALSE(imported.errors.empty()) << size;
  }
}
