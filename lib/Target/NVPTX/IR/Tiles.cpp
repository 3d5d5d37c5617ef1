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

/// Results of a warp that its registers hold beside what it multiplies.
constexpr int64_t kMostResults = 64 * 64;

/// What operands start at a multiple of.
constexpr int64_t kMostAligned = 16;

/// Why no fragments make up the tile of a warp.
static std::optional<std::string> refuseWarp(ConfigAttr config) {
  int64_t rows = config.getWarpRows(), columns = config.getWarpColumns();
  if (rows % kFragmentRows != 0 || columns < kPackedStep / 4 ||
      !llvm::isPowerOf2_64(columns))
    return llvm::formatv("lowering_config has warps of {0}x{1}, but their rows "
                         "are a multiple of {2}, and their columns a power of "
                         "two from {3} on",
                         rows, columns, kFragmentRows, kPackedStep / 4)
        .str();
  if (rows * columns > kMostResults)
    return llvm::formatv("lowering_config has warps of {0}x{1}, more results "
                         "than registers hold; make them {2} at most",
                         rows, columns, kMostResults)
        .str();
  if (!llvm::isPowerOf2_64(config.getThreads()) || config.getThreads() > 1024)
    return llvm::formatv("lowering_config has {0} warps for each block; make "
                         "them a power of two up to 32",
                         config.getThreads() / kWarp)
        .str();
  return std::nullopt;
}

std::optional<std::string> qcc::nvptx::refuseTile(kernel::ContractOp op,
                                                  ConfigAttr config) {
  const Atom *atom = findMatrixAtom(config.getAtom());
  if (!atom)
    return ("lowering_config has atom \"" + config.getAtom() +
            "\", which no chip has; choose another atom")
        .str();
  if (std::optional<std::string> reason = refuseWarp(config))
    return reason;
  int64_t depth = config.getDepth();
  int64_t run = llvm::alignTo(op.getReductionSizes().back(), kPackedStep);
  if (depth != kPackedStep && (depth != 2 * kPackedStep || run < depth))
    return llvm::formatv("lowering_config has stages of {0} elements of K, but "
                         "they are {1}, or {2} where runs of K, here {3}, have "
                         "as many",
                         depth, kPackedStep, 2 * kPackedStep, run)
        .str();
  int64_t stages = config.getStages();
  if (stages < 2 || (stages > 2 && atom->architecture < kAsyncCopies))
    return llvm::formatv(
               "lowering_config has {0} stages, but with atom \"{1}\" "
               "there are {2}",
               stages, atom->name,
               atom->architecture < kAsyncCopies ? "2" : "2 or more")
        .str();
  return std::nullopt;
}

std::optional<int64_t> qcc::nvptx::alignmentAlong(ShapedType type,
                                                  AffineMap map, unsigned k) {
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  // What divides the stride of each dimension.
  int64_t next = 1, alignment = kMostAligned;
  if (auto memref = dyn_cast<MemRefType>(type)) {
    int64_t offset;
    std::tie(strides, offset) = memref.getStridesAndOffset();
    alignment = ShapedType::isDynamic(offset) ? 1 : std::gcd(alignment, offset);
  }
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (!ShapedType::isDynamic(strides[dim]))
      next = strides[dim];
    auto factors = kernel::windowFactors(map.getResult(dim), map.getNumDims());
    if (!factors || ((*factors)[k] != 0 && ((*factors)[k] != 1 || next != 1)))
      return std::nullopt;
    for (auto [loop, factor] : llvm::enumerate(*factors))
      if (loop != k)
        alignment = std::gcd(alignment, factor * next);
    if (!type.isDynamicDim(dim))
      next *= type.getDimSize(dim);
  }
  return map.isFunctionOfDim(k) ? std::optional(alignment) : std::nullopt;
}

std::optional<int64_t> qcc::nvptx::alignmentAlongK(kernel::ContractOp op) {
  if (!op.getLhsPrologue().empty())
    return std::nullopt;
  return alignmentAlong(cast<ShapedType>(op.getLhs().getType()), op.getLhsMap(),
                        op.getReductionDims().back());
}
