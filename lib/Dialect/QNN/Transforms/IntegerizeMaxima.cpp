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

#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/QNN/Transforms/Maxima.h"
#include "qcc/Dialect/QNN/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"
#include <cmath>

#define DEBUG_TYPE "qnn-integerize-maxima"

namespace qcc {
#define GEN_PASS_DEF_QNNINTEGERIZEMAXIMA
#include "qcc/Dialect/QNN/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using namespace qcc::qnn;

ALWAYS_ENABLED_STATISTIC(
    numIntegerized, "Maxima of dequantized values that became maxima of bytes");

namespace {
/// A maximum of dequantized numbers.
struct Maximum {
  FloatMaximum floats;
  DequantizeOp source;
  QuantParams params;

  static std::optional<Maximum> match(linalg::LinalgOp op);
};
} // namespace

/// Whether each output has at least one element.
static bool hasElements(linalg::LinalgOp op) {
  for (auto [kind, size] :
       llvm::zip(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
    // A dynamic size is negative.
    if (kind == utils::IteratorType::reduction && size <= 0)
      return false;
  return true;
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
  std::optional<FloatMaximum> floats = FloatMaximum::match(op);
  if (!floats || !hasElements(op))
    return std::nullopt;
  Maximum maximum{*floats, floats->source.getDefiningOp<DequantizeOp>(), {}};
  DequantizeOp source = maximum.source;
  if (!source)
    return std::nullopt;
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
  assert(params->zeroPoints.front() >= least &&
         params->zeroPoints.front() <= least + 255 &&
         "the zero point is a byte");
  float bound = float(least - params->zeroPoints.front()) * scale;
  if (!floats->startsAtMost(bound) ||
      (floats->pad && !reachesElements(op, floats->pad)))
    return std::nullopt;
  maximum.params = std::move(*params);
  return maximum;
}

static Value integerize(RewriterBase &rewriter, const Maximum &maximum) {
  DequantizeOp source = maximum.source;
  Value quantized =
      maximum.floats.createOf(rewriter, source.getInput(), maximum.params,
                              maximum.params.isSigned ? -128 : 0);
  auto real = cast<DequantizeOp>(rewriter.clone(*source));
  real.getInputMutable().assign(quantized);
  real.getResult().setType(
      cast<RankedTensorType>(maximum.floats.op.getDpsInits()[0].getType()));
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
        ++numIntegerized;
        LDBG() << "takes maxima of bytes in " << op->getName() << " at "
               << op.getLoc();
        rewriter.setInsertionPoint(op);
        rewriter.replaceOp(op, integerize(rewriter, *maximum));
      }
  }
};
} // namespace
