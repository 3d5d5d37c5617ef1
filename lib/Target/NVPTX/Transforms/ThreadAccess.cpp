//===- ThreadAccess.cpp - Vector accesses of a thread ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadAccess.h"

using namespace mlir;
using namespace qcc;

int64_t nvptx::bytesOf(Type element) {
  return llvm::divideCeil(
      element.isIndex() ? 64 : element.getIntOrFloatBitWidth(), 8);
}

bool nvptx::isAligned(const LinalgLoops &loops, OpOperand &operand,
                      unsigned dim, int64_t count) {
  LinalgLoops::Movement movement = loops.getMovement(operand, dim);
  if (movement == LinalgLoops::Movement::None)
    return true;
  auto type = cast<MemRefType>(operand.get().getType());
  AffineMap map = loops.op.getMatchingIndexingMap(&operand);
  int64_t row = type.getShape().back();
  return movement == LinalgLoops::Movement::Contiguous &&
         type.getLayout().isIdentity() &&
         isa<AffineDimExpr>(map.getResults().back()) &&
         (type.getRank() == 1 ||
          (!ShapedType::isDynamic(row) && row % count == 0));
}

void nvptx::setAlignments(Operation *loop) {
  auto alignmentOf = [](VectorType type) {
    return std::min<int64_t>(kAccessBytes, type.getNumElements() *
                                               bytesOf(type.getElementType()));
  };
  loop->walk([&](Operation *op) {
    if (auto load = dyn_cast<vector::LoadOp>(op))
      load.setAlignment(alignmentOf(load.getVectorType()));
    else if (auto store = dyn_cast<vector::StoreOp>(op))
      store.setAlignment(alignmentOf(store.getVectorType()));
  });
}
