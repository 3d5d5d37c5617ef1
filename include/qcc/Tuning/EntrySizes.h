//===- EntrySizes.h - Sizes of tensors inside of an entry -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TUNING_ENTRYSIZES_H
#define QCC_TUNING_ENTRYSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>

namespace qcc {

/// What the dynamic sizes of an entry on tensors are, once those of its
/// arguments are given: index arithmetic is followed through `tensor`, `arith`
/// and `affine`, and destinations through everything else.
class EntrySizes {
public:
  /// `shapes` has the shape of each argument of `entry`.
  EntrySizes(mlir::func::FuncOp entry,
             llvm::ArrayRef<std::vector<int64_t>> shapes)
      : body(&entry.getBody().front()), shapes(shapes) {}

  /// The size of a dimension; nothing where the size depends on more than the
  /// sizes of arguments.
  std::optional<int64_t> sizeOf(mlir::Value tensor, int64_t dim) const;
  std::optional<std::vector<int64_t>> shapeOf(mlir::Value tensor) const;
  /// The value of an index, if it is known.
  std::optional<int64_t> valueOf(mlir::Value index) const;

private:
  std::optional<int64_t> valueOf(mlir::OpFoldResult index) const;

  mlir::Block *body;
  llvm::ArrayRef<std::vector<int64_t>> shapes;
};

} // namespace qcc

#endif // QCC_TUNING_ENTRYSIZES_H
