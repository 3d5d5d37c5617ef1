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

std::optional<int64_t> LinalgLoops::getStep(OpOperand &operand,
                                            unsigned dim) const {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  // i1 and other fractions of a byte have another layout in vectors.
  Type element = type ? type.getElementType() : Type();
  if (!element || !element.isIntOrFloat() ||
      element.getIntOrFloatBitWidth() % 8 != 0)
    return std::nullopt;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.empty() ||
      strides.back() != 1)
    return std::nullopt;
  for (AffineExpr result : map.getResults().drop_back())
    if (result.isFunctionOfDim(dim))
      return std::nullopt;
  AffineExpr last = map.getResults().back();
  AffineExpr d = getAffineDimExpr(dim, op.getContext());
  auto step = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
      last.replace(d, d + 1) - last, map.getNumDims(), map.getNumSymbols()));
  return step ? std::optional(step.getValue()) : std::nullopt;
}

LinalgLoops::Movement LinalgLoops::getMovement(OpOperand &operand,
                                               unsigned dim) const {
  if (!isa<MemRefType>(operand.get().getType()) ||
      !op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim))
    return Movement::None;
  return getStep(operand, dim) == 1 ? Movement::Contiguous : Movement::Other;
}

bool LinalgLoops::isGathered(OpOperand &operand, unsigned dim) const {
  return getMovement(operand, dim) == Movement::Other &&
         !isShuffled(getStep(operand, dim));
}

DenseSet<Value> LinalgLoops::listVarying(unsigned dim) const {
  DenseSet<Value> varying;
  for (OpOperand *input : op.getDpsInputOperands())
    if (getMovement(*input, dim) != Movement::None)
      varying.insert(op.getMatchingBlockArgument(input));
  varying.insert(op.getRegionOutputArgs().begin(),
                 op.getRegionOutputArgs().end());
  for (Operation &nested : op.getBlock()->without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(nested);
    if (index ? index.getDim() == dim
              : llvm::any_of(nested.getOperands(), [&](Value operand) {
                  return varying.contains(operand);
                }))
      varying.insert(nested.result_begin(), nested.result_end());
  }
  return varying;
}

/// Whether a value is the index of the dimension, plus what does not vary.
static bool countsDim(Value value, unsigned dim,
                      const DenseSet<Value> &varying) {
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return index.getDim() == dim;
  auto add = value.getDefiningOp<arith::AddIOp>();
  if (!add)
    return false;
  auto isSum = [&](Value a, Value b) {
    return !varying.contains(b) && countsDim(a, dim, varying);
  };
  return isSum(add.getLhs(), add.getRhs()) || isSum(add.getRhs(), add.getLhs());
}

LoadKind qcc::getLoadKind(memref::LoadOp load, unsigned dim,
                          const DenseSet<Value> &varying) {
  auto isVarying = [&](Value index) { return varying.contains(index); };
  if (llvm::none_of(load.getIndices(), isVarying))
    return LoadKind::Single;
  MemRefType type = load.getMemRefType();
  Type element = type.getElementType();
  SmallVector<int64_t> strides;
  int64_t offset;
  bool isContiguous = element.isIntOrFloat() &&
                      element.getIntOrFloatBitWidth() % 8 == 0 &&
                      succeeded(type.getStridesAndOffset(strides, offset)) &&
                      strides.back() == 1 &&
                      llvm::none_of(load.getIndices().drop_back(), isVarying) &&
                      countsDim(load.getIndices().back(), dim, varying);
  return isContiguous ? LoadKind::Contiguous : LoadKind::Gather;
}

SmallVector<memref::LoadOp> LinalgLoops::listGathers(unsigned dim) const {
  SmallVector<memref::LoadOp> gathers;
  DenseSet<Value> needed, varying = listVarying(dim);
  for (Operation *nested : listNeeded(
           llvm::to_vector(op.getBlock()->getTerminator()->getOperands()),
           /*onLanes=*/true, needed))
    if (auto load = dyn_cast<memref::LoadOp>(nested))
      if (getLoadKind(load, dim, varying) == LoadKind::Gather)
        gathers.push_back(load);
  return gathers;
}

bool LinalgLoops::hasLoads() const {
  return !op.getBlock()->getOps<memref::LoadOp>().empty();
}

SmallVector<Operation *>
LinalgLoops::listNeeded(ArrayRef<Value> wanted, bool onLanes,
                        DenseSet<Value> &needed) const {
  needed.insert(wanted.begin(), wanted.end());
  SmallVector<Operation *> ops;
  for (Operation &nested : llvm::reverse(op.getBlock()->without_terminator())) {
    bool isUsed = llvm::any_of(nested.getResults(), [&](Value result) {
      return needed.contains(result);
    });
    bool isLoad = isa<memref::LoadOp>(nested);
    if (!isUsed && (isLoad || isMemoryEffectFree(&nested)))
      continue;
    ops.push_back(&nested);
    if (isLoad && onLanes)
      continue;
    nested.walk([&](Operation *inner) {
      needed.insert(inner->operand_begin(), inner->operand_end());
    });
  }
  return ops;
}

/// Whether a value of a body depends on values of its outputs.
static bool dependsOnOutputs(Value value, linalg::LinalgOp op) {
  SmallVector<Value> left{value};
  DenseSet<Value> seen{value};
  while (!left.empty()) {
    Value next = left.pop_back_val();
    if (llvm::is_contained(op.getRegionOutputArgs(), next))
      return true;
    if (Operation *def = next.getDefiningOp();
        def && def->getBlock() == op.getBlock())
      for (Value operand : def->getOperands())
        if (seen.insert(operand).second)
          left.push_back(operand);
  }
  return false;
}

bool LinalgLoops::isBodyMappable() const {
  return llvm::all_of(
      op.getBlock()->without_terminator(), [&](Operation &nested) {
        auto isElement = [](Type type) {
          return VectorType::isValidElementType(type);
        };
        // Indices are computed for each lane by itself.
        if (auto load = dyn_cast<memref::LoadOp>(nested))
          return isElement(load.getType()) &&
                 load.getMemref().getParentBlock() != op.getBlock() &&
                 llvm::none_of(load.getIndices(), [&](Value index) {
                   return dependsOnOutputs(index, op);
                 });
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
  DenseSet<Value> needed;
  SmallVector<Operation *> ops =
      listNeeded(llvm::to_vector(op.getBlock()->getTerminator()->getOperands()),
                 /*onLanes=*/true, needed);
  for (OpOperand &operand : op->getOpOperands())
    if (op.isDpsInit(&operand) ||
        needed.contains(op.getMatchingBlockArgument(&operand)))
      see(operand.get().getType());
  for (Operation *nested : ops)
    for (Type type : nested->getResultTypes())
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
/// The largest number of times that an element is repeated by interleaving.
static constexpr int64_t kMostRepeated = 4;

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
      !loops.isBodyMappable() || loops.hasLoads())
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
    LinalgLoops::Movement phase = loops.getMovement(*input, result.phase);
    // Vectors of so few phases would be short.
    bool isRepeated = phase == LinalgLoops::Movement::None &&
                      result.count <= kMostRepeated &&
                      loops.getMovement(*input, result.along) ==
                          LinalgLoops::Movement::Contiguous;
    gathers |= phase == LinalgLoops::Movement::Other || isRepeated;
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
      !innermost->isContiguous || !loops.isBodyMappable() || loops.hasLoads() ||
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
                                          unsigned fastest, unsigned rows) {
  linalg::LinalgOp op = loops.op;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto sharesAnInput = [&](unsigned dim) {
    return dim != fastest && sizes[dim] != 1 &&
           llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
             AffineMap map = op.getMatchingIndexingMap(input);
             return map.isFunctionOfDim(fastest) && !map.isFunctionOfDim(dim);
           });
  };
  std::optional<unsigned> found;
  for (unsigned dim : llvm::reverse(loops.getParallelDims())) {
    if (!sharesAnInput(dim))
      continue;
    bool isDynamic = ShapedType::isDynamic(sizes[dim]);
    if (found ? !isDynamic && sizes[dim] % rows == 0 : !isDynamic)
      return dim;
    if (!found)
      found = dim;
  }
  return found;
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
