//===- QuantizedType.h - Types that have parameters of quantization -*- C++
//-*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_QUANTIZEDTYPE_H
#define QCC_DIALECT_QNN_IR_QUANTIZEDTYPE_H

#include "qcc/Dialect/QNN/IR/QuantParams.h"

namespace qcc::qnn {

/// The type of 8-bit integers with parameters that are known; null for others,
/// and for parameters of each row, which no type has.
mlir::Type getQuantizedType(const QuantParams &params,
                            mlir::MLIRContext *context);

} // namespace qcc::qnn

#endif // QCC_DIALECT_QNN_IR_QUANTIZEDTYPE_H
