//===- Patterns.h - The patterns of convert-qnn-to-linalg -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CONVERSION_QNNTOLINALG_PATTERNS_H
#define QCC_LIB_CONVERSION_QNNTOLINALG_PATTERNS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace qcc {

/// Quantized, unsigned and signed integers become signless integers, alone and
/// as elements of ranked tensors.
struct StorageTypeConverter : mlir::TypeConverter {
  StorageTypeConverter();
  /// Whether all types that the op mentions are legal.
  bool isLegalOp(mlir::Operation *op) const;
};

/// qnn.linear, matmul.
void populateContractionPatterns(const StorageTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
/// qnn.conv2d, conv_transpose2d.
void populateConvolutionPatterns(const StorageTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
/// The ops of qnn::ElementwiseOpInterface.
void populateElementwisePatterns(const StorageTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
/// qnn.max_pool2d, avg_pool2d.
void populatePoolingPatterns(const StorageTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
/// qnn.resize.
void populateResizePatterns(const StorageTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
/// Ops of other dialects, which only change their types; quant.scast.
void populateTypePatterns(const StorageTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);

/// Converts all of the above in `module`, and nothing else.
mlir::LogicalResult convertToLinalg(mlir::ModuleOp module);

} // namespace qcc

#endif // QCC_LIB_CONVERSION_QNNTOLINALG_PATTERNS_H
