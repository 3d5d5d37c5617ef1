//===- FoldWeightZeroPoints.cpp - Constant weights less zero points -------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A zero point of the weight costs a kernel the sum of each row of the other
// operand, for each group of K if it varies along K. Differences that fit in
// bytes are stored instead, which costs nothing.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Utils/ConstantAction.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"
#include <cstring>

#define DEBUG_TYPE "fold-weight-zero-points"

namespace qcc {
#define GEN_PASS_DEF_FOLDWEIGHTZEROPOINTS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numFolded, "Weights whose zero points were folded");
ALWAYS_ENABLED_STATISTIC(numTooWide,
                         "Weights with differences that bytes do not hold");

namespace {
/// ext(weight) - zero in the body of a reduction.
struct Difference {
  linalg::GenericOp op;
  OpOperand *weight;
  /// Null: the zero point is the constant `number`.
  OpOperand *zero = nullptr;
  int32_t number = 0;
  Operation *extend;
  arith::SubIOp subtract;
};
} // namespace

/// The input whose element `argument` is, if the input is a constant tensor and
/// the body reads the element once.
static OpOperand *constantOf(linalg::GenericOp op, Value argument) {
  auto block = dyn_cast<BlockArgument>(argument);
  if (!block || block.getOwner() != op.getBody() || !block.hasOneUse() ||
      block.getArgNumber() >= op.getNumDpsInputs())
    return nullptr;
  OpOperand *operand = op.getMatchingOpOperand(block);
  bool isConstantTensor = isa<RankedTensorType>(operand->get().getType()) &&
                          matchPattern(operand->get(), m_Constant());
  return isConstantTensor ? operand : nullptr;
}

static std::optional<Difference> matchDifference(linalg::GenericOp op,
                                                 arith::SubIOp subtract) {
  Difference found;
  found.op = op;
  found.subtract = subtract;
  found.extend = subtract.getLhs().getDefiningOp();
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(found.extend) ||
      !found.extend->hasOneUse() || !subtract.getType().isInteger(32) ||
      !found.extend->getOperand(0).getType().isInteger(8))
    return std::nullopt;
  found.weight = constantOf(op, found.extend->getOperand(0));
  if (!found.weight || !found.weight->get().hasOneUse() ||
      !op.getMatchingIndexingMap(found.weight).isProjectedPermutation())
    return std::nullopt;
  APInt number;
  if (matchPattern(subtract.getRhs(), m_ConstantInt(&number))) {
    found.number = number.getSExtValue();
    return found;
  }
  found.zero = constantOf(op, subtract.getRhs());
  return found.zero ? std::optional(found) : std::nullopt;
}

/// For each dimension of the weight, the distance in the tensor of zero points
/// of neighbours along it; nothing if a zero point does not belong to one
/// element of the weight.
static std::optional<SmallVector<int64_t>>
stridesOfZero(const Difference &difference) {
  linalg::GenericOp op = difference.op;
  AffineMap weight = op.getMatchingIndexingMap(difference.weight),
            zero = op.getMatchingIndexingMap(difference.zero);
  auto type = cast<RankedTensorType>(difference.zero->get().getType());
  SmallVector<int64_t> strides(weight.getNumResults(), 0);
  int64_t stride = 1;
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    AffineExpr expr = zero.getResult(d);
    if (isa<AffineDimExpr>(expr)) {
      std::optional<unsigned> at = weight.getResultPosition(expr);
      if (!at)
        return std::nullopt;
      strides[*at] += stride;
    } else if (expr != getAffineConstantExpr(0, op.getContext())) {
      return std::nullopt;
    }
    stride *= type.getDimSize(d);
  }
  return strides;
}

/// Whether all of `bytes` fit in 4 bits.
static bool areNibbles(ArrayRef<char> bytes, bool isSigned) {
  return llvm::all_of(bytes, [=](char byte) {
    return isSigned ? byte >= -8 && byte <= 7 : uint8_t(byte) <= 15;
  });
}

/// The differences as int8, or nothing if they do not fit, or do not fit in 4
/// bits although the weight does: kernels keep such weights in nibbles if zero
/// points vary along groups of K.
static std::optional<std::vector<char>> compute(const Difference &difference) {
  std::optional<ConstantData> weight =
      ConstantData::get(difference.weight->get());
  auto type = cast<RankedTensorType>(difference.weight->get().getType());
  SmallVector<int64_t> strides(type.getRank(), 0);
  ConstantData zeros;
  if (difference.zero) {
    std::optional<SmallVector<int64_t>> known = stridesOfZero(difference);
    std::optional<ConstantData> data =
        ConstantData::get(difference.zero->get());
    if (!known || !data)
      return std::nullopt;
    strides = *known;
    zeros = std::move(*data);
  } else {
    zeros.owned.resize(sizeof(int32_t));
    std::memcpy(zeros.owned.data(), &difference.number, sizeof(int32_t));
    zeros.bytes = zeros.owned;
  }
  if (!weight || type.getNumElements() == 0)
    return std::nullopt;
  bool isSigned = isa<arith::ExtSIOp>(difference.extend);
  std::vector<char> result(weight->bytes.size());
  SmallVector<int64_t> index(type.getRank(), 0);
  int64_t at = 0;
  for (auto [byte, to] : llvm::zip_equal(weight->bytes, result)) {
    int32_t zero;
    std::memcpy(&zero, zeros.bytes.data() + at * sizeof(int32_t), sizeof(zero));
    int64_t w = isSigned ? int64_t(static_cast<int8_t>(byte))
                         : int64_t(static_cast<uint8_t>(byte));
    int64_t value = w - zero;
    if (value < -128 || value > 127)
      return std::nullopt;
    to = static_cast<char>(value);
    for (int64_t d = type.getRank() - 1; d >= 0; --d) {
      at += strides[d];
      if (++index[d] < type.getDimSize(d))
        break;
      at -= strides[d] * type.getDimSize(d);
      index[d] = 0;
    }
  }
  bool hasGroups =
      llvm::count_if(strides, [](int64_t s) { return s != 0; }) > 1;
  if (hasGroups && areNibbles(weight->bytes, isSigned) &&
      !areNibbles(result, /*isSigned=*/true))
    return std::nullopt;
  return result;
}

static void fold(IRRewriter &rewriter, Difference difference) {
  std::optional<std::vector<char>> bytes = compute(difference);
  if (!bytes) {
    ++numTooWide;
    LDBG() << "leaves the weight at " << difference.op.getLoc();
    return;
  }
  ++numFolded;
  LDBG() << "folds the zero points of the weight at " << difference.op.getLoc();
  Operation *old = difference.weight->get().getDefiningOp();
  std::string name = ConstantData::get(difference.weight->get())->name;
  TypedAttr value =
      makeConstant(cast<RankedTensorType>(old->getResult(0).getType()), *bytes,
                   name.empty() ? "weight" : name);
  rewriter.setInsertionPoint(old);
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(old, value);
  rewriter.setInsertionPoint(difference.extend);
  Value wide = arith::ExtSIOp::create(rewriter, difference.extend->getLoc(),
                                      rewriter.getI32Type(),
                                      difference.extend->getOperand(0));
  rewriter.replaceOp(difference.subtract, wide);
  rewriter.eraseOp(difference.extend);
}

namespace {
struct FoldWeightZeroPoints
    : qcc::impl::FoldWeightZeroPointsBase<FoldWeightZeroPoints> {
  void runOnOperation() override {
    SmallVector<Difference> found;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.getNumReductionLoops() > 0)
        for (auto subtract : op.getBody()->getOps<arith::SubIOp>())
          if (std::optional<Difference> difference =
                  matchDifference(op, subtract))
            found.push_back(*difference);
    });
    IRRewriter rewriter(&getContext());
    for (const Difference &difference : found)
      makeInAction(&getContext(),
                   cast<RankedTensorType>(difference.weight->get().getType())
                       .getNumElements(),
                   [&] { fold(rewriter, difference); });
  }
};
} // namespace
