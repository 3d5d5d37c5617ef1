//===- SharedWindows.cpp - Loads shared by windows of rows ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedWindows.h"
#include <map>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

SharedWindows SharedWindows::of(kernel::ContractOp op) {
  SharedWindows windows;
  std::optional<unsigned> m = op.getRoles()->m;
  SmallVector<int64_t> beside(op.getNumLoops(), 0);
  for (auto [d, expr] : llvm::enumerate(op.getLhsMap().getResults())) {
    auto factors = *kernel::windowFactors(expr, op.getNumLoops());
    if (!m || factors[*m] == 0)
      continue;
    windows.lineDim = d;
    beside = factors;
  }
  if (m)
    windows.rowStride = beside[*m];
  for (auto [dim, size] : llvm::zip_equal(op.getReductionDims().drop_back(),
                                          op.getReductionSizes().drop_back())) {
    if (beside[dim] == 0 || windows.tap) {
      windows.others.push_back(dim);
      continue;
    }
    windows.tap = dim;
    windows.taps = size;
    windows.tapStride = beside[dim];
  }
  assert(windows.taps > 0 && windows.rowStride >= 0 && windows.tapStride >= 0 &&
         "windows move forwards");
  return windows;
}

SmallVector<SharedWindows::Column>
SharedWindows::columnsOf(int64_t rows) const {
  assert(rows > 0 && "the columns of no rows");
  std::map<int64_t, Column> columns;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t tap = 0; tap < taps; ++tap)
      columns[row * rowStride + tap * tapStride].uses.push_back({row, tap});
  SmallVector<Column> result;
  for (auto &[place, column] : columns)
    result.push_back(std::move(column));
  return result;
}
