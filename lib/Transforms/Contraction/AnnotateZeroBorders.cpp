//===- AnnotateZeroBorders.cpp - Zeros around left operands ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Transforms/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_ANNOTATEZEROBORDERS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

/// The widths of the zeros at the low and at the high end of each dimension.
static SmallVector<int64_t> borderOfPad(tensor::PadOp pad) {
  int64_t rank = pad.getResultType().getRank();
  SmallVector<int64_t> border(2 * rank, 0);
  Value value = pad.getConstantPaddingValue();
  if (!value || !matchPattern(value, m_Zero()))
    return border;
  for (auto [d, low, high] :
       llvm::enumerate(pad.getMixedLowPad(), pad.getMixedHighPad())) {
    border[2 * d] = std::max<int64_t>(getConstantIntValue(low).value_or(0), 0);
    border[2 * d + 1] =
        std::max<int64_t>(getConstantIntValue(high).value_or(0), 0);
  }
  return border;
}

/// The border of a reshaped tensor: dimensions that are reshaped have none.
static SmallVector<int64_t>
borderOfReshape(ArrayRef<int64_t> border, bool isExpanded,
                ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> result;
  for (auto [i, group] : llvm::enumerate(groups)) {
    int64_t source = isExpanded ? i : group.front();
    if (group.size() == 1)
      result.append({border[2 * source], border[2 * source + 1]});
    else
      result.append(isExpanded ? 2 * group.size() : 2, 0);
  }
  return result;
}

static SmallVector<int64_t> borderOf(Value value) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (auto pad = value.getDefiningOp<tensor::PadOp>())
    return borderOfPad(pad);
  if (auto cast = value.getDefiningOp<tensor::CastOp>())
    if (isa<RankedTensorType>(cast.getSource().getType()))
      return borderOf(cast.getSource());
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
    return borderOfReshape(borderOf(expand.getSrc()), /*isExpanded=*/true,
                           expand.getReassociationIndices());
  if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
    return borderOfReshape(borderOf(collapse.getSrc()), /*isExpanded=*/false,
                           collapse.getReassociationIndices());
  return SmallVector<int64_t>(2 * rank, 0);
}

namespace {
struct AnnotateZeroBorders
    : qcc::impl::AnnotateZeroBordersBase<AnnotateZeroBorders> {
  void runOnOperation() override {
    getOperation().walk([](kernel::ContractOp op) {
      SmallVector<int64_t> border = borderOf(op.getLhs());
      if (llvm::any_of(border, [](int64_t width) { return width != 0; }))
        op.setZeroBorder(border);
    });
  }
};
} // namespace
