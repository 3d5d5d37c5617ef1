//===- FoldConstants.cpp - The pass qnn-fold-constants --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An elementwise op on constants is converted by itself, and what its formula
// became is evaluated: folding has no formulas of its own.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Conversion/Passes.h"
#include "qcc/Conversion/QNNToLinalg/EvaluateConstant.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/Utils/ConstantAction.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "qnn-fold-constants"

namespace qcc {
#define GEN_PASS_DEF_QNNFOLDCONSTANTS
#include "qcc/Conversion/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using qcc::ConstantData;

ALWAYS_ENABLED_STATISTIC(numFolded, "Ops on constants that became constants");

/// A constant whose elements are there.
static bool isKnown(Value value) {
  return isa<RankedTensorType>(value.getType())
             ? ConstantData::get(value).has_value()
             : matchPattern(value, m_Constant());
}

/// Whether the op computes a tensor of known size from constants. Constants
/// that were folded before it may be parameters that are not valid; the
/// verifier reports them.
static bool isFoldable(qnn::ElementwiseOpInterface op) {
  SmallVector<qnn::QuantTensor> tensors = op.getTensors();
  RankedTensorType type = tensors.back().getType();
  return type.hasStaticShape() && type.getNumElements() > 0 &&
         llvm::all_of(op->getOperands(), isKnown) &&
         llvm::all_of(tensors, [](const qnn::QuantTensor &tensor) {
           return !tensor.isQuantized() || succeeded(tensor.tryGetParams());
         });
}

/// Floats of fewer elements stay in the caches of a core.
constexpr int64_t kLeastElements = 1 << 16;

/// Whether `op` dequantizes a constant that is the weight of one contraction of
/// floats, which reads it as it is or through a reshape and a transpose, and
/// nobody else reads the result. The constant takes less memory.
static bool isNarrowWeight(qnn::DequantizeOp op) {
  Value value = op.getResult();
  auto type = cast<RankedTensorType>(value.getType());
  if (!isFoldable(op) || !type.getElementType().isF32() ||
      type.getNumElements() < kLeastElements)
    return false;
  auto reader = [&]() -> Operation * {
    return value.hasOneUse() ? *value.user_begin() : nullptr;
  };
  if (auto collapse = dyn_cast_if_present<tensor::CollapseShapeOp>(reader()))
    value = collapse.getResult();
  if (auto transpose = dyn_cast_if_present<linalg::TransposeOp>(reader()))
    value = transpose->getResult(0);
  if (auto linear = dyn_cast_if_present<qnn::LinearOp>(reader()))
    return linear.getWeight() == value;
  auto contraction = dyn_cast_if_present<linalg::LinalgOp>(reader());
  return contraction && linalg::isaContractionOpInterface(contraction);
}

/// A function that computes the op, without its quantized types.
static OwningOpRef<ModuleOp> isolate(qnn::ElementwiseOpInterface op) {
  Location loc = op.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder(module->getBodyRegion());
  auto func =
      func::FuncOp::create(builder, loc, "folded",
                           builder.getFunctionType({}, op->getResultTypes()));
  builder.setInsertionPointToStart(func.addEntryBlock());
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (!mapping.contains(operand))
      builder.clone(*operand.getDefiningOp(), mapping);
  Operation *copy = builder.clone(*op, mapping);
  func::ReturnOp::create(builder, loc, copy->getResults());
  if (failed(convertToLinalg(*module)))
    return {};
  return module;
}

static TypedAttr fold(qnn::ElementwiseOpInterface op) {
  if (!isFoldable(op))
    return {};
  OwningOpRef<ModuleOp> module = isolate(op);
  if (!module)
    return {};
  auto func = *module->getOps<func::FuncOp>().begin();
  std::optional<std::vector<char>> bytes =
      evaluateConstant(func.front().getTerminator()->getOperand(0));
  if (!bytes)
    return {};
  SmallVector<qnn::QuantTensor> tensors = op.getTensors();
  RankedTensorType type = tensors.back().getType();
  StringRef kind = isa<FloatType>(type.getElementType()) ? "real" : "quantized";
  std::string name = ConstantData::get(tensors.front().value)->name;
  return makeConstant(type, *bytes,
                      name.empty() ? kind.str() : name + "_" + kind.str());
}

/// Replaces an op that computes a tensor from constants by its value, and
/// erases constants that nobody else uses, so that their data can be freed.
static void replaceByValue(IRRewriter &rewriter, Operation *op) {
  auto elementwise = dyn_cast<qnn::ElementwiseOpInterface>(op);
  TypedAttr value = elementwise ? fold(elementwise) : foldMovement(op);
  if (!value)
    return;
  ++numFolded;
  LDBG() << "folds " << op->getName() << " at " << op->getLoc() << " to "
         << value.getType();
  // An op may have a constant twice.
  llvm::SmallSetVector<Value, 4> operands(op->operand_begin(),
                                          op->operand_end());
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
  for (Value operand : operands) {
    auto constant = operand.getDefiningOp<arith::ConstantOp>();
    if (constant && constant->use_empty())
      rewriter.eraseOp(constant);
  }
}

namespace {
struct QNNFoldConstants : qcc::impl::QNNFoldConstantsBase<QNNFoldConstants> {
  using QNNFoldConstantsBase::QNNFoldConstantsBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() == 1 && op->getNumOperands() > 0)
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
      if (!type || !type.hasStaticShape() ||
          !matchPattern(op->getOperand(0), m_Constant()))
        continue;
      auto dequantize = dyn_cast<qnn::DequantizeOp>(op);
      if (keepNarrow && dequantize && isNarrowWeight(dequantize))
        continue;
      makeInAction(&getContext(),
                   type.getNumElements() *
                       getElementBytes(type.getElementType()),
                   [&] { replaceByValue(rewriter, op); });
    }
  }
};
} // namespace
