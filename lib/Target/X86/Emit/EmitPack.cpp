//===- EmitPack.cpp - kernel.pack to loops --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pack is an `scf.forall` over batches and tiles of NR columns. The elements
// of a tile are read in vectors, along whichever of its loops lie side by side
// in the source:
//
//   columns   KR elements of a segment at a time, interleaved to words
//   segments  a matrix of as many words as columns, transposed; where there is
//             a prologue it goes through scratch memory, a column at a time, so
//             that the code of the prologue stands there once
//
// Columns of the last tile that do not exist are masked. A source in another
// layout is read element by element (ScalarPack.h). Floats are moved as words
// of one element each, and have no sums.
//
//===----------------------------------------------------------------------===//

#include "../Atoms/Dot.h"
#include "Elements.h"
#include "Emit.h"
#include "PackWords.h"
#include "ScalarPack.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

namespace {
class VectorPack {
public:
  VectorPack(KernelBuilder &builder, kernel::PackOp op, const Atom &atom,
             unsigned dim);

  /// All columns of a tile, or where `left` is given as many, fewer than NR.
  void emit(ArrayRef<Value> batch, Value tile, Value left);

private:
  /// Adjacent columns of a tile that are packed together.
  struct Unit {
    SmallVector<Value> batch;
    Value tile;
    Value first;  // in the tile
    Value column; // of the source
    Value left;   // columns that exist, at least 1; null: all
    Value segment;
  };
  bool isAlongSegments() const { return dim != numBatch; }
  /// How many columns units have, a divisor of NR.
  int64_t unitColumns() const;
  void emitUnit(Unit unit);
  /// All words of a segment; returns the sums plus its elements.
  SmallVector<Value> emitRun(const Unit &unit, ValueRange sums);
  /// The words of the segment from `word` on, of which `count` elements exist:
  /// for each word a vector for each group of columns.
  SmallVector<SmallVector<Value>> acrossColumns(const Unit &unit, Value word,
                                                int64_t count);
  SmallVector<SmallVector<Value>> alongRuns(const Unit &unit, Value word,
                                            int64_t count);
  /// A vector of elements of the segment of column i of the unit.
  Value readColumn(const Unit &unit, Value i, Value k, int64_t count);
  /// Elements moved by the offset, and zeros where there are none: the first
  /// `count` of each word and the columns of the unit exist.
  Value toStored(Value word, int64_t count, Value mask);
  /// The bits of vectors of floats, as words.
  Value asWords(Value vector) {
    return builder.rewriter.createOrFold<vector::BitCastOp>(
        builder.loc, builder.accumulatorType(), vector);
  }
  /// Stores a word of the segment, for group `group` of columns.
  void store(const Unit &unit, Value word, int64_t group, Value vector);
  void storeWords(Value vector, ArrayRef<Value> at);
  Value addElements(Value sum, Value word);
  VectorPosition at(const Unit &unit, Value column, Value k, int64_t lanes,
                    bool inBounds);

  KernelBuilder &builder;
  kernel::PackOp op;
  const Atom &atom;
  unsigned dim, numBatch;
  int64_t nr, kr;
  int64_t segments, segmentSize;
  Elements source;
  Value scratch; // [lanes, words of a vector], or null
};
} // namespace

static AffineMap mapOf(kernel::PackOp op, unsigned operand) {
  return cast<AffineMapAttr>(op.getIndexingMaps()[operand]).getValue();
}

static Elements elementsOf(kernel::PackOp op) {
  SmallVector<Value> operands{op.getSource()};
  llvm::append_range(operands, op.getIns());
  SmallVector<AffineMap> maps;
  for (unsigned i = 0; i < operands.size(); ++i)
    maps.push_back(mapOf(op, i));
  return Elements(op.getPrologue(), operands, maps);
}

VectorPack::VectorPack(KernelBuilder &builder, kernel::PackOp op,
                       const Atom &atom, unsigned dim)
    : builder(builder), op(op), atom(atom), dim(dim),
      numBatch(op.getNumBatch()), nr(op.getNR()), kr(op.getKR()),
      segments(op.getWords() / op.getSegmentWords()),
      segmentSize(op.getReductionSizes().back()), source(elementsOf(op)) {
  assert(nr % builder.lanes == 0 && "tiles have whole vectors of columns");
  if (!isAlongSegments() || !source.hasPrologue())
    return;
  OpBuilder::InsertionGuard guard(builder.rewriter);
  builder.rewriter.setInsertionPointToStart(
      &op->getParentOfType<func::FuncOp>().getBody().front());
  scratch =
      memref::AllocaOp::create(builder.rewriter, builder.loc,
                               MemRefType::get({builder.lanes, builder.lanes},
                                               builder.rewriter.getI32Type()),
                               builder.rewriter.getI64IntegerAttr(64));
}

int64_t VectorPack::unitColumns() const {
  int64_t columns = builder.lanes;
  if (!isAlongSegments() && kr == 4 && !source.hasPrologue())
    while (columns < 4 * builder.lanes && nr % (2 * columns) == 0)
      columns *= 2;
  assert(nr % columns == 0 && "a tile has whole units");
  return columns;
}

VectorPosition VectorPack::at(const Unit &unit, Value column, Value k,
                              int64_t lanes, bool inBounds) {
  VectorPosition position{unit.batch, dim, unsigned(lanes), inBounds};
  position.index.push_back(column);
  position.index.append(
      builder.delinearize(unit.segment, op.getReductionSizes().drop_back()));
  position.index.push_back(k);
  return position;
}

Value VectorPack::toStored(Value word, int64_t count, Value mask) {
  assert(count > 0 && "a word has elements");
  OpBuilder &rewriter = builder.rewriter;
  int64_t bits = 32 / kr, existing = bits * std::min(count, kr);
  auto type = cast<VectorType>(word.getType());
  if (existing != 32 && source.hasPrologue())
    word = arith::AndIOp::create(
        rewriter, builder.loc, word,
        builder.splat(type, (int64_t(1) << existing) - 1));
  // Adding 128 to a byte is flipping its highest bit.
  if (op.getOffset().value_or(0) != 0)
    word = arith::XOrIOp::create(
        rewriter, builder.loc, word,
        builder.splat(type, llvm::SignExtend64<32>(
                                0x80808080 & ((int64_t(1) << existing) - 1))));
  if (mask)
    word = builder.clearUnless(mask, word);
  return word;
}

/// The columns that exist of a group, as a mask; null where all do.
static Value groupMask(KernelBuilder &builder, Value left, int64_t first) {
  if (!left)
    return {};
  return vector::CreateMaskOp::create(
      builder.rewriter, builder.loc, builder.vectorType(builder.lanes, 1),
      ValueRange{builder.sub(left, builder.index(first))});
}

/// Bytes to i32 by the sign of the source.
static Value extend(KernelBuilder &builder, kernel::PackOp op, Value bytes,
                    unsigned bits) {
  auto type = builder.vectorType(
      cast<VectorType>(bytes.getType()).getNumElements(), bits);
  return op.getUnsignedSource()
             ? arith::ExtUIOp::create(builder.rewriter, builder.loc, type,
                                      bytes)
                   .getResult()
             : arith::ExtSIOp::create(builder.rewriter, builder.loc, type,
                                      bytes);
}

SmallVector<SmallVector<Value>>
VectorPack::acrossColumns(const Unit &unit, Value word, int64_t count) {
  OpBuilder &rewriter = builder.rewriter;
  Location loc = builder.loc;
  int64_t columns = unitColumns();
  SmallVector<Value> rows;
  for (int64_t r = 0; r < kr; ++r) {
    if (r >= count) {
      rows.push_back(
          builder.splat(cast<VectorType>(rows.front().getType()), 0));
      continue;
    }
    rows.push_back(source.read(
        builder, at(unit, unit.column, builder.add(builder.mul(word, kr), r),
                    columns, !unit.left)));
  }
  SmallVector<Value> words;
  if (kr == 1) {
    words = {asWords(rows[0])};
  } else if (kr == 4) {
    words = source.areWide()
                ? SmallVector<Value>{source.interleave(builder, rows)}
                : interleaveRows(builder, rows);
  } else {
    for (Value &row : rows) {
      if (source.areWide())
        row = source.pack(builder, row);
      row = extend(builder, op, row, 32);
    }
    Value low =
        arith::AndIOp::create(rewriter, loc, rows[0], builder.splat(0xffff));
    Value high =
        arith::ShLIOp::create(rewriter, loc, rows[1], builder.splat(16));
    words = {arith::OrIOp::create(rewriter, loc, low, high)};
  }
  for (auto [g, value] : llvm::enumerate(words))
    value = toStored(value, count,
                     groupMask(builder, unit.left, g * builder.lanes));
  return {words};
}

Value VectorPack::readColumn(const Unit &unit, Value i, Value k,
                             int64_t count) {
  int64_t size = builder.lanes * kr;
  // Columns that do not exist read the last that does, and are masked later.
  if (unit.left)
    i = builder.min(i, builder.sub(unit.left, builder.index(1)));
  Value bytes = source.readBytes(
      builder, at(unit, builder.add(unit.column, i), k, 0, false), size, count);
  if (kr == 2)
    bytes = extend(builder, op, bytes, 16);
  return asWords(bytes);
}

SmallVector<SmallVector<Value>>
VectorPack::alongRuns(const Unit &unit, Value word, int64_t count) {
  OpBuilder &rewriter = builder.rewriter;
  Location loc = builder.loc;
  int64_t lanes = builder.lanes;
  Value k = builder.mul(word, kr), zero = builder.index(0);
  if (scratch)
    builder.forEach(zero, builder.index(lanes), 1, [&](Value i) {
      vector::StoreOp::create(rewriter, loc, readColumn(unit, i, k, count),
                              scratch, ValueRange{i, zero});
    });
  SmallVector<Value> rows;
  for (int64_t i = 0; i < lanes; ++i)
    rows.push_back(scratch ? vector::LoadOp::create(
                                 rewriter, loc, builder.accumulatorType(),
                                 scratch, ValueRange{builder.index(i), zero})
                                 .getResult()
                           : readColumn(unit, builder.index(i), k, count));
  Value mask = groupMask(builder, unit.left, 0);
  SmallVector<SmallVector<Value>> words;
  for (auto [w, value] : llvm::enumerate(transposeWords(builder, rows))) {
    int64_t existing = count - (int64_t)w * kr;
    if (existing > 0)
      words.push_back({toStored(value, existing, mask)});
  }
  return words;
}

Value VectorPack::addElements(Value sum, Value word) {
  // Each element times 1: 1 has the same form in all atoms, as either operand.
  int64_t ones = 0;
  for (int64_t r = 0; r < kr; ++r)
    ones |= int64_t(1) << (32 / kr * r);
  Value left = builder.splat(ones), right = word;
  // Elements that are stored unsigned are left operands of the instruction.
  if (op.getUnsignedSource() != (op.getOffset().value_or(0) != 0))
    std::swap(left, right);
  return multiplyAccumulate(builder.rewriter, builder.loc, atom, sum, left,
                            right);
}

void VectorPack::store(const Unit &unit, Value word, int64_t group,
                       Value vector) {
  SmallVector<Value> at(unit.batch);
  at.append({unit.tile,
             builder.add(builder.mul(unit.segment, op.getSegmentWords()), word),
             builder.add(unit.first, group * builder.lanes)});
  storeWords(vector, at);
}

void VectorPack::storeWords(Value vector, ArrayRef<Value> at) {
  auto type = VectorType::get(
      {builder.lanes},
      cast<MemRefType>(op.getPacked().getType()).getElementType());
  vector::StoreOp::create(builder.rewriter, builder.loc,
                          builder.rewriter.createOrFold<vector::BitCastOp>(
                              builder.loc, type, vector),
                          op.getPacked(), at);
}

SmallVector<Value> VectorPack::emitRun(const Unit &unit, ValueRange sums) {
  assert(int64_t(sums.size()) == unitColumns() / builder.lanes &&
         "a sum for each vector of columns");
  int64_t step = isAlongSegments() ? builder.lanes : 1;
  int64_t whole = segmentSize / (step * kr),
          rest = segmentSize - whole * step * kr;
  auto pack = [&](Value word, int64_t count, ValueRange sums) {
    SmallVector<Value> current(sums);
    for (auto [w, vectors] :
         llvm::enumerate(isAlongSegments() ? alongRuns(unit, word, count)
                                           : acrossColumns(unit, word, count)))
      for (auto [g, vector] : llvm::enumerate(vectors)) {
        store(unit, builder.add(word, w), g, vector);
        if (op.getSums())
          current[g] = addElements(current[g], vector);
      }
    return current;
  };
  SmallVector<Value> result =
      builder.carry(0, whole, sums, [&](Value i, ValueRange current) {
        return pack(builder.mul(i, step), step * kr, current);
      });
  if (rest != 0)
    result = pack(builder.index(whole * step), rest, result);
  Value zero = builder.splat(0);
  builder.forEach(builder.index(llvm::divideCeil(segmentSize, kr)),
                  builder.index(op.getSegmentWords()), 1, [&](Value word) {
                    for (size_t g = 0; g < sums.size(); ++g)
                      store(unit, word, g, zero);
                  });
  return result;
}

void VectorPack::emitUnit(Unit unit) {
  SmallVector<Value> zeros(unitColumns() / builder.lanes, builder.splat(0));
  SmallVector<Value> sums =
      builder.carry(0, segments, zeros, [&](Value segment, ValueRange current) {
        unit.segment = segment;
        return emitRun(unit, current);
      });
  if (!op.getSums())
    return;
  for (auto [g, sum] : llvm::enumerate(sums)) {
    SmallVector<Value> at(unit.batch);
    at.push_back(
        builder.add(builder.add(builder.mul(unit.tile, nr), unit.first),
                    g * builder.lanes));
    vector::StoreOp::create(builder.rewriter, builder.loc, sum, op.getSums(),
                            at);
  }
}

void VectorPack::emit(ArrayRef<Value> batch, Value tile, Value left) {
  int64_t columns = unitColumns();
  auto unitAt = [&](Value first) {
    return Unit{llvm::to_vector(batch),
                tile,
                first,
                builder.add(builder.mul(tile, nr), first),
                {},
                {}};
  };
  if (!left)
    return builder.forEach(builder.index(0), builder.index(nr), columns,
                           [&](Value first) { emitUnit(unitAt(first)); });
  builder.forEach(builder.index(0), left, columns, [&](Value first) {
    Unit unit = unitAt(first);
    unit.left = builder.sub(left, first);
    emitUnit(unit);
  });
  // Groups without any column.
  Value begin =
      builder.mul(builder.ceilDiv(left, builder.index(columns)), columns);
  builder.forEach(begin, builder.index(nr), builder.lanes, [&](Value first) {
    Value zero = builder.splat(0);
    builder.forEach(builder.index(0), builder.index(op.getWords()), 1,
                    [&](Value word) {
                      SmallVector<Value> at(batch);
                      at.append({tile, word, first});
                      storeWords(zero, at);
                    });
    if (!op.getSums())
      return;
    SmallVector<Value> at(batch);
    at.push_back(builder.add(builder.mul(tile, nr), first));
    vector::StoreOp::create(builder.rewriter, builder.loc, zero, op.getSums(),
                            at);
  });
}

/// The size of the column dimension.
static Value countColumns(KernelBuilder &builder, kernel::PackOp op) {
  AffineExpr column = getAffineDimExpr(op.getNumBatch(), op.getContext());
  for (auto [i, expr] : llvm::enumerate(mapOf(op, 0).getResults()))
    if (expr == column)
      return builder.rewriter.createOrFold<memref::DimOp>(builder.loc,
                                                          op.getSource(), i);
  llvm_unreachable("the column dimension is one of the source");
}

/// The loop along which elements are read in vectors; nothing where they are
/// read one by one.
static std::optional<unsigned> vectorLoop(kernel::PackOp op, int64_t lanes) {
  // Bytes are moved by flipping their highest bit.
  int64_t offset = op.getOffset().value_or(0);
  bool isFlip = op.getKR() == 4 && (offset & 255) == 128;
  bool areWideIntegers = op.getKR() == 1 && op.getSums();
  if ((offset != 0 && !isFlip) || areWideIntegers || op.getNR() % lanes != 0 ||
      !cast<MemRefType>(op.getSource().getType()).isLastDimUnitStride())
    return std::nullopt;
  return op.getContiguousLoop();
}

void qcc::x86::emitPack(RewriterBase &rewriter, kernel::PackOp op,
                        const Atom *atom) {
  rewriter.setInsertionPoint(op);
  KernelBuilder builder(rewriter, op.getLoc(), atom ? atom->lanes : 1);
  Value n = countColumns(builder, op);
  int64_t nr = op.getNR();
  SmallVector<OpFoldResult> bounds;
  for (unsigned i = 0; i <= op.getNumBatch(); ++i)
    bounds.push_back(getAsOpFoldResult(
        rewriter.createOrFold<memref::DimOp>(op.getLoc(), op.getPacked(), i)));
  auto forall = scf::ForallOp::create(rewriter, op.getLoc(), bounds,
                                      ValueRange{}, std::nullopt);
  rewriter.setInsertionPoint(forall.getTerminator());
  SmallVector<Value> batch =
      llvm::to_vector_of<Value>(forall.getInductionVars());
  Value tile = batch.pop_back_val();

  std::optional<unsigned> dim =
      atom ? vectorLoop(op, atom->lanes) : std::nullopt;
  if (!dim) {
    emitScalarPack(builder, op, batch, tile, n);
    return rewriter.eraseOp(op);
  }
  VectorPack pack(builder, op, *atom, *dim);
  Value wholeTiles = builder.div(n, builder.index(nr));
  auto size = getConstantIntValue(n);
  if (size && *size % nr == 0) {
    pack.emit(batch, tile, {});
    return rewriter.eraseOp(op);
  }
  // Not all columns of the last tile exist.
  auto branch =
      scf::IfOp::create(rewriter, op.getLoc(), builder.less(tile, wholeTiles),
                        /*withElseRegion=*/true);
  if (!size || *size > nr) {
    rewriter.setInsertionPointToStart(branch.thenBlock());
    pack.emit(batch, tile, {});
  }
  rewriter.setInsertionPointToStart(branch.elseBlock());
  pack.emit(batch, wholeTiles, builder.sub(n, builder.mul(wholeTiles, nr)));
  rewriter.eraseOp(op);
}
