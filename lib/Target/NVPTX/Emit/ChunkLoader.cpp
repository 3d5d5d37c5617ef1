//===- ChunkLoader.cpp - Chunks of an operand in registers ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChunkLoader.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

Value qcc::nvptx::addressAt(ScalarCode &code, Value address, Value bytes) {
  Value number = arith::IndexCastOp::create(code.rewriter, code.loc,
                                            code.rewriter.getI64Type(), bytes);
  return LLVM::GEPOp::create(code.rewriter, code.loc, address.getType(),
                             code.rewriter.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{number});
}

SmallVector<Value> ChunkLoader::offsetsOf(ByteRows &rows) {
  SmallVector<Value> offsets;
  for (Value row : chunks.rows)
    offsets.push_back(
        code.create<arith::AddIOp>(rows.rowOffset(row), chunks.byte));
  return offsets;
}

//===----------------------------------------------------------------------===//
// Rows of whole words
//===----------------------------------------------------------------------===//

namespace {
class WordLoader : public ChunkLoader {
public:
  WordLoader(ScalarCode &code, Chunks given, ByteRows givenRows,
             int64_t alignment)
      : ChunkLoader(code, std::move(given)), rows(std::move(givenRows)),
        alignment(alignment), offsets(offsetsOf(rows)) {
    assert(alignment % kWord == 0 && chunks.size % alignment == 0 &&
           "chunks are loaded in whole words");
  }

  SmallVector<Values> load(Value slice) override {
    SmallVector<Values> held;
    for (size_t number = 0; number < offsets.size(); ++number)
      held.push_back(loadChunk(number, slice));
    return held;
  }

private:
  Values loadChunk(int64_t number, Value slice) {
    RewriterBase &rewriter = code.rewriter;
    Value start =
        code.create<arith::AddIOp>(offsets[number], rows.sliceOffset(slice));
    Value rest = rows.rest
                     ? code.create<arith::SubIOp>(rows.rest(slice), chunks.byte)
                     : Value();
    auto type =
        VectorType::get({alignment / kWord}, code.rewriter.getI32Type());
    SmallVector<Value> words;
    for (int64_t byte = 0; byte < chunks.size; byte += alignment) {
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
class ShiftingLoader : public ChunkLoader {
public:
  ShiftingLoader(ScalarCode &code, Chunks given, ByteRows givenRows, Value size,
                 bool isMasked)
      : ChunkLoader(code, std::move(given)), rows(std::move(givenRows)),
        size(size), isMasked(isMasked), offsets(offsetsOf(rows)) {}

  /// The aligned words that contain the chunks.
  SmallVector<Values> load(Value slice) override;
  /// The words of the chunk, which are shifted out of those.
  Values toWords(int64_t number, ValueRange held, Value slice) override;

private:
  SmallVector<Value> loadWords(Value first);
  /// The same near the end of the operand: what lies behind it is not read.
  SmallVector<Value> loadBytes(Value first);
  void mask(SmallVectorImpl<Value> &words, Value slice);
  Value startOf(int64_t number, Value slice) {
    return code.create<arith::AddIOp>(offsets[number], rows.sliceOffset(slice));
  }
  ByteRows rows;
  Value size;
  bool isMasked;
  SmallVector<Value> offsets;
};
} // namespace

SmallVector<Value> ShiftingLoader::loadWords(Value first) {
  SmallVector<Value> words;
  for (int64_t i = 0; i <= kWords; ++i) {
    Value place = code.create<arith::AddIOp>(first, code.index(i * kWord));
    words.push_back(LLVM::LoadOp::create(
        code.rewriter, code.loc, code.rewriter.getI32Type(),
        addressAt(code, rows.address, place), kWord));
  }
  return words;
}

SmallVector<Value> ShiftingLoader::loadBytes(Value first) {
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

void ShiftingLoader::mask(SmallVectorImpl<Value> &words, Value slice) {
  RewriterBase &rewriter = code.rewriter;
  Value rest = code.create<arith::SubIOp>(rows.rest(slice), chunks.byte);
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

SmallVector<SmallVector<Value>> ShiftingLoader::load(Value slice) {
  RewriterBase &rewriter = code.rewriter;
  Values starts;
  Value fits;
  for (size_t number = 0; number < offsets.size(); ++number) {
    starts.push_back(
        code.create<arith::AndIOp>(startOf(number, slice), code.index(-kWord)));
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
  auto yieldAll = [&](Block *block,
                      Values (ShiftingLoader::*loadChunk)(Value)) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(block);
    Values parts;
    for (Value start : starts)
      llvm::append_range(parts, (this->*loadChunk)(start));
    scf::YieldOp::create(rewriter, code.loc, parts);
  };
  yieldAll(branch.thenBlock(), &ShiftingLoader::loadWords);
  yieldAll(branch.elseBlock(), &ShiftingLoader::loadBytes);
  SmallVector<Values> held;
  for (size_t number = 0; number < starts.size(); ++number)
    held.push_back(Values(branch.getResults().slice(number * kParts, kParts)));
  return held;
}

SmallVector<Value> ShiftingLoader::toWords(int64_t number, ValueRange held,
                                           Value slice) {
  assert(held.size() == kWords + 1 && "the words around a chunk");
  RewriterBase &rewriter = code.rewriter;
  Type i32 = rewriter.getI32Type();
  Value shift = code.create<arith::MulIOp>(
      code.create<arith::AndIOp>(startOf(number, slice), code.index(kWord - 1)),
      code.index(8));
  shift = arith::IndexCastOp::create(rewriter, code.loc, i32, shift);
  SmallVector<Value> words;
  for (int64_t i = 0; i < kWords; ++i)
    words.push_back(LLVM::FshrOp::create(rewriter, code.loc, i32, held[i + 1],
                                         held[i], shift));
  if (isMasked && rows.rest)
    mask(words, slice);
  return words;
}

//===----------------------------------------------------------------------===//
// Makers
//===----------------------------------------------------------------------===//

std::unique_ptr<ChunkLoader> qcc::nvptx::makeWordLoader(ScalarCode &code,
                                                        Chunks chunks,
                                                        ByteRows rows,
                                                        int64_t alignment) {
  return std::make_unique<WordLoader>(code, std::move(chunks), std::move(rows),
                                      alignment);
}

std::unique_ptr<ChunkLoader>
qcc::nvptx::makeShiftingLoader(ScalarCode &code, Chunks chunks, ByteRows rows,
                               Value size, bool isMasked) {
  return std::make_unique<ShiftingLoader>(code, std::move(chunks),
                                          std::move(rows), size, isMasked);
}
