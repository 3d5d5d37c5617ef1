//===- ConstantExtent.h - The range of a constant's elements ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_KERNEL_IR_CONSTANTEXTENT_H
#define QCC_DIALECT_KERNEL_IR_CONSTANTEXTENT_H

#include "mlir/IR/Value.h"
#include <optional>

namespace qcc {

/// The least and the greatest element.
struct Extent {
  double low, high;
};

/// That of a constant of i32, f32 without NaN, or i8, unsigned if `isUnsigned`;
/// nothing for anything else.
std::optional<Extent> extentOf(mlir::Value value, bool isUnsigned = false);

} // namespace qcc

#endif // QCC_DIALECT_KERNEL_IR_CONSTANTEXTENT_H
