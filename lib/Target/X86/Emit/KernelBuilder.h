//===- KernelBuilder.h - Indices and vectors of kernels ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_KERNELBUILDER_H
#define QCC_LIB_TARGET_X86_EMIT_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace qcc::x86 {

/// Builds the values that every part of a kernel needs: indices, folded where
/// they are constant, and vectors of `lanes` words, which are i32 or, in a
/// kernel of floats, f32.
class KernelBuilder {
public:
  /// Words are i32 where `word` is null.
  KernelBuilder(mlir::RewriterBase &rewriter, mlir::Location loc, int64_t lanes,
                mlir::Type word = {})
      : rewriter(rewriter), loc(loc), lanes(lanes),
        word(word ? word : rewriter.getI32Type()) {}

  mlir::Value index(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(rewriter, loc, value);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return rewriter.createOrFold<mlir::arith::AddIOp>(loc, a, b);
  }
  mlir::Value add(mlir::Value a, int64_t b) { return add(a, index(b)); }
  mlir::Value sub(mlir::Value a, mlir::Value b) {
    return rewriter.createOrFold<mlir::arith::SubIOp>(loc, a, b);
  }
  mlir::Value mul(mlir::Value a, mlir::Value b) {
    return rewriter.createOrFold<mlir::arith::MulIOp>(loc, a, b);
  }
  mlir::Value mul(mlir::Value a, int64_t b) { return mul(a, index(b)); }
  mlir::Value div(mlir::Value a, mlir::Value b) {
    return rewriter.createOrFold<mlir::arith::DivUIOp>(loc, a, b);
  }
  mlir::Value rem(mlir::Value a, mlir::Value b) {
    return rewriter.createOrFold<mlir::arith::RemUIOp>(loc, a, b);
  }
  mlir::Value ceilDiv(mlir::Value a, mlir::Value b) {
    return rewriter.createOrFold<mlir::arith::CeilDivUIOp>(loc, a, b);
  }
  mlir::Value min(mlir::Value a, mlir::Value b) {
    return rewriter.createOrFold<mlir::arith::MinSIOp>(loc, a, b);
  }
  mlir::Value max(mlir::Value a, mlir::Value b) {
    return rewriter.createOrFold<mlir::arith::MaxSIOp>(loc, a, b);
  }
  mlir::Value less(mlir::Value a, mlir::Value b) {
    return rewriter.createOrFold<mlir::arith::CmpIOp>(
        loc, mlir::arith::CmpIPredicate::slt, a, b);
  }
  mlir::Value equal(mlir::Value a, mlir::Value b) {
    return rewriter.createOrFold<mlir::arith::CmpIOp>(
        loc, mlir::arith::CmpIPredicate::eq, a, b);
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return rewriter.createOrFold<mlir::arith::SelectOp>(loc, condition, a, b);
  }

  /// The indices of dimensions of static sizes, row-major, from a linear one.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value linear,
                                             llvm::ArrayRef<int64_t> sizes);

  mlir::VectorType vectorType(int64_t count, unsigned bits) {
    return mlir::VectorType::get({count}, rewriter.getIntegerType(bits));
  }
  /// The type of a register of accumulators or words.
  mlir::VectorType accumulatorType() {
    return mlir::VectorType::get({lanes}, word);
  }
  /// The same of i32, whatever words are.
  mlir::VectorType integerType() { return vectorType(lanes, 32); }
  /// A whole number in every lane.
  mlir::Value splat(mlir::VectorType type, int64_t value) {
    mlir::Type element = type.getElementType();
    mlir::TypedAttr number =
        mlir::isa<mlir::FloatType>(element)
            ? mlir::TypedAttr(rewriter.getFloatAttr(element, double(value)))
            : rewriter.getIntegerAttr(element, value);
    return mlir::arith::ConstantOp::create(
        rewriter, loc, mlir::DenseElementsAttr::get(type, number));
  }
  mlir::Value splat(int64_t value) { return splat(accumulatorType(), value); }
  /// `vector`, of integers, with 0 from element `count` on.
  mlir::Value clearFrom(mlir::Value vector, int64_t count);
  /// `vector`, of integers, with 0 where `mask` is false.
  mlir::Value clearUnless(mlir::Value mask, mlir::Value vector);

  /// Calls `body` once for each iteration of a loop over [begin, end), at its
  /// insertion point; no loop where it is known to have one iteration.
  void forEach(mlir::Value begin, mlir::Value end, int64_t step,
               llvm::function_ref<void(mlir::Value)> body);
  /// Emits a loop with values that each iteration gives to the next; returns
  /// the values of the last iteration.
  llvm::SmallVector<mlir::Value>
  carry(mlir::Value begin, mlir::Value end, mlir::ValueRange values,
        llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value,
                                                          mlir::ValueRange)>
            body);
  llvm::SmallVector<mlir::Value>
  carry(int64_t begin, int64_t end, mlir::ValueRange values,
        llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value,
                                                          mlir::ValueRange)>
            body) {
    return carry(index(begin), index(end), values, body);
  }
  /// Calls `body` at the insertion point of a branch; without a branch where
  /// the condition is a constant.
  void ifTrue(mlir::Value condition, llvm::function_ref<void()> body);

  mlir::RewriterBase &rewriter;
  mlir::Location loc;
  int64_t lanes;
  mlir::Type word;
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_KERNELBUILDER_H
