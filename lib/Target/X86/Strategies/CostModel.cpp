//===- CostModel.cpp - Cost model of x86 strategies -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;
using kernel::ContractOp;

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Instructions that fit into the time of a division or a square root.
constexpr int64_t kSlowInstruction = 8;
/// Multiplications in the time of copying 64 bytes, and of an instruction of
/// the prologue on as many.
constexpr double kCopy = 4.5, kPrologue = 6;

/// The product of the sizes of loops; 0 where one is not known.
static int64_t productOfSizes(ContractOp op, ArrayRef<unsigned> loops) {
  SmallVector<int64_t> sizes = op.getStaticLoopSizes();
  int64_t product = 1;
  for (unsigned loop : loops)
    product *= ShapedType::isDynamic(sizes[loop])
                   ? 0
                   : std::max<int64_t>(sizes[loop], 1);
  return product;
}

/// The instructions that the ops of a region make, about.
static int64_t countOps(Region &region) {
  int64_t count = 0;
  region.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() ||
        op->hasTrait<OpTrait::IsTerminator>())
      return;
    bool isSlow = isa<arith::DivFOp, math::SqrtOp>(op);
    count += isSlow ? kSlowInstruction : 1;
  });
  return count;
}

/// What quantization takes, about, however it is written: conversions, clamps
/// and rounding, and arithmetic with numbers that do not depend on the row.
constexpr int64_t kQuantizationOps = 9;
/// Products and sums that quantization has at most: by the scale of the
/// product, with the bias, and two for a quotient by the scale of the result.
constexpr int64_t kQuantizationProducts = 4;

/// The instructions that an epilogue makes, about. The ways to write one
/// network (a bias in integers or in real numbers, a ReLU or none where the
/// zero point clamps) count alike, so that they become the same kernels.
static int64_t countEpilogueOps(ContractOp op) {
  Region &region = op.getEpilogue();
  SmallVector<AffineMap> maps = op.getEpilogueMaps();
  // Constants and what is the same in all rows.
  auto isLeaf = [&](Value value) {
    if (matchPattern(value, m_Constant()))
      return true;
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getArgNumber() > 0 &&
           !llvm::any_of(op.getRows(), [&](unsigned row) {
             return maps[argument.getArgNumber() - 1].isFunctionOfDim(row);
           });
  };
  int64_t conversions = 0, products = 0;
  for (Operation &inner : region.front().without_terminator()) {
    if (isa<arith::SIToFPOp, arith::FPToSIOp, arith::TruncIOp, arith::CmpFOp,
            arith::SelectOp, math::RoundEvenOp>(inner) ||
        (isa<arith::MaximumFOp, arith::MinimumFOp>(inner) &&
         isLeaf(inner.getOperand(1))))
      ++conversions;
    else if (isa<arith::AddIOp, arith::AddFOp, arith::MulFOp, math::FmaOp>(
                 inner) &&
             llvm::any_of(inner.getOperands(), isLeaf))
      ++products;
  }
  if (conversions == 0)
    return countOps(region);
  return countOps(region) - conversions -
         std::min(products, kQuantizationProducts) + kQuantizationOps;
}

/// The instructions that the chain over groups of K makes, about.
static int64_t countGroupOps(ContractOp op) {
  return op.hasGroups()
             ? op.getReductionSizes().front() * countOps(op.getGroupEpilogue())
             : 0;
}

GemmShape GemmShape::of(ContractOp op, bool isInPlace) {
  int64_t prologueOps = countOps(op.getLhsPrologue());
  return {productOfSizes(op, op.getRows()),
          productOfSizes(op, op.getRoles()->n),
          op.getReductionSize(),
          op.getReductionSizes().back(),
          isInPlace,
          countEpilogueOps(op) + countGroupOps(op),
          kCopy + kPrologue * prologueOps};
}

int64_t GemmShape::words(const Atom &atom) const {
  assert(segment > 0 && k % segment == 0 && "K is whole segments");
  assert(atom.kStep % atom.kr == 0 && "a step along K is whole words");
  return k / segment * (int64_t)llvm::alignTo(segment, (uint64_t)atom.kStep) /
         atom.kr;
}

//===----------------------------------------------------------------------===//
// Times of atoms
//===----------------------------------------------------------------------===//

double qcc::x86::countInstructions(const Atom &atom) {
  if (atom.form == AtomForm::Bytes)
    return 3;
  return atom.kr == 2 ? 2 : 1;
}

/// How many times longer vpmaddwd and vpaddd take than their number says,
/// measured where two of four units multiply.
static double delayOfWordsOfTwo(const Atom &atom) {
  return atom.lanes == 16 ? 1.11 : 1.26;
}

double qcc::x86::delayOf(const Atom &atom) {
  if (atom.form == AtomForm::Bytes)
    return 1.33;
  if (atom.kr != 2)
    return 1;
  if (atom.hasPairs())
    return atom.lanes == 16 ? 1.0 : 1.09;
  return delayOfWordsOfTwo(atom);
}

double qcc::x86::peakTime(const Atom &atom) {
  // A multiplication of tiles does 1024 products in a cycle.
  if (atom.hasTiles())
    return kVectorsPerCycle;
  // Atoms without VNNI are compared to vpmaddwd and vpaddd, whose peak they may
  // exceed.
  if (countInstructions(atom) > 1)
    return 1024.0 / atom.lanes * delayOfWordsOfTwo(atom);
  return 1024.0 / (atom.lanes * atom.kr);
}

double qcc::x86::unitOfPeak(const Atom &atom) {
  return countInstructions(atom) / peakTime(atom);
}

//===----------------------------------------------------------------------===//
// Times of tiles
//===----------------------------------------------------------------------===//

/// Multiplications in flight that fill the pipeline.
constexpr double kPipeline = 8;
/// What a load costs where loads are not what limits.
constexpr double kHiddenLoad = 0.06;
/// Operations of an epilogue that run while the next tile is multiplied; the
/// others have nothing beside them.
constexpr int64_t kHiddenOps = 16;
/// For each tile.
constexpr double kTileOverhead = 15;

double TileTimes::tile(int64_t rows, int64_t columns, double vector) const {
  double accumulators = rows * columns, loads = rows + columns;
  double step = std::max(
      {accumulators * delayOf(atom), loads, kPipeline, vector * columns});
  int64_t hidden = std::min(shape.epilogueOps, kHiddenOps);
  double epilogue =
      hidden * spec.times.operation + (shape.epilogueOps - hidden);
  return words * (step + kHiddenLoad * loads) +
         (epilogue * accumulators + kTileOverhead) / countInstructions(atom);
}

double TileTimes::allColumns(int64_t rows, double vector) const {
  int64_t whole = vectors / nv;
  double time = whole * tile(rows, nv, vector);
  if (vectors % nv)
    time += tile(rows, vectors % nv, vector);
  return time;
}

double TileTimes::all(int64_t m, int64_t mr, double vector) const {
  int64_t whole = m / mr, rest = m % mr;
  double time = double(whole) * allColumns(mr, vector);
  return rest == 0 ? time : time + allColumns(rest, vector);
}

int64_t qcc::x86::tilesOfEqualBlocks(int64_t m, int64_t mr, int64_t most) {
  if (m == 0)
    return most;
  int64_t all = llvm::divideCeil(m, mr);
  return llvm::divideCeil(all, llvm::divideCeil(all, most));
}

//===----------------------------------------------------------------------===//
// Times of memory
//===----------------------------------------------------------------------===//

/// The share of the shorter of two that overlap, computing and a stream from
/// the L2 cache, that adds to the longer.
constexpr double kBesideL2 = 0.05;
/// A right operand of so many bytes comes from memory.
constexpr int64_t kMemoryBytes = 8 << 20;
bool qcc::x86::staysInL2(int64_t bytes, const Spec &spec) {
  return bytes <= spec.l2Bytes * 3 / 4;
}

double qcc::x86::timeOfFarLine(int64_t bytes, const Spec &spec) {
  return staysInL2(bytes, spec)  ? spec.times.fromL2
         : bytes <= kMemoryBytes ? spec.times.fromL3
                                 : spec.times.fromMemory;
}

double qcc::x86::besideStream(double computing, double streaming, int64_t bytes,
                              const Spec &spec) {
  double share =
      staysInL2(bytes, spec) ? kBesideL2 : spec.times.besideFarStream;
  return std::max(computing, streaming) +
         share * std::min(computing, streaming);
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Packing, for each 64 bytes of the right operand.
constexpr double kPacking = 8;
/// What columns that are not known are taken for.
constexpr int64_t kManyColumns = 64;

bool qcc::x86::isPackedInAdvance(ContractOp op) {
  return op.isPacked() || (matchPattern(op.getRhs(), m_Constant()) &&
                           llvm::all_of(op.getRhsOperands(), [](Value operand) {
                             return matchPattern(operand, m_Constant());
                           }));
}

/// What full vectors would take for m x n results.
static double leastTime(const GemmShape &shape, int64_t m, int64_t n,
                        const Atom &atom) {
  return double(m) * n * shape.k / (atom.lanes * atom.kr);
}

double qcc::x86::packingTime(ContractOp op, const GemmShape &shape,
                             const Atom &atom) {
  if (isPackedInAdvance(op) || shape.m == 0)
    return 0;
  int64_t n = shape.n ? shape.n : kManyColumns;
  assert(n > 0 && shape.m > 0 && "contractions have results");
  int64_t elementBytes = atom.hasFloats() ? sizeof(float) : 1;
  return kPacking * llvm::alignTo(n, atom.lanes) * shape.k * elementBytes / 64 /
         leastTime(shape, shape.m, n, atom);
}
