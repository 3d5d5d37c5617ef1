//===- Warpgroups.cpp - Configs of warpgroups -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConfigRules.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

/// Threads that load; rows of the tile and of a warp, and elements of K of a
/// stage; columns, which are multiples of the step.
constexpr int64_t kLoaders = 128, kRows = 128, kWarpRows = 16, kDepth = 128,
                  kColumnStep = 64, kMostColumns = 256;
/// What rows start at a multiple of, in bytes.
constexpr int64_t kAlignment = 16;
/// Registers that each thread has at first, some of which the loading threads
/// give to others.
constexpr int64_t kRegisters = 168;

ConfigAttr qcc::nvptx::warpgroupsConfig(MLIRContext *context, StringRef atom,
                                        int64_t columns, int64_t stages,
                                        kernel::ConfigSource source) {
  return ConfigAttr::get(context, rulesOfWarpgroups().getName(), atom, kRows,
                         columns, kDepth, kWarpRows, columns, stages, source);
}

std::optional<int64_t> qcc::nvptx::rowBytesOf(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  if (type.getRank() != 2 || ShapedType::isDynamic(offset) ||
      ShapedType::isDynamic(strides[0]) || offset % kAlignment != 0 ||
      strides[0] % kAlignment != 0 || strides[1] != 1)
    return std::nullopt;
  return strides[0];
}

/// Whether rows of the left operand lie in memory as in one dimension, each the
/// elements of K side by side.
static bool hasPlainRows(ContractOp op) {
  SmallVector<unsigned> loops = rowLoopsOf(op), read;
  loops.push_back(op.getReductionDims().back());
  auto type = cast<ShapedType>(op.getLhs().getType());
  for (auto [i, expr] : llvm::enumerate(op.getLhsMap().getResults())) {
    if (isa<AffineConstantExpr>(expr) && type.getDimSize(i) == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return false;
    read.push_back(dim.getPosition());
  }
  auto memref = dyn_cast<MemRefType>(type);
  return read == loops && (!memref || memref.getLayout().isIdentity() ||
                           rowBytesOf(memref).has_value());
}

std::optional<std::string> qcc::nvptx::whyNoWarpgroups(ContractOp op,
                                                       ConfigAttr config) {
  if (!op.getRoles()->batch.empty())
    return "has no batches";
  if (op.hasGroups())
    return "has one sum for all of K, not one for each group";
  if (op.getReductionDims().size() != 1)
    return "reads K in one run";
  if (config.getParts() > 1)
    return "has no parts of K";
  if (op.getRhsZeroPoint())
    return "adds no sums of rows for a zero point of the right operand";
  std::optional<int64_t> alignment = alignmentAlongK(op);
  if (!alignment)
    return "copies the left operand as it is, without a prologue and with its "
           "elements of K side by side";
  if (*alignment < kAlignment || op.getReductionSizes().back() % kAlignment)
    return "copies rows of the left operand that start at multiples of 16 "
           "bytes";
  if (!hasPlainRows(op))
    return "copies rows of the left operand that follow each other at one "
           "distance";
  int64_t columns = op.getStaticLoopSizes()[op.getRoles()->n],
          step = 4 * columnsOfThread(op, config);
  if (ShapedType::isDynamic(columns) || columns % step != 0)
    return llvm::formatv("needs a multiple of {0} columns", step).str();
  return std::nullopt;
}

namespace {
class Warpgroups : public ConfigRules {
public:
  StringRef getName() const override { return "warpgroups"; }
  bool isOfWarpgroups() const override { return true; }
  int64_t getThreads(ConfigAttr config) const override {
    return config.getRows() / config.getWarpRows() * kWarp + kLoaders;
  }
  int64_t getSharedBytes(ConfigAttr config) const override {
    int64_t tiles =
        (config.getRows() + config.getColumns()) * config.getDepth();
    return config.getStages() * (tiles + kStageBarrierBytes);
  }
  int64_t getRegisters(ContractOp, ConfigAttr) const override {
    return kRegisters;
  }
  std::optional<std::string> refuse(ContractOp op, ConfigAttr config,
                                    const Atom &) const override {
    constexpr int64_t kFewestStages = 2;
    int64_t columns = config.getColumns();
    if (config.getRows() != kRows || config.getWarpRows() != kWarpRows ||
        config.getDepth() != kDepth || columns % kColumnStep != 0 ||
        columns > kMostColumns || config.getWarpColumns() != columns)
      return llvm::formatv("lowering_config has tiles of {0}x{1}x{2} and warps "
                           "of {3}x{4}, but warpgroups have tiles of {5}xNx{6} "
                           "and warps of {7}xN, N being a multiple of {8} up "
                           "to {9}",
                           config.getRows(), columns, config.getDepth(),
                           config.getWarpRows(), config.getWarpColumns(), kRows,
                           kDepth, kWarpRows, kColumnStep, kMostColumns)
          .str();
    if (config.getStages() < kFewestStages)
      return llvm::formatv("lowering_config has {0} stages, but warpgroups "
                           "have 2 or more",
                           config.getStages())
          .str();
    if (std::optional<std::string> reason = whyNoWarpgroups(op, config))
      return "lowering_config has strategy warpgroups, which " + *reason +
             "; use strategy multistage";
    return std::nullopt;
  }
  std::string describe(ConfigAttr config) const override {
    return llvm::formatv("tile {0}x{1}x{2}, 2 warpgroups of 64x{1} and one "
                         "that loads, {3} stages, {4} bytes of shared memory",
                         config.getRows(), config.getColumns(),
                         config.getDepth(), config.getStages(),
                         config.getSharedBytes());
  }
};
} // namespace

const ConfigRules &qcc::nvptx::rulesOfWarpgroups() {
  static const Warpgroups rules;
  return rules;
}
