//===- Quantize.cpp - Between real and quantized --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// qnn.quantize (N5), qnn.dequantize and qnn.requantize (N6).
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "qcc/Dialect/QNN/IR/QNN.h"

using namespace mlir;
using namespace qcc;

static int64_t rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

namespace {
struct ConvertQuantize : OpConversionPattern<qnn::QuantizeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::QuantizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    qnn::QuantParams params = op.getResultParams();
    int64_t rank = rankOf(op.getInput());
    GenericEmitter emitter(rewriter, loc, rank, rank);
    emitter.addInput(adaptor.getInput());
    auto readScale = emitter.add(Param::scale(rewriter, loc, params));
    QuantizeTail tail =
        makeTail(rewriter, loc, emitter, params, /*mayBeNaN=*/true);
    Value init = emptyLike(rewriter, loc, adaptor.getInput(),
                           rewriter.getIntegerType(params.width));
    bool before = op.getZeroPointBeforeRounding();
    replaceValue(
        rewriter, op,
        emitter.build(init, 0, op->getName().getStringRef(),
                      [&](OpBuilder &b, Location loc, ValueRange args) {
                        Value v = arith::DivFOp::create(
                            b, loc, emitWiden(b, loc, args[0]),
                            readScale(b, loc, args));
                        return before ? tail.emitBeforeRounding(b, loc, v, args)
                                      : tail.emit(b, loc, v, args);
                      }));
    return success();
  }
};

struct ConvertDequantize : OpConversionPattern<qnn::DequantizeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::DequantizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    qnn::QuantParams params = op.getInputParams();
    int64_t rank = rankOf(op.getInput());
    GenericEmitter emitter(rewriter, loc, rank, rank);
    emitter.addInput(adaptor.getInput());
    auto readScale = emitter.add(Param::scale(rewriter, loc, params));
    ZeroPoint zeroPoint = ZeroPoint::get(rewriter, loc, params);
    auto readZeroPoint = emitter.add(zeroPoint);
    Type element = op.getResult().getType().getElementType();
    Value init = emptyLike(rewriter, loc, adaptor.getInput(), element);
    replaceValue(
        rewriter, op,
        emitter.build(
            init, 0, op->getName().getStringRef(),
            [&](OpBuilder &b, Location loc, ValueRange args) {
              Value q = emitDifference(b, loc, args[0], params.isSigned,
                                       zeroPoint, readZeroPoint, args);
              Value v = arith::SIToFPOp::create(b, loc, b.getF32Type(), q);
              v = arith::MulFOp::create(b, loc, v, readScale(b, loc, args));
              return emitRound(b, loc, v, element);
            }));
    return success();
  }
};

struct ConvertRequantize : OpConversionPattern<qnn::RequantizeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::RequantizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    qnn::QuantParams from = op.getInputParams(), to = op.getResultParams();
    Param ratio = div(rewriter, loc, Param::scale(rewriter, loc, from),
                      Param::scale(rewriter, loc, to));
    int64_t rank = rankOf(op.getInput());
    GenericEmitter emitter(rewriter, loc, rank, rank);
    emitter.addInput(adaptor.getInput());
    auto readRatio = emitter.add(ratio);
    ZeroPoint zeroPoint = ZeroPoint::get(rewriter, loc, from);
    auto readZeroPoint = emitter.add(zeroPoint);
    QuantizeTail tail =
        makeTail(rewriter, loc, emitter, to, /*mayBeNaN=*/!ratio.isFinite());
    Value init = emptyLike(rewriter, loc, adaptor.getInput(),
                           rewriter.getIntegerType(to.width));
    replaceValue(
        rewriter, op,
        emitter.build(
            init, 0, op->getName().getStringRef(),
            [&](OpBuilder &b, Location loc, ValueRange args) {
              Value q = emitDifference(b, loc, args[0], from.isSigned,
                                       zeroPoint, readZeroPoint, args);
              Value v = arith::SIToFPOp::create(b, loc, b.getF32Type(), q);
              v = arith::MulFOp::create(b, loc, v, readRatio(b, loc, args));
              return tail.emit(b, loc, v, args);
            }));
    return success();
  }
};
} // namespace

void qcc::populateQuantizePatterns(const StorageTypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<ConvertQuantize, ConvertDequantize, ConvertRequantize>(
      converter, patterns.getContext());
}
