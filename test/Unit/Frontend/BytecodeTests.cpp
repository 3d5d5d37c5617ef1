//===- BytecodeTests.cpp - Bytecode that counts what it does not have -----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestImport.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include <gtest/gtest.h>

using namespace qcc;
using namespace qcc::test;

/// With all that an op may have: attributes, properties, several results,
/// regions of several arguments, isolated or not.
static const char kProgram[] = R"(
  func.func @f(%x: tensor<4x?xf32>, %n: index, %s: f32) -> (f32, f32) attributes {my.a = [[7]]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %s, %b = %s) -> (f32, f32) {
      %v = tensor.extract %x[%c0, %c0] : tensor<4x?xf32>
      %l = arith.addf %b, %v : f32
      %m = arith.mulf %l, %b : f32
      scf.yield %l, %m : f32, f32
    }
    return %r#0, %r#1 : f32, f32
  })";

static std::string write(llvm::StringRef program, int64_t version) {
  Imported imported = import(program);
  EXPECT_TRUE(imported.module) << imported.errors;
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  mlir::BytecodeWriterConfig config;
  config.setDesiredBytecodeVersion(version);
  EXPECT_TRUE(
      succeeded(mlir::writeBytecodeToFile(*imported.module, stream, config)));
  return bytes;
}

static bool has(const std::string &errors, llvm::StringRef text) {
  return llvm::StringRef(errors).contains(text);
}

TEST(Bytecode, ReadsEveryVersion) {
  for (int64_t version = 0; version <= 6; ++version) {
    Imported imported = import(write(kProgram, version));
    EXPECT_TRUE(imported.module) << version << ": " << imported.errors;
  }
}

TEST(Bytecode, RefusesWhatEndsEarly) {
  std::string bytes = write(kProgram, 6);
  for (size_t size = 4; size < bytes.size(); ++size) {
    Imported imported = import(bytes.substr(0, size));
    EXPECT_FALSE(imported.module) << size;
    EXPECT_NE(imported.errors, "") << size;
  }
}

// A number of 2^40 in place of each byte: what is counted by it is not there.
TEST(Bytecode, RefusesCountsBeyondTheEnd) {
  std::string bytes = write(kProgram, 6);
  unsigned damaged = 0;
  for (size_t at = 4; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed.replace(at, 1, std::string("\0\0\0\0\0\0\1\0\0", 9));
    Imported imported = import(changed);
    EXPECT_FALSE(imported.module) << at;
    damaged += has(imported.errors, "the bytecode is damaged at byte");
  }
  EXPECT_GT(damaged, 20u);
}

// The lists of one element, [7] and [[7]], with each attribute as the element.
TEST(Bytecode, RefusesAttributesThatContainThemselves) {
  std::string bytes = write(kProgram, 6);
  const std::string list("\1\3", 2);
  unsigned cycles = 0;
  for (size_t at = bytes.find(list); at != std::string::npos;
       at = bytes.find(list, at + 1))
    for (unsigned index = 0; index < 32; ++index) {
      std::string changed = bytes;
      changed[at + 2] = static_cast<char>(index << 1 | 1);
      cycles += has(import(changed).errors, "contain themselves");
    }
  EXPECT_GT(cycles, 0u);
}

// A signed quantized type, of each type of the program as its storage.
TEST(Bytecode, RefusesStorageThatIsNoInteger) {
  std::string bytes = write(R"(
    !q = !quant.uniform<i8:f32, 0.5:3>
    func.func @f(%x: tensor<4x!q>, %i: index) -> tensor<4x!q> {
      %r = qnn.add %x, %x : tensor<4x!q>, tensor<4x!q> -> tensor<4x!q>
      return %r : tensor<4x!q>
    })",
                            6);
  const std::string type("\11\3", 2); // Its code and its flags.
  unsigned refused = 0;
  for (size_t at = bytes.find(type); at != std::string::npos;
       at = bytes.find(type, at + 1))
    for (unsigned index = 0; index < 8; ++index) {
      std::string changed = bytes;
      changed[at + 2] = static_cast<char>(index << 1 | 1);
      refused += has(import(changed).errors, "has storage that is no integer");
    }
  EXPECT_GT(refused, 0u);
}
