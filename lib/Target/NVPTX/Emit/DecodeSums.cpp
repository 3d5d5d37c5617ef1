//===- DecodeSums.cpp - Sums of warps in shared memory --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecodeSums.h"
#include "ChunkLoader.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

/// Rows of a fragment that a thread has, these many apart.
constexpr int64_t kRowsApart = 8;

DecodeSums::DecodeSums(ScalarCode &code, kernel::ContractOp op,
                       ConfigAttr config, BlockTiles &tiles, int64_t mostRows,
                       int64_t rows, int64_t slots)
    : code(code), op(op), config(config), tiles(tiles), mostRows(mostRows),
      rows(rows), slots(slots) {
  assert(slots * (sumBytes() + rowSumBytes()) <= config.getSharedBytes() &&
         "slots are in shared memory");
}

bool DecodeSums::hasHighRows() { return mostRows > kRowsApart; }
int64_t DecodeSums::sumBytes() { return rows * config.getRowWords() * kWord; }
int64_t DecodeSums::rowSumBytes() { return rows * kWord; }

/// A branch around the store would not do: LLVM moves products into it, which
/// all lanes of a warp have to compute.
void DecodeSums::storeIf(Value condition, ValueRange words, Value place,
                         int64_t more) {
  RewriterBase &rewriter = code.rewriter;
  SharedMemory &memory = *tiles.memory;
  int64_t count = words.size();
  if (!condition) {
    auto type = VectorType::get({count}, rewriter.getI32Type());
    LLVM::StoreOp::create(
        rewriter, code.loc,
        vector::FromElementsOp::create(rewriter, code.loc, type, words),
        memory.at(place, more), count * kWord);
    return;
  }
  SmallVector<Value> operands{
      condition,
      memory.address(code.create<arith::AddIOp>(place, code.index(more)))};
  llvm::append_range(operands, words);
  std::string list, constraints = "b,r";
  for (int64_t i = 0; i < count; ++i) {
    list += (i ? ", $" : "$") + std::to_string(2 + i);
    constraints += ",r";
  }
  std::string vector = count > 1 ? ".v" + std::to_string(count) : "";
  code.emitPTX("@$0 st.shared" + vector + ".b32 [$1], " +
                   (count > 1 ? "{" + list + "};" : list + ";"),
               constraints + ",~{memory}", operands);
}

void DecodeSums::store(Value slot, Value group, Value member,
                       ArrayRef<Value> sums) {
  int64_t ownColumns = config.getColumns() / 4;
  int64_t words = std::min<int64_t>(ownColumns, kWords);
  assert(int64_t(sums.size()) == (fragments() + needsRowSums()) * kSums &&
         ownColumns % words == 0 && "sums are stored in whole accesses");
  Value start = code.create<arith::MulIOp>(slot, code.index(sumBytes()));
  start = code.create<arith::AddIOp>(
      start, code.create<arith::MulIOp>(
                 group, code.index(config.getRowWords() * kWord)));
  start = code.create<arith::AddIOp>(
      start,
      code.create<arith::MulIOp>(member, code.index(ownColumns * kWord)));
  Value exists =
      rows < kRowsApart ? code.less(group, code.index(rows)) : Value();
  for (int64_t high = 0; high <= int64_t(hasHighRows()); ++high)
    for (int64_t first = 0; first < ownColumns; first += words) {
      Values parts;
      for (int64_t i = first; i < first + words; ++i)
        parts.push_back(sums[i / 2 * kSums + high * 2 + i % 2]);
      storeIf(exists, parts, start,
              (high * kRowsApart * config.getRowWords() + first) * kWord);
    }
  if (!needsRowSums())
    return;
  // All threads of a group have them.
  Value isFirst = code.less(member, code.index(1));
  if (exists)
    isFirst = code.create<arith::AndIOp>(isFirst, exists);
  Value place = code.create<arith::AddIOp>(
      code.create<arith::MulIOp>(slot, code.index(rows)), group);
  place = code.create<arith::MulIOp>(place, code.index(kWord));
  for (int64_t high = 0; high <= int64_t(hasHighRows()); ++high)
    storeIf(isFirst, sums[fragments() * kSums + high * 2], place,
            rowSumsAt() + high * kRowsApart * kWord);
}

SmallVector<Value> DecodeSums::addSlots(Value place, int64_t words,
                                        int64_t ofSlot, int64_t count) {
  RewriterBase &rewriter = code.rewriter;
  auto type = VectorType::get({words}, rewriter.getI32Type());
  Value total;
  for (int64_t i = 0; i < count; ++i) {
    Value loaded = LLVM::LoadOp::create(rewriter, code.loc, type,
                                        tiles.memory->at(place, i * ofSlot),
                                        words * kWord);
    total = total ? code.create<arith::AddIOp>(total, loaded) : loaded;
  }
  Values sums;
  for (int64_t i = 0; i < words; ++i)
    sums.push_back(vector::ExtractOp::create(rewriter, code.loc, total, i));
  return sums;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Both are powers of two.
int64_t DecodeSums::results() {
  return llvm::PowerOf2Ceil(mostRows) * config.getColumns();
}

int64_t DecodeSums::stored() {
  // The loads of a chain take their time: many threads have few of them.
  if (!op.hasGroups())
    return kWords;
  return std::clamp<int64_t>(results() / config.getThreads(), 1, kWords);
}

Value DecodeSums::hasWork() {
  int64_t working = results() / stored(), threads = config.getThreads();
  assert((working < threads || working % threads == 0) &&
         "threads store equally many results");
  return working < threads ? code.less(tiles.thread, code.index(working))
                           : Value();
}

FragmentTile DecodeSums::makeTile() {
  int64_t perRow = config.getColumns() / stored(),
          threads = config.getThreads();
  int64_t passes = std::max<int64_t>(1, results() / stored() / threads);
  assert(perRow > 0 && places.empty() && "a row has results");
  Value across = code.index(perRow);
  Value firstRow = code.create<arith::DivUIOp>(tiles.thread, across);
  Value column = code.create<arith::MulIOp>(
      code.create<arith::RemUIOp>(tiles.thread, across), code.index(stored()));
  FragmentTile tile;
  tile.columns.push_back(tiles.column(column));
  tile.run = stored();
  tile.columnCount = tiles.columnCount;
  tile.hasAllColumns = tiles.hasAllColumns();
  for (int64_t pass = 0; pass < passes; ++pass) {
    Value row = code.create<arith::AddIOp>(firstRow,
                                           code.index(pass * threads / perRow));
    tile.rows.push_back(tiles.rowPoint(row));
    tile.exists.push_back(tiles.hasRow(row));
    Value place = code.create<arith::AddIOp>(
        code.create<arith::MulIOp>(row, code.index(config.getRowWords())),
        column);
    places.push_back(code.create<arith::MulIOp>(place, code.index(kWord)));
    rowPlaces.push_back(code.create<arith::AddIOp>(
        code.create<arith::MulIOp>(row, code.index(kWord)),
        code.index(rowSumsAt())));
  }
  return tile;
}

void DecodeSums::load(FragmentTile &tile, int64_t count, Value first) {
  auto from = [&](Value place, int64_t ofSlot) {
    if (!first)
      return place;
    return code.create<arith::AddIOp>(
        place, code.create<arith::MulIOp>(first, code.index(ofSlot)));
  };
  tile.sums.clear();
  tile.rowSums.clear();
  for (auto [place, rowPlace] : llvm::zip_equal(places, rowPlaces)) {
    tile.sums.push_back(
        addSlots(from(place, sumBytes()), stored(), sumBytes(), count));
    // Elements of 4 bits are multiplied 16 times as large.
    if (config.getRhsBits() == 4)
      for (Value &sum : tile.sums.back())
        sum = code.create<arith::ShRSIOp>(sum, code.i32(4));
    if (needsRowSums())
      tile.rowSums.push_back(
          addSlots(from(rowPlace, rowSumBytes()), 1, rowSumBytes(), count)
              .front());
  }
}
