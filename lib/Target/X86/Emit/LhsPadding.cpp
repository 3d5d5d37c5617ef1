//===- LhsPadding.cpp - A left operand as if it were padded ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LhsPadding.h"
#include "../Layout/SharedWindows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

/// The bytes by which a line of padding is filled.
constexpr int64_t kVector = 64;

/// The elements of a line, from dimension `first` on, if it is compact and not
/// too long.
static std::optional<int64_t> sizeOfLine(MemRefType type, unsigned first) {
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t elements = 1;
  for (int64_t d = type.getRank() - 1; d >= int64_t(first); --d) {
    if (type.isDynamicDim(d) || strides[d] != elements)
      return std::nullopt;
    elements *= type.getDimSize(d);
    if (elements > kMaxLineOfPadding)
      return std::nullopt;
  }
  return elements;
}

LhsPadding::LhsPadding(KernelBuilder &builder, Contraction &contraction)
    : builder(builder), contraction(contraction) {
  kernel::ContractOp op = contraction.op;
  if (!op.getLhsPadding())
    return;
  widths = op.getLhsPaddingWidths();
  lineDim = SharedWindows::of(op).lineDim;
  int64_t elements = contraction.nr;
  if (lineDim)
    if (std::optional<int64_t> line = sizeOfLine(lhsType(), *lineDim)) {
      hasLine = true;
      elements = std::max(elements, *line);
    }
  memory =
      contraction.allocate(builder, {(int64_t)llvm::alignTo(elements, kVector)},
                           builder.rewriter.getI8Type());
}

MemRefType LhsPadding::lhsType() const {
  return cast<MemRefType>(contraction.op.getLhs().getType());
}

bool LhsPadding::isReadBy(int64_t row, int64_t count) const {
  if (!lineDim || widths[2 * *lineDim] + widths[2 * *lineDim + 1] == 0)
    return false;
  if (lhsType().isDynamicDim(*lineDim))
    return true;
  kernel::ContractOp op = contraction.op;
  SmallVector<int64_t> factors = *kernel::windowFactors(
      op.getLhsMap().getResult(*lineDim), op.getNumLoops());
  int64_t stride = factors[*contraction.roles.m], reach = 0;
  for (auto [dim, size] :
       llvm::zip_equal(op.getReductionDims(), op.getReductionSizes()))
    reach += factors[dim] * (size - 1);
  int64_t low = widths[2 * *lineDim];
  return row * stride < low || (row + count - 1) * stride + reach >=
                                   low + lhsType().getDimSize(*lineDim);
}

void LhsPadding::prepare() {
  int8_t value = contraction.op.getLhsPaddingAttr().getValue();
  Value vector = builder.splat(builder.vectorType(kVector, 8), value);
  builder.forEach(
      builder.index(0),
      builder.index(cast<MemRefType>(memory.getType()).getDimSize(0)), kVector,
      [&](Value at) {
        vector::StoreOp::create(builder.rewriter, builder.loc, vector, memory,
                                at);
      });
}

Value LhsPadding::choose(Value inside, ArrayRef<Value> indices, bool isLine,
                         OpFoldResult columns) {
  RewriterBase &rewriter = builder.rewriter;
  Location loc = builder.loc;
  Value lhs = contraction.op.getLhs();
  MemRefType type = lhsType();
  int64_t rank = type.getRank();
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets = getAsOpFoldResult(indices),
                            sizes(rank, one), ones(rank, one), strides;
  sizes.back() = columns;
  for (int64_t d = isLine ? *lineDim : rank; d < rank; ++d) {
    offsets[d] = zero;
    sizes[d] = rewriter.getIndexAttr(type.getDimSize(d));
  }
  auto ofLhs =
      memref::SubViewOp::create(rewriter, loc, lhs, offsets, sizes, ones);
  // Padding has the strides of the operand. One element of it stands for
  // columns that lie apart.
  SmallVector<int64_t> lineStrides = type.getStridesAndOffset().first;
  if (!type.isLastDimUnitStride())
    lineStrides.back() = ShapedType::kDynamic;
  for (int64_t stride : lineStrides)
    strides.push_back(
        ShapedType::isDynamic(stride) ? zero : rewriter.getIndexAttr(stride));
  auto ofPadding = memref::ReinterpretCastOp::create(rewriter, loc, memory,
                                                     zero, sizes, strides);
  auto line = MemRefType::get(ofLhs.getType().getShape(), type.getElementType(),
                              StridedLayoutAttr::get(rewriter.getContext(),
                                                     ShapedType::kDynamic,
                                                     lineStrides));
  auto toLine = [&](Value view) {
    return rewriter.createOrFold<memref::CastOp>(loc, line, view);
  };
  return rewriter.createOrFold<arith::SelectOp>(loc, inside, toLine(ofLhs),
                                                toLine(ofPadding));
}

Value LhsPadding::readBytes(VectorPosition position, int64_t size,
                            int64_t count, bool isInLine) {
  RewriterBase &rewriter = builder.rewriter;
  Location loc = builder.loc;
  kernel::ContractOp op = contraction.op;
  unsigned rank = lhsType().getRank();
  SmallVector<Value> indices =
      operandIndices(rewriter, loc, op.getLhsMap(), position.index);
  Value inside;
  bool choosesLine = hasLine;
  for (auto [d, index] : llvm::enumerate(indices)) {
    if (widths[2 * d] + widths[2 * d + 1] == 0)
      continue;
    index = builder.sub(index, builder.index(widths[2 * d]));
    if (isInLine && d == lineDim)
      continue;
    // A negative index is a large one.
    Value isInside = rewriter.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::ult, index,
        rewriter.createOrFold<memref::DimOp>(loc, op.getLhs(), d));
    if (matchPattern(isInside, m_Zero()))
      return builder.splat(builder.vectorType(size, 8),
                           int8_t(op.getLhsPaddingAttr().getValue()));
    if (matchPattern(isInside, m_One()))
      continue;
    choosesLine &= lineDim && d < *lineDim;
    inside = inside ? arith::AndIOp::create(rewriter, loc, inside, isInside)
                    : isInside;
  }
  position.lanes = size;
  position.inBounds = count >= size;
  Value from = op.getLhs();
  if (inside) {
    // No count means that the number of columns is not known.
    OpFoldResult columns = rewriter.getIndexAttr(std::min(size, count));
    if (count == 0)
      columns =
          builder.sub(rewriter.createOrFold<memref::DimOp>(loc, from, rank - 1),
                      indices.back());
    from = choose(inside, indices, choosesLine, columns);
    unsigned chosen = choosesLine ? *lineDim : rank;
    std::fill_n(indices.begin(), chosen, builder.index(0));
  }
  position.index = indices;
  position.vectorDim = indices.size() - 1;
  return readVector(
      rewriter, loc, from,
      AffineMap::getMultiDimIdentityMap(indices.size(), op.getContext()),
      position);
}
