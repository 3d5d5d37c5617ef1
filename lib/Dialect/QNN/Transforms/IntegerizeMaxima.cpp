//===- IntegerizeMaxima.cpp - Maxima of dequantized values ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dequantization with one scale keeps the order of numbers, so that the maximum
// of dequantized numbers is the dequantized maximum. What a pooling starts from
// and what it pads with must not win, nor be what a window has alone.
//
//===----------------------------------------------------------------------===//

#include "Dequantized.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Dialect/QNN/IR/Notes.h"
#include "qcc/Dialect/QNN/Transforms/Passes.h"
#include <cmath>

namespace qcc {
#define GEN_PASS_DEF_QNNINTEGERIZEMAXIMA
#include "qcc/Dialect/QNN/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using namespace qcc::qnn;

namespace {
/// A maximum of dequantized numbers.
struct Maximum {
  linalg::LinalgOp op;
  DequantizeOp source;
  tensor::PadOp pad; ///< between them, or null
  QuantParams params;

  static std::optional<Maximum> match(linalg::LinalgOp op);
};
} // namespace

/// Whether the op yields the maximum of its output and its first input, which
/// has at least one element for each output.
static bool isMaximum(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      !op.hasPureTensorSemantics())
    return false;
  for (auto [kind, size] :
       llvm::zip(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
    // A dynamic size is negative.
    if (kind == utils::IteratorType::reduction && size <= 0)
      return false;
  Block &body = *op.getBlock();
  auto maximum = dyn_cast<arith::MaximumFOp>(body.front());
  if (!maximum || !llvm::hasNItems(body, 2) ||
      body.getTerminator()->getOperand(0) != maximum.getResult())
    return false;
  Value input = body.getArgument(0),
        output = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  return input.getType().isF32() &&
         (maximum.getLhs() == input || maximum.getRhs() == input) &&
         (maximum.getLhs() == output || maximum.getRhs() == output);
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

/// Whether every window along the dimensions that are padded has an element
/// that is no padding: windows without gaps that are larger than the padding
/// before and after.
static bool reachesElements(linalg::LinalgOp op, tensor::PadOp pad) {
  if (pad.getNofold())
    return false;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (auto [d, expr] : llvm::enumerate(map.getResults())) {
    int64_t low = pad.getStaticLow()[d], high = pad.getStaticHigh()[d];
    if (low == 0 && high == 0)
      continue;
    auto factors = kernel::windowFactors(expr, map.getNumDims());
    if (ShapedType::isDynamic(low) || ShapedType::isDynamic(high) ||
        pad.getSourceType().isDynamicDim(d) || !factors)
      return false;
    int64_t window = 1;
    for (auto [loop, factor] : llvm::enumerate(*factors))
      if (factor != 0 && kinds[loop] == utils::IteratorType::reduction)
        window = factor == 1 && window == 1 ? sizes[loop] : 0;
    // A dynamic size is negative.
    if (low < 0 || high < 0 || low >= window || high >= window ||
        pad.getSourceType().getDimSize(d) == 0)
      return false;
  }
  return true;
}

std::optional<Maximum> Maximum::match(linalg::LinalgOp op) {
  if (!isMaximum(op))
    return std::nullopt;
  Maximum maximum{op, {}, {}, {}};
  Value value = op.getDpsInputOperand(0)->get();
  if ((maximum.pad = value.getDefiningOp<tensor::PadOp>()))
    value = maximum.pad.getSource();
  maximum.source = value.getDefiningOp<DequantizeOp>();
  if (!maximum.source)
    return std::nullopt;
  DequantizeOp source = maximum.source;
  FailureOr<QuantParams> params =
      getQuantParams(source.getInput().getType(), source.getScale(),
                     source.getZeroPoint(), source.getAxis());
  if (failed(params) || params->width != 8 ||
      params->scaleKind != QuantParams::Kind::PerTensor ||
      params->zeroPointKind != QuantParams::Kind::PerTensor ||
      !params->isScaleConstant || !params->isZeroPointConstant)
    return std::nullopt;
  float scale = params->scales.front();
  if (!(scale > 0) || !std::isfinite(scale))
    return std::nullopt;
  int32_t least = params->isSigned ? -128 : 0;
  float bound = float(least - params->zeroPoints.front()) * scale;
  if (!isAtMost(op.getDpsInits()[0], bound))
    return std::nullopt;
  if (maximum.pad) {
    Value padding = maximum.pad.getConstantPaddingValue();
    if (!padding || !isAtMost(padding, bound) ||
        !reachesElements(op, maximum.pad))
      return std::nullopt;
  }
  maximum.params = std::move(*params);
  return maximum;
}

static Value integerize(RewriterBase &rewriter, Maximum maximum) {
  linalg::LinalgOp op = maximum.op;
  Location loc = op.getLoc();
  bool isSigned = maximum.params.isSigned;
  Type i8 = rewriter.getI8Type();
  Value bytes = makeStorage(rewriter, loc, maximum.source.getInput());
  Value least = arith::ConstantOp::create(
      rewriter, loc, rewriter.getIntegerAttr(i8, isSigned ? -128 : 0));
  if (tensor::PadOp pad = maximum.pad)
    bytes = tensor::PadOp::create(
        rewriter, pad.getLoc(), pad.getResultType().clone(i8), bytes,
        pad.getMixedLowPad(), pad.getMixedHighPad(), least);
  // The sizes of windows are those of an operand that is not read.
  SmallVector<Value> inputs{bytes};
  llvm::append_range(inputs, llvm::drop_begin(op.getDpsInputs()));
  Value init = op.getDpsInits()[0];
  auto type = cast<RankedTensorType>(init.getType()).clone(i8);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, init), i8);
  Value start =
      linalg::FillOp::create(rewriter, loc, least, empty).getResult(0);
  auto integer = linalg::GenericOp::create(
      rewriter, loc, type, inputs, start, op.getIndexingMapsArray(),
      op.getIteratorTypesArray(),
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
  Value quantized =
      fromStorage(rewriter, loc, integer.getResult(0),
                  getElementTypeOrSelf(maximum.source.getInput().getType()));
  auto real = cast<DequantizeOp>(rewriter.clone(*maximum.source));
  real.getInputMutable().assign(quantized);
  real.getResult().setType(cast<RankedTensorType>(init.getType()));
  return real.getResult();
}

namespace {
struct QNNIntegerizeMaxima
    : qcc::impl::QNNIntegerizeMaximaBase<QNNIntegerizeMaxima> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops)
      if (std::optional<Maximum> maximum = Maximum::match(op)) {
        rewriter.setInsertionPoint(op);
        rewriter.replaceOp(op, integerize(rewriter, *maximum));
      }
  }
};
} // namespace
