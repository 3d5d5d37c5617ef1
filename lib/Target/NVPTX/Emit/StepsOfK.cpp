//===- StepsOfK.cpp - The steps in which K is read ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepsOfK.h"

using namespace mlir;
using namespace qcc::nvptx;

std::pair<Value, Value> StepsOfK::split(Value step) {
  Value elements = code.index(depth);
  if (count() == perRun())
    return {code.index(0), code.create<arith::MulIOp>(step, elements)};
  Value steps = code.index(perRun());
  return {code.create<arith::DivUIOp>(step, steps),
          code.create<arith::MulIOp>(code.create<arith::RemUIOp>(step, steps),
                                     elements)};
}

void StepsOfK::set(Point &at, Value step) {
  auto [number, k] = split(step);
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : op.getReductionSizes().drop_back())
    sizes.push_back(code.rewriter.getIndexAttr(size));
  for (auto [loop, index] : llvm::zip_equal(op.getReductionDims().drop_back(),
                                            code.delinearize(number, sizes)))
    at[loop] = index;
  at[op.getReductionDims().back()] = k;
}

std::function<Value(Value)> StepsOfK::restOf(int64_t size) {
  if (size % depth == 0)
    return {};
  return [this, size](Value step) {
    return code.create<arith::SubIOp>(code.index(size), split(step).second);
  };
}

Value StepsOfK::packedOffset(Value step) {
  auto [number, k] = split(step);
  return code.create<arith::AddIOp>(
      code.create<arith::MulIOp>(number, code.index(packedRun())), k);
}
