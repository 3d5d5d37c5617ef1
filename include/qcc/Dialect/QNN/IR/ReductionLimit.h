//===- ReductionLimit.h - Limit of the size of a reduction ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_REDUCTIONLIMIT_H
#define QCC_DIALECT_QNN_IR_REDUCTIONLIMIT_H

#include "qcc/Dialect/QNN/IR/QuantParams.h"

namespace qcc::qnn {

/// The largest K for which K products of a difference of each operand fit in
/// i32 (N2).
int64_t getMostProducts(const QuantParams &lhs, const QuantParams &rhs);

/// On a linalg.generic with a reduction of dynamic size: the largest size that
/// it may have. convert-qnn-to-linalg makes a requirement of the entry of it.
inline constexpr llvm::StringLiteral kMostProductsAttr = "qcc.most_products";

} // namespace qcc::qnn

#endif // QCC_DIALECT_QNN_IR_REDUCTIONLIMIT_H
