//===- Sizes.h - Arithmetic of sizes ----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_BUILDER_SIZES_H
#define QCC_LIB_FRONTEND_BUILDER_SIZES_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace qcc::frontend {

enum class SizeOp : unsigned {
  Add,
  Sub,
  Mul,
  FloorDiv,
  CeilDiv,
  TruncDiv,
  Min,
  Max,
  Broadcast, ///< y where x is 1, else x
  Repeats,   ///< y where x is 1, else 1
};

/// Computes with sizes. Sizes that are equal by the rules of sums, and of
/// quotients by constants, are one value: ((n - 2) / 2 + 1) / 3 is n / 6.
class SizeArithmetic {
public:
  mlir::OpFoldResult compute(mlir::OpBuilder &b, mlir::Location loc, SizeOp op,
                             mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// Whether a number is known to be at least 0.
  bool isNeverNegative(mlir::OpFoldResult size) const;
  /// Whether a size is computed by a division by sizes, such as what -1 of a
  /// Reshape stands for. It may be 1 in every run without being a constant.
  static bool isQuotient(mlir::OpFoldResult size);
  /// Notes that numbers are sizes of a tensor.
  void noteSizes(llvm::ArrayRef<mlir::OpFoldResult> numbers);

private:
  mlir::OpFoldResult computeNew(mlir::OpBuilder &b, mlir::Location loc,
                                SizeOp op, mlir::OpFoldResult x,
                                mlir::OpFoldResult y);
  mlir::OpFoldResult apply(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::AffineExpr expr,
                           llvm::ArrayRef<mlir::Value> operands);

  /// Results of computations, by operation and operands.
  llvm::DenseMap<std::tuple<unsigned, void *, void *>, mlir::OpFoldResult>
      answers;
  /// Results of affine maps, by map and operands.
  std::map<std::vector<const void *>, mlir::OpFoldResult> applied;
  llvm::DenseSet<void *> neverNegative;
};

/// The size, if it is known when the model is imported.
std::optional<int64_t> knownSize(mlir::OpFoldResult size);

/// A product of sizes: the constants among them, and the others.
struct SizeProduct {
  int64_t constant = 1;
  llvm::SmallVector<mlir::OpFoldResult> others;

  /// Multiplies by the factors of a size, which may be a product itself.
  void multiply(mlir::OpFoldResult size);
};

} // namespace qcc::frontend

#endif // QCC_LIB_FRONTEND_BUILDER_SIZES_H
