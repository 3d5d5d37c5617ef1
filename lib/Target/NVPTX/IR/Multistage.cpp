//===- Multistage.cpp - Configs of multistage -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConfigRules.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

/// Results of a warp that its registers hold beside what it multiplies.
constexpr int64_t kMostResults = 64 * 64;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Registers for the indices of rows. Where rows are several loops, each row of
/// a thread is taken apart while it has all of its sums. By a size that is not
/// known this is a division of 64 bits: a subroutine, whose registers are
/// beside all that its caller has.
static int64_t registersOfRows(ContractOp op) {
  constexpr int64_t kDivision = 24;
  SmallVector<int64_t> sizes = op.getStaticLoopSizes();
  SmallVector<unsigned> loops = rowLoopsOf(op);
  // The quotient of all other sizes is the index of the first loop.
  bool isDivided =
      llvm::any_of(llvm::drop_begin(loops, !loops.empty()), [&](unsigned loop) {
        return ShapedType::isDynamic(sizes[loop]);
      });
  return isDivided ? kDivision : 0;
}

/// Registers for operands of the epilogue that differ by row: each row of a
/// thread has a value and where it lies.
static int64_t registersOfRowOperands(ContractOp op, ConfigAttr config) {
  constexpr int64_t kRowsApart = 8;
  ContractOp::Roles roles = *op.getRoles();
  auto isOfRows = [&](AffineMap map) {
    return !map.isFunctionOfDim(roles.n) &&
           llvm::any_of(rowLoopsOf(op), [&](unsigned loop) {
             return map.isFunctionOfDim(loop);
           });
  };
  return 2 * config.getWarpRows() / kRowsApart *
         llvm::count_if(op.getEpilogueMaps(), isOfRows);
}

/// Slices of K of a block.
static int64_t slicesOf(ContractOp op, ConfigAttr config) {
  int64_t run = hasGroupsInSlices(op) ? op.getReductionSize()
                                      : op.getReductionSizes().back();
  int64_t slices =
      op.getReductionSize() / run * llvm::divideCeil(run, config.getDepth());
  assert(slices > 0 && "K has slices");
  return slices;
}

/// Registers for fragments that ptxas loads ahead of their products: where a
/// reduction has so few steps that no loop is left of them, the loads of all
/// steps follow each other.
static int64_t registersAhead(ContractOp op, ConfigAttr config,
                              int64_t fragments) {
  constexpr int64_t kPartsOfLoop = 4;
  int64_t steps = slicesOf(op, config);
  bool isLoop = steps > (config.getStages() == 2 ? 2 : 1);
  int64_t parts = steps * config.getDepth() / kFragmentDepth;
  return !isLoop && parts > kPartsOfLoop ? fragments : 0;
}

/// Registers for chunks of rows that start at any byte: the words around each
/// and, where there are many, where the bytes at an end of the operand lie,
/// which ptxas has at hand for all of them.
static int64_t registersOfUnalignedChunks(int64_t chunks) {
  constexpr int64_t kWords = 5, kPlaces = 16, kFew = 4;
  return kWords * chunks + kPlaces * std::max<int64_t>(0, chunks - kFew);
}

bool qcc::nvptx::copiesThroughRegisters(ContractOp op, ConfigAttr config) {
  const Atom *atom = findMatrixAtom(config.getAtom());
  assert(atom && "refuseTile knows the atom");
  std::optional<int64_t> alignment = alignmentAlongK(op);
  return atom->architecture < kAsyncCopies || !alignment ||
         *alignment < kLeastCopied;
}

/// Words that a thread has of the fragments of 32 elements of K.
static int64_t registersOfFragments(ConfigAttr config) {
  return (config.getWarpRows() + config.getWarpColumns()) / 4;
}

static int64_t registersInOrder(ContractOp op, ConfigAttr config) {
  assert(findMatrixAtom(config.getAtom()) && "refuseTile knows the atom");
  int64_t threads = config.getThreads();
  auto chunks = [&](int64_t rows) {
    return llvm::divideCeil(rows * config.getDepth() / 16, threads);
  };
  int64_t lhsChunks = chunks(config.getRows());
  int64_t rhsChunks = chunks(config.getColumns());
  int64_t sums = config.getWarpRows() * config.getWarpColumns() / kWarp;
  // Totals of groups of K, and the operands of the chain over them.
  if (op.hasGroups())
    sums += sums + config.getWarpRows() / 4 + config.getWarpColumns() / 4;
  if (op.getRhsZeroPoint())
    sums += config.getWarpRows() / 4;
  int64_t fragments = registersOfFragments(config);
  // Words that are loaded and not stored yet, and addresses.
  bool hasCopies =
      findMatrixAtom(config.getAtom())->architecture >= kAsyncCopies;
  int64_t words = hasCopies ? 0 : 4 * (lhsChunks + rhsChunks);
  std::optional<int64_t> alignment = alignmentAlongK(op);
  if (!alignment)
    words +=
        4 * lhsChunks *
        llvm::divideCeil(
            getElementTypeOrSelf(op.getLhs().getType()).getIntOrFloatBitWidth(),
            8);
  else if (*alignment < kLeastCopied)
    words += registersOfUnalignedChunks(lhsChunks);
  constexpr int64_t kOthers = 48;
  return sums + fragments + registersAhead(op, config, fragments) + words +
         2 * (lhsChunks + rhsChunks) + registersOfRows(op) +
         registersOfRowOperands(op, config) + kOthers;
}

/// Whether all tiles are whole, and rows lie one behind the other: addresses of
/// rows then differ by constants, which take no registers.
static bool hasWholeTiles(ContractOp op, ConfigAttr config) {
  SmallVector<int64_t> sizes = op.getStaticLoopSizes();
  SmallVector<unsigned> loops = rowLoopsOf(op);
  int64_t columns = sizes[op.getRoles()->n];
  if (loops.size() != 1)
    return false;
  int64_t rows = sizes[loops.front()];
  return !ShapedType::isDynamic(rows) && rows % config.getRows() == 0 &&
         !ShapedType::isDynamic(columns) && columns % config.getColumns() == 0;
}

bool qcc::nvptx::loadsFragmentsAhead(ContractOp op, ConfigAttr config) {
  constexpr int64_t kFewestStages = 3, kUnrolled = 2;
  if (config.getStages() < kFewestStages || copiesThroughRegisters(op, config))
    return false;
  constexpr int64_t kOfAddresses = 32;
  int64_t most =
      kMostRegisters + (hasWholeTiles(op, config) ? kOfAddresses : 0);
  int64_t fragments = registersOfFragments(config);
  // It unrolls loops of two slices, and then loads further ahead.
  int64_t looped = slicesOf(op, config) - (config.getStages() - 1);
  int64_t unrolled = looped <= kUnrolled ? fragments : 0;
  return registersInOrder(op, config) + fragments + unrolled <= most;
}

static int64_t registersOfMultistage(ContractOp op, ConfigAttr config) {
  int64_t registers = registersInOrder(op, config);
  if (!loadsFragmentsAhead(op, config))
    return registers;
  return std::min(registers + registersOfFragments(config), kMostRegisters);
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

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

/// Why no blocks have stages of such tiles.
static std::optional<std::string>
refuseStages(kernel::ContractOp op, ConfigAttr config, const Atom &atom) {
  if (std::optional<std::string> reason = refuseWarp(config))
    return reason;
  int64_t depth = config.getDepth();
  int64_t run = op.getReductionSizes().back();
  if (op.getReductionDims().size() == 1)
    run = llvm::divideCeil(run, config.getParts());
  if (hasGroupsInSlices(op))
    run = op.getReductionSize();
  run = llvm::alignTo(run, kPackedStep);
  if (op.hasGroups() && run % depth != 0)
    return llvm::formatv("lowering_config has stages of {0} elements of K, "
                         "which are not whole parts of {1}, as groups of K "
                         "need them; make them {2}",
                         depth, run, kPackedStep)
        .str();
  if (depth != kPackedStep && (depth != 2 * kPackedStep || run < depth))
    return llvm::formatv("lowering_config has stages of {0} elements of K, but "
                         "they are {1}, or {2} where runs of K, here {3}, have "
                         "as many",
                         depth, kPackedStep, 2 * kPackedStep, run)
        .str();
  int64_t stages = config.getStages();
  if (stages < 2 || (stages > 2 && atom.architecture < kAsyncCopies))
    return llvm::formatv(
               "lowering_config has {0} stages, but with atom \"{1}\" "
               "there are {2}",
               stages, atom.name,
               atom.architecture < kAsyncCopies ? "2" : "2 or more")
        .str();
  return std::nullopt;
}

namespace {
class Multistage : public ConfigRules {
public:
  StringRef getName() const override { return "multistage"; }
  int64_t getThreads(ConfigAttr config) const override {
    assert(config.getRows() % config.getWarpRows() == 0 &&
           config.getColumns() % config.getWarpColumns() == 0 &&
           "warps share a tile in equal parts");
    return config.getRows() / config.getWarpRows() *
           (config.getColumns() / config.getWarpColumns()) * kWarp;
  }
  int64_t getSharedBytes(ConfigAttr config) const override {
    return config.getStages() * (config.getRows() + config.getColumns()) *
           config.getDepth();
  }
  int64_t getRegisters(ContractOp op, ConfigAttr config) const override {
    return registersOfMultistage(op, config);
  }
  std::optional<std::string> refuse(ContractOp op, ConfigAttr config,
                                    const Atom &atom) const override {
    return refuseStages(op, config, atom);
  }
  std::string describe(ConfigAttr config) const override {
    return llvm::formatv("tile {0}x{1}x{2}, {3} warps of {4}x{5}, {6} stages, "
                         "{7} bytes of shared memory",
                         config.getRows(), config.getColumns(),
                         config.getDepth(), config.getThreads() / kWarp,
                         config.getWarpRows(), config.getWarpColumns(),
                         config.getStages(), config.getSharedBytes());
  }
};
} // namespace

const ConfigRules &qcc::nvptx::rulesOfMultistage() {
  static const Multistage rules;
  return rules;
}
