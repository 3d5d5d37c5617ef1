//===- FloatBuilder.h - Emitting fixed sequences ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A builder on which the lists of operations of docs/Numerics.md read as they
// are written there, and the emitters that legalize-float consists of. Operands
// are scalars or vectors; constants take the shape of the operand.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CONVERSION_LEGALIZEFLOAT_FLOATBUILDER_H
#define QCC_LIB_CONVERSION_LEGALIZEFLOAT_FLOATBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "qcc/Conversion/LegalizeFloat/FloatOps.h"

namespace qcc {

class FloatBuilder {
public:
  /// `like` gives the shape of the constants.
  FloatBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value like)
      : builder(builder), loc(loc), shape(like.getType()) {}

  mlir::Type typeLike(mlir::Type element) const;
  mlir::Value constant(mlir::TypedAttr scalar);
  mlir::Value floating(mlir::FloatType type, double value);
  mlir::Value integer(unsigned width, uint64_t value);
  /// An f32 with these bits.
  mlir::Value f32(uint32_t bits);
  mlir::Value i32(uint32_t value) { return integer(32, value); }
  /// An f64 with these bits.
  mlir::Value f64(uint64_t bits);
  mlir::Value i64(uint64_t value) { return integer(64, value); }

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value addi(mlir::Value a, mlir::Value b);
  mlir::Value subi(mlir::Value a, mlir::Value b);
  mlir::Value andi(mlir::Value a, mlir::Value b);
  mlir::Value ori(mlir::Value a, mlir::Value b);
  mlir::Value shl(mlir::Value a, unsigned amount);
  mlir::Value shrs(mlir::Value a, unsigned amount);
  mlir::Value shru(mlir::Value a, unsigned amount);
  mlir::Value bitcast(mlir::Value a, mlir::Type element);
  mlir::Value bits(mlir::Value a) { return bitcast(a, builder.getI32Type()); }
  mlir::Value asF32(mlir::Value a) { return bitcast(a, builder.getF32Type()); }
  mlir::Value cmp(mlir::arith::CmpFPredicate predicate, mlir::Value a,
                  mlir::Value b);
  mlir::Value lt(mlir::Value a, mlir::Value b) {
    return cmp(mlir::arith::CmpFPredicate::OLT, a, b);
  }
  mlir::Value gt(mlir::Value a, mlir::Value b) {
    return cmp(mlir::arith::CmpFPredicate::OGT, a, b);
  }
  mlir::Value eq(mlir::Value a, mlir::Value b) {
    return cmp(mlir::arith::CmpFPredicate::OEQ, a, b);
  }
  mlir::Value isNaN(mlir::Value a) {
    return cmp(mlir::arith::CmpFPredicate::UNO, a, a);
  }
  mlir::Value select(mlir::Value c, mlir::Value a, mlir::Value b);
  mlir::Value abs(mlir::Value a);

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  mlir::Type shape;
};

/// The sequences of N8 on f32.
mlir::Value emitExp(FloatBuilder &s, mlir::Value x);
mlir::Value emitTanh(FloatBuilder &s, mlir::Value x);
mlir::Value emitErf(FloatBuilder &s, mlir::Value x);
mlir::Value emitRsqrt(FloatBuilder &s, mlir::Value x);
mlir::Value emitLog(FloatBuilder &s, mlir::Value x);
/// Whether N8 defines the op by a sequence in binary64.
bool isWideSequence(mlir::Operation *op);
/// That sequence, on f32.
mlir::Value emitWideSequence(FloatBuilder &s, mlir::Operation *op,
                             mlir::ValueRange operands);
/// math.round, half away from zero, on f32 or f64.
mlir::Value emitRoundHalfAway(FloatBuilder &s, mlir::Value x);

/// fptosi or fptoui that saturates, NaN gives 0; `x` is f32 or f64, `type` an
/// integer of at most 64 bits.
mlir::Value emitSaturatingConversion(FloatBuilder &s, mlir::Value x,
                                     mlir::IntegerType type, bool isSigned);
/// sitofp or uitofp to f16 or bf16, through f32 (N8); at most 64 bits.
mlir::Value emitIntegerToSmallFloat(FloatBuilder &s, mlir::Value x,
                                    mlir::FloatType type, bool isSigned,
                                    BF16Conversions bf16);

/// Whether the body yields acc + x * y of the two inputs, over at least one
/// reduction dimension.
bool isFloatContraction(mlir::linalg::LinalgOp op);
/// Turns acc + x * y into one fma; needs a region of its own.
void rewriteFloatContraction(mlir::RewriterBase &rewriter,
                             mlir::linalg::LinalgOp op);

} // namespace qcc

#endif // QCC_LIB_CONVERSION_LEGALIZEFLOAT_FLOATBUILDER_H
