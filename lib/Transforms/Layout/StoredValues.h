//===- StoredValues.h - Values in the order they are stored in --*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_LAYOUT_STOREDVALUES_H
#define QCC_LIB_TRANSFORMS_LAYOUT_STOREDVALUES_H

#include "Layouts.h"

namespace qcc {

/// What stands for the values of a function while its ops are rewritten, one by
/// one in the order of the program.
class StoredValues {
public:
  StoredValues(mlir::RewriterBase &rewriter, const Layouts &layouts)
      : rewriter(rewriter), layouts(layouts) {}

  /// The value as it is stored, whatever its order.
  mlir::Value stored(mlir::Value value) const {
    mlir::Value other = values.lookup(value);
    return other ? other : value;
  }
  /// The value in the order: transposed where it is stored in another one.
  mlir::Value inOrder(mlir::Value value, mlir::ArrayRef<int64_t> order);
  /// `value` takes the place of a result, stored in its order.
  void replace(mlir::OpResult result, mlir::Value value);
  /// The location of an op that stores the result in its order.
  mlir::Location locationOf(mlir::OpResult result) const;

private:
  mlir::Value transpose(mlir::Value value, mlir::ArrayRef<int64_t> order);
  /// A value that exists in any order at no cost; null where it cannot be made.
  mlir::Value freeInOrder(mlir::Value value, mlir::ArrayRef<int64_t> order);

  mlir::RewriterBase &rewriter;
  const Layouts &layouts;
  mlir::DenseMap<mlir::Value, mlir::Value> values;
  /// What was transposed, or made anew, in which order.
  mlir::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value> others;
};

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_LAYOUT_STOREDVALUES_H
