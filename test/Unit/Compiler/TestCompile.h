//===- TestCompile.h - Compiling a string -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_COMPILER_TESTCOMPILE_H
#define QCC_TEST_UNIT_COMPILER_TESTCOMPILE_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/KnownTargets/KnownTargets.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Runtime/HostFeatures.h"
#include "gtest/gtest.h"

namespace qcc::test {

/// A matmul of dynamic rows with constant weights, requantized, on two steps.
inline std::string matmulProgram() {
  return R"(
    func.func @main(%x: tensor<?x64xi8>) -> tensor<?x48xi8> {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %shift = arith.constant 6 : i32
      %w = arith.constant dense<3> : tensor<64x48xi8>
      %rows = tensor.dim %x, %c0 : tensor<?x64xi8>
      %e = tensor.empty(%rows) : tensor<?x48xi32>
      %init = linalg.fill ins(%zero : i32) outs(%e : tensor<?x48xi32>)
        -> tensor<?x48xi32>
      %acc = linalg.matmul
        ins(%x, %w : tensor<?x64xi8>, tensor<64x48xi8>)
        outs(%init : tensor<?x48xi32>) -> tensor<?x48xi32>
      %o = tensor.empty(%rows) : tensor<?x48xi8>
      %y = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>,
                           affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%acc : tensor<?x48xi32>) outs(%o : tensor<?x48xi8>) {
        ^bb0(%a: i32, %b: i8):
          %s = arith.shrsi %a, %shift : i32
          %l = arith.maxsi %s, %low : i32
          %h = arith.minsi %l, %high : i32
          %t = arith.trunci %h : i32 to i8
          linalg.yield %t : i8
      } -> tensor<?x48xi8>
      return %y : tensor<?x48xi8>
    })";
}

inline std::vector<TargetRef> targetsOf(llvm::StringRef list) {
  auto targets = parseTargets(list, rt::HostFeatures::host().names());
  EXPECT_TRUE(bool(targets)) << llvm::toString(targets.takeError());
  return std::move(*targets);
}

/// Empty, and a failure of the test, where it does not compile.
inline Artifact compile(llvm::StringRef program, llvm::StringRef targets,
                        unsigned threads = 1) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  Compiler compiler(targetsOf(targets));
  compiler.threads = threads;
  if (!module || failed(compiler.runStages(*module, Stage::LLVM))) {
    ADD_FAILURE() << "the program does not compile";
    return {};
  }
  llvm::Expected<Artifact> artifact = compiler.emitArtifact(*module);
  if (!artifact) {
    ADD_FAILURE() << llvm::toString(artifact.takeError());
    return {};
  }
  return std::move(*artifact);
}

} // namespace qcc::test

#endif // QCC_TEST_UNIT_COMPILER_TESTCOMPILE_H
