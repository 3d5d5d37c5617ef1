//===- Body.h - Regions on scalars ------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_STABLEHLO_BODY_H
#define QCC_LIB_FRONTEND_STABLEHLO_BODY_H

#include "OpImporter.h"

namespace qcc::stablehlo {

/// A region of reduce, sort and the like, whose values are tensors without
/// dimensions: it becomes part of the body of a linalg op, on elements.
class Body {
public:
  /// A region of the op. Refuses ops that are not elementwise, another
  /// number of arguments or results, and arguments whose elements are not those
  /// of `arguments`. Makes tensors of values from outside.
  static FailureOr<Body> get(OpImporter &n, ArrayRef<Type> arguments,
                             unsigned results, unsigned region = 0);
  /// The same of a region that is elsewhere, such as a function.
  static FailureOr<Body> get(OpImporter &n, mlir::Region &region,
                             ArrayRef<Type> arguments, unsigned results);

  /// What the region returns for elements.
  SmallVector<Value> compute(Scalars &s, ValueRange arguments) const;
  /// Whether the region returns a value of an elementwise op with this name on
  /// its two arguments, in any order.
  bool isOnly(StringRef name) const;

private:
  mlir::Block *block = nullptr;
  /// Values from outside, as tensors without dimensions.
  llvm::DenseMap<Value, Value> outside;
};

} // namespace qcc::stablehlo

#endif // QCC_LIB_FRONTEND_STABLEHLO_BODY_H
