//===- Decode.cpp - Configs of decode -------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConfigRules.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

/// Bytes of a sum.
constexpr int64_t kSumBytes = 4;

int64_t ConfigAttr::getRowWords() const {
  // Threads store 16 bytes side by side; rows of as many words as there are
  // banks would meet in them.
  constexpr int64_t kBanks = 32, kApart = 4;
  return getColumns() % kBanks == 0 ? getColumns() + kApart : getColumns();
}

int64_t qcc::nvptx::lhsChunksOfDecode(ContractOp op, ConfigAttr config) {
  std::optional<int64_t> rows = mostRowsOf(op, config);
  return rows && *rows <= kFragmentRows / 2 ? 1 : 2;
}

bool qcc::nvptx::letsNextStartEarly(ContractOp op, ConfigAttr config) {
  std::optional<int64_t> rows = mostRowsOf(op, config);
  return rows && *rows <= kFragmentRows;
}

static int64_t registersOfDecode(ContractOp op, ConfigAttr config) {
  int64_t fragments = config.getColumns() / kFragmentColumns;
  int64_t sums = 4 * (fragments + (op.getRhsZeroPoint() ? 1 : 0));
  int64_t chunk = 4;
  std::optional<int64_t> alignment = alignmentAlongK(op);
  if (!alignment)
    chunk *= llvm::divideCeil(
        getElementTypeOrSelf(op.getLhs().getType()).getIntOrFloatBitWidth(), 8);
  else if (*alignment < kLeastCopied)
    chunk = 6;
  int64_t loaded = config.getStages() *
                   (4 * fragments + chunk * lhsChunksOfDecode(op, config));
  constexpr int64_t kOthers = 40, kOfHighRows = 20;
  if (op.hasGroups()) {
    // The words of one group in place of those of all, and nibbles as words.
    if (hasGroupsInSlices(op))
      sums += 4 * lhsChunksOfDecode(op, config);
    if (config.getRhsBits() == 4)
      sums += 4 * fragments;
    // The chain comes behind the products.
    int64_t ofResult = 2 + op.getGroupOperands().size() +
                       (op.getLhsZeroPoint() ? 2 : 0) +
                       (op.getRhsZeroPoint() ? 2 : 0);
    sums +=
        std::max<int64_t>(1, GroupSums(op, config).rows * config.getColumns() /
                                 config.getThreads()) *
        ofResult;
  }
  return sums + loaded + 2 * (fragments + 2) + kOthers +
         (lhsChunksOfDecode(op, config) > 1 ? kOfHighRows : 0);
}

GroupSums::GroupSums(ContractOp op, ConfigAttr config) {
  int64_t segment = op.getReductionSizes().back(), stages = config.getStages();
  if (hasGroupsInSlices(op)) {
    slices = op.getReductionSize() / kPackedStep;
    ofSlice = kPackedStep / groupSize(op);
  } else {
    slicesOfGroup =
        groupSize(op) / segment * llvm::divideCeil(segment, kPackedStep);
    slices = op.getReductionSizes().front() * slicesOfGroup;
    merged = std::gcd(slicesOfGroup, stages);
    ofGroup = slicesOfGroup / merged;
  }
  int64_t slicesOfRound = config.getWarps() * stages;
  ofRound = slicesOfRound / merged * ofSlice;
  rows = llvm::PowerOf2Ceil(
      std::min(mostRowsOf(op, config).value_or(kFragmentRows), kFragmentRows));
  capacity = config.getWarps() * config.getSums() * kFragmentRows / rows;
  rounds = llvm::divideCeil(slices, slicesOfRound);
  int64_t most = capacity / ofRound,
          whole = slicesOfGroup / std::gcd(slicesOfGroup, slicesOfRound);
  roundsAtOnce = most >= rounds ? rounds : most / whole * whole;
}

/// Why shared memory does not have the sums of groups of K.
static std::optional<std::string> refuseSums(ContractOp op, ConfigAttr config) {
  if (!op.hasGroups()) {
    if (config.getSums() == 1 && config.getRhsBits() == 8)
      return std::nullopt;
    return std::string("lowering_config has sums or rhs_bits, but there are no "
                       "groups of K; leave them out");
  }
  if (config.getRhsBits() == 4 && !op.isPacked() && !fitsNibbles(op))
    return std::string("lowering_config has rhs_bits = 4, but the right "
                       "operand is not known to have elements from -8 to 7, or "
                       "unsigned ones up to 15; leave rhs_bits out");
  if (GroupSums(op, config).roundsAtOnce > 0)
    return std::nullopt;
  return llvm::formatv("lowering_config has room for {0} sums of groups of K "
                       "from each warp, too few for whole groups; choose more "
                       "sums or fewer stages",
                       config.getSums())
      .str();
}

/// Why the warps of a block do not share K so.
static std::optional<std::string> refuseSharing(ConfigAttr config) {
  int64_t columns = config.getColumns(), warps = config.getWarps();
  if (config.getRows() != kFragmentRows ||
      config.getWarpRows() != config.getRows() ||
      config.getWarpColumns() != columns || columns < kAtomColumns ||
      columns > kWarp || !llvm::isPowerOf2_64(columns))
    return llvm::formatv("lowering_config has tiles of {0}x{1} and warps of "
                         "{2}x{3}, but with strategy decode both are {4} by 8, "
                         "16 or 32",
                         config.getRows(), columns, config.getWarpRows(),
                         config.getWarpColumns(), kFragmentRows)
        .str();
  constexpr int64_t kMostWarps = 16;
  if (config.getDepth() % kPackedStep != 0 || !llvm::isPowerOf2_64(warps) ||
      warps > kMostWarps)
    return llvm::formatv("lowering_config has tiles with {0} elements of K, "
                         "but with strategy decode they are {1} for each of 1, "
                         "2, 4, 8 or {2} warps",
                         config.getDepth(), kPackedStep, kMostWarps)
        .str();
  constexpr int64_t kMostLoads = 32;
  if (config.getStages() * (columns / kAtomColumns + 2) > kMostLoads)
    return llvm::formatv("lowering_config has {0} steps of K loaded ahead, "
                         "more than registers hold; choose fewer of them",
                         config.getStages())
        .str();
  return std::nullopt;
}

namespace {
class Decode : public ConfigRules {
public:
  StringRef getName() const override { return "decode"; }
  int64_t getThreads(ConfigAttr config) const override {
    return config.getWarps() * kWarp;
  }
  bool sumsUpGroups() const override { return true; }
  /// Each warp has its sums there, and a sum of each row.
  int64_t getSharedBytes(ConfigAttr config) const override {
    return config.getWarps() * config.getSums() * config.getRows() *
           (config.getRowWords() + 1) * kSumBytes;
  }
  int64_t getRegisters(ContractOp op, ConfigAttr config) const override {
    return registersOfDecode(op, config);
  }
  std::optional<std::string> refuse(ContractOp op, ConfigAttr config,
                                    const Atom &) const override {
    if (std::optional<std::string> reason = refuseSharing(config))
      return reason;
    return refuseSums(op, config);
  }
  std::string describe(ConfigAttr config) const override {
    return llvm::formatv(
        "tile {0}x{1}, {2} warps for K, {3} steps of {4} loaded ahead, {5} "
        "bytes of shared memory{6}",
        config.getRows(), config.getColumns(), config.getWarps(),
        config.getStages(), kPackedStep, config.getSharedBytes(),
        config.getRhsBits() == 4 ? ", rhs of 4 bits" : "");
  }
};
} // namespace

const ConfigRules &qcc::nvptx::rulesOfDecode() {
  static const Decode rules;
  return rules;
}
