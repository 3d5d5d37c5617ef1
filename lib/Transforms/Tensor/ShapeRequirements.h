//===- ShapeRequirements.h - Requirements on sizes --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_TENSOR_SHAPEREQUIREMENTS_H
#define QCC_LIB_TRANSFORMS_TENSOR_SHAPEREQUIREMENTS_H

#include "../KnownSizes.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace qcc {

/// Emits assertions about sizes, at the insertion point. A requirement that
/// holds for all dimensions emits nothing; one that fails for all is an error
/// at `subject`.
class ShapeRequirements : protected KnownSizes {
public:
  explicit ShapeRequirements(mlir::func::FuncOp func)
      : KnownSizes(func, Memory::Keep) {}

protected:
  void requireEqual(mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// a <= b, or one of `empty` is not above 0.
  void requireAtMost(mlir::OpFoldResult a, mlir::OpFoldResult b,
                     const llvm::Twine &what,
                     llvm::ArrayRef<mlir::OpFoldResult> empty = {});
  void requireSizes(mlir::Value tensor,
                    llvm::ArrayRef<mlir::OpFoldResult> sizes);
  void refuse(const llvm::Twine &what);

  /// The op whose sizes are required.
  mlir::Operation *subject = nullptr;
  bool ok = true;

private:
  /// a - b, where that is a constant.
  std::optional<int64_t> difference(mlir::OpFoldResult a,
                                    mlir::OpFoldResult b) {
    return mlir::getConstantIntValue(apply(
        builder.getAffineDimExpr(0) - builder.getAffineDimExpr(1), {a, b}));
  }
  void require(mlir::Value condition, const llvm::Twine &what,
               const llvm::Twine &remedy = "");
  /// The size of a dimension whose elements are repeated if it has only one,
  /// n * (n == 1 ? to : 1).
  struct Repeated {
    mlir::Value size;
    mlir::OpFoldResult to;
  };
  std::optional<Repeated> matchRepeated(mlir::OpFoldResult size);
  std::optional<std::string> describeRepeated(mlir::OpFoldResult size,
                                              mlir::OpFoldResult wanted);
  /// What to do where one of two sizes that are to be equal is 1.
  std::string broadcastHint();

  llvm::EquivalenceClasses<const void *> equal;
};

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_TENSOR_SHAPEREQUIREMENTS_H
