//===- QuantizeBeforeMaxima.cpp - Maxima of quantized values --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantization with one scale keeps the order of numbers, infinities included:
// the quantized maximum is the maximum of the quantized numbers. NaN has no
// place in that order. A maximum with a NaN is NaN, which is quantized to the
// zero point; the maximum of bytes would be another one. So this is done where
// no number can be NaN.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Analysis/NumberRange.h"
#include "qcc/Conversion/Passes.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/QNN/Transforms/Maxima.h"
#include "qcc/Dialect/Utils/Notes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"
#include <cmath>

#define DEBUG_TYPE "qnn-quantize-before-maxima"

namespace qcc {
#define GEN_PASS_DEF_QNNQUANTIZEBEFOREMAXIMA
#include "qcc/Conversion/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numMoved, "Quantizations moved before a maximum");
ALWAYS_ENABLED_STATISTIC(numRefused,
                         "Quantizations that stay behind a maximum");

//===----------------------------------------------------------------------===//
// Numbers of tensors
//===----------------------------------------------------------------------===//

namespace {
/// The ranges of the elements of tensors, by the ops that compute them.
class TensorRanges {
public:
  NumberRange of(Value tensor) {
    auto [known, isNew] = ranges.try_emplace(tensor);
    if (!isNew)
      return known->second; // everything, while it is computed
    NumberRange range = compute(tensor);
    return ranges[tensor] = range;
  }

private:
  NumberRange compute(Value tensor);
  NumberRange compute(linalg::LinalgOp op, OpResult result);
  template <typename OpTy> NumberRange computeContraction(OpTy op);
  /// What a qnn op computes, if its result is real.
  NumberRange computeQuantized(Operation *op);

  DenseMap<Value, NumberRange> ranges;
};
} // namespace

static NumberRange unite(NumberRange a, NumberRange b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high),
          a.canBeNaN || b.canBeNaN};
}

/// The f32 numbers that `factor` times an integer of `width` bits can be.
static NumberRange multiplesOf(float factor, unsigned width) {
  if (!std::isfinite(factor))
    return {};
  double most = std::nextafterf(float(std::ldexp(double(factor), width)),
                                std::numeric_limits<float>::infinity());
  return {-most, most, false};
}

/// The largest scale; NaN unless all of them are known.
static float largestScale(const qnn::QuantParams &params) {
  if (!params.isScaleConstant)
    return std::numeric_limits<float>::quiet_NaN();
  return *std::max_element(params.scales.begin(), params.scales.end());
}

/// f32(acc) * (sx * sw), plus a bias if there is one (N3), then a clamp.
template <typename OpTy> NumberRange TensorRanges::computeContraction(OpTy op) {
  NumberRange range = multiplesOf(largestScale(op.getInputParams()) *
                                      largestScale(op.getWeightParams()),
                                  31);
  if (!op.getBias() || range.canBeNaN)
    return range;
  NumberRange bias = of(op.getBias());
  // An infinite sum is no NaN unless both are infinite.
  if (bias.canBeNaN || !std::isfinite(range.high))
    return {};
  return {range.low + bias.low, range.high + bias.high, false};
}

NumberRange TensorRanges::computeQuantized(Operation *op) {
  if (auto dequantize = dyn_cast<qnn::DequantizeOp>(op)) {
    FailureOr<qnn::QuantParams> params = qnn::getQuantParams(
        dequantize.getInput().getType(), dequantize.getScale(),
        dequantize.getZeroPoint(), dequantize.getAxis());
    // The difference to the zero point has one bit more than what is stored.
    return failed(params)
               ? NumberRange()
               : multiplesOf(largestScale(*params), params->width + 1);
  }
  if (auto linear = dyn_cast<qnn::LinearOp>(op))
    return linear.hasFloatOperands() || linear.getGroupSize()
               ? NumberRange()
               : computeContraction(linear);
  if (auto convolution = dyn_cast<qnn::Conv2DOp>(op))
    return computeContraction(convolution);
  if (auto convolution = dyn_cast<qnn::ConvTranspose2DOp>(op))
    return computeContraction(convolution);
  return {};
}

NumberRange TensorRanges::compute(linalg::LinalgOp op, OpResult result) {
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
    return rangeOf(fill.value());
  SmallVector<NumberRange> arguments;
  // What maxima of elements can be is the same after each of them.
  bool isMaximum = qnn::FloatMaximum::match(op).has_value();
  if (op.getNumReductionLoops() != 0 && !isMaximum)
    return fullRange(result.getType());
  for (BlockArgument argument : op.getBlock()->getArguments()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    arguments.push_back(isa<RankedTensorType>(operand->get().getType())
                            ? of(operand->get())
                            : rangeOf(operand->get()));
  }
  if (isMaximum)
    return unite(arguments.front(), arguments.back());
  Value yielded =
      op.getBlock()->getTerminator()->getOperand(result.getResultNumber());
  if (auto argument = dyn_cast<BlockArgument>(yielded))
    if (argument.getOwner() == op.getBlock())
      return arguments[argument.getArgNumber()];
  return RegionRanges(*op.getBlock()->getParent(), arguments).of(yielded);
}

NumberRange TensorRanges::compute(Value tensor) {
  Type type = tensor.getType();
  if (!getElementTypeOrSelf(type).isF32())
    return fullRange(type); // integers are not NaN
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return fullRange(type);
  if (std::optional<NumberRange> constant = rangeOfConstant(tensor))
    return *constant;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.hasPureTensorSemantics()
               ? compute(structured, cast<OpResult>(tensor))
               : fullRange(type);
  if (OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1)
    return rangeOfResult(*op, [&](Value operand) { return of(operand); });
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::ExtractSliceOp, tensor::CastOp>(op))
    return of(op->getOperand(0));
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Value padding = pad.getConstantPaddingValue();
    return padding ? unite(of(pad.getSource()), rangeOf(padding))
                   : fullRange(type);
  }
  if (isa<tensor::ConcatOp, tensor::InsertSliceOp>(op)) {
    NumberRange range = of(op->getOperand(0));
    for (Value operand : llvm::drop_begin(op->getOperands()))
      if (isa<RankedTensorType>(operand.getType()))
        range = unite(range, of(operand));
    return range;
  }
  if (isa<tensor::EmptyOp>(op)) // where it may be read, it is 0 (N10)
    return {0, 0, false};
  return computeQuantized(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// A quantization of a maximum; null if no quantization reads it.
static qnn::QuantizeOp quantizationOf(linalg::LinalgOp op) {
  for (Operation *user : op->getResult(0).getUsers())
    if (auto quantize = dyn_cast<qnn::QuantizeOp>(user))
      return quantize;
  return {};
}

/// Why the quantization of a maximum stays behind it; nothing if it need not.
static StringRef whyBehind(const qnn::FloatMaximum &maximum,
                           const FailureOr<qnn::QuantParams> &params,
                           TensorRanges &ranges) {
  if (!maximum.op->hasOneUse())
    return "its result is read by others than one quantization, so that it is "
           "no maximum of bytes";
  if (failed(params) ||
      params->scaleKind != qnn::QuantParams::Kind::PerTensor ||
      params->zeroPointKind != qnn::QuantParams::Kind::PerTensor ||
      !params->isScaleConstant || !params->isZeroPointConstant)
    return "its result is quantized by something else than one constant scale "
           "and zero point, so that it is no maximum of bytes";
  // What is at most this is quantized to the least integer.
  double bound = double(params->qmin - params->zeroPoints.front()) *
                 double(params->scales.front());
  float below =
      std::nextafterf(float(bound), -std::numeric_limits<float>::infinity());
  if (!maximum.startsAtMost(below))
    return "it starts from, or pads with, something else than a number that is "
           "quantized to the least integer, so that it is no maximum of bytes";
  if (ranges.of(maximum.source).canBeNaN)
    return "its operand may be NaN, as far as is known, so that it is no "
           "maximum of bytes, although its result is quantized; clamp or "
           "quantize the operand";
  return "";
}

static void quantizeBefore(RewriterBase &rewriter,
                           const qnn::FloatMaximum &maximum,
                           qnn::QuantizeOp quantize,
                           const qnn::QuantParams &params) {
  rewriter.setInsertionPoint(quantize);
  auto early = cast<qnn::QuantizeOp>(rewriter.clone(*quantize));
  early->setLoc(maximum.source.getLoc());
  early.getInputMutable().assign(maximum.source);
  early.getResult().setType(
      cast<RankedTensorType>(maximum.source.getType())
          .clone(getElementTypeOrSelf(quantize.getResult().getType())));
  rewriter.replaceOp(quantize, maximum.createOf(rewriter, early.getResult(),
                                                params, params.qmin));
  rewriter.eraseOp(maximum.op);
  if (maximum.pad && maximum.pad->use_empty())
    rewriter.eraseOp(maximum.pad);
}

namespace {
struct QNNQuantizeBeforeMaxima
    : qcc::impl::QNNQuantizeBeforeMaximaBase<QNNQuantizeBeforeMaxima> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      std::optional<qnn::FloatMaximum> maximum = qnn::FloatMaximum::match(op);
      qnn::QuantizeOp quantize =
          maximum ? quantizationOf(op) : qnn::QuantizeOp();
      if (!quantize)
        continue;
      FailureOr<qnn::QuantParams> params = qnn::getQuantParams(
          quantize.getResult().getType(), quantize.getScale(),
          quantize.getZeroPoint(), quantize.getAxis());
      if (succeeded(params) && params->width != 8)
        continue;
      TensorRanges ranges;
      StringRef reason = whyBehind(*maximum, params, ranges);
      ++(reason.empty() ? numMoved : numRefused);
      LDBG() << (reason.empty() ? "quantizes before the maximum at "
                                : "quantizes behind the maximum at ")
             << op.getLoc() << (reason.empty() ? "" : ": ") << reason;
      if (reason.empty())
        quantizeBefore(rewriter, *maximum, quantize, *params);
      else
        op->setAttr(kRefusedAttr, rewriter.getStringAttr(reason));
    }
  }
};
} // namespace
