//===- LinalgLoopsAnalysis.cpp - How loops of a linalg op may be run ------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a linalg op allows, such as vectors along a dimension, and the choice of
// the dimensions that lanes and rows go along. Nothing here emits code.
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// What the op allows
//===----------------------------------------------------------------------===//

LinalgLoops::Movement LinalgLoops::getMovement(OpOperand &operand,
                                               unsigned dim) const {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!type || !map.isFunctionOfDim(dim))
    return Movement::None;
  // i1 and other fractions of a byte have another layout in vectors.
  Type element = type.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return Movement::Other;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return Movement::Other;
  for (AffineExpr result : map.getResults().drop_back())
    if (result.isFunctionOfDim(dim))
      return Movement::Other;
  AffineExpr last = map.getResults().back();
  AffineExpr d = getAffineDimExpr(dim, op.getContext());
  AffineExpr step = simplifyAffineExpr(last.replace(d, d + 1) - last,
                                       map.getNumDims(), map.getNumSymbols());
  auto constant = dyn_cast<AffineConstantExpr>(step);
  return constant && constant.getValue() == 1 ? Movement::Contiguous
                                              : Movement::Other;
}

bool LinalgLoops::isBodyMappable() const {
  return llvm::all_of(
      op.getBlock()->without_terminator(), [](Operation &nested) {
        auto isElement = [](Type type) {
          return VectorType::isValidElementType(type);
        };
        return isa<linalg::IndexOp, arith::ConstantOp>(nested) ||
               (OpTrait::hasElementwiseMappableTraits(&nested) &&
                llvm::all_of(nested.getOperandTypes(), isElement) &&
                llvm::all_of(nested.getResultTypes(), isElement));
      });
}

bool LinalgLoops::isBodySpeculatable() const {
  return llvm::all_of(op.getBlock()->without_terminator(),
                      [](Operation &nested) { return isPure(&nested); });
}

unsigned LinalgLoops::getVectorWidth(unsigned bits) const {
  unsigned widest = 8;
  auto see = [&](Type type) {
    type = getElementTypeOrSelf(type);
    if (type.isIndex())
      widest = 64;
    else if (type.isIntOrFloat())
      widest = std::max(widest, type.getIntOrFloatBitWidth());
  };
  for (Type type : op->getOperandTypes())
    see(type);
  for (Operation &nested : *op.getBlock())
    for (Type type : nested.getResultTypes())
      see(type);
  return llvm::bit_floor(bits / std::min(widest, bits));
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

std::optional<InnermostDim> qcc::chooseInnermostDim(const LinalgLoops &loops) {
  linalg::LinalgOp op = loops.op;
  ArrayRef<unsigned> parallel = loops.getParallelDims();
  if (parallel.empty())
    return std::nullopt;
  for (unsigned dim : llvm::reverse(parallel)) {
    auto isContiguous = [&](OpOperand &output) {
      return loops.getMovement(output, dim) ==
             LinalgLoops::Movement::Contiguous;
    };
    if (llvm::all_of(op.getDpsInitsMutable(), isContiguous))
      return InnermostDim{dim, true};
  }
  return InnermostDim{parallel.back(), false};
}

/// The largest number of vectors that are interleaved.
static constexpr int64_t kMostInterleaved = 16;

/// Whether a map ends with two single dimensions, which are returned.
static std::optional<std::pair<unsigned, unsigned>> lastTwoDims(AffineMap map) {
  if (map.getNumResults() < 2)
    return std::nullopt;
  auto outer = dyn_cast<AffineDimExpr>(map.getResults().drop_back().back());
  auto inner = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!outer || !inner)
    return std::nullopt;
  return std::pair(outer.getPosition(), inner.getPosition());
}

/// Whether an operand has the elements of the two dimensions side by side.
static bool hasInterleaved(const LinalgLoops &loops, OpOperand &operand,
                           std::pair<unsigned, unsigned> dims) {
  AffineMap map = loops.op.getMatchingIndexingMap(&operand);
  if (lastTwoDims(map) != dims ||
      llvm::any_of(map.getResults().drop_back(2), [&](AffineExpr expr) {
        return expr.isFunctionOfDim(dims.first) ||
               expr.isFunctionOfDim(dims.second);
      }))
    return false;
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return type &&
         loops.getMovement(operand, dims.second) ==
             LinalgLoops::Movement::Contiguous &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides[strides.size() - 2] ==
             loops.op.getStaticLoopRanges()[dims.second];
}

std::optional<InterleavedDims>
qcc::chooseInterleavedDims(const LinalgLoops &loops) {
  linalg::LinalgOp op = loops.op;
  if (!loops.getReductionDims().empty() || op.getNumDpsInits() != 1 ||
      !loops.isBodyMappable())
    return std::nullopt;
  OpOperand &output = *op.getDpsInitOperand(0);
  auto dims = lastTwoDims(op.getMatchingIndexingMap(&output));
  if (!dims || op.payloadUsesValueFromOperand(&output) ||
      !hasInterleaved(loops, output, *dims))
    return std::nullopt;
  InterleavedDims result{
      dims->first, dims->second, op.getStaticLoopRanges()[dims->second], {}};
  if (result.count < 2 || result.count > kMostInterleaved)
    return std::nullopt;
  // It is worth it where that saves to gather elements one by one.
  bool gathers = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!op.payloadUsesValueFromOperand(input))
      continue;
    if (hasInterleaved(loops, *input, *dims)) {
      result.interleaved.push_back(input);
      continue;
    }
    if (loops.getMovement(*input, result.along) == LinalgLoops::Movement::Other)
      return std::nullopt;
    gathers |=
        loops.getMovement(*input, result.phase) == LinalgLoops::Movement::Other;
  }
  return gathers ? std::optional(result) : std::nullopt;
}

/// The largest tile that is turned in registers: 16 of them, of 16 bytes each
/// where there are no more.
static constexpr unsigned kMostTransposed = 16;
/// A body with more operations than this is not repeated for the rows of a
/// tile.
static constexpr size_t kLargestTransposedBody = 16;

/// The parallel dimension other than `column` along which all inputs that are
/// gathered along `column` are contiguous.
static std::optional<unsigned>
findTransposedRow(const LinalgLoops &loops, unsigned column,
                  ArrayRef<OpOperand *> gathered) {
  for (unsigned dim : llvm::reverse(loops.getParallelDims()))
    if (dim != column && llvm::all_of(gathered, [&](OpOperand *input) {
          return loops.getMovement(*input, dim) ==
                 LinalgLoops::Movement::Contiguous;
        }))
      return dim;
  return std::nullopt;
}

std::optional<TransposedDims>
qcc::chooseTransposedDims(const LinalgLoops &loops, unsigned vectorBits) {
  linalg::LinalgOp op = loops.op;
  std::optional<InnermostDim> innermost = chooseInnermostDim(loops);
  if (!loops.getReductionDims().empty() || !innermost ||
      !innermost->isContiguous || !loops.isBodyMappable() ||
      op.getBlock()->getOperations().size() > kLargestTransposedBody)
    return std::nullopt;
  TransposedDims dims{0, innermost->dim, 0, {}};
  for (OpOperand *input : op.getDpsInputOperands())
    if (loops.getMovement(*input, dims.column) == LinalgLoops::Movement::Other)
      dims.transposed.push_back(input);
  if (dims.transposed.empty())
    return std::nullopt;
  std::optional<unsigned> row =
      findTransposedRow(loops, dims.column, dims.transposed);
  if (!row)
    return std::nullopt;
  dims.row = *row;
  dims.width = std::min(loops.getVectorWidth(vectorBits), kMostTransposed);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (int64_t size : {sizes[dims.row], sizes[dims.column]})
    if (!ShapedType::isDynamic(size))
      dims.width = std::min<unsigned>(
          dims.width, llvm::bit_floor(uint64_t(std::max<int64_t>(size, 1))));
  constexpr unsigned leastWidth = 4;
  return dims.width >= leastWidth ? std::optional(dims) : std::nullopt;
}

std::optional<unsigned> qcc::chooseRowDim(const LinalgLoops &loops,
                                          unsigned fastest) {
  linalg::LinalgOp op = loops.op;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (unsigned dim : llvm::reverse(loops.getParallelDims())) {
    if (dim == fastest || sizes[dim] == 1)
      continue;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (map.isFunctionOfDim(fastest) && !map.isFunctionOfDim(dim))
        return dim;
    }
  }
  return std::nullopt;
}

bool qcc::isMaskable(const LinalgLoops &loops, unsigned dim,
                     unsigned vectorBits) {
  if (!loops.isBodySpeculatable())
    return false;
  return llvm::all_of(loops.op->getOpOperands(), [&](OpOperand &operand) {
    Type element = getElementTypeOrSelf(operand.get().getType());
    LinalgLoops::Movement movement = loops.getMovement(operand, dim);
    return movement == LinalgLoops::Movement::None ||
           (movement == LinalgLoops::Movement::Contiguous &&
            (vectorBits >= 512 || element.getIntOrFloatBitWidth() >= 32));
  });
}

Segments qcc::chooseSegments(const LinalgLoops &loops, InnermostDim innermost,
                             unsigned vectorBits, unsigned unroll) {
  Segments segments{innermost.dim, {}};
  uint64_t width = loops.getVectorWidth(vectorBits);
  int64_t size = loops.op.getStaticLoopRanges()[innermost.dim];
  bool isDynamic = ShapedType::isDynamic(size);
  if (innermost.isContiguous && loops.isBodyMappable()) {
    while (!isDynamic && unroll > 1 && size < int64_t(unroll * width))
      unroll /= 2;
    for (; unroll > 1; unroll /= 4)
      segments.widths.push_back(unroll * width);
    bool isMasked = isMaskable(loops, innermost.dim, vectorBits);
    if (!isDynamic)
      width = std::min(width, isMasked ? llvm::bit_ceil(uint64_t(size))
                                       : llvm::bit_floor(uint64_t(size)));
    if (width > 1) {
      if (isDynamic || size >= int64_t(width))
        segments.widths.push_back(width);
      if (!isDynamic && size % int64_t(width) == 0)
        return segments;
      if (isMasked) {
        segments.masked = width;
        return segments;
      }
    }
  }
  segments.widths.push_back(1);
  return segments;
}
