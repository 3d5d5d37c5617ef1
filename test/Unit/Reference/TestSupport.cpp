//===- TestSupport.cpp - Running a program in a test ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "qcc/Dialect/QNN/IR/QNN.h"

using namespace mlir;
using namespace qcc::reference;

static llvm::Error runProgram(StringRef program, ArrayRef<TensorValue> inputs,
                              unsigned threads,
                              SmallVectorImpl<TensorValue> &results) {
  MLIRContext context;
  context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                      func::FuncDialect, linalg::LinalgDialect,
                      math::MathDialect, quant::QuantDialect, scf::SCFDialect,
                      tensor::TensorDialect, qcc::qnn::QNNDialect>();
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(program, &context, "test.mlir");
  if (!module)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "does not parse");
  auto entry = module->lookupSymbol<func::FuncOp>("main");
  if (!entry)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "has no @main");
  return Interpreter(threads).run(entry, inputs, results);
}

std::vector<TensorValue>
qcc::reference::test::run(StringRef program, std::vector<TensorValue> inputs,
                          unsigned threads) {
  SmallVector<TensorValue> results;
  if (llvm::Error error = runProgram(program, inputs, threads, results))
    ADD_FAILURE() << llvm::toString(std::move(error));
  return {results.begin(), results.end()};
}

std::string qcc::reference::test::errorOf(StringRef program,
                                          std::vector<TensorValue> inputs) {
  SmallVector<TensorValue> results;
  if (llvm::Error error = runProgram(program, inputs, 2, results))
    return llvm::toString(std::move(error));
  return "no error";
}
