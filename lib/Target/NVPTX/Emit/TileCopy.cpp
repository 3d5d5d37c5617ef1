//===- TileCopy.cpp - Tiles from global to shared memory ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCopy.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <deque>

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

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

Chunks ThreadShare::chunks() {
  Chunks chunks{{}, firstByte};
  for (int64_t pass = 0; pass < passes(); ++pass)
    chunks.rows.push_back(row(pass));
  return chunks;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

namespace {
class AsyncCopy : public TileCopy {
public:
  AsyncCopy(ScalarCode &code, SharedMemory memory, ThreadShare share,
            ByteRows given)
      : code(code), memory(memory), share(std::move(share)),
        rows(std::move(given)) {
    for (Value row : this->share.chunks().rows)
      sources.push_back(addressAt(
          code, rows.address,
          code.create<arith::AddIOp>(rows.rowOffset(row), this->share.byte())));
  }

  bool isAsync() const override { return true; }

  void begin(const Slice &slice, Piece piece) override {
    Value size = copiedBytes(slice), offset = rows.sliceOffset(slice.number);
    int64_t unit = share.getUnit();
    // Only whole chunks can bypass the L1 cache.
    auto cache = unit == kChunk ? NVVM::LoadCacheModifierKind::CG
                                : NVVM::LoadCacheModifierKind::CA;
    for (auto [pass, source] : llvm::enumerate(sources)) {
      if (!piece.has(pass, sources.size()))
        continue;
      code.emitIf(share.hasRow(pass), [&, pass = pass, source = source] {
        NVVM::CpAsyncOp::create(
            code.rewriter, code.loc, share.target(memory, slice.stage, pass),
            addressAt(code, source, offset), unit, cache, size);
      });
    }
  }

private:
  /// Null: whole units.
  Value copiedBytes(const Slice &slice) {
    if (!rows.rest)
      return Value();
    Value rest =
        code.create<arith::SubIOp>(rows.rest(slice.number), share.byte());
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

namespace {
/// Loads the chunks of a thread, and stores them later.
class StagedCopy : public TileCopy {
public:
  StagedCopy(ScalarCode &code, SharedMemory memory, ThreadShare share,
             std::unique_ptr<ChunkLoader> loader)
      : code(code), memory(memory), share(std::move(share)),
        loader(std::move(loader)) {}

  bool isAsync() const override { return false; }

  void begin(const Slice &slice, Piece piece) override {
    assert(piece.count == 1 && "what goes through registers is one piece");
    loaded.push_back({slice.number, loader->load(slice.number)});
  }

  void finish(const Slice &slice) override {
    Loaded first = std::move(loaded.front());
    loaded.pop_front();
    auto type = VectorType::get({kWords}, code.rewriter.getI32Type());
    for (auto [pass, values] : llvm::enumerate(first.chunks)) {
      Value words = vector::FromElementsOp::create(
          code.rewriter, code.loc, type,
          loader->toWords(pass, values, first.slice));
      code.emitIf(share.hasRow(pass), [&, pass = pass] {
        LLVM::StoreOp::create(code.rewriter, code.loc, words,
                              share.target(memory, slice.stage, pass), kChunk);
      });
    }
  }

private:
  /// What is loaded and not stored yet.
  struct Loaded {
    Value slice;
    SmallVector<ChunkLoader::Values> chunks;
  };

  ScalarCode &code;
  SharedMemory memory;
  ThreadShare share;
  std::unique_ptr<ChunkLoader> loader;
  std::deque<Loaded> loaded;
};
} // namespace

//===----------------------------------------------------------------------===//
// Makers
//===----------------------------------------------------------------------===//

std::unique_ptr<TileCopy> qcc::nvptx::makeAsyncCopy(ScalarCode &code,
                                                    SharedMemory memory,
                                                    ThreadShare share,
                                                    ByteRows rows) {
  return std::make_unique<AsyncCopy>(code, memory, std::move(share),
                                     std::move(rows));
}

std::unique_ptr<TileCopy>
qcc::nvptx::makeStagedCopy(ScalarCode &code, SharedMemory memory,
                           ThreadShare share,
                           std::unique_ptr<ChunkLoader> loader) {
  return std::make_unique<StagedCopy>(code, memory, std::move(share),
                                      std::move(loader));
}
