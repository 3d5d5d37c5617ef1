//===- FillBorderOp.cpp - Borders of padded tensors -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/Kernel/IR/Kernel.h"

using namespace mlir;
using namespace qcc::kernel;

void FillBorderOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (isa<MemRefType>(getOut().getType()))
    effects.emplace_back(MemoryEffects::Write::get(), &getOutMutable());
}

LogicalResult FillBorderOp::verify() {
  auto type = cast<ShapedType>(getOut().getType());
  if (getValue().getType() != type.getElementType())
    return emitOpError() << "value must have type " << type.getElementType()
                         << ", the element type of out";
  bool isTensor = isa<TensorType>(type);
  if (getNumResults() != (isTensor ? 1 : 0) ||
      (isTensor && getResultTypes().front() != type))
    return emitOpError("must have a result of the type of out where that is a "
                       "tensor, and none where it is a memref");
  int64_t rank = type.getRank();
  if ((int64_t)getLow().size() != rank || (int64_t)getHigh().size() != rank)
    return emitOpError() << "low and high must have " << rank << " elements";
  for (int64_t d = 0; d < rank; ++d) {
    int64_t low = getLow()[d], high = getHigh()[d], size = type.getDimSize(d);
    if (low < 0 || high < 0)
      return emitOpError("low and high must not be negative");
    if (!ShapedType::isDynamic(size) && (low > size || high > size - low))
      return emitOpError() << "has a border of " << low << " and " << high
                           << " elements in dimension " << d
                           << ", which has size " << size;
  }
  return success();
}
