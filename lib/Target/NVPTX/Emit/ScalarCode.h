//===- ScalarCode.h - Scalar code of a thread -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the emitters of kernel ops share: loops over threads, and operands and
// regions at one point of the op's loops.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_SCALARCODE_H
#define QCC_LIB_TARGET_NVPTX_EMIT_SCALARCODE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace qcc::nvptx {

/// The index of each loop of an op; null for those that no operand needs.
using Point = llvm::SmallVector<mlir::Value>;

class ScalarCode {
public:
  ScalarCode(mlir::RewriterBase &rewriter, mlir::Operation *op)
      : rewriter(rewriter), loc(op->getLoc()) {
    rewriter.setInsertionPoint(op);
  }

  mlir::Value index(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(rewriter, loc, value);
  }
  mlir::Value i32(int64_t value) {
    return mlir::arith::ConstantIntOp::create(rewriter, loc, value, 32);
  }
  mlir::Value toValue(mlir::OpFoldResult size);
  template <typename Op> mlir::Value create(mlir::Value a, mlir::Value b) {
    return rewriter.createOrFold<Op>(loc, a, b);
  }
  mlir::Value less(mlir::Value a, mlir::Value b) {
    return mlir::arith::CmpIOp::create(rewriter, loc,
                                       mlir::arith::CmpIPredicate::ult, a, b);
  }
  /// A number below a size.
  mlir::Value clamp(mlir::Value number, mlir::Value size) {
    return create<mlir::arith::MinUIOp>(
        number, create<mlir::arith::SubIOp>(size, index(1)));
  }
  /// The product of sizes.
  mlir::OpFoldResult product(llvm::ArrayRef<mlir::OpFoldResult> sizes);
  /// The number of tiles that a size has.
  mlir::OpFoldResult tiles(mlir::OpFoldResult size, int64_t tile);
  /// Takes a number apart into indices of dimensions, the last one the
  /// fastest.
  llvm::SmallVector<mlir::Value>
  delinearize(mlir::Value number, llvm::ArrayRef<mlir::OpFoldResult> sizes);

  /// Opens a loop over threads, one for each point of a space; threads that
  /// follow each other differ in the last index. Returns the indices.
  llvm::SmallVector<mlir::Value>
  openForall(llvm::ArrayRef<mlir::OpFoldResult> sizes);

  /// Emits something that runs where a condition holds, which may be null: it
  /// does; and something else where it does not.
  void emitIf(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = {});

  /// The element of an operand at a point.
  mlir::Value load(mlir::Value memref, mlir::AffineMap map, const Point &point);
  void store(mlir::Value value, mlir::Value memref, mlir::AffineMap map,
             const Point &point);
  /// The byte that a prologue makes of elements, which is the first one where
  /// there is no prologue.
  mlir::Value loadByte(mlir::ValueRange operands,
                       llvm::ArrayRef<mlir::AffineMap> maps,
                       mlir::Region &prologue, const Point &point);
  /// A byte as i32.
  mlir::Value extend(mlir::Value byte, bool isUnsigned);
  /// A copy of a region of one block; returns what it yields.
  llvm::SmallVector<mlir::Value> inlineRegion(mlir::Region &region,
                                              mlir::ValueRange arguments);

  llvm::SmallVector<mlir::Value> indices(mlir::AffineMap map,
                                         const Point &point);

  /// PTX that has effects, as LLVM's inline assembly: operands are $0, $1 and
  /// so on behind the results.
  llvm::SmallVector<mlir::Value> emitPTX(llvm::StringRef text,
                                         llvm::StringRef constraints,
                                         mlir::ValueRange operands,
                                         mlir::TypeRange results = {});
  /// A number as i32.
  mlir::Value toWord(mlir::Value index) {
    return mlir::arith::IndexCastUIOp::create(rewriter, loc,
                                              rewriter.getI32Type(), index);
  }

  mlir::RewriterBase &rewriter;
  mlir::Location loc;
};

/// Keeps LLVM from unrolling a loop: its body is large, and has enough to do.
void keepLoop(mlir::scf::ForOp loop);

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_SCALARCODE_H
