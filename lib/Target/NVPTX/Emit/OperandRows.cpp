//===- OperandRows.cpp - Rows of operands along K -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChunkLoader.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

StridedOperand qcc::nvptx::lhsOperand(ScalarCode &code, ContractOp op) {
  return StridedOperand(code, op.getLhs(), op.getLhsMap());
}

StridedOperand qcc::nvptx::rhsOperand(ScalarCode &code, ContractOp op) {
  unsigned rank = cast<MemRefType>(op.getRhs().getType()).getRank();
  return StridedOperand(
      code, op.getRhs(),
      AffineMap::getMultiDimIdentityMap(rank, op.getContext()));
}

ByteRows qcc::nvptx::lhsRows(ScalarCode &code, ContractOp op,
                             StridedOperand &lhs, BlockTiles &tiles,
                             SlicesOfK &slices) {
  ByteRows rows;
  rows.address = lhs.address();
  rows.rowOffset = [&](Value row) { return lhs.offset(tiles.rowPoint(row)); };
  rows.sliceOffset = [&, loops = op.getNumLoops()](Value slice) {
    Point at(loops);
    slices.set(at, slice);
    return lhs.offset(at);
  };
  rows.rest = slices.restOf(slices.segment());
  return rows;
}

ByteRows qcc::nvptx::rhsRows(ScalarCode &code, ContractOp op,
                             StridedOperand &rhs, BlockTiles &tiles,
                             SlicesOfK &slices, int64_t bits) {
  ByteRows rows;
  rows.address = rhs.address();
  unsigned rank = cast<MemRefType>(op.getRhs().getType()).getRank();
  rows.rowOffset = [&, batch = op.getRoles()->batch, rank](Value row) {
    Point at;
    for (unsigned loop : batch)
      at.push_back(tiles.batch[loop]);
    Value column = tiles.column(row);
    at.push_back(tiles.hasAllColumns() ? column
                                       : code.clamp(column, tiles.columnCount));
    at.resize(rank);
    return code.create<arith::MulIOp>(rhs.offset(at),
                                      code.index(rhs.elementBytes()));
  };
  rows.sliceOffset = [&, bits](Value slice) {
    Value elements = slices.packedOffset(slice);
    return bits == 8
               ? elements
               : code.create<arith::DivUIOp>(elements, code.index(8 / bits));
  };
  rows.rest = slices.restOf(slices.packedSegment());
  return rows;
}

std::unique_ptr<ChunkLoader>
qcc::nvptx::makeLhsLoader(ScalarCode &code, ContractOp op, Chunks chunks,
                          BlockTiles &tiles, SlicesOfK &slices,
                          StridedOperand &lhs) {
  if (std::optional<int64_t> alignment = alignmentAlongK(op)) {
    ByteRows rows = lhsRows(code, op, lhs, tiles, slices);
    if (*alignment >= kLeastCopied && slices.segment() % *alignment == 0)
      return makeWordLoader(code, std::move(chunks), std::move(rows),
                            *alignment);
    if (cast<MemRefType>(op.getLhs().getType()).getLayout().isIdentity())
      return makeShiftingLoader(code, std::move(chunks), std::move(rows),
                                lhs.size(),
                                static_cast<bool>(op.getRhsZeroPoint()));
  }
  return makePrologueLoader(code, op, std::move(chunks), tiles, slices);
}
