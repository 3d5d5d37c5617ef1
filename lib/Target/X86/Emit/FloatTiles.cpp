//===- FloatTiles.cpp - Tiles of floats in vector registers ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each result is one chain of fma in the order of the reduction dimensions
// (N8). A chain may pause: its accumulator is an exact f32. So K is cut into
// parts whose packed columns fit the L1 cache, and a thread runs
//
//   for each block of MC rows                L2: their part of the left operand
//     for each tile of NR columns
//       accumulators of the block := initial values
//       for each part of K                   L1: its words of the columns
//         for each tile of MR rows
//           accumulators of the tile, in registers, over the part
//       for each tile of MR rows, epilogue
//
// Accumulators lie in memory between parts; where there is one part, in
// registers throughout. A block goes through the outer dimensions, such as the
// lines of an image, where all of them multiply the same columns.
//
// A right operand may be narrow (packed before its prologue) or lie in place. A
// part of its columns is brought to memory in the L1 cache before the tiles of
// rows. Where there is one tile of rows, registers widen narrow ones.
//
//===----------------------------------------------------------------------===//

#include "../Atoms/Dot.h"
#include "../Layout/PartsOfK.h"
#include "Epilogue.h"
#include "InitialAccumulators.h"
#include "PackedColumns.h"
#include "Strategies.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

/// Inner loops over K with so few steps together are spelled out: loops of a
/// few iterations were slower.
constexpr int64_t kMostSteps = 32;

namespace {
class FloatTiles {
public:
  FloatTiles(KernelBuilder &builder, Contraction &contraction);

  void emit();

private:
  /// Emits what is done for a tile whose accumulators are those of the block
  /// from row `slot` on.
  using EmitTile = function_ref<void(const Tile &tile, Value slot)>;
  /// Calls an EmitTile for each tile of a block in a tile of columns.
  using ForEachTile =
      function_ref<void(Value column, bool masked, EmitTile emitTile)>;

  /// Blocks of tiles that run through the outer dimensions.
  void emitThroughOuter(const Grid &grid);
  /// Blocks of rows at one index of the outer dimensions.
  void emitPart(const GridPart &part);
  void emitColumns(const GridPart &part, ForEachTile forEachTile);
  /// `columns` is a tile of one row, whose columns are those of all tiles.
  void emitColumn(const Tile &columns, ForEachTile forEachTile);
  /// The parts of K from reduction dimension `depth` on.
  void emitParts(unsigned depth, const StepOfK &step, const Tile &columns,
                 ForEachTile forEachTile);
  /// Widens the columns of the steps of the reduction dimensions from `depth`
  /// on, the first of them over [begin, end), if there is memory for it.
  void widenPart(const Tile &columns, unsigned depth, const StepOfK &step,
                 Value begin, Value end);
  void widen(const Tile &columns, unsigned depth, const StepOfK &step,
             Value begin, Value end);

  /// Asks for packed words of the next part of K, so that its first tile finds
  /// them in the L2 cache: each tile of a block of MR rows for its share.
  void prefetchNextPart(const Tile &tile, Value slot, const StepOfK &first);

  SmallVector<Value> initialize(const Tile &tile);
  SmallVector<Value> load(const Tile &tile, Value slot);
  void store(const Tile &tile, Value slot, ValueRange accumulators);
  /// The accumulators after the steps of the reduction dimensions from `depth`
  /// on, the first of them over [begin, end).
  SmallVector<Value> reduce(const Tile &tile, unsigned depth,
                            const StepOfK &step, Value begin, Value end,
                            ValueRange accumulators);
  /// The same without loops, in a loop over dimension `around`.
  SmallVector<Value> reduceInline(const Tile &tile, unsigned depth,
                                  unsigned around, const StepOfK &step,
                                  ValueRange accumulators);
  SmallVector<Value> multiply(const Tile &tile, const StepOfK &step,
                              ValueRange accumulators);
  Value leftElement(const Tile &tile, int64_t i, const StepOfK &step);
  /// Vector j of the columns.
  Value rightVector(const Tile &tile, int64_t j, const StepOfK &step);
  StepOfK firstStep() {
    return {SmallVector<Value>(contraction.op.getNumLoops(), builder.index(0)),
            builder.index(0)};
  }
  /// The step at iteration `i` of reduction dimension `depth`.
  StepOfK stepAt(const StepOfK &step, unsigned depth, Value i);
  int64_t sizeOf(unsigned depth) {
    return contraction.op.getReductionSizes()[depth];
  }
  /// The steps at the iterations from `i` on of the last reduction dimension
  /// that are read together.
  SmallVector<StepOfK> stepsAt(const StepOfK &step, unsigned depth, Value i) {
    SmallVector<StepOfK> steps;
    for (int64_t part = 0; part < packed.stepsOfWord(); ++part) {
      steps.push_back(stepAt(step, depth, builder.add(i, part)));
      steps.back().part = part;
    }
    return steps;
  }
  /// The words of an iteration of reduction dimension `depth`.
  int64_t wordsOfIteration(unsigned depth) {
    return llvm::product_of(
        contraction.op.getReductionSizes().drop_front(depth + 1));
  }
  /// The first word of iteration `i` of reduction dimension `depth`.
  Value wordAt(const StepOfK &step, unsigned depth, Value i) {
    return builder.mul(stepAt(step, depth, i).word, wordsOfIteration(depth));
  }
  /// Whether all that the steps of a part read lies in the order of K.
  bool isFlat() { return widened && (panel || flatLhs); }

  KernelBuilder &builder;
  Contraction &contraction;
  PackedColumns packed;
  PartsOfK parts;
  Epilogue epilogue;
  unsigned inlineSteps = 0;       // so far
  std::unique_ptr<LhsRows> panel; // null where rows are read in place
  Value accumulators;             // [MC, NR] of a block; null for one part
  // Of a right operand that is narrow or lies in place.
  Value widened;   // [words of a part, NR]; null if registers widen
  Value firstWord; // of the part
  Value flatLhs;   // with K in one dimension; null if K has several
};
} // namespace

FloatTiles::FloatTiles(KernelBuilder &builder, Contraction &contraction)
    : builder(builder), contraction(contraction), packed(builder, contraction),
      parts(PartsOfK::of(contraction.op, contraction.nr, packed.stepsOfWord())),
      epilogue(builder, contraction) {
  if (!contraction.config.readsLhsInPlace())
    panel = makePanelRows(builder, contraction, contraction.mc);
  if (!parts.isOne)
    accumulators = contraction.allocate(
        builder, {contraction.mc, contraction.nr}, builder.word);
  if (packed.areNarrow() ? contraction.mc == contraction.mr
                         : !packed.areInPlace())
    return;
  int64_t words =
      parts.isOne ? contraction.k : parts.size * wordsOfIteration(parts.depth);
  widened =
      contraction.allocate(builder, {words, contraction.nr}, builder.word);
  if (!panel)
    flatLhs = contraction.flattenK(builder);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void FloatTiles::emit() {
  if (!goThroughOuter(contraction.op, contraction.config.readsLhsInPlace()))
    return emitGrid(builder, contraction,
                    [&](const GridPart &part) { emitPart(part); });
  OpBuilder::InsertionGuard guard(builder.rewriter);
  emitThroughOuter(openGrid(builder, contraction));
}

void FloatTiles::emitThroughOuter(const Grid &grid) {
  GridPart part = grid.columns(builder, contraction);
  int64_t mr = contraction.mr;
  int64_t tilesOfBlock = contraction.mc / mr;
  builder.forEach(
      grid.share.rowBegin, grid.share.rowEnd, tilesOfBlock, [&](Value first) {
        Value last =
            builder.min(builder.add(first, tilesOfBlock), grid.share.rowEnd);
        emitColumns(part, [&](Value column, bool masked, EmitTile emitTile) {
          builder.forEach(first, last, 1, [&](Value number) {
            GridPart at = part;
            grid.setOuter(builder, contraction,
                          builder.div(number, grid.rowTiles), at);
            Value tileRow = builder.mul(builder.rem(number, grid.rowTiles), mr);
            Value slot = builder.mul(builder.sub(number, first), mr);
            Value end = builder.min(builder.add(tileRow, mr), contraction.m);
            forEachRowTile(
                builder, contraction, tileRow, end,
                [&](Value row, int64_t count) {
                  emitTile(at.tile(contraction, row, count, column, masked),
                           builder.add(slot, builder.sub(row, tileRow)));
                });
          });
        });
      });
}

void FloatTiles::emitPart(const GridPart &part) {
  builder.forEach(
      part.firstRow, part.lastRow, contraction.mc, [&](Value first) {
        Value last =
            builder.min(builder.add(first, contraction.mc), part.lastRow);
        if (panel)
          panel->prepare(part.loops, first, builder.sub(last, first));
        emitColumns(part, [&](Value column, bool masked, EmitTile emitTile) {
          forEachRowTile(
              builder, contraction, first, last, [&](Value row, int64_t count) {
                emitTile(part.tile(contraction, row, count, column, masked),
                         builder.sub(row, first));
              });
        });
      });
}

void FloatTiles::emitColumns(const GridPart &part, ForEachTile forEachTile) {
  auto emit = [&](Value column, bool masked) {
    emitColumn(part.tile(contraction, builder.index(0), 1, column, masked),
               forEachTile);
  };
  builder.forEach(part.firstColumn, part.lastColumn, 1,
                  [&](Value column) { emit(column, /*masked=*/false); });
  if (part.hasPartial)
    builder.ifTrue(part.hasPartial,
                   [&] { emit(part.lastColumn, /*masked=*/true); });
}

void FloatTiles::emitColumn(const Tile &columns, ForEachTile forEachTile) {
  auto forEach = [&](EmitTile emitTile) {
    forEachTile(columns.column, columns.masked, emitTile);
  };
  if (parts.isOne) {
    Value begin = builder.index(0), end = builder.index(sizeOf(0));
    widenPart(columns, 0, firstStep(), begin, end);
    return forEach([&](const Tile &tile, Value) {
      epilogue.emit(tile,
                    reduce(tile, 0, firstStep(), begin, end, initialize(tile)));
    });
  }
  forEach([&](const Tile &tile, Value slot) {
    store(tile, slot, initialize(tile));
  });
  emitParts(0, firstStep(), columns, forEachTile);
  forEach([&](const Tile &tile, Value slot) {
    epilogue.emit(tile, load(tile, slot));
  });
}

void FloatTiles::emitParts(unsigned depth, const StepOfK &step,
                           const Tile &columns, ForEachTile forEachTile) {
  Value begin = builder.index(0), end = builder.index(sizeOf(depth));
  if (depth < parts.depth)
    return builder.forEach(begin, end, 1, [&](Value i) {
      emitParts(depth + 1, stepAt(step, depth, i), columns, forEachTile);
    });
  builder.forEach(begin, end, parts.size, [&](Value first) {
    Value last = sizeOf(depth) % parts.size == 0
                     ? builder.add(first, parts.size)
                     : builder.min(builder.add(first, parts.size), end);
    widenPart(columns, depth, step, first, last);
    forEachTile(
        columns.column, columns.masked, [&](const Tile &tile, Value slot) {
          prefetchNextPart(tile, slot, stepAt(step, depth, first));
          store(tile, slot,
                reduce(tile, depth, step, first, last, load(tile, slot)));
        });
  });
}

void FloatTiles::prefetchNextPart(const Tile &tile, Value slot,
                                  const StepOfK &first) {
  int64_t lineElements = 64 * 8 /
                         cast<MemRefType>(contraction.op.getRhs().getType())
                             .getElementTypeBitWidth();
  int64_t inner = wordsOfIteration(parts.depth);
  int64_t lines =
      llvm::divideCeil(parts.size * inner * contraction.nr, lineElements);
  int64_t share = llvm::divideCeil(lines, contraction.mc / contraction.mr);
  constexpr int64_t mostLines = 32; // more delay those that the tile reads
  if (packed.areInPlace() || tile.rows < contraction.mr || share > mostLines)
    return;
  // Tiles of columns follow each other. A prefetch past the last never fails.
  SmallVector<Value> at(tile.batch);
  at.append({tile.column,
             builder.add(builder.mul(first.word, inner), parts.size * inner),
             Value()});
  Value firstLine =
      builder.mul(builder.div(slot, builder.index(contraction.mr)), share);
  builder.forEach(builder.index(0), builder.index(share), 1, [&](Value i) {
    at.back() = builder.mul(builder.add(firstLine, i), lineElements);
    memref::PrefetchOp::create(builder.rewriter, builder.loc,
                               contraction.op.getRhs(), at, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  });
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

SmallVector<Value> FloatTiles::initialize(const Tile &tile) {
  InitialAccumulators initial(builder, contraction, tile, {}, {});
  SmallVector<Value> values;
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.vectors; ++j) {
      Value value = initial.emit(i, j);
      values.push_back(value ? value : builder.splat(0));
    }
  return values;
}

SmallVector<Value> FloatTiles::load(const Tile &tile, Value slot) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.vectors; ++j)
      values.push_back(vector::LoadOp::create(
          builder.rewriter, builder.loc, builder.accumulatorType(),
          accumulators,
          ValueRange{builder.add(slot, i), builder.index(j * builder.lanes)}));
  return values;
}

void FloatTiles::store(const Tile &tile, Value slot, ValueRange values) {
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.vectors; ++j)
      vector::StoreOp::create(
          builder.rewriter, builder.loc, values[i * tile.vectors + j],
          accumulators,
          ValueRange{builder.add(slot, i), builder.index(j * builder.lanes)});
}

//===----------------------------------------------------------------------===//
// K
//===----------------------------------------------------------------------===//

StepOfK FloatTiles::stepAt(const StepOfK &step, unsigned depth, Value i) {
  StepOfK next = step;
  next.index[contraction.op.getReductionDims()[depth]] = i;
  next.word = builder.add(builder.mul(step.word, sizeOf(depth)), i);
  return next;
}

SmallVector<Value> FloatTiles::reduce(const Tile &tile, unsigned depth,
                                      const StepOfK &step, Value begin,
                                      Value end, ValueRange accumulators) {
  if (isFlat())
    return builder.carry(wordAt(step, depth, begin), wordAt(step, depth, end),
                         accumulators, [&](Value word, ValueRange current) {
                           return multiply(tile, {step.index, word}, current);
                         });
  bool widensHere = packed.areNarrow() && !widened;
  if (widensHere && wordsOfIteration(depth) == 1) {
    Value count = builder.index(packed.stepsOfWord());
    return builder.carry(
        builder.div(begin, count), builder.div(end, count), accumulators,
        [&](Value i, ValueRange current) {
          SmallVector<Value> values(current);
          for (const StepOfK &next :
               stepsAt(step, depth, builder.mul(i, packed.stepsOfWord())))
            values = multiply(tile, next, values);
          return values;
        });
  }
  // A loop keeps what a narrow operand is widened by in registers.
  int64_t mostSteps = widensHere ? 0 : kMostSteps;
  return builder.carry(
      begin, end, accumulators, [&](Value i, ValueRange current) {
        StepOfK next = stepAt(step, depth, i);
        return wordsOfIteration(depth) <= mostSteps
                   ? reduceInline(tile, depth + 1, depth, next, current)
                   : reduce(tile, depth + 1, next, builder.index(0),
                            builder.index(sizeOf(depth + 1)), current);
      });
}

/// `index`, of which LLVM knows nothing: it tells apart the values of different
/// steps. Adjacent rows of an image read the same elements in different steps.
/// LLVM would keep these in registers, which a tile does not have.
static Value unknown(KernelBuilder &builder, Value index, unsigned step) {
  OpBuilder &rewriter = builder.rewriter;
  Location loc = builder.loc;
  Type i64 = rewriter.getI64Type();
  Value number = arith::IndexCastOp::create(rewriter, loc, i64, index);
  Value same = LLVM::InlineAsmOp::create(
                   rewriter, loc, i64, ValueRange{number},
                   "# step " + std::to_string(step), "=r,0",
                   /*has_side_effects=*/false, /*is_align_stack=*/false,
                   LLVM::TailCallKind::None, /*asm_dialect=*/nullptr,
                   /*operand_attrs=*/nullptr)
                   .getResult(0);
  return arith::IndexCastOp::create(rewriter, loc, index.getType(), same);
}

SmallVector<Value> FloatTiles::reduceInline(const Tile &tile, unsigned depth,
                                            unsigned around,
                                            const StepOfK &step,
                                            ValueRange accumulators) {
  ArrayRef<int64_t> dims = contraction.op.getReductionDims();
  if (depth == dims.size()) {
    StepOfK next = step;
    if (around + 1 < depth)
      next.index[dims[around]] =
          unknown(builder, step.index[dims[around]], inlineSteps++);
    return multiply(tile, next, accumulators);
  }
  SmallVector<Value> current(accumulators);
  for (int64_t i = 0; i < sizeOf(depth); ++i)
    current = reduceInline(tile, depth + 1, around,
                           stepAt(step, depth, builder.index(i)), current);
  return current;
}

SmallVector<Value> FloatTiles::multiply(const Tile &tile, const StepOfK &step,
                                        ValueRange accumulators) {
  SmallVector<Value> right, next;
  for (int64_t j = 0; j < tile.vectors; ++j)
    right.push_back(rightVector(tile, j, step));
  for (int64_t i = 0; i < tile.rows; ++i) {
    Value left = vector::BroadcastOp::create(builder.rewriter, builder.loc,
                                             builder.accumulatorType(),
                                             leftElement(tile, i, step));
    for (int64_t j = 0; j < tile.vectors; ++j)
      next.push_back(multiplyAccumulate(
          builder.rewriter, builder.loc, contraction.atom,
          accumulators[i * tile.vectors + j], left, right[j]));
  }
  return next;
}

Value FloatTiles::rightVector(const Tile &tile, int64_t j,
                              const StepOfK &step) {
  if (!widened)
    return packed.read(tile, j, step);
  return vector::LoadOp::create(builder.rewriter, builder.loc,
                                builder.accumulatorType(), widened,
                                ValueRange{builder.sub(step.word, firstWord),
                                           builder.index(j * builder.lanes)});
}

void FloatTiles::widenPart(const Tile &columns, unsigned depth,
                           const StepOfK &step, Value begin, Value end) {
  if (!widened)
    return;
  firstWord = wordAt(step, depth, begin);
  widen(columns, depth, step, begin, end);
}

void FloatTiles::widen(const Tile &columns, unsigned depth, const StepOfK &step,
                       Value begin, Value end) {
  if (depth + 1 < contraction.op.getReductionDims().size())
    return builder.forEach(begin, end, 1, [&](Value i) {
      widen(columns, depth + 1, stepAt(step, depth, i), builder.index(0),
            builder.index(sizeOf(depth + 1)));
    });
  builder.forEach(begin, end, packed.stepsOfWord(), [&](Value i) {
    for (const StepOfK &next : stepsAt(step, depth, i))
      for (int64_t j = 0; j < columns.vectors; ++j)
        vector::StoreOp::create(builder.rewriter, builder.loc,
                                packed.read(columns, j, next), widened,
                                ValueRange{builder.sub(next.word, firstWord),
                                           builder.index(j * builder.lanes)});
  });
}

Value FloatTiles::leftElement(const Tile &tile, int64_t i,
                              const StepOfK &step) {
  if (panel) {
    TileSource source = panel->tileSource(tile, i, step.word);
    return memref::LoadOp::create(builder.rewriter, builder.loc, source.memref,
                                  source.indices);
  }
  kernel::ContractOp op = contraction.op;
  SmallVector<Value> index(tile.loops);
  for (int64_t dim : op.getReductionDims())
    index[dim] = step.index[dim];
  if (contraction.roles.m)
    index[*contraction.roles.m] = builder.add(tile.row, i);
  SmallVector<Value> at =
      operandIndices(builder.rewriter, builder.loc, op.getLhsMap(), index);
  if (flatLhs) {
    at.resize(cast<MemRefType>(flatLhs.getType()).getRank());
    at.back() = step.word;
  }
  return memref::LoadOp::create(builder.rewriter, builder.loc,
                                flatLhs ? flatLhs : op.getLhs(), at);
}

void qcc::x86::emitFloatTiles(KernelBuilder &builder,
                              Contraction &contraction) {
  FloatTiles(builder, contraction).emit();
}
