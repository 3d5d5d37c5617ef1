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
//===----------------------------------------------------------------------===//

#include "../Atoms/Dot.h"
#include "../Layout/PartsOfK.h"
#include "Epilogue.h"
#include "InitialAccumulators.h"
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
/// A step of the loops over K: the index of each loop and the number of the
/// word.
struct StepOfK {
  SmallVector<Value> index;
  Value word;
};

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
  void emitColumn(Value column, bool masked, ForEachTile forEachTile);
  /// The parts of K from reduction dimension `depth` on.
  void emitParts(unsigned depth, const StepOfK &step, Value column, bool masked,
                 ForEachTile forEachTile);

  /// Asks for the words of the next part of K: each tile of a block for its
  /// share of them, so that the first tile of that part finds them in the L2
  /// cache.
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
  StepOfK firstStep() {
    return {SmallVector<Value>(contraction.op.getNumLoops(), builder.index(0)),
            builder.index(0)};
  }
  /// The step at iteration `i` of reduction dimension `depth`.
  StepOfK stepAt(const StepOfK &step, unsigned depth, Value i);
  int64_t sizeOf(unsigned depth) {
    return contraction.op.getReductionSizes()[depth];
  }

  KernelBuilder &builder;
  Contraction &contraction;
  PartsOfK parts;
  Epilogue epilogue;
  unsigned inlineSteps = 0;       // so far
  std::unique_ptr<LhsRows> panel; // null where rows are read in place
  Value accumulators;             // [MC, NR] of a block; null for one part
};
} // namespace

FloatTiles::FloatTiles(KernelBuilder &builder, Contraction &contraction)
    : builder(builder), contraction(contraction),
      parts(PartsOfK::of(contraction.op, contraction.nr)),
      epilogue(builder, contraction) {
  if (!contraction.config.readsLhsInPlace())
    panel = makePanelRows(builder, contraction, contraction.mc);
  if (!parts.isOne)
    accumulators = contraction.allocate(
        builder, {contraction.mc, contraction.nr}, builder.word);
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
  builder.forEach(part.firstColumn, part.lastColumn, 1, [&](Value column) {
    emitColumn(column, /*masked=*/false, forEachTile);
  });
  if (part.hasPartial)
    builder.ifTrue(part.hasPartial, [&] {
      emitColumn(part.lastColumn, /*masked=*/true, forEachTile);
    });
}

void FloatTiles::emitColumn(Value column, bool masked,
                            ForEachTile forEachTile) {
  if (parts.isOne)
    return forEachTile(column, masked, [&](const Tile &tile, Value) {
      epilogue.emit(tile, reduce(tile, 0, firstStep(), builder.index(0),
                                 builder.index(sizeOf(0)), initialize(tile)));
    });
  forEachTile(column, masked, [&](const Tile &tile, Value slot) {
    store(tile, slot, initialize(tile));
  });
  emitParts(0, firstStep(), column, masked, forEachTile);
  forEachTile(column, masked, [&](const Tile &tile, Value slot) {
    epilogue.emit(tile, load(tile, slot));
  });
}

void FloatTiles::emitParts(unsigned depth, const StepOfK &step, Value column,
                           bool masked, ForEachTile forEachTile) {
  Value begin = builder.index(0), end = builder.index(sizeOf(depth));
  if (depth < parts.depth)
    return builder.forEach(begin, end, 1, [&](Value i) {
      emitParts(depth + 1, stepAt(step, depth, i), column, masked, forEachTile);
    });
  builder.forEach(begin, end, parts.size, [&](Value first) {
    Value last = sizeOf(depth) % parts.size == 0
                     ? builder.add(first, parts.size)
                     : builder.min(builder.add(first, parts.size), end);
    forEachTile(column, masked, [&](const Tile &tile, Value slot) {
      prefetchNextPart(tile, slot, stepAt(step, depth, first));
      store(tile, slot,
            reduce(tile, depth, step, first, last, load(tile, slot)));
    });
  });
}

void FloatTiles::prefetchNextPart(const Tile &tile, Value slot,
                                  const StepOfK &first) {
  constexpr int64_t lineElements = 64 / sizeof(float);
  int64_t inner = llvm::product_of(
      contraction.op.getReductionSizes().drop_front(parts.depth + 1));
  int64_t lines =
      llvm::divideCeil(parts.size * inner * contraction.nr, lineElements);
  int64_t share = llvm::divideCeil(lines, contraction.mc / contraction.mr);
  // The words of a tile of columns follow each other, and tiles do. A prefetch
  // past the last one never fails.
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
  ArrayRef<int64_t> inner =
      contraction.op.getReductionSizes().drop_front(depth + 1);
  return builder.carry(
      begin, end, accumulators, [&](Value i, ValueRange current) {
        StepOfK next = stepAt(step, depth, i);
        return llvm::product_of(inner) <= kMostSteps
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
  for (int64_t j = 0; j < tile.vectors; ++j) {
    SmallVector<Value> at(tile.batch);
    at.append({tile.column, step.word, builder.index(j * builder.lanes)});
    right.push_back(vector::LoadOp::create(builder.rewriter, builder.loc,
                                           builder.accumulatorType(),
                                           contraction.op.getRhs(), at));
  }
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
  return memref::LoadOp::create(
      builder.rewriter, builder.loc, op.getLhs(),
      operandIndices(builder.rewriter, builder.loc, op.getLhsMap(), index));
}

void qcc::x86::emitFloatTiles(KernelBuilder &builder,
                              Contraction &contraction) {
  FloatTiles(builder, contraction).emit();
}
