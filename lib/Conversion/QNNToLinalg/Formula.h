//===- Formula.h - The formulas of elementwise qnn ops ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One formula for each op of qnn::ElementwiseOpInterface, in Formulas.cpp. All
// else about these ops is the same for all: the loops around a formula, types,
// and the folding of constants, which evaluates what the formula emits.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CONVERSION_QNNTOLINALG_FORMULA_H
#define QCC_LIB_CONVERSION_QNNTOLINALG_FORMULA_H

#include "Emit.h"
#include "qcc/Dialect/QNN/IR/QNN.h"

namespace qcc {

/// What a formula reads: the elements of the op's tensors and their parameters,
/// in the body of the linalg.generic that computes the op. Tensors are numbered
/// as in ElementwiseOpInterface::getTensors; the last is the result.
class FormulaInputs {
public:
  using Reader = GenericEmitter::Reader;

  FormulaInputs(mlir::ConversionPatternRewriter &rewriter,
                qnn::ElementwiseOpInterface op);

  /// The element of an operand, as stored.
  Reader stored(unsigned tensor) const;
  /// The element of a real operand as f32.
  Reader real(unsigned tensor) const;
  /// q - z of the element of a quantized operand, in i32.
  Reader difference(unsigned tensor);
  /// A parameter at the place of the element.
  Reader read(const Param &param) { return emitter.add(param); }

  qnn::QuantParams params(unsigned tensor) { return op.getParams(tensor); }
  /// The sizes of the result.
  llvm::SmallVector<mlir::OpFoldResult> sizes();
  Param scale(unsigned tensor);
  Param resultScale();
  /// saturate(rint(v) + z) with the parameters of the result.
  QuantizeTail tail(bool mayBeNaN);

  qnn::ElementwiseOpInterface op;
  mlir::ConversionPatternRewriter &rewriter;
  mlir::Location loc;
  GenericEmitter emitter;

private:
  /// Where the elements of an operand, or its parameters per row, are for the
  /// places of the result.
  mlir::AffineMap mapOf(unsigned tensor);
  /// Parameters per row of an operand, one for each row of the result.
  void spreadRows(unsigned tensor, qnn::QuantParams::Kind kind,
                  mlir::Value &values);
};

/// What computes one element of the result of `op`: emits it from the
/// arguments of the body. Nothing is returned for an op that has no formula.
GenericEmitter::Reader makeFormula(FormulaInputs &inputs);

} // namespace qcc

#endif // QCC_LIB_CONVERSION_QNNTOLINALG_FORMULA_H
