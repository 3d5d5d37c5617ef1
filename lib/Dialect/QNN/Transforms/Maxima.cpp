//===- Maxima.cpp - Maxima of floats that may be of integers --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/QNN/Transforms/Maxima.h"
#include "Dequantized.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/QNN/IR/QuantizedType.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Dialect/Utils/Notes.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::qnn;

std::optional<FloatMaximum> FloatMaximum::match(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      !op.hasPureTensorSemantics())
    return std::nullopt;
  Block &body = *op.getBlock();
  auto maximum = dyn_cast<arith::MaximumFOp>(body.front());
  if (!maximum || !llvm::hasNItems(body, 2) ||
      body.getTerminator()->getOperand(0) != maximum.getResult())
    return std::nullopt;
  Value input = body.getArgument(0),
        output = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  if (!input.getType().isF32() ||
      (maximum.getLhs() != input && maximum.getRhs() != input) ||
      (maximum.getLhs() != output && maximum.getRhs() != output))
    return std::nullopt;
  FloatMaximum result{op, {}, op.getDpsInputOperand(0)->get()};
  result.pad = result.source.getDefiningOp<tensor::PadOp>();
  if (result.pad)
    result.source = result.pad.getSource();
  return result;
}

/// Whether a value is one number that is at most `bound`.
static bool isAtMost(Value value, float bound) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.value();
  APFloat number(0.0f);
  DenseElementsAttr elements;
  if (!matchPattern(value, m_ConstantFloat(&number))) {
    if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() ||
        !elements.getElementType().isF32())
      return false;
    number = elements.getSplatValue<APFloat>();
  }
  return number.convertToFloat() <= bound;
}

bool FloatMaximum::startsAtMost(float bound) const {
  if (!isAtMost(op.getDpsInits()[0], bound))
    return false;
  Value padding = pad ? pad.getConstantPaddingValue() : Value();
  return !pad || (padding && isAtMost(padding, bound));
}

Value FloatMaximum::createOf(RewriterBase &rewriter, Value quantized,
                             const QuantParams &params, int64_t least) const {
  Location loc = op.getLoc();
  bool isSigned = params.isSigned;
  Type i8 = rewriter.getI8Type();
  Value bytes = makeStorage(rewriter, loc, quantized);
  Value start = arith::ConstantOp::create(
      rewriter, loc, rewriter.getIntegerAttr(i8, APInt(8, least, isSigned)));
  if (pad)
    bytes = tensor::PadOp::create(
        rewriter, pad.getLoc(), pad.getResultType().clone(i8), bytes,
        pad.getMixedLowPad(), pad.getMixedHighPad(), start);
  // The sizes of windows are those of an operand that is not read.
  SmallVector<Value> inputs{bytes};
  llvm::append_range(inputs, llvm::drop_begin(op.getDpsInputs()));
  Value init = op.getDpsInits()[0];
  auto type = cast<RankedTensorType>(init.getType()).clone(i8);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, init), i8);
  Value filled =
      linalg::FillOp::create(rewriter, loc, start, empty).getResult(0);
  auto integer = linalg::GenericOp::create(
      rewriter, withType(loc, getQuantizedType(params, loc.getContext())), type,
      inputs, filled, op.getIndexingMapsArray(), op.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value larger = isSigned
                           ? arith::MaxSIOp::create(builder, loc, args.front(),
                                                    args.back())
                                 .getResult()
                           : arith::MaxUIOp::create(builder, loc, args.front(),
                                                    args.back());
        linalg::YieldOp::create(builder, loc, larger);
      });
  integer->setAttr(kOriginAttr,
                   rewriter.getStringAttr(op->getName().getStringRef()));
  return fromStorage(rewriter, loc, integer.getResult(0),
                     getElementTypeOrSelf(quantized.getType()));
}
