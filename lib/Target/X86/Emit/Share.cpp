//===- Share.cpp - Which tiles a thread computes --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Share.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace qcc::x86;

/// Columns of shares that are tried: powers of 2 up to here.
constexpr int64_t kMostColumns = 32;

/// The number of columns of shares.
static Value chooseColumns(KernelBuilder &builder, Value threads, Value rows,
                           Value columns) {
  Value best = builder.index(1);
  Value bestSize = builder.mul(builder.ceilDiv(rows, threads), columns);
  auto consider = [&](Value count) {
    Value isDivisor = builder.rewriter.createOrFold<arith::CmpIOp>(
        builder.loc, arith::CmpIPredicate::eq, builder.rem(threads, count),
        builder.index(0));
    // More columns than threads would leave 0 rows of shares.
    Value shareRows =
        builder.max(builder.div(threads, count), builder.index(1));
    Value size = builder.mul(builder.ceilDiv(rows, shareRows),
                             builder.ceilDiv(columns, count));
    Value isBetter = builder.rewriter.createOrFold<arith::AndIOp>(
        builder.loc, isDivisor, builder.less(size, bestSize));
    best = builder.select(isBetter, count, best);
    bestSize = builder.select(isBetter, size, bestSize);
  };
  auto known = getConstantIntValue(columns);
  for (int64_t count = 2; count <= kMostColumns; count *= 2)
    if (!known || count <= *known)
      consider(builder.index(count));
  consider(threads);
  return best;
}

Share qcc::x86::emitShare(KernelBuilder &builder, Value thread, Value threads,
                          Value rows, Value columns) {
  auto knownThreads = getConstantIntValue(threads);
  auto knownColumns = getConstantIntValue(columns);
  bool isWhole = knownThreads && *knownThreads == 1;
  Value shareColumns = builder.index(1);
  if (!isWhole && !(knownColumns && *knownColumns == 1))
    shareColumns = chooseColumns(builder, threads, rows, columns);
  Value shareRows = builder.div(threads, shareColumns);
  Value r = builder.div(thread, shareColumns),
        c = builder.rem(thread, shareColumns);
  auto cut = [&](Value total, Value part, Value parts) {
    return builder.div(builder.mul(total, part), parts);
  };
  return {cut(rows, r, shareRows), cut(rows, builder.add(r, 1), shareRows),
          cut(columns, c, shareColumns),
          cut(columns, builder.add(c, 1), shareColumns)};
}
