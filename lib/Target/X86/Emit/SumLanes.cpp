//===- SumLanes.cpp - Sums of the lanes of several vectors ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SumLanes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qcc::x86;

/// Lanes of one operand of a shuffle, in groups of four: each of `lanes` of the
/// four is a lane of the first vector, or from 4 on of the second.
static SmallVector<int64_t> inGroups(int64_t count,
                                     std::array<int64_t, 4> lanes) {
  SmallVector<int64_t> order;
  for (int64_t group = 0; group < count; group += 4)
    for (int64_t lane : lanes)
      order.push_back(lane < 4 ? group + lane : count + group + lane - 4);
  return order;
}

/// Groups of four lanes, counted through both vectors.
static SmallVector<int64_t> ofGroups(ArrayRef<int64_t> groups) {
  SmallVector<int64_t> order;
  for (int64_t group : groups)
    for (int64_t lane = 0; lane < 4; ++lane)
      order.push_back(4 * group + lane);
  return order;
}

Value qcc::x86::sumLanes(KernelBuilder &builder, ValueRange vectors) {
  int64_t lanes = builder.lanes;
  assert((lanes == 8 || lanes == 16) && (int64_t)vectors.size() <= lanes &&
         !vectors.empty());
  // What the two sides of each level's addition are.
  SmallVector<std::pair<SmallVector<int64_t>, SmallVector<int64_t>>> levels = {
      {inGroups(lanes, {0, 4, 1, 5}), inGroups(lanes, {2, 6, 3, 7})},
      {inGroups(lanes, {0, 1, 4, 5}), inGroups(lanes, {2, 3, 6, 7})}};
  if (lanes == 8) {
    levels.push_back({ofGroups({0, 2}), ofGroups({1, 3})});
  } else {
    levels.push_back({ofGroups({0, 1, 4, 5}), ofGroups({2, 3, 6, 7})});
    levels.push_back({ofGroups({0, 2, 4, 6}), ofGroups({1, 3, 5, 7})});
  }
  SmallVector<Value> current(vectors);
  for (const auto &[left, right] : levels) {
    SmallVector<Value> next;
    for (size_t i = 0; i < current.size(); i += 2) {
      Value a = current[i], b = current[std::min(i + 1, current.size() - 1)];
      auto shuffle = [&](ArrayRef<int64_t> order) -> Value {
        return vector::ShuffleOp::create(builder.rewriter, builder.loc, a, b,
                                         order);
      };
      next.push_back(arith::AddIOp::create(builder.rewriter, builder.loc,
                                           shuffle(left), shuffle(right)));
    }
    current = next;
  }
  return current.front();
}
