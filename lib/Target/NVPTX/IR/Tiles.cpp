//===- Tiles.cpp - Which tiles there are ----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/Spec.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

/// What operands start at a multiple of.
constexpr int64_t kMostAligned = 16;

//===----------------------------------------------------------------------===//
// Parts and guards
//===----------------------------------------------------------------------===//

std::optional<std::string> qcc::nvptx::refuseParts(kernel::ContractOp op,
                                                   int64_t parts) {
  if (parts == 1)
    return std::nullopt;
  std::string text =
      llvm::formatv("lowering_config has {0} parts of K, but ", parts);
  if (op.hasGroups())
    return text + "the chain over groups of K has one order; leave parts out";
  if (op.getRhsZeroPoint() &&
      llvm::any_of(op.getStaticLoopSizes(), ShapedType::isDynamic))
    return text + "with a zero point of the right operand all sizes have to be "
                  "known; leave parts out";
  int64_t size = op.getReductionSizes().front();
  int64_t unit = op.getReductionDims().size() == 1 ? kPackedStep : 1;
  if (size % (parts * unit) != 0)
    return llvm::formatv("{0}its outermost dimension has {1} elements, which "
                         "are not as many parts of whole steps of {2}; choose "
                         "another number",
                         text, size, unit)
        .str();
  unsigned dim = op.getReductionDims().front();
  for (AffineMap map : op.getLhsOperandMaps())
    if (map.isFunctionOfDim(dim))
      return text + "an operand of the prologue differs along K; leave parts "
                    "out";
  return std::nullopt;
}

std::optional<std::string> qcc::nvptx::refuseGuards(kernel::ContractOp op,
                                                    ConfigAttr config) {
  if (!config.hasGuard())
    return std::nullopt;
  if (!config.isPacked())
    return ("lowering_config has a guard, which strategy " +
            config.getStrategy() + " does not ask for; leave it out")
        .str();
  if (config.getParts() > 1)
    return std::string("lowering_config has both a guard and parts of K, whose "
                       "sums are added whatever the rows are; leave out one");
  return std::nullopt;
}

SmallVector<unsigned> qcc::nvptx::rowLoopsOf(kernel::ContractOp op) {
  kernel::ContractOp::Roles roles = *op.getRoles();
  SmallVector<unsigned> loops;
  for (AffineExpr result : op.getOutMaps().front().getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (dim && dim.getPosition() != roles.n &&
        !llvm::is_contained(roles.batch, dim.getPosition()))
      loops.push_back(dim.getPosition());
  }
  return loops;
}

std::optional<int64_t> qcc::nvptx::mostRowsOf(kernel::ContractOp op,
                                              ConfigAttr config) {
  int64_t rows = 1;
  SmallVector<int64_t> sizes = op.getStaticLoopSizes();
  for (unsigned loop : rowLoopsOf(op)) {
    if (ShapedType::isDynamic(sizes[loop]))
      return config.getRowsUpTo() ? std::optional(config.getRowsUpTo())
                                  : std::nullopt;
    rows *= sizes[loop];
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// Groups of K
//===----------------------------------------------------------------------===//

int64_t qcc::nvptx::groupSize(kernel::ContractOp op) {
  assert(op.hasGroups() && "the contraction has groups of K");
  return op.getReductionSize() / op.getReductionSizes().front();
}

bool qcc::nvptx::hasGroupsInSlices(kernel::ContractOp op) {
  if (!op.hasGroups() || op.getReductionDims().size() != 2)
    return false;
  int64_t size = groupSize(op);
  return (size == kPackedStep / 4 || size == kPackedStep / 2) &&
         op.getReductionSize() % kPackedStep == 0;
}

bool qcc::nvptx::fitsNibbles(kernel::ContractOp op) {
  // Sums are 16 times as large.
  constexpr int64_t kMostElements = 1 << 14;
  DenseI64ArrayAttr range = op.getKnownFacts().rhsRange;
  if (!op.hasGroups() || !range || groupSize(op) > kMostElements)
    return false;
  int64_t low = range[0], high = range[1];
  return op.getRhsUnsigned() ? low >= 0 && high <= 15 : low >= -8 && high <= 7;
}

/// Whether the elements of a group of K follow those of the group before.
static bool hasGroupsSideBySide(ShapedType type, AffineMap map,
                                kernel::ContractOp op) {
  ArrayRef<int64_t> dims = op.getReductionDims();
  auto position = [&](int64_t loop) {
    return map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
  };
  std::optional<unsigned> group = position(dims[0]), k = position(dims[1]);
  if (!group || !k)
    return false;
  if (auto memref = dyn_cast<MemRefType>(type)) {
    auto strides = memref.getStridesAndOffset().first;
    return strides[*group] == groupSize(op) && strides[*k] == 1;
  }
  return *k + 1 == type.getRank() && *group + 1 == *k &&
         type.getDimSize(*k) == groupSize(op);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

std::optional<int64_t> qcc::nvptx::alignmentAlong(ShapedType type,
                                                  AffineMap map, unsigned k) {
  assert(int64_t(map.getNumResults()) == type.getRank() &&
         k < map.getNumDims() &&
         "the map is of the operand, and k one of its loops");
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  int64_t alignment = kMostAligned;
  bool isView = false;
  if (auto memref = dyn_cast<MemRefType>(type)) {
    auto [known, offset] = memref.getStridesAndOffset();
    strides = known;
    alignment = std::gcd(alignment, ShapedType::isDynamic(offset) ? 1 : offset);
    isView = !memref.getLayout().isIdentity();
  }
  // What divides the stride of each dimension, and whether it is the stride.
  int64_t next = 1;
  bool isStride = true;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (!ShapedType::isDynamic(strides[dim])) {
      next = strides[dim];
      isStride = true;
    } else if (isView) {
      next = 1;
      isStride = false;
    }
    auto factors = kernel::windowFactors(map.getResult(dim), map.getNumDims());
    if (!factors ||
        ((*factors)[k] != 0 && ((*factors)[k] != 1 || next != 1 || !isStride)))
      return std::nullopt;
    for (auto [loop, factor] : llvm::enumerate(*factors))
      if (loop != k)
        alignment = std::gcd(alignment, factor * next);
    if (type.isDynamicDim(dim))
      isStride = false;
    else
      next *= type.getDimSize(dim);
  }
  assert(llvm::isPowerOf2_64(alignment) && alignment <= kMostAligned &&
         "an alignment divides 16");
  return map.isFunctionOfDim(k) ? std::optional(alignment) : std::nullopt;
}

std::optional<int64_t> qcc::nvptx::alignmentAlongK(kernel::ContractOp op) {
  if (!op.getLhsPrologue().empty())
    return std::nullopt;
  auto type = cast<ShapedType>(op.getLhs().getType());
  if (hasGroupsInSlices(op) && !hasGroupsSideBySide(type, op.getLhsMap(), op))
    return std::nullopt;
  return alignmentAlong(type, op.getLhsMap(), op.getReductionDims().back());
}

int64_t qcc::nvptx::columnsOfThread(kernel::ContractOp op, ConfigAttr config) {
  int64_t widest = 1;
  for (Value out : op.getOuts()) {
    Type type = getElementTypeOrSelf(out.getType());
    if (type.isIntOrFloat())
      widest = std::max<int64_t>(
          widest, llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
  }
  assert(config.getWarpColumns() % 4 == 0 && "four threads share columns");
  // Pairs of fragments are loaded at once.
  constexpr int64_t kFewest = 4;
  return std::min(std::max(kMostAligned / widest, kFewest),
                  config.getWarpColumns() / 4);
}
