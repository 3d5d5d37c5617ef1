//===- Pooling.cpp - Poolings of images -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction over the windows of an image that was padded, with the loops
// (n, oh, ow, c, kh, kw): of qnn.max_pool2d the greatest stored integer, where
// what is padded is the least; of qnn.avg_pool2d the sum of stored integers,
// where what is padded is 0. The rest of the mean is elementwise:
//
//   acc = sum - zx * inside      inside: how many elements are in the image
//
// Both wrap in i32, and acc itself fits (N6).
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Patterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/QNN.h"

using namespace mlir;
using namespace qcc;
using qnn::WindowDim;
using Reader = GenericEmitter::Reader;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// How many windows there are along a dimension of `size` elements.
static OpFoldResult countWindows(OpBuilder &builder, Location loc,
                                 const WindowDim &dim, OpFoldResult size) {
  AffineExpr d0 = builder.getAffineDimExpr(0);
  int64_t room = dim.padBefore + dim.padAfter - dim.extent();
  return affine::makeComposedFoldedAffineApply(
      builder, loc, (d0 + room).floorDiv(dim.stride) + 1, {size});
}

/// Demands that a window fits along each dynamic dimension, and that none lies
/// in padding alone.
static void requireWindows(OpBuilder &builder, Operation *op, Value image,
                           const qnn::Windows &windows) {
  for (auto [d, dim] : llvm::enumerate(windows.dims))
    requireSize(builder, op, image, 1 + d, dim.leastPooledSize());
}

/// `image` with `value` around it.
static Value emitBorder(OpBuilder &builder, Location loc, Value image,
                        const qnn::Windows &windows, int64_t value) {
  if (!windows.hasPadding())
    return image;
  SmallVector<OpFoldResult> low(4, builder.getIndexAttr(0)), high = low;
  for (auto [d, dim] : llvm::enumerate(windows.dims)) {
    low[1 + d] = builder.getIndexAttr(dim.padBefore);
    high[1 + d] = builder.getIndexAttr(dim.padAfter);
  }
  Value padding = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(getElementTypeOrSelf(image), value));
  return emitPad(builder, loc, image, low, high, padding);
}

namespace {
/// A reduction over windows: what it reads, and the sizes of its result.
struct WindowLoops {
  Value image; ///< with its padding
  AffineMap map;
  /// [kh, kw], where they are not those of the image.
  Value window;
  SmallVector<OpFoldResult> sizes;
};
} // namespace

/// The windows of an op; each has one element for each element of the image
/// where `windows` is absent.
static WindowLoops makeLoops(OpBuilder &builder, Location loc, Value image,
                             const std::optional<qnn::Windows> &windows,
                             int64_t padding) {
  WindowLoops loops;
  loops.image = image;
  loops.sizes = tensor::getMixedSizes(builder, loc, image);
  SmallVector<AffineExpr> exprs(6);
  bindDimsList(builder.getContext(), MutableArrayRef(exprs));
  SmallVector<AffineExpr> places = {exprs[0], exprs[4], exprs[5], exprs[3]};
  if (!windows) {
    loops.sizes[1] = loops.sizes[2] = builder.getIndexAttr(1);
  } else {
    SmallVector<int64_t> kernel;
    for (auto [d, dim] : llvm::enumerate(windows->dims)) {
      loops.sizes[1 + d] = countWindows(builder, loc, dim, loops.sizes[1 + d]);
      places[1 + d] = exprs[1 + d] * dim.stride + exprs[4 + d] * dim.dilation;
      kernel.push_back(dim.kernel);
    }
    loops.image = emitBorder(builder, loc, image, *windows, padding);
    loops.window = tensor::EmptyOp::create(builder, loc, kernel,
                                           getElementTypeOrSelf(image));
  }
  loops.map = AffineMap::get(6, 0, places, builder.getContext());
  return loops;
}

/// Combines the elements of each window, from `initial`.
static Value emitReduction(OpBuilder &builder, Operation *op,
                           const WindowLoops &loops, IntegerAttr initial,
                           GenericEmitter::Body combine) {
  Location loc = op->getLoc();
  GenericEmitter emitter(builder, loc, 6, 4);
  emitter.addInput(loops.image, loops.map);
  if (loops.window)
    emitter.addInput(loops.window,
                     builder.getMultiDimIdentityMap(6).getMinorSubMap(2));
  Value empty =
      tensor::EmptyOp::create(builder, loc, loops.sizes, initial.getType());
  Value first = arith::ConstantOp::create(builder, loc, initial);
  Value init = linalg::FillOp::create(builder, loc, first, empty).getResult(0);
  return emitter.build(init, 2, op->getName().getStringRef(), combine);
}

//===----------------------------------------------------------------------===//
// Numbers of elements
//===----------------------------------------------------------------------===//

namespace {
/// A number of elements, known at compile time or read as i32.
struct Count {
  std::optional<int64_t> constant;
  Reader reader;

  Value read(OpBuilder &b, Location loc, ValueRange args) const {
    return constant ? intConstant(b, loc, *constant) : reader(b, loc, args);
  }
};
} // namespace

/// How many elements of window number `i` are inside of an image of `size`
/// elements.
static int32_t countInside(const WindowDim &dim, int64_t i, int64_t size) {
  int64_t first = i * dim.stride - dim.padBefore;
  return std::min(first + dim.kernel, size) - std::max<int64_t>(first, 0);
}

/// The same as a function of the loop `loop` in a body.
static Reader readInside(const WindowDim &dim, unsigned loop, Value size) {
  return [=](OpBuilder &b, Location loc, ValueRange) -> Value {
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    Value i = linalg::IndexOp::create(b, loc, loop);
    Value start = arith::MulIOp::create(b, loc, i, constant(dim.stride));
    Value first = arith::SubIOp::create(b, loc, start, constant(dim.padBefore));
    Value end = arith::AddIOp::create(b, loc, first, constant(dim.kernel));
    Value high = arith::MinSIOp::create(b, loc, end, size);
    Value low = arith::MaxSIOp::create(b, loc, first, constant(0));
    return arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                      arith::SubIOp::create(b, loc, high, low));
  };
}

/// How many elements of a window along dimension `1 + d` of `image` are inside.
static Count countAlong(GenericEmitter &emitter, OpBuilder &builder,
                        Location loc, Value image, unsigned d,
                        const std::optional<qnn::Windows> &windows) {
  int64_t size = cast<RankedTensorType>(image.getType()).getDimSize(1 + d);
  bool isStatic = !ShapedType::isDynamic(size);
  if (!windows && isStatic)
    return {size, {}};
  if (windows && !windows->dims[d].hasPadding())
    return {windows->dims[d].kernel, {}};
  if (!isStatic) {
    Value whole = tensor::DimOp::create(builder, loc, image, 1 + d);
    if (windows)
      return {std::nullopt, readInside(windows->dims[d], 1 + d, whole)};
    return {std::nullopt, [=](OpBuilder &b, Location loc, ValueRange) {
              return arith::IndexCastOp::create(b, loc, b.getI32Type(), whole)
                  .getResult();
            }};
  }
  const WindowDim &dim = windows->dims[d];
  SmallVector<int32_t> counts;
  for (int64_t i = 0, e = dim.outputSize(size); i < e; ++i)
    counts.push_back(countInside(dim, i, size));
  if (llvm::all_equal(counts) && !counts.empty())
    return {counts.front(), {}};
  auto type =
      RankedTensorType::get({int64_t(counts.size())}, builder.getI32Type());
  Value table = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(counts)));
  unsigned number = emitter.addInput(
      table, AffineMap::get(4, 0, builder.getAffineDimExpr(1 + d)));
  return {std::nullopt, [number](OpBuilder &, Location, ValueRange args) {
            return args[number];
          }};
}

static Count product(const Count &a, const Count &b) {
  if (a.constant && b.constant)
    return {*a.constant * *b.constant, {}};
  return {
      std::nullopt, [a, b](OpBuilder &builder, Location loc, ValueRange args) {
        Value x = a.read(builder, loc, args), y = b.read(builder, loc, args);
        return arith::MulIOp::create(builder, loc, x, y).getResult();
      }};
}

//===----------------------------------------------------------------------===//
// The mean
//===----------------------------------------------------------------------===//

/// What f32(acc) is multiplied with: (sx / f32(c)) / sy, or sx / f32(c).
static Reader readFactor(ConversionPatternRewriter &rewriter, Location loc,
                         GenericEmitter &emitter, const Param &scale,
                         const std::optional<Param> &resultScale,
                         const Count &count) {
  if (count.constant) {
    Param c = Param::constant(static_cast<float>(*count.constant));
    Param factor = div(rewriter, loc, scale, c);
    return emitter.add(resultScale ? div(rewriter, loc, factor, *resultScale)
                                   : factor);
  }
  Reader readScale = emitter.add(scale), readResultScale;
  if (resultScale)
    readResultScale = emitter.add(*resultScale);
  return [=](OpBuilder &b, Location loc, ValueRange args) -> Value {
    Value c = arith::SIToFPOp::create(b, loc, b.getF32Type(),
                                      count.read(b, loc, args));
    Value factor = arith::DivFOp::create(b, loc, readScale(b, loc, args), c);
    if (!readResultScale)
      return factor;
    return arith::DivFOp::create(b, loc, factor, readResultScale(b, loc, args));
  };
}

/// The mean of each window, from the sums of stored integers.
static Value emitMean(ConversionPatternRewriter &rewriter, qnn::AvgPool2DOp op,
                      Value image, Value sums, Type element,
                      const std::optional<qnn::Windows> &windows) {
  Location loc = op.getLoc();
  GenericEmitter emitter(rewriter, loc, 4, 4);
  emitter.addInput(sums);
  qnn::QuantParams params = op.getInputParams();
  ZeroPoint zero = ZeroPoint::get(rewriter, loc, params);
  Reader readZero = emitter.add(zero);
  Param scale = Param::scale(rewriter, loc, params);

  Count count;
  if (op.getCountIncludePad())
    count = {windows->dims[0].kernel * windows->dims[1].kernel, {}};
  Count inside = count;
  if (!op.getCountIncludePad() || !zero.isZero())
    inside = product(countAlong(emitter, rewriter, loc, image, 0, windows),
                     countAlong(emitter, rewriter, loc, image, 1, windows));
  if (!op.getCountIncludePad())
    count = inside;

  std::optional<Param> resultScale;
  std::optional<QuantizeTail> tail;
  if (op.hasQuantizedResult()) {
    resultScale = Param::scale(rewriter, loc, op.getResultParams());
    // The factor is greatest for windows of one element.
    bool isFinite = scale.isConstant() && resultScale->isConstant() &&
                    div(rewriter, loc, scale, *resultScale).isFinite();
    tail = makeTail(rewriter, loc, emitter, op.getResultParams(), !isFinite);
  }
  Reader factor = readFactor(rewriter, loc, emitter, scale, resultScale, count);
  Value init = emptyLike(rewriter, loc, sums, element);
  return emitter.build(
      init, 0, op->getName().getStringRef(),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value acc = args[0];
        if (!zero.isZero()) {
          Value z = readZero(b, loc, args), n = inside.read(b, loc, args);
          acc = arith::SubIOp::create(b, loc, acc,
                                      arith::MulIOp::create(b, loc, z, n));
        }
        Value v = arith::SIToFPOp::create(b, loc, b.getF32Type(), acc);
        v = arith::MulFOp::create(b, loc, v, factor(b, loc, args));
        return tail ? tail->emit(b, loc, v, args)
                    : emitRound(b, loc, v, element);
      });
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
struct ConvertMaxPool : OpConversionPattern<qnn::MaxPool2DOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::MaxPool2DOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    bool isSigned = op.getInputParams().isSigned;
    Type storage = getElementTypeOrSelf(adaptor.getInput());
    IntegerAttr least =
        rewriter.getIntegerAttr(storage, isSigned ? llvm::minIntN(8) : 0);
    qnn::Windows windows = op.getWindows();
    requireWindows(rewriter, op, adaptor.getInput(), windows);
    WindowLoops loops = makeLoops(rewriter, op.getLoc(), adaptor.getInput(),
                                  windows, least.getInt());
    replaceValue(rewriter, op,
                 emitReduction(
                     rewriter, op, loops, least,
                     [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                       Value x = args.front(), y = args.back();
                       if (isSigned)
                         return arith::MaxSIOp::create(b, loc, y, x);
                       return arith::MaxUIOp::create(b, loc, y, x);
                     }));
    return success();
  }
};

struct ConvertAvgPool : OpConversionPattern<qnn::AvgPool2DOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::AvgPool2DOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value image = adaptor.getInput();
    std::optional<qnn::Windows> windows;
    if (op.isGlobal()) {
      requireElements(rewriter, op, image);
    } else {
      windows = op.getWindows();
      requireWindows(rewriter, op, image, *windows);
    }
    bool isSigned = op.getInputParams().isSigned;
    WindowLoops loops = makeLoops(rewriter, loc, image, windows, /*padding=*/0);
    Value sums = emitReduction(
        rewriter, op, loops, rewriter.getI32IntegerAttr(0),
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value q = emitDifference(b, loc, args.front(), isSigned, ZeroPoint(),
                                   {}, args);
          return arith::AddIOp::create(b, loc, args.back(), q).getResult();
        });
    Type element = getTypeConverter()->convertType(
        getElementTypeOrSelf(op.getResult().getType()));
    replaceValue(rewriter, op,
                 emitMean(rewriter, op, image, sums, element, windows));
    return success();
  }

private:
  /// Demands that there is a mean of the whole image, and that its sum fits.
  static void requireElements(OpBuilder &builder, qnn::AvgPool2DOp op,
                              Value image) {
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, image);
    for (unsigned d : {1, 2})
      requireSize(builder, op, image, d, 1);
    auto type = cast<RankedTensorType>(image.getType());
    if (!type.isDynamicDim(1) && !type.isDynamicDim(2))
      return;
    int64_t most = op.getMostElements();
    Value elements = arith::MulIOp::create(
        builder, loc, getValueOrCreateConstantIndexOp(builder, loc, sizes[1]),
        getValueOrCreateConstantIndexOp(builder, loc, sizes[2]));
    emitRequirement(builder, op, elements, builder.getIndexAttr(most),
                    "the sum of the image could overflow i32: H * W must be "
                    "at most " +
                        Twine(most));
  }
};
} // namespace

void qcc::populatePoolingPatterns(const StorageTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<ConvertMaxPool, ConvertAvgPool>(converter,
                                               patterns.getContext());
}
