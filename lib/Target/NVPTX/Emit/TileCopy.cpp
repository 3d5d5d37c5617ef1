//===- TileCopy.cpp - Tiles from global to shared memory ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedCopy.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

//===----------------------------------------------------------------------===//
// What a thread copies
//===----------------------------------------------------------------------===//

ThreadShare::ThreadShare(ScalarCode &code, SharedTile tile, Value thread,
                         int64_t threads, int64_t unit)
    : code(code), tile(tile), unit(unit) {
  int64_t unitsPerRow = tile.getDepth() / unit;
  rowsPerPass = threads / unitsPerRow;
  Value perRow = code.index(unitsPerRow);
  firstRow = code.create<arith::DivUIOp>(thread, perRow);
  firstByte = code.create<arith::MulIOp>(
      code.create<arith::RemUIOp>(thread, perRow), code.index(unit));
  Value chunk = code.create<arith::DivUIOp>(firstByte, code.index(kChunk));
  Value inChunk = code.create<arith::RemUIOp>(firstByte, code.index(kChunk));
  int64_t distinct = std::max<int64_t>(1, tile.period() / rowsPerPass);
  for (int64_t pass = 0; pass < std::min(distinct, passes()); ++pass)
    places.push_back(code.create<arith::AddIOp>(
        this->tile.offset(row(pass), chunk), inChunk));
}

int64_t ThreadShare::passes() const {
  return llvm::divideCeil(tile.getRows(), rowsPerPass);
}

Value ThreadShare::row(int64_t pass) {
  return code.create<arith::AddIOp>(firstRow, code.index(pass * rowsPerPass));
}

Value ThreadShare::hasRow(int64_t pass) {
  if ((pass + 1) * rowsPerPass <= tile.getRows())
    return Value();
  return code.less(row(pass), code.index(tile.getRows()));
}

Value ThreadShare::target(SharedMemory &memory, Value stage, int64_t pass) {
  int64_t distinct = places.size();
  int64_t skipped = pass / distinct * distinct * rowsPerPass;
  return memory.at(code.create<arith::AddIOp>(stage, places[pass % distinct]),
                   skipped * tile.getDepth());
}

static Value addressAt(ScalarCode &code, Value address, Value bytes) {
  Value number = arith::IndexCastOp::create(code.rewriter, code.loc,
                                            code.rewriter.getI64Type(), bytes);
  return LLVM::GEPOp::create(code.rewriter, code.loc, address.getType(),
                             code.rewriter.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{number});
}

/// Where the rows of each pass begin, from the bytes of the thread on.
static SmallVector<Value> rowOffsets(ScalarCode &code, ThreadShare &share,
                                     ByteRows &rows) {
  SmallVector<Value> offsets;
  for (int64_t pass = 0; pass < share.passes(); ++pass)
    offsets.push_back(code.create<arith::AddIOp>(
        rows.rowOffset(share.row(pass)), share.byte()));
  return offsets;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

namespace {
class AsyncCopy : public TileCopy {
public:
  AsyncCopy(ScalarCode &code, SharedMemory memory, ThreadShare share,
            ByteRows given)
      : code(code), memory(memory), share(share), rows(std::move(given)) {
    for (Value offset : rowOffsets(code, this->share, rows))
      sources.push_back(addressAt(code, rows.address, offset));
  }

  void begin(const Step &step) override {
    Value size = copiedBytes(step), offset = rows.stepOffset(step.number);
    int64_t unit = share.getUnit();
    // Only whole chunks can bypass the L1 cache.
    auto cache = unit == kChunk ? NVVM::LoadCacheModifierKind::CG
                                : NVVM::LoadCacheModifierKind::CA;
    for (auto [pass, source] : llvm::enumerate(sources))
      code.emitIf(share.hasRow(pass), [&, pass = pass, source = source] {
        NVVM::CpAsyncOp::create(
            code.rewriter, code.loc, share.target(memory, step.stage, pass),
            addressAt(code, source, offset), unit, cache, size);
      });
  }

private:
  /// Null: whole units.
  Value copiedBytes(const Step &step) {
    if (!rows.rest)
      return Value();
    Value rest =
        code.create<arith::SubIOp>(rows.rest(step.number), share.byte());
    rest = arith::IndexCastOp::create(code.rewriter, code.loc,
                                      code.rewriter.getI32Type(), rest);
    return code.create<arith::MinSIOp>(
        code.create<arith::MaxSIOp>(rest, code.i32(0)),
        code.i32(share.getUnit()));
  }

  ScalarCode &code;
  SharedMemory memory;
  ThreadShare share;
  ByteRows rows;
  SmallVector<Value> sources;
};
} // namespace

//===----------------------------------------------------------------------===//
// Copies by way of registers
//===----------------------------------------------------------------------===//

void StagedCopy::begin(const Step &step) {
  loaded.push_back({step.number, load(step.number)});
}

void StagedCopy::finish(const Step &step) {
  Loaded first = std::move(loaded.front());
  loaded.pop_front();
  for (auto [pass, values] : llvm::enumerate(first.chunks)) {
    Value words = toWords(pass, values, first.step);
    code.emitIf(share.hasRow(pass), [&, pass = pass] {
      LLVM::StoreOp::create(code.rewriter, code.loc, words,
                            share.target(memory, step.stage, pass), kChunk);
    });
  }
}

Value StagedCopy::toWords(int64_t, ValueRange values, Value) {
  auto type = VectorType::get({kWords}, code.rewriter.getI32Type());
  return vector::FromElementsOp::create(code.rewriter, code.loc, type, values);
}

namespace {
class WordCopy : public StagedCopy {
public:
  WordCopy(ScalarCode &code, SharedMemory memory, ThreadShare given,
           ByteRows rows, int64_t alignment)
      : StagedCopy(code, memory, given), rows(std::move(rows)),
        alignment(alignment), offsets(rowOffsets(code, share, this->rows)) {}

private:
  SmallVector<Values> load(Value step) override {
    SmallVector<Values> chunks;
    for (int64_t pass = 0; pass < share.passes(); ++pass)
      chunks.push_back(loadChunk(pass, step));
    return chunks;
  }

  Values loadChunk(int64_t pass, Value step) {
    RewriterBase &rewriter = code.rewriter;
    Value start =
        code.create<arith::AddIOp>(offsets[pass], rows.stepOffset(step));
    Value rest = rows.rest
                     ? code.create<arith::SubIOp>(rows.rest(step), share.byte())
                     : Value();
    auto type =
        VectorType::get({alignment / kWord}, code.rewriter.getI32Type());
    SmallVector<Value> words;
    for (int64_t byte = 0; byte < kChunk; byte += alignment) {
      Value place = code.create<arith::AddIOp>(start, code.index(byte)), exists;
      if (rest) {
        exists =
            arith::CmpIOp::create(rewriter, code.loc, arith::CmpIPredicate::sgt,
                                  rest, code.index(byte));
        place = arith::SelectOp::create(rewriter, code.loc, exists, place,
                                        code.index(0));
      }
      Value loaded =
          LLVM::LoadOp::create(rewriter, code.loc, type,
                               addressAt(code, rows.address, place), alignment);
      if (rest)
        loaded = arith::SelectOp::create(
            rewriter, code.loc, exists, loaded,
            arith::ConstantOp::create(rewriter, code.loc,
                                      rewriter.getZeroAttr(type)));
      for (int64_t i = 0; i < type.getNumElements(); ++i)
        words.push_back(
            vector::ExtractOp::create(rewriter, code.loc, loaded, i));
    }
    return words;
  }

  ByteRows rows;
  int64_t alignment;
  SmallVector<Value> offsets;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rows that start anywhere
//===----------------------------------------------------------------------===//

namespace {
class ShiftingCopy : public StagedCopy {
public:
  ShiftingCopy(ScalarCode &code, SharedMemory memory, ThreadShare given,
               ByteRows rows, Value size, bool isMasked)
      : StagedCopy(code, memory, given), rows(std::move(rows)), size(size),
        isMasked(isMasked), offsets(rowOffsets(code, share, this->rows)) {}

private:
  /// The aligned words that contain the chunks.
  SmallVector<Values> load(Value step) override;
  /// The words of the chunk, which are shifted out of those.
  Value toWords(int64_t pass, ValueRange values, Value step) override;
  SmallVector<Value> loadWords(Value first);
  /// The same near the end of the operand: what lies behind it is not read.
  SmallVector<Value> loadBytes(Value first);
  void mask(SmallVectorImpl<Value> &words, Value step);
  Value startOf(int64_t pass, Value step) {
    return code.create<arith::AddIOp>(offsets[pass], rows.stepOffset(step));
  }
  ByteRows rows;
  Value size;
  bool isMasked;
  SmallVector<Value> offsets;
};
} // namespace

SmallVector<Value> ShiftingCopy::loadWords(Value first) {
  SmallVector<Value> words;
  for (int64_t i = 0; i <= kWords; ++i) {
    Value place = code.create<arith::AddIOp>(first, code.index(i * kWord));
    words.push_back(LLVM::LoadOp::create(
        code.rewriter, code.loc, code.rewriter.getI32Type(),
        addressAt(code, rows.address, place), kWord));
  }
  return words;
}

SmallVector<Value> ShiftingCopy::loadBytes(Value first) {
  Value last = code.create<arith::SubIOp>(size, code.index(1));
  SmallVector<Value> words;
  for (int64_t i = 0; i < kChunk + kWord; ++i) {
    Value place = code.create<arith::MinUIOp>(
        code.create<arith::AddIOp>(first, code.index(i)), last);
    // LLVM makes one load of 15 bytes side by side, with the byte behind them.
    auto load = LLVM::LoadOp::create(
        code.rewriter, code.loc, code.rewriter.getI8Type(),
        addressAt(code, rows.address, place), /*alignment=*/1,
        /*isVolatile=*/true);
    Value byte = code.extend(load, /*isUnsigned=*/true);
    byte = code.create<arith::ShLIOp>(byte, code.i32(i % kWord * 8));
    if (i % kWord == 0)
      words.push_back(byte);
    else
      words.back() = code.create<arith::OrIOp>(words.back(), byte);
  }
  return words;
}

void ShiftingCopy::mask(SmallVectorImpl<Value> &words, Value step) {
  RewriterBase &rewriter = code.rewriter;
  Value rest = code.create<arith::SubIOp>(rows.rest(step), share.byte());
  for (auto [i, word] : llvm::enumerate(words)) {
    Value bytes = code.create<arith::SubIOp>(rest, code.index(i * kWord));
    bytes = code.create<arith::MinSIOp>(
        code.create<arith::MaxSIOp>(bytes, code.index(0)), code.index(kWord));
    Value bits = code.create<arith::ShLIOp>(
        code.index(1), code.create<arith::MulIOp>(bytes, code.index(8)));
    bits = code.create<arith::SubIOp>(bits, code.index(1));
    word = code.create<arith::AndIOp>(
        word, arith::IndexCastOp::create(rewriter, code.loc,
                                         rewriter.getI32Type(), bits));
  }
}

SmallVector<SmallVector<Value>> ShiftingCopy::load(Value step) {
  RewriterBase &rewriter = code.rewriter;
  Values starts;
  Value fits;
  for (int64_t pass = 0; pass < share.passes(); ++pass) {
    starts.push_back(
        code.create<arith::AndIOp>(startOf(pass, step), code.index(-kWord)));
    Value last = code.create<arith::AddIOp>(starts.back(),
                                            code.index(kChunk + kWord - 1));
    Value here = code.less(last, size);
    fits = fits ? code.create<arith::AndIOp>(fits, here) : here;
  }
  // All but those of the last rows do.
  fits = LLVM::ExpectOp::create(
      rewriter, code.loc, fits,
      arith::ConstantIntOp::create(rewriter, code.loc, 1, 1));
  constexpr int64_t kParts = kWords + 1;
  SmallVector<Type> types(kParts * starts.size(), rewriter.getI32Type());
  auto branch =
      scf::IfOp::create(rewriter, code.loc, types, fits, /*withElse=*/true);
  auto yieldAll = [&](Block *block, Values (ShiftingCopy::*loadChunk)(Value)) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(block);
    Values parts;
    for (Value start : starts)
      llvm::append_range(parts, (this->*loadChunk)(start));
    scf::YieldOp::create(rewriter, code.loc, parts);
  };
  yieldAll(branch.thenBlock(), &ShiftingCopy::loadWords);
  yieldAll(branch.elseBlock(), &ShiftingCopy::loadBytes);
  SmallVector<Values> chunks;
  for (size_t pass = 0; pass < starts.size(); ++pass)
    chunks.push_back(Values(branch.getResults().slice(pass * kParts, kParts)));
  return chunks;
}

Value ShiftingCopy::toWords(int64_t pass, ValueRange values, Value step) {
  RewriterBase &rewriter = code.rewriter;
  Type i32 = rewriter.getI32Type();
  Value shift = code.create<arith::MulIOp>(
      code.create<arith::AndIOp>(startOf(pass, step), code.index(kWord - 1)),
      code.index(8));
  shift = arith::IndexCastOp::create(rewriter, code.loc, i32, shift);
  SmallVector<Value> words;
  for (int64_t i = 0; i < kWords; ++i)
    words.push_back(LLVM::FshrOp::create(rewriter, code.loc, i32, values[i + 1],
                                         values[i], shift));
  if (isMasked && rows.rest)
    mask(words, step);
  return StagedCopy::toWords(pass, words, step);
}

//===----------------------------------------------------------------------===//
// Makers
//===----------------------------------------------------------------------===//

std::unique_ptr<TileCopy> qcc::nvptx::makeAsyncCopy(ScalarCode &code,
                                                    SharedMemory memory,
                                                    ThreadShare share,
                                                    ByteRows rows) {
  return std::make_unique<AsyncCopy>(code, memory, share, std::move(rows));
}

std::unique_ptr<TileCopy>
qcc::nvptx::makeWordCopy(ScalarCode &code, SharedMemory memory,
                         ThreadShare share, ByteRows rows, int64_t alignment) {
  return std::make_unique<WordCopy>(code, memory, share, std::move(rows),
                                    alignment);
}

std::unique_ptr<TileCopy>
qcc::nvptx::makeShiftingCopy(ScalarCode &code, SharedMemory memory,
                             ThreadShare share, ByteRows rows, Value size,
                             bool isMasked) {
  return std::make_unique<ShiftingCopy>(code, memory, share, std::move(rows),
                                        size, isMasked);
}
