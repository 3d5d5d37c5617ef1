//===- TestImport.h - Importing from a string -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_FRONTEND_TESTIMPORT_H
#define QCC_TEST_UNIT_FRONTEND_TESTIMPORT_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Frontend/MLIR/Import.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace qcc::test {

/// The result of an import, and what it reported: "line: message" per line.
struct Imported {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string errors;
};

inline std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::quant::QuantDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect, qnn::QNNDialect>();
  return std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
}

inline Imported import(llvm::StringRef program,
                       const ImportOptions &options = {}) {
  Imported result;
  result.context = makeContext();
  mlir::ScopedDiagnosticHandler handler(
      result.context.get(), [&](mlir::Diagnostic &diagnostic) {
        llvm::raw_string_ostream stream(result.errors);
        if (auto location =
                mlir::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation()))
          stream << location.getLine() << ": ";
        stream << diagnostic << "\n";
      });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(program, "program.mlir"),
      llvm::SMLoc());
  result.module = importMLIR(sources, result.context.get(), options);
  return result;
}

} // namespace qcc::test

#endif // QCC_TEST_UNIT_FRONTEND_TESTIMPORT_H
