//===- Sizes.h - Arithmetic of sizes ----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_BUILDER_SIZES_H
#define QCC_LIB_FRONTEND_BUILDER_SIZES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"
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
  Remainder, ///< of TruncDiv
  Min,
  Max,
  Broadcast, ///< y where x is 1, else x
  Repeats,   ///< y where x is 1, else 1
};

enum class LogicOp { And, Or, Xor };

/// Computes with sizes. Sizes that are equal by the rules of sums, and of
/// quotients by constants, are one value: ((n - 2) / 2 + 1) / 3 is n / 6.
class SizeArithmetic {
public:
  mlir::OpFoldResult compute(mlir::OpBuilder &b, mlir::Location loc, SizeOp op,
                             mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// A comparison of numbers by eq, ne, slt, sle, sgt or sge. A condition is
  /// the attribute 0 or 1, or a value of type i1.
  mlir::OpFoldResult compare(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::arith::CmpIPredicate predicate,
                             mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// Conditions combined by and, or, xor.
  mlir::OpFoldResult combine(mlir::OpBuilder &b, mlir::Location loc, LogicOp op,
                             mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// `x` where the condition holds, otherwise `y`; both are numbers.
  mlir::OpFoldResult select(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::OpFoldResult condition, mlir::OpFoldResult x,
                            mlir::OpFoldResult y);
  /// Notes that a condition holds whenever the program runs.
  void noteTrue(mlir::OpFoldResult condition);
  /// A number that is at most `size`, however the program is called; nothing if
  /// none is known.
  std::optional<int64_t> leastOf(mlir::OpFoldResult size) const;
  /// Whether a number is known to be at least 0.
  bool isNeverNegative(mlir::OpFoldResult size) const;
  /// Whether a size is computed by a division by sizes, such as what -1 of a
  /// Reshape stands for. It may be 1 in every run without being a constant.
  static bool isQuotient(mlir::OpFoldResult size);
  /// Notes that numbers are sizes of a tensor.
  void noteSizes(llvm::ArrayRef<mlir::OpFoldResult> numbers);

private:
  std::optional<int64_t> leastByOp(mlir::Operation *op) const;
  void noteLeast(mlir::Value number, int64_t least);
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
  /// Least values of numbers.
  llvm::DenseMap<void *, int64_t> leasts;
  /// Results of comparisons with 0, by predicate and number.
  std::map<std::pair<mlir::arith::CmpIPredicate, void *>, mlir::OpFoldResult>
      comparisons;
  /// Results of `select`, by operands.
  std::map<std::tuple<void *, void *, void *>, mlir::OpFoldResult> choices;
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
