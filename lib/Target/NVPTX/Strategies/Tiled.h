//===- Tiled.h - Blocks that compute tiles of a contraction -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the strategies share whose blocks compute tiles by matrix instructions,
// from a packed right operand. Times are in cycles of a multiprocessor, as the
// emulator's time model would say.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_STRATEGIES_TILED_H
#define QCC_LIB_TARGET_NVPTX_STRATEGIES_TILED_H

#include "Strategies.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"

namespace qcc::nvptx {

/// Warp instructions that a multiprocessor issues in a cycle.
inline constexpr double kIssue = 4;
/// Bytes that a multiprocessor moves from and to shared memory in a cycle.
inline constexpr double kSharedBytes = 128;
/// Cycles from an instruction of a warp to its next one, on average.
inline constexpr double kNextInstruction = 2;
/// Instructions of a prologue for each element, and of an epilogue for each
/// result, beside those of its region.
inline constexpr double kPerElement = 4, kPerResult = 2;
/// Instructions for 16 bytes of a row that starts anywhere, and how often its
/// sectors are loaded.
inline constexpr double kShifting = 24, kSectorLoads = 5;

/// Cycles until a chain over groups of K has loaded the operands of a group: a
/// guess, which no GPU has measured.
inline constexpr double kChainLatency = 400;

/// Cycles until a further kernel runs.
inline constexpr double kNextKernel = 2000;

/// What the loops of a contraction are to a strategy.
struct Sizes {
  Sizes(kernel::ContractOp op, ConfigAttr config);

  /// Tiles of results, of all batches.
  double tiles(ConfigAttr config) const;
  /// Results of all batches.
  double results() const { return batch * rows * columns; }

  double batch = 1;
  int64_t rows = 1, columns = 1;
  /// Runs of K, each padded to whole steps of 64.
  int64_t segments = 1, segment;
  /// Bits of an element of the packed right operand.
  int64_t rhsBits;
};

/// Operations of a region beside its terminator.
int64_t operationsOf(mlir::Region &region);

/// Warp instructions to bring 16 bytes of the left operand to the registers of
/// each thread of a warp.
double instructionsOfLhsChunk(kernel::ContractOp op);

/// Instructions for a result: the epilogue, and to store it.
double instructionsOfResult(kernel::ContractOp op);

/// Instructions for the chain over all groups of K of a result; 0 without
/// groups.
double instructionsOfGroups(kernel::ContractOp op);

/// The time of what takes longest of what is done at the same time, and a
/// little of the rest: of what is bound by the same, that with less of it is
/// better.
double longest(std::initializer_list<double> times);

/// Bytes of memory that a contraction reads and writes at least: the operands
/// and the results.
double leastBytes(kernel::ContractOp op, const Sizes &sizes);

class TiledStrategy : public Strategy {
public:
  explicit TiledStrategy(const Spec &spec) : spec(spec) {}

  std::optional<std::string>
  reasonToRefuse(kernel::ContractOp op) const override;
  std::optional<std::string>
  refuse(kernel::ContractOp op,
         kernel::LoweringConfigAttrInterface config) const override;
  mlir::SmallVector<Candidate> list(kernel::ContractOp op) const override;
  std::optional<Packing>
  packing(kernel::ContractOp op,
          kernel::LoweringConfigAttrInterface config) const override;
  llvm::LogicalResult emit(mlir::RewriterBase &rewriter,
                           kernel::ContractOp op) const override;

protected:
  /// Replaces a contraction whose form is right by blocks of threads.
  virtual void emitKernel(mlir::RewriterBase &rewriter, kernel::ContractOp op,
                          ConfigAttr config, const Atom &atom) const = 0;
  /// The same as `refuse` for a config without `few_rows`, of any of these
  /// strategies.
  std::optional<std::string> refuseOne(kernel::ContractOp op,
                                       ConfigAttr config) const;
  /// Why a chip has not what a config of the strategy needs, registers of a
  /// thread being known.
  std::optional<std::string> refuseResources(ConfigAttr config,
                                             int64_t registers) const;
  /// The configs that may be the fastest under a guard.
  virtual mlir::SmallVector<Candidate>
  listGuarded(kernel::ContractOp op, int64_t above, int64_t upTo) const = 0;
  /// Whether configs of the strategy compute any number of rows well, so that
  /// the model chooses them where that number is not known.
  virtual bool suitsManyRows() const = 0;

  /// The best atom of the chip that a warp multiplies by itself.
  const Atom &atomOfChip() const;
  /// Blocks that a multiprocessor holds at once.
  int64_t blocksAtOnce(ConfigAttr config, int64_t registers) const;
  /// Cycles that memory is busy.
  double memoryTime(double bytes) const { return bytes / spec.memoryBytes; }
  /// Cycles that memory is not busy while blocks begin and end, so many of them
  /// at once on a multiprocessor. `alone`: the cycles of a block.
  double idleTime(double alone, double atOnce) const;
  /// What a kernel costs that adds the parts of K; 0 if there is one part.
  double costOfParts(kernel::ContractOp op, ConfigAttr config,
                     const Sizes &sizes) const;
  /// A cost, of a time.
  Cost costOf(kernel::ContractOp op, const Sizes &sizes, double time) const;

  const Spec spec;

  /// Emits an op whose memory the config does not fit by the best config that
  /// does, and warns of that.
  llvm::LogicalResult emitByOther(mlir::RewriterBase &rewriter,
                                  kernel::ContractOp op,
                                  llvm::StringRef reason) const;

private:
  std::vector<std::unique_ptr<TiledStrategy>> makeAll() const;
  /// The best configs for few rows, where the number of rows is not known: each
  /// for another range of them.
  mlir::SmallVector<ConfigAttr> listFewRows(kernel::ContractOp op) const;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_STRATEGIES_TILED_H
