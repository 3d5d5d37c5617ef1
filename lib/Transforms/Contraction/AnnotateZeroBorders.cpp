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
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/InterleavedRange.h"

#define DEBUG_TYPE "annotate-zero-borders"

namespace qcc {
#define GEN_PASS_DEF_ANNOTATEZEROBORDERS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(
    numAnnotated, "Contractions whose left operand has a border of zeros");

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

/// The border of dimensions that become one: that of the outermost of them, in
/// elements of the one.
static std::pair<int64_t, int64_t> borderOfGroup(ArrayRef<int64_t> border,
                                                 ArrayRef<int64_t> shape,
                                                 ArrayRef<int64_t> group) {
  group = group.drop_while([&](int64_t d) { return shape[d] == 1; });
  if (group.empty())
    return {0, 0};
  int64_t elements = 1;
  for (int64_t d : group.drop_front())
    elements *= ShapedType::isDynamic(shape[d]) ? 0 : shape[d];
  return {border[2 * group.front()] * elements,
          border[2 * group.front() + 1] * elements};
}

static SmallVector<int64_t> borderOf(Value value);

static SmallVector<int64_t> borderOfCollapse(tensor::CollapseShapeOp collapse) {
  SmallVector<int64_t> source = borderOf(collapse.getSrc()), border;
  for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
    auto [low, high] =
        borderOfGroup(source, collapse.getSrcType().getShape(), group);
    border.append({low, high});
  }
  return border;
}

/// Dimensions that are made of one have no border.
static SmallVector<int64_t> borderOfExpand(tensor::ExpandShapeOp expand) {
  SmallVector<int64_t> source = borderOf(expand.getSrc()), border;
  for (auto [d, group] : llvm::enumerate(expand.getReassociationIndices())) {
    if (group.size() == 1)
      border.append({source[2 * d], source[2 * d + 1]});
    else
      border.append(2 * group.size(), 0);
  }
  return border;
}

static SmallVector<int64_t> borderOf(Value value) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (auto pad = value.getDefiningOp<tensor::PadOp>())
    return borderOfPad(pad);
  if (auto cast = value.getDefiningOp<tensor::CastOp>())
    if (isa<RankedTensorType>(cast.getSource().getType()))
      return borderOf(cast.getSource());
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
    return borderOfExpand(expand);
  if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
    return borderOfCollapse(collapse);
  return SmallVector<int64_t>(2 * rank, 0);
}

namespace {
struct AnnotateZeroBorders
    : qcc::impl::AnnotateZeroBordersBase<AnnotateZeroBorders> {
  void runOnOperation() override {
    getOperation().walk([](kernel::ContractOp op) {
      // A product of floats by 0 may be NaN, and changes the sign of a zero.
      if (op.isOfFloats())
        return;
      SmallVector<int64_t> border = borderOf(op.getLhs());
      if (llvm::all_of(border, [](int64_t width) { return width == 0; }))
        return;
      ++numAnnotated;
      LDBG() << "contraction at " << op.getLoc() << ": zeros around lhs "
             << llvm::interleaved_array(border);
      kernel::Facts facts = op.getKnownFacts();
      facts.zeroBorder = DenseI64ArrayAttr::get(op.getContext(), border);
      op.setKnownFacts(facts);
    });
  }
};
} // namespace
