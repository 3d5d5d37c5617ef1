//===- Resize.cpp - qnn.resize --------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over the elements of the result, which takes elements of the image by
// tensor.extract. Where they are follows from sizes that are static: indices
// and weights are constants, one for each row and for each column.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using Reader = GenericEmitter::Reader;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
/// A rational number; sizes of at most 2^24 keep it far from overflow.
struct Rational {
  int64_t numerator, denominator;
};

/// H or W of the image, and of the result.
struct ResizedDim {
  int64_t from, to;
  StringRef transformation;

  /// Where place `o` of the result lies in the image.
  Rational place(int64_t o) const;
  int32_t clamp(int64_t index) const {
    return std::clamp<int64_t>(index, 0, from - 1);
  }
};
} // namespace

Rational ResizedDim::place(int64_t o) const {
  if (transformation == "asymmetric")
    return {o * from, to};
  if (transformation == "half_pixel")
    return {(2 * o + 1) * from - to, 2 * to};
  return {o * (from - 1), std::max<int64_t>(to - 1, 1)};
}

static int64_t nearest(Rational x, StringRef rounding) {
  auto [n, d] = x;
  if (rounding == "floor")
    return llvm::divideFloorSigned(n, d);
  if (rounding == "ceil")
    return llvm::divideCeilSigned(n, d);
  if (rounding == "round_prefer_floor")
    return llvm::divideCeilSigned(2 * n - d, 2 * d);
  return llvm::divideFloorSigned(2 * n + d, 2 * d);
}

namespace {
/// What the loops along H or W read: of the mode nearest one index for each
/// place, of linear two, and the weight of the second.
struct Places {
  SmallVector<int32_t> first, second;
  SmallVector<float> weights;
};
} // namespace

static Places nearestPlaces(const ResizedDim &dim, StringRef rounding) {
  Places places;
  for (int64_t o = 0; o < dim.to; ++o)
    places.first.push_back(dim.clamp(nearest(dim.place(o), rounding)));
  return places;
}

static Places linearPlaces(const ResizedDim &dim) {
  Places places;
  for (int64_t o = 0; o < dim.to; ++o) {
    auto [n, d] = dim.place(o);
    int64_t index = llvm::divideFloorSigned(n, d);
    places.first.push_back(dim.clamp(index));
    places.second.push_back(dim.clamp(index + 1));
    // Rounded once: a quotient of integers below 2^29 is so far from the middle
    // between two f32 numbers that rounding it to f64 first changes nothing.
    double rest = n - index * d;
    places.weights.push_back(static_cast<float>(rest / static_cast<double>(d)));
  }
  return places;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {
/// The loop over the result of an op, and how it reads the image.
class ResizeLoop {
public:
  ResizeLoop(ConversionPatternRewriter &rewriter, qnn::ResizeOp op, Value image)
      : op(op), rewriter(rewriter), image(image),
        emitter(rewriter, op.getLoc(), 4, 4) {}

  ResizedDim dim(unsigned d) const {
    qnn::ResizeOp resize = op;
    return {cast<RankedTensorType>(image.getType()).getDimSize(d),
            cast<RankedTensorType>(resize.getResult().getType()).getDimSize(d),
            resize.getCoordinateTransformation()};
  }

  /// A constant with an element for each place of the result along `d`.
  template <typename T> Reader addTable(ArrayRef<T> values, unsigned d) {
    Type element = std::is_same_v<T, float> ? Type(rewriter.getF32Type())
                                            : Type(rewriter.getI32Type());
    auto type = RankedTensorType::get({int64_t(values.size())}, element);
    Value table = arith::ConstantOp::create(
        rewriter, op.getLoc(), DenseElementsAttr::get(type, values));
    unsigned number = emitter.addInput(
        table, AffineMap::get(4, 0, rewriter.getAffineDimExpr(d)));
    return [number](OpBuilder &, Location, ValueRange args) {
      return args[number];
    };
  }

  /// The stored integer at a row and a column of the image, in the batch and
  /// the channel of the result.
  Reader stored(const Reader &row, const Reader &column) const {
    return [=, image = image](OpBuilder &b, Location loc, ValueRange args) {
      auto index = [&](const Reader &read) -> Value {
        return arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                          read(b, loc, args));
      };
      Value n = linalg::IndexOp::create(b, loc, 0);
      Value y = index(row), x = index(column);
      Value c = linalg::IndexOp::create(b, loc, 3);
      return tensor::ExtractOp::create(b, loc, image, ValueRange{n, y, x, c})
          .getResult();
    };
  }

  Value build(Type element, Reader body) {
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, image);
    for (unsigned d : {1, 2})
      sizes[d] = rewriter.getIndexAttr(dim(d).to);
    Value init = tensor::EmptyOp::create(rewriter, loc, sizes, element);
    return emitter.build(init, 0, op->getName().getStringRef(), body);
  }

  qnn::ResizeOp op;
  ConversionPatternRewriter &rewriter;
  Value image;
  GenericEmitter emitter;
};
} // namespace

static Value emitNearest(ResizeLoop &loop, Type element) {
  Reader index[2];
  for (unsigned d : {1, 2}) {
    Places places = nearestPlaces(loop.dim(d), *loop.op.getRounding());
    index[d - 1] = loop.addTable(ArrayRef(places.first), d);
  }
  return loop.build(element, loop.stored(index[0], index[1]));
}

/// fma(b - a, weight, a)
static Value interpolate(OpBuilder &builder, Location loc, Value a, Value b,
                         Value weight) {
  Value difference = arith::SubFOp::create(builder, loc, b, a);
  return math::FmaOp::create(builder, loc, difference, weight, a);
}

static Value emitLinear(ResizeLoop &loop, Type element) {
  ConversionPatternRewriter &rewriter = loop.rewriter;
  Location loc = loop.op.getLoc();
  // The first and the second row, then the columns.
  Reader index[2][2], weight[2];
  for (unsigned d : {1, 2}) {
    Places places = linearPlaces(loop.dim(d));
    index[d - 1][0] = loop.addTable(ArrayRef(places.first), d);
    index[d - 1][1] = loop.addTable(ArrayRef(places.second), d);
    weight[d - 1] = loop.addTable(ArrayRef(places.weights), d);
  }
  qnn::QuantParams params = loop.op.getInputParams();
  ZeroPoint zero = ZeroPoint::get(rewriter, loc, params);
  Reader readZero = loop.emitter.add(zero);
  Param factor = Param::scale(rewriter, loc, params);
  std::optional<QuantizeTail> tail;
  if (loop.op.hasQuantizedResult()) {
    qnn::QuantParams to = loop.op.getResultParams();
    factor = div(rewriter, loc, factor, Param::scale(rewriter, loc, to));
    tail = makeTail(rewriter, loc, loop.emitter, to, !factor.isFinite());
  }
  Reader readFactor = loop.emitter.add(factor);
  auto real = [&](unsigned row, unsigned column) -> Reader {
    Reader stored = loop.stored(index[0][row], index[1][column]);
    return [=, isSigned = params.isSigned](OpBuilder &b, Location loc,
                                           ValueRange args) -> Value {
      Value q = emitDifference(b, loc, stored(b, loc, args), isSigned, zero,
                               readZero, args);
      return arith::SIToFPOp::create(b, loc, b.getF32Type(), q);
    };
  };
  return loop.build(element, [&](OpBuilder &b, Location loc, ValueRange args) {
    Value h[2], wx = weight[1](b, loc, args);
    for (unsigned row : {0, 1}) {
      Value left = real(row, 0)(b, loc, args);
      Value right = real(row, 1)(b, loc, args);
      h[row] = interpolate(b, loc, left, right, wx);
    }
    Value v = interpolate(b, loc, h[0], h[1], weight[0](b, loc, args));
    v = arith::MulFOp::create(b, loc, v, readFactor(b, loc, args));
    return tail ? tail->emit(b, loc, v, args) : emitRound(b, loc, v, element);
  });
}

namespace {
struct ConvertResize : OpConversionPattern<qnn::ResizeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(qnn::ResizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ResizeLoop loop(rewriter, op, adaptor.getInput());
    Type element = getTypeConverter()->convertType(
        getElementTypeOrSelf(op.getResult().getType()));
    replaceValue(rewriter, op,
                 op.isNearest() ? emitNearest(loop, element)
                                : emitLinear(loop, element));
    return success();
  }
};
} // namespace

void qcc::populateResizePatterns(const StorageTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<ConvertResize>(converter, patterns.getContext());
}
