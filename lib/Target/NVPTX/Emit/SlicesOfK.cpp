//===- SlicesOfK.cpp - The slices in which K is read ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlicesOfK.h"

using namespace mlir;
using namespace qcc::nvptx;

std::pair<Value, Value> SlicesOfK::split(Value slice) {
  Value elements = code.index(depth);
  if (count() == perSegment())
    return {code.index(0), code.create<arith::MulIOp>(slice, elements)};
  Value slices = code.index(perSegment());
  return {code.create<arith::DivUIOp>(slice, slices),
          code.create<arith::MulIOp>(code.create<arith::RemUIOp>(slice, slices),
                                     elements)};
}

void SlicesOfK::set(Point &at, Value slice, Value element) {
  auto [number, k] = split(slice);
  if (element)
    k = code.create<arith::AddIOp>(k, element);
  if (hasGroupsInSlices(op)) {
    Value size = code.index(groupSize(op));
    at[op.getReductionDims().front()] = code.create<arith::DivUIOp>(k, size);
    at[op.getReductionDims().back()] = code.create<arith::RemUIOp>(k, size);
    return;
  }
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : op.getReductionSizes().drop_back())
    sizes.push_back(code.rewriter.getIndexAttr(size));
  for (auto [loop, index] : llvm::zip_equal(op.getReductionDims().drop_back(),
                                            code.delinearize(number, sizes)))
    at[loop] = index;
  at[op.getReductionDims().back()] = k;
}

std::function<Value(Value)> SlicesOfK::restOf(int64_t size) {
  if (size % depth == 0)
    return {};
  return [this, size](Value slice) {
    return code.create<arith::SubIOp>(code.index(size), split(slice).second);
  };
}

Value SlicesOfK::packedOffset(Value slice) {
  auto [number, k] = split(slice);
  return code.create<arith::AddIOp>(
      code.create<arith::MulIOp>(number, code.index(packedSegment())), k);
}
