//===- VectorTiles.cpp - Blocks of a contraction in vector registers ------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of blocks and tiles. For its part of the grid (Grid.h) a thread
// runs
//
//   for each block of MC rows                L2: rows of the left operand
//     prepare the rows                       LhsRows.h
//     for each block of NC columns           L1 or L2: tiles of the right one
//       prepare the columns                  ColumnProducts.h
//       for each tile of MR rows, then what is left of the rows
//         for each tile of NR columns
//           accumulators over K, epilogue    MainLoop.h, Epilogue.h
//
// The last tile of columns has only as many vectors as there are columns left.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "MainLoop.h"
#include "Strategies.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

namespace {
class VectorTiles {
public:
  VectorTiles(KernelBuilder &builder, Contraction &contraction)
      : builder(builder), contraction(contraction),
        rows(makeRows(builder, contraction)), columns(builder, contraction),
        epilogue(builder, contraction) {}

  void emit(const GridPart &part);

private:
  void emitTile(const Tile &tile);

  KernelBuilder &builder;
  Contraction &contraction;
  std::unique_ptr<LhsRows> rows;
  ColumnProducts columns;
  Epilogue epilogue;
};
} // namespace

void VectorTiles::emit(const GridPart &part) {
  int64_t columnsPerBlock = contraction.nc / contraction.nr;
  auto isAtBorder = [&](int64_t row, int64_t count) {
    return rows->leavesOut(row, count);
  };
  auto emitBlock = [&](Value row) {
    Value lastRow = builder.min(builder.add(row, contraction.mc), part.lastRow);
    rows->prepare(part.loops, row, builder.sub(lastRow, row));
    auto emitColumns = [&](Value column) {
      Value last =
          builder.min(builder.add(column, columnsPerBlock), part.lastColumn);
      columns.prepare(part.batch, column, last);
      forEachRowTile(builder, contraction, row, lastRow, isAtBorder,
                     [&](Value row, int64_t count) {
                       auto emitColumn = [&](Value column) {
                         emitTile(
                             part.tile(contraction, row, count, column, false));
                       };
                       if (columnsPerBlock == 1)
                         emitColumn(column);
                       else
                         builder.forEach(column, last, 1, emitColumn);
                     });
    };
    builder.forEach(part.firstColumn, part.lastColumn, columnsPerBlock,
                    emitColumns);
    if (part.hasPartial)
      builder.ifTrue(part.hasPartial, [&] {
        columns.prepare(part.batch, part.lastColumn,
                        builder.add(part.lastColumn, 1));
        forEachRowTile(builder, contraction, row, lastRow, isAtBorder,
                       [&](Value row, int64_t count) {
                         emitTile(part.tile(contraction, row, count,
                                            part.lastColumn, true));
                       });
      });
  };
  builder.forEach(part.firstRow, part.lastRow, contraction.mc, emitBlock);
}

void VectorTiles::emitTile(const Tile &tile) {
  epilogue.emit(tile, emitMainLoop(builder, contraction, *rows, columns, tile));
}

void qcc::x86::emitVectorTiles(KernelBuilder &builder,
                               Contraction &contraction) {
  VectorTiles blocks(builder, contraction);
  emitGrid(builder, contraction,
           [&](const GridPart &part) { blocks.emit(part); });
}
