//===- Import.h - Programs from models of TensorFlow Lite -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a .tflite model and gives a program of one entry, `main`, with the
// inputs and outputs of the first graph in their order. Variables of the model
// are arguments and results behind them: what a call gives is what the next one
// takes, and a second entry, `initial_state`, gives what the first one takes.
// docs/Rationale/FrontEnds.md has the design, docs/Numerics.md, section TFLite,
// what each op computes.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_FRONTEND_TFLITE_IMPORT_H
#define QCC_FRONTEND_TFLITE_IMPORT_H

#include "qcc/Frontend/MLIR/Import.h"

namespace qcc {

/// Whether bytes are a model of TensorFlow Lite, by their content.
bool isTFLite(llvm::StringRef bytes);

/// Imports the main buffer of `sources`, which must live as long as `context`:
/// weights stay in it. A null result has been reported as a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp>
importTFLite(const llvm::SourceMgr &sources, mlir::MLIRContext *context,
             const ImportOptions &options = {});

} // namespace qcc

#endif // QCC_FRONTEND_TFLITE_IMPORT_H
