//===- WarpProducts.cpp - Products of the tile of a warp ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpProducts.h"
#include "FragmentEpilogue.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

WarpProducts::WarpProducts(ScalarCode &code, kernel::ContractOp op,
                           ConfigAttr config, const Atom &atom,
                           SharedMemory memory, SharedTile lhs, SharedTile rhs,
                           WarpPlace place)
    : code(code), op(op), config(config), atom(code, op, atom), memory(memory),
      ownColumns(columnsOfThread(op, config)) {
  placeFragments(lhs, rhs, place);
}

void WarpProducts::placeFragments(SharedTile lhs, SharedTile rhs,
                                  WarpPlace place) {
  auto bits = [&](int64_t shift, int64_t mask) {
    return code.create<arith::AndIOp>(
        code.create<arith::ShRUIOp>(place.lane, code.index(shift)),
        code.index(mask));
  };
  auto add = [&](Value a, Value b) { return code.create<arith::AddIOp>(a, b); };
  auto times = [&](Value a, int64_t b) {
    return code.create<arith::MulIOp>(a, code.index(b));
  };
  // Matrices of the left operand: rows 0..7 and 8..15 of the first 16 bytes of
  // K, then of the second ones. Of the right one: both halves of K of the
  // columns of one fragment, then of the next.
  Value lhsRow = add(place.row, bits(0, 15)), lhsChunk = bits(4, 1);
  Value rhsRow = add(times(bits(1, 3), ownColumns), bits(0, 1));
  rhsRow = add(add(rhsRow, times(bits(4, 1), 2)), place.column);
  Value rhsChunk = bits(3, 1);
  constexpr int64_t kChunks = kFragmentDepth / kChunk;
  for (int64_t i = 0; i < config.getDepth() / kFragmentDepth; ++i) {
    Value first = code.index(i * kChunks);
    lhsPlaces.push_back(lhs.offset(lhsRow, add(lhsChunk, first)));
    rhsPlaces.push_back(rhs.offset(rhsRow, add(rhsChunk, first)));
  }
}

SmallVector<Value> WarpProducts::loadFragments(Value stage, int64_t part) {
  Values fragments;
  Value from = code.create<arith::AddIOp>(stage, lhsPlaces[part]);
  for (int64_t i = 0; i < rowFragments(); ++i)
    llvm::append_range(
        fragments,
        memory.loadMatrices(from, i * kFragmentRows * config.getDepth()));
  from = code.create<arith::AddIOp>(stage, rhsPlaces[part]);
  for (int64_t j = 0; j < rightFragments(); j += 2) {
    // Runs of fragments begin four runs of a thread apart.
    int64_t perRun = ownColumns / 2;
    int64_t row = j / perRun * 4 * ownColumns + j % perRun * 2;
    llvm::append_range(fragments,
                       memory.loadMatrices(from, row * config.getDepth()));
  }
  assert(int64_t(fragments.size()) == fragmentWords() &&
         "each load brings four words");
  return fragments;
}

SmallVector<Value> WarpProducts::halfOf(ArrayRef<Value> fragments,
                                        int64_t half) {
  Values result(fragments);
  // Words of the first 16 elements of K come first.
  for (int64_t i = 0; i < rowFragments(); ++i)
    for (int64_t word = 0; word < kLhsWords; ++word)
      if (word / 2 != half)
        result[i * kLhsWords + word] = code.i32(0);
  return result;
}

void WarpProducts::multiply(ArrayRef<Value> fragments,
                            MutableArrayRef<Value> sums) {
  int64_t rows = rowFragments(), columns = columnFragments();
  Values ones(kRhsWords, code.i32(0x01010101));
  ArrayRef<Value> left = fragments.take_front(rows * kLhsWords),
                  right = fragments.drop_front(rows * kLhsWords);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      atom.multiply(left.slice(i * kLhsWords, kLhsWords),
                    j < rightFragments() ? right.slice(j * kRhsWords, kRhsWords)
                                         : ArrayRef<Value>(ones),
                    sums.slice((i * columns + j) * kSums, kSums));
}
