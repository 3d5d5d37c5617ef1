//===- NegateGroups.cpp - Groups of weights negated to fit 4 bits ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantizers give a group of 4 bits a negative scale if its element of largest
// magnitude is positive. Import makes scales positive, so that elements reach
// from -7 to 8 in such groups, and from -8 to 7 in others. Kernels keep weights
// in nibbles if -8 to 7 holds for all groups.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "qcc/Analysis/NumberRange.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Dialect/Utils/ConstantAction.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"
#include <cstring>

#define DEBUG_TYPE "negate-groups"

namespace qcc {
#define GEN_PASS_DEF_NEGATEGROUPS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using kernel::ContractOp;

ALWAYS_ENABLED_STATISTIC(numNegated, "Weights with negated groups");

/// The other operand of a product that has no other user; null if `value` is
/// not such a product by `factor`.
static Value otherFactor(Value value, Value factor) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || !product->hasOneUse())
    return {};
  if (product.getLhs() == factor)
    return product.getRhs();
  return product.getRhs() == factor ? product.getLhs() : Value();
}

/// Whether the chain is fma(f32(acc), x * `scale`, total), each value having
/// one user, x being anything else.
static bool isScaledBy(ContractOp op, BlockArgument scale) {
  Block &block = op.getGroupEpilogue().front();
  Value sum = block.getArgument(0), total = block.getArgument(1);
  auto fma = block.getTerminator()->getOperand(0).getDefiningOp<math::FmaOp>();
  if (!fma || !fma->hasOneUse() || fma.getC() != total || !sum.hasOneUse() ||
      !total.hasOneUse() || !scale.hasOneUse())
    return false;
  auto isSum = [&](Value value) {
    auto convert = value.getDefiningOp<arith::SIToFPOp>();
    return convert && convert.getIn() == sum && convert->hasOneUse();
  };
  Value factor = isSum(fma.getA())   ? fma.getB()
                 : isSum(fma.getB()) ? fma.getA()
                                     : Value();
  return factor && otherFactor(factor, scale);
}

/// Whether no initial total is -0. No total is -0 then: a sum of products of
/// integers by floats is exactly 0, which is +0, or does not round to 0.
static bool startsFromPositiveZero(ContractOp op) {
  if (!op.getInit())
    return true;
  std::optional<ConstantData> data = ConstantData::get(op.getInit());
  if (!data || !getElementTypeOrSelf(op.getInit().getType()).isF32())
    return false;
  for (size_t at = 0; at < data->bytes.size(); at += sizeof(uint32_t)) {
    uint32_t bits;
    std::memcpy(&bits, data->bytes.data() + at, sizeof(bits));
    if (bits == uint32_t(1) << 31)
      return false;
  }
  return true;
}

namespace {
/// Elements of a weight and, for each, the scale of its group.
class GroupedElements {
public:
  /// Fails unless each element has one scale.
  static FailureOr<GroupedElements> of(ContractOp op, AffineMap scaleMap,
                                       RankedTensorType scales);

  /// Calls `visit` with the positions of each element and of its scale.
  void forEach(function_ref<void(int64_t, int64_t)> visit) const;

private:
  SmallVector<int64_t> sizes, strides;
};
} // namespace

FailureOr<GroupedElements> GroupedElements::of(ContractOp op,
                                               AffineMap scaleMap,
                                               RankedTensorType scales) {
  auto type = cast<RankedTensorType>(op.getRhs().getType());
  AffineMap weight = op.getRhsMap();
  if (!weight.isProjectedPermutation() || !scaleMap.isProjectedPermutation() ||
      !type.hasStaticShape() || !scales.hasStaticShape())
    return failure();
  GroupedElements elements;
  llvm::append_range(elements.sizes, type.getShape());
  elements.strides.assign(type.getRank(), 0);
  int64_t stride = 1;
  for (int64_t d = scales.getRank() - 1; d >= 0; --d) {
    std::optional<unsigned> at =
        weight.getResultPosition(scaleMap.getResult(d));
    if (!at)
      return failure();
    elements.strides[*at] = stride;
    stride *= scales.getDimSize(d);
  }
  return elements;
}

void GroupedElements::forEach(
    function_ref<void(int64_t, int64_t)> visit) const {
  SmallVector<int64_t> index(sizes.size(), 0);
  int64_t count = ShapedType::getNumElements(sizes), scale = 0;
  for (int64_t at = 0; at < count; ++at) {
    visit(at, scale);
    for (int64_t d = static_cast<int64_t>(sizes.size()) - 1; d >= 0; --d) {
      scale += strides[d];
      if (++index[d] < sizes[d])
        break;
      scale -= strides[d] * sizes[d];
      index[d] = 0;
    }
  }
}

/// Negates the groups of `weight` with an element of 8, and their scales; false
/// if -8 and 8 share a scale.
static bool negate(const GroupedElements &elements, std::vector<char> &weight,
                   std::vector<char> &scales) {
  constexpr int kSign = 7;
  std::vector<char> isNegated(scales.size() / sizeof(float), 0);
  elements.forEach(
      [&](int64_t at, int64_t scale) { isNegated[scale] |= weight[at] == 8; });
  bool fits = true;
  elements.forEach([&](int64_t at, int64_t scale) {
    if (!isNegated[scale])
      return;
    fits &= weight[at] != -8;
    weight[at] = static_cast<char>(-weight[at]);
  });
  for (auto [scale, negated] : llvm::enumerate(isNegated))
    scales[scale * sizeof(float) + 3] ^= static_cast<char>(negated << kSign);
  return fits;
}

namespace {
struct NegateGroups : qcc::impl::NegateGroupsBase<NegateGroups> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    getOperation().walk([&](ContractOp op) {
      if (!op.hasGroups() || op.isPacked() || !op.getRhsPrologue().empty() ||
          op.getRhsZeroPoint() || op.getRhsUnsigned())
        return;
      std::optional<NumberRange> range = rangeOfConstant(op.getRhs());
      if (!range || !range->isWithin(-8, 8) || range->high < 8 ||
          !startsFromPositiveZero(op))
        return;
      for (auto [i, map] : llvm::enumerate(op.getGroupMaps()))
        if (isScaledBy(op, op.getGroupEpilogue().getArgument(2 + i)) &&
            negateBy(builder, op, op.getGroupOperandsMutable()[i], map))
          return;
    });
  }

private:
  /// Negates groups by the scales that `operand` has; false if it cannot.
  static bool negateBy(OpBuilder &builder, ContractOp op, OpOperand &operand,
                       AffineMap map) {
    std::optional<ConstantData> weight = ConstantData::get(op.getRhs()),
                                scales = ConstantData::get(operand.get());
    auto weightType = cast<RankedTensorType>(op.getRhs().getType());
    auto scaleType = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!weight || !scales || !scaleType || !scaleType.getElementType().isF32())
      return false;
    FailureOr<GroupedElements> elements =
        GroupedElements::of(op, map, scaleType);
    if (failed(elements))
      return false;
    bool isDone = false;
    makeInAction(op.getContext(), weightType.getNumElements(), [&] {
      std::vector<char> newWeight(weight->bytes), newScales(scales->bytes);
      if (!negate(*elements, newWeight, newScales))
        return;
      auto create = [&](RankedTensorType type, ArrayRef<char> bytes,
                        StringRef name) -> Value {
        return arith::ConstantOp::create(builder, op.getLoc(),
                                         makeConstant(type, bytes, name));
      };
      builder.setInsertionPoint(op);
      op.getRhsMutable().assign(create(weightType, newWeight, weight->name));
      operand.set(create(scaleType, newScales, scales->name));
      isDone = true;
    });
    numNegated += isDone;
    LDBG() << (isDone ? "negates" : "does not negate")
           << " groups of the weight at " << op.getLoc();
    return isDone;
  }
};
} // namespace
