//===- MmaTiles.cpp - A warp for each tile of a contraction ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp multiplies a tile of rows by columns with matrix instructions, K in
// steps of the instruction. Each thread loads its parts of the operands: words
// of four bytes of K of a row of the left one, prologue applied, and of a
// column of the packed right one. Rows and columns outside read those at the
// end of the operand and are not stored; bytes outside of a run of K are 0 in
// both operands.
//
// With g = lane / 4 and t = lane % 4, fragment i of the left operand has bytes
// 4t... of row g + 8i, one of the right operand those of column g; half h of K
// is 16 bytes further. A thread has two results of each eight rows, of columns
// 2t and 2t + 1.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Operands.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qcc/Target/NVPTX/Spec.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

/// Rows and columns that the threads of a warp have fragments of; bytes of K of
/// a fragment, and of the fragments of four threads.
constexpr int64_t kGroup = 8, kWord = 4, kHalf = 16;

namespace {
class MmaTilesEmitter {
public:
  MmaTilesEmitter(RewriterBase &rewriter, ContractOp op, const Atom &atom,
                  int64_t rows, int64_t columns)
      : code(rewriter, op), operands(code, op), op(op), roles(*op.getRoles()),
        atom(atom), rowGroups(rows / kGroup), columnGroups(columns / kGroup),
        point(op.getNumLoops()) {}

  void emit();

private:
  using Values = SmallVector<Value>;

  /// The loops over rows: those that are not of batches, columns or K.
  void collectRowLoops();
  /// Opens the loop over threads and sets what a thread works on.
  void openTiles();
  /// A row or column of the tile that exists.
  Value clamp(Value number, Value size);
  void setRow(Point &at, Value row);
  /// All accumulators of a step of K added to those before.
  Values emitStep(Value run, Value k, ValueRange accumulators);
  /// The word of a row at four bytes of K.
  Value lhsWord(int64_t row, Value k);
  Value lhsWordInPlace(Point at, Value k);
  Value lhsWordOfBytes(Point at, Value k);
  Value rhsWord(int64_t column, Value run, Value k);
  Values multiply(ValueRange lhs, ValueRange rhs, ValueRange accumulators);
  /// Whether four bytes of a row can be loaded as a word.
  bool hasLhsWords();
  void storeTile(ValueRange accumulators);
  void storeResult(Value sum, Value rowSum, int64_t row, Value column);
  /// The sum of products of elements less their zero points.
  Value correct(Value sum, Value rowSum, const Point &at);

  int64_t run() { return op.getReductionSizes().back(); }
  int64_t runs() { return op.getReductionSize() / run(); }
  unsigned results() { return atom.rows / kGroup * 2; }
  unsigned halves() { return atom.k / kHalf; }
  int64_t rowTiles() { return rowGroups * kGroup / atom.rows; }
  bool needsRowSums() { return static_cast<bool>(op.getRhsZeroPoint()); }

  ScalarCode code;
  Operands operands;
  ContractOp op;
  ContractOp::Roles roles;
  const Atom &atom;
  int64_t rowGroups, columnGroups;

  SmallVector<unsigned> rowLoops;
  SmallVector<OpFoldResult> rowSizes;
  Value rowCount, columnCount;
  Value firstRow, firstColumn, group, member;
  /// The batch loops are set.
  Point point;
  /// The points of this thread's rows, and its columns.
  SmallVector<Point> rowPoints;
  Values columns;
};
} // namespace

void MmaTilesEmitter::collectRowLoops() {
  for (AffineExpr result : op.getOutMaps().front().getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || dim.getPosition() == roles.n ||
        llvm::is_contained(roles.batch, dim.getPosition()))
      continue;
    rowLoops.push_back(dim.getPosition());
    rowSizes.push_back(operands.sizeOf(dim.getPosition()));
  }
}

Value MmaTilesEmitter::clamp(Value number, Value size) {
  return code.create<arith::MinUIOp>(
      number, code.create<arith::SubIOp>(size, code.index(1)));
}

void MmaTilesEmitter::setRow(Point &at, Value row) {
  for (auto [loop, index] :
       llvm::zip_equal(rowLoops, code.delinearize(row, rowSizes)))
    at[loop] = index;
}

void MmaTilesEmitter::openTiles() {
  collectRowLoops();
  OpFoldResult rows = code.product(rowSizes), n = operands.sizeOf(roles.n);
  SmallVector<OpFoldResult> space;
  for (unsigned loop : roles.batch)
    space.push_back(operands.sizeOf(loop));
  space.push_back(code.tiles(rows, rowGroups * kGroup));
  space.push_back(code.tiles(n, columnGroups * kGroup));
  space.push_back(code.rewriter.getIndexAttr(kWarp));
  rowCount = code.toValue(rows);
  columnCount = code.toValue(n);
  Values indices = code.openForall(space);
  for (auto [loop, index] : llvm::zip(roles.batch, indices))
    point[loop] = index;
  Value lane = indices.back();
  group = code.create<arith::DivUIOp>(lane, code.index(kWord));
  member = code.create<arith::RemUIOp>(lane, code.index(kWord));
  firstRow = code.create<arith::MulIOp>(indices[indices.size() - 3],
                                        code.index(rowGroups * kGroup));
  firstColumn = code.create<arith::MulIOp>(indices[indices.size() - 2],
                                           code.index(columnGroups * kGroup));
  auto inTile = [&](Value first, int64_t i, Value size) {
    Value number = code.create<arith::AddIOp>(first, group);
    number = code.create<arith::AddIOp>(number, code.index(i * kGroup));
    return clamp(number, size);
  };
  for (int64_t i = 0; i < rowGroups; ++i) {
    rowPoints.push_back(point);
    setRow(rowPoints.back(), inTile(firstRow, i, rowCount));
  }
  for (int64_t i = 0; i < columnGroups; ++i)
    columns.push_back(inTile(firstColumn, i, columnCount));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool MmaTilesEmitter::hasLhsWords() {
  auto type = cast<MemRefType>(op.getLhs().getType());
  AffineMap map = op.getLhsMap();
  unsigned k = op.getReductionDims().back();
  if (!op.getLhsPrologue().empty() || !type.getLayout().isIdentity() ||
      type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1) ||
      type.getShape().back() % kWord != 0 || run() % kWord != 0 ||
      map.getResults().back() != code.rewriter.getAffineDimExpr(k))
    return false;
  return llvm::none_of(map.getResults().drop_back(), [&](AffineExpr result) {
    return result.isFunctionOfDim(k);
  });
}

Value MmaTilesEmitter::lhsWordInPlace(Point at, Value k) {
  at[op.getReductionDims().back()] = k;
  auto bytes = VectorType::get({kWord}, code.rewriter.getI8Type());
  auto load =
      vector::LoadOp::create(code.rewriter, code.loc, bytes, op.getLhs(),
                             code.indices(op.getLhsMap(), at));
  load.setAlignment(kWord);
  auto word = VectorType::get({1}, code.rewriter.getI32Type());
  return vector::ExtractOp::create(
      code.rewriter, code.loc,
      vector::BitCastOp::create(code.rewriter, code.loc, word, load),
      ArrayRef<int64_t>{0});
}

Value MmaTilesEmitter::lhsWordOfBytes(Point at, Value k) {
  unsigned loop = op.getReductionDims().back();
  bool isFull = run() % atom.k == 0;
  Value word;
  for (int64_t i = 0; i < kWord; ++i) {
    Value here = code.create<arith::AddIOp>(k, code.index(i));
    at[loop] = isFull ? here : clamp(here, code.index(run()));
    Value byte = code.extend(operands.lhs(at), /*isUnsigned=*/true);
    if (!isFull) {
      Value exists = arith::CmpIOp::create(code.rewriter, code.loc,
                                           arith::CmpIPredicate::ult, here,
                                           code.index(run()));
      byte = arith::SelectOp::create(code.rewriter, code.loc, exists, byte,
                                     code.i32(0));
    }
    byte = code.create<arith::ShLIOp>(byte, code.i32(8 * i));
    word = word ? code.create<arith::OrIOp>(word, byte) : byte;
  }
  return word;
}

Value MmaTilesEmitter::lhsWord(int64_t row, Value k) {
  if (!hasLhsWords())
    return lhsWordOfBytes(rowPoints[row], k);
  if (run() % atom.k == 0)
    return lhsWordInPlace(rowPoints[row], k);
  Value last = code.index(run() - kWord);
  Value word =
      lhsWordInPlace(rowPoints[row], code.create<arith::MinUIOp>(k, last));
  Value exists = arith::CmpIOp::create(code.rewriter, code.loc,
                                       arith::CmpIPredicate::ule, k, last);
  return arith::SelectOp::create(code.rewriter, code.loc, exists, word,
                                 code.i32(0));
}

Value MmaTilesEmitter::rhsWord(int64_t column, Value run, Value k) {
  Values indices;
  for (unsigned loop : roles.batch)
    indices.push_back(point[loop]);
  Value words = code.index(llvm::alignTo(this->run(), kPackedStep) / kWord);
  Value word = code.create<arith::AddIOp>(
      code.create<arith::MulIOp>(run, words),
      code.create<arith::DivUIOp>(k, code.index(kWord)));
  indices.append({columns[column], word, code.index(0)});
  return memref::LoadOp::create(code.rewriter, code.loc, op.getRhs(), indices);
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

SmallVector<Value> MmaTilesEmitter::multiply(ValueRange lhs, ValueRange rhs,
                                             ValueRange accumulators) {
  using NVVM::MMATypes;
  auto type = [](bool isUnsigned) {
    return isUnsigned ? MMATypes::u8 : MMATypes::s8;
  };
  RewriterBase &rewriter = code.rewriter;
  SmallVector<Type> results(accumulators.size(), rewriter.getI32Type());
  Value product = NVVM::MmaOp::create(
      rewriter, code.loc,
      LLVM::LLVMStructType::getLiteral(rewriter.getContext(), results), lhs,
      rhs, accumulators, ArrayRef<int64_t>{atom.rows, kGroup, atom.k},
      std::nullopt, NVVM::MMAIntOverflow::wrapped,
      std::array<MMATypes, 2>{type(op.getLhsUnsigned()),
                              type(op.getRhsUnsigned())},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  Values sums;
  for (unsigned i = 0; i < results.size(); ++i)
    sums.push_back(
        LLVM::ExtractValueOp::create(rewriter, code.loc, product, i));
  return sums;
}

SmallVector<Value> MmaTilesEmitter::emitStep(Value run, Value k,
                                             ValueRange accumulators) {
  Value first = code.create<arith::AddIOp>(
      k, code.create<arith::MulIOp>(member, code.index(kWord)));
  auto at = [&](unsigned half) {
    return code.create<arith::AddIOp>(first, code.index(half * kHalf));
  };
  SmallVector<Values> rhs(columnGroups);
  for (int64_t j = 0; j < columnGroups; ++j)
    for (unsigned half = 0; half < halves(); ++half)
      rhs[j].push_back(rhsWord(j, run, at(half)));
  Values ones(halves(), code.i32(0x01010101));
  Values next;
  int64_t groups = atom.rows / kGroup;
  for (int64_t i = 0; i < rowTiles(); ++i) {
    Values lhs;
    for (unsigned half = 0; half < halves(); ++half)
      for (int64_t row = i * groups; row < (i + 1) * groups; ++row)
        lhs.push_back(lhsWord(row, at(half)));
    for (int64_t j = 0; j < columnGroups + needsRowSums(); ++j)
      llvm::append_range(next,
                         multiply(lhs, j < columnGroups ? rhs[j] : ones,
                                  accumulators.slice(next.size(), results())));
  }
  return next;
}

void MmaTilesEmitter::emit() {
  openTiles();
  RewriterBase &rewriter = code.rewriter;
  int64_t count = rowTiles() * (columnGroups + needsRowSums()) * results();
  Values zeros(count, code.i32(0));
  // Runs of K, and steps in a run.
  SmallVector<Value> lows(2, code.index(0));
  SmallVector<Value> highs{code.index(runs()),
                           code.index(llvm::alignTo(run(), atom.k))};
  SmallVector<Value> steps{code.index(1), code.index(atom.k)};
  ArrayRef<int64_t> outer = op.getReductionDims().drop_back();
  SmallVector<OpFoldResult> outerSizes;
  for (int64_t size : op.getReductionSizes().drop_back())
    outerSizes.push_back(rewriter.getIndexAttr(size));
  scf::LoopNest nest = scf::buildLoopNest(
      rewriter, code.loc, lows, highs, steps, zeros,
      [&](OpBuilder &, Location, ValueRange ivs, ValueRange sums) {
        // The builder is the rewriter itself.
        Values indices = code.delinearize(ivs[0], outerSizes);
        for (Point &row : rowPoints)
          for (auto [loop, index] : llvm::zip_equal(outer, indices))
            row[loop] = index;
        Values next = emitStep(ivs[0], ivs[1], sums);
        return scf::ValueVector(next.begin(), next.end());
      });
  for (Point &row : rowPoints)
    for (int64_t loop : op.getReductionDims())
      row[loop] = Value();
  storeTile(nest.results);
  rewriter.eraseOp(op);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Value MmaTilesEmitter::correct(Value sum, Value rowSum, const Point &at) {
  Value lhsZero = operands.lhsZeroPoint(at),
        rhsZero = operands.rhsZeroPoint(at);
  auto subtract = [&](Value a, Value b) {
    sum = code.create<arith::SubIOp>(sum, code.create<arith::MulIOp>(a, b));
  };
  if (lhsZero) {
    Values indices;
    for (unsigned loop : roles.batch)
      indices.push_back(at[loop]);
    indices.push_back(at[roles.n]);
    subtract(lhsZero, memref::LoadOp::create(code.rewriter, code.loc,
                                             op.getRhsSums(), indices));
  }
  if (rhsZero)
    subtract(rhsZero, rowSum);
  if (lhsZero && rhsZero)
    subtract(code.create<arith::MulIOp>(lhsZero, rhsZero),
             code.i32(-op.getReductionSize()));
  return code.create<arith::AddIOp>(sum, operands.init(at));
}

void MmaTilesEmitter::storeResult(Value sum, Value rowSum, int64_t row,
                                  Value column) {
  RewriterBase &rewriter = code.rewriter;
  Value number = code.create<arith::AddIOp>(
      code.create<arith::AddIOp>(firstRow, group), code.index(row * kGroup));
  auto isLess = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(rewriter, code.loc, arith::CmpIPredicate::ult,
                                 a, b);
  };
  Value exists = code.create<arith::AndIOp>(isLess(number, rowCount),
                                            isLess(column, columnCount));
  auto branch = scf::IfOp::create(rewriter, code.loc, exists);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  Point at = rowPoints[row];
  at[roles.n] = column;
  operands.storeResults(correct(sum, rowSum, at), at);
}

void MmaTilesEmitter::storeTile(ValueRange accumulators) {
  int64_t groups = atom.rows / kGroup;
  int64_t perTile = (columnGroups + needsRowSums()) * results();
  Value pair = code.create<arith::MulIOp>(member, code.index(2));
  for (int64_t i = 0; i < rowTiles(); ++i) {
    ValueRange tile = accumulators.slice(i * perTile, perTile);
    ValueRange rowSums = tile.take_back(results());
    for (int64_t j = 0; j < columnGroups; ++j)
      for (unsigned r = 0; r < results(); ++r) {
        Value column = code.create<arith::AddIOp>(firstColumn, pair);
        column =
            code.create<arith::AddIOp>(column, code.index(j * kGroup + r % 2));
        storeResult(tile[j * results() + r],
                    needsRowSums() ? rowSums[r] : Value(), i * groups + r / 2,
                    column);
      }
  }
}

void qcc::nvptx::emitMmaTiles(RewriterBase &rewriter, ContractOp op,
                              const Atom &atom, int64_t rows, int64_t columns) {
  MmaTilesEmitter(rewriter, op, atom, rows, columns).emit();
}
