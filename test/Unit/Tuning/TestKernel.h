//===- TestKernel.h - Contractions for the tests of tuning ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_TUNING_TESTKERNEL_H
#define QCC_TEST_UNIT_TUNING_TESTKERNEL_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

namespace qcc::test {

/// y = epilogue(x * w), x of m rows (? for a dynamic number) of 16 bytes, w of
/// 8 columns, where `epilogue` computes %y of type f32 from %acc and %s.
struct KernelText {
  std::string rows = "?";
  std::string attributes = "";
  std::string weight = "%w", weightValue = "1";
  std::string scale = "%scale";
  std::string epilogue = "%f = arith.sitofp %acc : i32 to f32\n"
                         "%c = arith.constant 2.0 : f32\n"
                         "%g = arith.mulf %f, %s : f32\n"
                         "%y = arith.maximumf %g, %c : f32\n";

  std::string str() const {
    std::string x = "tensor<" + rows + "x16xi8>";
    std::string y = "tensor<" + rows + "x8xf32>";
    return "func.func @f(%x: " + x +
           ", %w: tensor<8x16xi8>, %scale: " + "tensor<8xf32>, %o: " + y +
           ") -> " + y +
           " {\n"
           "%constant = arith.constant dense<3.0> : tensor<8xf32>\n"
           "%weights = arith.constant dense<" +
           weightValue +
           "> : tensor<8x16xi8>\n"
           "%r = kernel.contract lhs(%x : " +
           x + ") rhs(" + weight +
           " : tensor<8x16xi8>) "
           "epilogue_ins(" +
           scale + " : tensor<8xf32>) outs(%o : " + y +
           ") {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
           "affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (n)>, "
           "affine_map<(m, n, k) -> (m, n)>], reduction_dims = array<i64: 2>, "
           "reduction_sizes = array<i64: 16>" +
           attributes +
           "} epilogue {\n"
           "^bb0(%acc: i32, %s: f32):\n" +
           epilogue + "kernel.yield %y : f32\n} -> " + y +
           "\n"
           "return %r : " +
           y + "\n}\n";
  }
};

/// A program with one contraction.
struct TestKernel {
  explicit TestKernel(const std::string &text) {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                        kernel::KernelDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (module)
      module.get()->walk([&](kernel::ContractOp op) { contract = op; });
  }
  explicit TestKernel(const KernelText &text) : TestKernel(text.str()) {}

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  kernel::ContractOp contract;
};

} // namespace qcc::test

#endif // QCC_TEST_UNIT_TUNING_TESTKERNEL_H
