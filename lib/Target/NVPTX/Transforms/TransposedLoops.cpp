//===- TransposedLoops.cpp - Transposing in shared memory -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposedLoops.h"
#include "../Emit/ScalarCode.h"
#include "../Emit/SharedTile.h"
#include "ThreadAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using Movement = LinalgLoops::Movement;

/// Sizes from which on a dimension is worth a way through shared memory.
constexpr int64_t kLeastSize = 8;
/// Bytes of shared memory that blocks of all chips have.
constexpr int64_t kMostShared = 48 << 10;
/// Columns of a tile that the warps of a block copy at once: what a thread
/// loads before it waits for the first of it is eight elements or words.
constexpr int64_t kColumnsAtOnce = 32;

//===----------------------------------------------------------------------===//
// Which ops transpose
//===----------------------------------------------------------------------===//

static int64_t sizeOf(const LinalgLoops &loops, unsigned dim) {
  return loops.op.getStaticLoopRanges()[dim];
}

static bool isSmall(const LinalgLoops &loops, unsigned dim, int64_t least) {
  int64_t size = sizeOf(loops, dim);
  return !ShapedType::isDynamic(size) && size < least;
}

/// The dimension along which all results lie side by side.
static std::optional<unsigned> findResultDim(const LinalgLoops &loops) {
  for (unsigned dim : loops.getParallelDims())
    if (llvm::all_of(loops.op.getDpsInitsMutable(), [&](OpOperand &output) {
          return loops.getMovement(output, dim) == Movement::Contiguous;
        }))
      return dim;
  return std::nullopt;
}

/// Whether an input lies side by side along a dimension that is not that of the
/// results, along which it moves otherwise.
static bool isTransposed(const LinalgLoops &loops, OpOperand &input,
                         unsigned inputDim, unsigned resultDim) {
  auto type = dyn_cast<MemRefType>(input.get().getType());
  return type && llvm::isPowerOf2_64(bytesOf(type.getElementType())) &&
         bytesOf(type.getElementType()) <= 8 &&
         !llvm::is_contained(loops.op.getDpsInits(), input.get()) &&
         loops.getMovement(input, inputDim) == Movement::Contiguous &&
         loops.getMovement(input, resultDim) == Movement::Other;
}

/// The elements of a word that are loaded along the dimension of the inputs,
/// or stored along that of the results.
static void chooseAccesses(const LinalgLoops &loops, TransposedTile &tile) {
  int64_t count = tile.perUnit();
  bool isLoaded = llvm::all_of(tile.inputs, [&](OpOperand *input) {
    return isAligned(loops, *input, tile.inputDim, count);
  });
  tile.loaded =
      isLoaded && !isSmall(loops, tile.inputDim, kWarp + 1) ? count : 1;
  if (tile.sharedBytes() > kMostShared)
    tile.loaded = 1;
  while (tile.sharedBytes() > kMostShared)
    tile.inputs.pop_back();
  assert(!tile.inputs.empty() && "blocks have memory for one input");
  auto isStored = [&](OpOperand &operand) {
    return llvm::is_contained(tile.inputs, &operand) ||
           isAligned(loops, operand, tile.resultDim, count);
  };
  int64_t operations = loops.op.getBlock()->getOperations().size();
  tile.stored = loops.isBodyMappable() && !loops.op.hasIndexSemantics() &&
                        count * operations <= kMostOperations &&
                        llvm::all_of(loops.op->getOpOperands(), isStored)
                    ? count
                    : 1;
}

std::optional<TransposedTile>
qcc::nvptx::findTransposedTile(const LinalgLoops &loops) {
  std::optional<unsigned> resultDim;
  if (loops.getReductionDims().empty())
    resultDim = findResultDim(loops);
  if (!resultDim || isSmall(loops, *resultDim, kLeastSize))
    return std::nullopt;
  std::optional<TransposedTile> best;
  for (unsigned dim : loops.getParallelDims()) {
    if (dim == *resultDim || isSmall(loops, dim, kLeastSize))
      continue;
    for (OpOperand *input : loops.op.getDpsInputOperands()) {
      if (!isTransposed(loops, *input, dim, *resultDim))
        continue;
      int64_t bytes = bytesOf(getElementTypeOrSelf(input->get().getType()));
      if (!best || bytes > best->elementBytes)
        best = TransposedTile{{}, dim, *resultDim, bytes, 1, 1};
      if (dim == best->inputDim && bytes == best->elementBytes)
        best->inputs.push_back(input);
    }
  }
  if (best)
    chooseAccesses(loops, *best);
  return best;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

namespace {
class TransposedTileEmitter {
public:
  TransposedTileEmitter(LinalgLoops &loops, const TransposedTile &tile)
      : loops(loops), tile(tile), code(loops.rewriter, loops.op) {}

  void emit();

private:
  using Point = LinalgLoops::Point;

  void openBlocks();
  /// A number of steps that are enough for what a tile has of a dimension from
  /// `first` on, where each has `count` of `most`.
  Value stepsFor(unsigned dim, Value first, int64_t most, int64_t count);
  /// Whether all tiles along a dimension are whole.
  bool isWhole(unsigned dim, int64_t size);
  /// Calls `body` in a loop, with numbers of items that threads have.
  void emitLoop(Value steps, int64_t itemsOfStep,
                llvm::function_ref<void(Value)> body);
  void copyInputs(Value item);
  void computeResults(Value item);
  /// Where an element lies in shared memory; `column` is a multiple of the
  /// elements of a unit where a whole one is meant.
  Value place(Value row, Value column, unsigned input);
  /// An element of an input that exists, or a word of it.
  Value loadInput(unsigned input, Value row, Value column);
  /// The words of a square of elements, turned.
  SmallVector<Value> transpose(ArrayRef<Value> words);
  Value permute(Value a, Value b, int64_t selector);

  Value remainder(Value value, int64_t divisor) {
    return code.create<arith::RemUIOp>(value, code.index(divisor));
  }
  Value quotient(Value value, int64_t divisor) {
    return code.create<arith::DivUIOp>(value, code.index(divisor));
  }
  Value times(Value value, int64_t factor) {
    return code.create<arith::MulIOp>(value, code.index(factor));
  }
  Value plus(Value value, int64_t more) {
    return code.create<arith::AddIOp>(value, code.index(more));
  }

  LinalgLoops &loops;
  const TransposedTile &tile;
  ScalarCode code;
  /// Without the two dimensions of the tile.
  Point point;
  Value firstRow, firstColumn, thread;
  std::optional<SharedMemory> memory;
};
} // namespace

void TransposedTileEmitter::openBlocks() {
  SmallVector<OpFoldResult> space;
  SmallVector<unsigned> others;
  for (unsigned dim : loops.getParallelDims())
    if (dim != tile.inputDim && dim != tile.resultDim) {
      others.push_back(dim);
      space.push_back(getAsOpFoldResult(loops.getSize(dim)));
    }
  auto tilesOf = [&](unsigned dim, int64_t size) {
    space.push_back(code.tiles(getAsOpFoldResult(loops.getSize(dim)), size));
  };
  tilesOf(tile.inputDim, tile.rows());
  tilesOf(tile.resultDim, tile.columns());
  auto blocks = BlocksOp::create(code.rewriter, code.loc,
                                 code.toValue(code.product(space)), kBlock,
                                 tile.sharedBytes());
  Block &body = blocks.getBody().front();
  code.rewriter.setInsertionPointToStart(&body);
  SmallVector<Value> indices = code.delinearize(body.getArgument(0), space);
  firstColumn = times(indices.pop_back_val(), tile.columns());
  firstRow = times(indices.pop_back_val(), tile.rows());
  point.resize(loops.op.getNumLoops());
  for (auto [dim, index] : llvm::zip_equal(others, indices))
    point[dim] = index;
  thread = body.getArgument(1);
  memory.emplace(code, body.getArgument(2));
}

bool TransposedTileEmitter::isWhole(unsigned dim, int64_t size) {
  int64_t all = sizeOf(loops, dim);
  return !ShapedType::isDynamic(all) && all % size == 0;
}

Value TransposedTileEmitter::stepsFor(unsigned dim, Value first, int64_t most,
                                      int64_t count) {
  if (isWhole(dim, most))
    return code.index(most / count);
  Value rest = code.create<arith::SubIOp>(loops.getSize(dim), first);
  return quotient(
      plus(code.create<arith::MinUIOp>(rest, code.index(most)), count - 1),
      count);
}

void TransposedTileEmitter::emitLoop(Value steps, int64_t itemsOfStep,
                                     function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(code.rewriter, code.loc, code.index(0), steps,
                                 code.index(1));
  OpBuilder::InsertionGuard guard(code.rewriter);
  code.rewriter.setInsertionPointToStart(loop.getBody());
  body(code.create<arith::AddIOp>(times(loop.getInductionVar(), itemsOfStep),
                                  thread));
}

Value TransposedTileEmitter::place(Value row, Value column, unsigned input) {
  Value turn = remainder(quotient(row, tile.loaded), kWarp);
  Value unit =
      code.create<arith::XOrIOp>(quotient(column, tile.perUnit()), turn);
  unit = code.create<arith::AddIOp>(times(row, kWarp), unit);
  Value bytes = times(remainder(column, tile.perUnit()), tile.elementBytes);
  bytes = code.create<arith::AddIOp>(times(unit, tile.unitBytes()), bytes);
  return memory->at(bytes, input * tile.bytesOfInput());
}

void TransposedTileEmitter::emit() {
  openBlocks();
  Operation *blocks = code.rewriter.getInsertionBlock()->getParentOp();
  // Warps load 32 columns, a row of accesses for each.
  emitLoop(
      stepsFor(tile.resultDim, firstColumn, tile.columns(), kColumnsAtOnce),
      kWarp * kColumnsAtOnce / tile.loaded,
      [&](Value item) { copyInputs(item); });
  NVVM::BarrierOp::create(code.rewriter, code.loc);
  assert(tile.columns() % tile.stored == 0 &&
         "rows of a tile are whole accesses");
  int64_t accesses = tile.columns() / tile.stored;
  assert((accesses <= kBlock ? kBlock % accesses : accesses % kBlock) == 0 &&
         "threads of a block have equal shares of a row");
  int64_t rowsAtOnce = std::max<int64_t>(1, kBlock / accesses);
  Value steps = stepsFor(tile.inputDim, firstRow, tile.rows(), rowsAtOnce);
  if (accesses > kBlock)
    steps = times(steps, accesses / kBlock);
  emitLoop(steps, kBlock, [&](Value item) { computeResults(item); });
  setAlignments(blocks);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Value TransposedTileEmitter::loadInput(unsigned input, Value row,
                                       Value column) {
  // What does not exist is never stored, so that anything else will do.
  auto existing = [&](unsigned dim, Value index, int64_t size, int64_t count) {
    if (isWhole(dim, size))
      return index;
    Value last =
        code.create<arith::SubIOp>(loops.getSize(dim), code.index(count));
    return code.create<arith::MinUIOp>(index, last);
  };
  Point at = point;
  at[tile.inputDim] =
      existing(tile.inputDim, code.create<arith::AddIOp>(firstRow, row),
               tile.rows(), tile.loaded);
  at[tile.resultDim] =
      existing(tile.resultDim, code.create<arith::AddIOp>(firstColumn, column),
               tile.columns(), 1);
  Value value = loops.load(*tile.inputs[input], at,
                           Lanes{tile.inputDim, unsigned(tile.loaded), {}});
  if (tile.loaded == 1)
    return value;
  Value word = vector::BitCastOp::create(
      code.rewriter, code.loc, VectorType::get({1}, code.rewriter.getI32Type()),
      value);
  return vector::ExtractOp::create(code.rewriter, code.loc, word, 0);
}

Value TransposedTileEmitter::permute(Value a, Value b, int64_t selector) {
  return NVVM::PermuteOp::create(code.rewriter, code.loc, a.getType(), a, b,
                                 code.i32(selector),
                                 NVVM::PermuteMode::DEFAULT);
}

SmallVector<Value> TransposedTileEmitter::transpose(ArrayRef<Value> words) {
  // Digits of a selector are bytes of (a, b), the lowest one first.
  constexpr int64_t kLowHalves = 0x5410, kHighHalves = 0x7632;
  constexpr int64_t kLowBytes = 0x5140, kHighBytes = 0x7362;
  assert((words.size() == 2 || words.size() == 4) &&
         "a square of halves or of bytes");
  if (words.size() == 2)
    return {permute(words[0], words[1], kLowHalves),
            permute(words[0], words[1], kHighHalves)};
  Value low01 = permute(words[0], words[1], kLowBytes);
  Value low23 = permute(words[2], words[3], kLowBytes);
  Value high01 = permute(words[0], words[1], kHighBytes);
  Value high23 = permute(words[2], words[3], kHighBytes);
  return {permute(low01, low23, kLowHalves), permute(low01, low23, kHighHalves),
          permute(high01, high23, kLowHalves),
          permute(high01, high23, kHighHalves)};
}

void TransposedTileEmitter::copyInputs(Value item) {
  // Threads of a warp load along a row of the input.
  Value row = times(remainder(item, kWarp), tile.loaded);
  Value column = times(quotient(item, kWarp), tile.loaded);
  int64_t columnsOfPass = kBlock / kWarp * tile.loaded;
  int64_t passes = kColumnsAtOnce / columnsOfPass;
  assert(passes > 0 && passes * columnsOfPass == kColumnsAtOnce &&
         "passes copy all columns");
  for (unsigned input = 0; input < tile.inputs.size(); ++input) {
    SmallVector<SmallVector<Value>> loaded(passes);
    auto columnOf = [&](int64_t pass) {
      return plus(column, pass * columnsOfPass);
    };
    for (int64_t pass = 0; pass < passes; ++pass)
      for (int64_t i = 0; i < tile.loaded; ++i)
        loaded[pass].push_back(loadInput(input, row, plus(columnOf(pass), i)));
    for (int64_t pass = 0; pass < passes; ++pass) {
      if (tile.loaded > 1)
        loaded[pass] = transpose(loaded[pass]);
      for (auto [i, value] : llvm::enumerate(loaded[pass]))
        LLVM::StoreOp::create(code.rewriter, code.loc, value,
                              place(plus(row, i), columnOf(pass), input),
                              bytesOf(value.getType()));
    }
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void TransposedTileEmitter::computeResults(Value item) {
  int64_t accesses = tile.columns() / tile.stored;
  Value row = quotient(item, accesses);
  Value column = times(remainder(item, accesses), tile.stored);
  Point at = point;
  at[tile.inputDim] = code.create<arith::AddIOp>(firstRow, row);
  at[tile.resultDim] = code.create<arith::AddIOp>(firstColumn, column);
  Value exists;
  for (auto [dim, size] : {std::pair(tile.inputDim, tile.rows()),
                           std::pair(tile.resultDim, tile.columns())}) {
    if (isWhole(dim, size))
      continue;
    Value isInside = code.less(at[dim], loops.getSize(dim));
    exists = exists ? code.create<arith::AndIOp>(exists, isInside) : isInside;
  }
  code.emitIf(exists, [&] {
    for (auto [i, input] : llvm::enumerate(tile.inputs)) {
      Type type = getElementTypeOrSelf(input->get().getType());
      if (tile.stored > 1)
        type = VectorType::get({tile.stored}, type);
      loops.setInput(*input,
                     LLVM::LoadOp::create(code.rewriter, code.loc, type,
                                          place(row, column, i),
                                          tile.stored * tile.elementBytes));
    }
    Lanes lanes{tile.resultDim, unsigned(tile.stored), {}};
    SmallVector<Value> yielded(
        loops.op.getBlock()->getTerminator()->getOperands());
    SmallVector<Value> results = loops.emitBody(yielded, {}, at, lanes);
    for (auto [result, output] :
         llvm::zip_equal(results, loops.op.getDpsInitsMutable()))
      loops.store(result, output, at, lanes);
  });
}

void qcc::nvptx::emitTransposedTiles(LinalgLoops &loops,
                                     const TransposedTile &tile) {
  TransposedTileEmitter(loops, tile).emit();
}
