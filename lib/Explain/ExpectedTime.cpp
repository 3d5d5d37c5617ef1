//===- ExpectedTime.cpp - Expected seconds of a step ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Explain/ExpectedTime.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "qcc/Explain/Explain.h"
#include "qcc/Transforms/Contraction/ContractParts.h"
#include "qcc/Transforms/Steps/StepInfo.h"
#include <algorithm>

using namespace mlir;
using namespace qcc;

/// The share of an atom's peak that kernels are expected to reach where no
/// kernel was chosen.
constexpr double kUsualShareOfPeak = 0.8;
/// Operations in the time of a division or a square root.
constexpr double kSlowOperation = 4;
/// Products of one cost.
constexpr double kProductsOfCost = 1024;

/// The bytes of the constants that a step reads.
static int64_t constantBytes(func::CallOp call) {
  int64_t bytes = 0;
  for (Value operand : call.getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type || !type.hasStaticShape())
      continue;
    while (auto view = operand.getDefiningOp<ViewLikeOpInterface>())
      operand = view.getViewSource();
    if (operand.getDefiningOp<memref::GetGlobalOp>())
      bytes += type.getNumElements() *
               std::max(1u, type.getElementType().isIndex()
                                ? 8
                                : type.getElementTypeBitWidth() / 8);
  }
  return bytes;
}

/// The number of vector operations that one operation on one element takes in
/// the loops of a step, on average over their bodies: 1/8 for f32 in vectors of
/// 256 bits. It is 1 or more for a body that is not computed on vectors.
static double vectorsOfOperation(func::FuncOp step, unsigned vectorBits) {
  double operations = 0, vectors = 0;
  step.walk([&](linalg::LinalgOp op) {
    bool isVectorized =
        llvm::all_of(op.getBlock()->without_terminator(), [](Operation &inner) {
          return isa<arith::ConstantOp, linalg::IndexOp>(inner) ||
                 OpTrait::hasElementwiseMappableTraits(&inner);
        });
    for (Operation &inner : op.getBlock()->without_terminator()) {
      if (isa<arith::ConstantOp>(inner))
        continue;
      unsigned bits = 8;
      auto see = [&](Type type) {
        if (type.isIntOrFloat())
          bits = std::max(bits, type.getIntOrFloatBitWidth());
      };
      llvm::for_each(inner.getOperandTypes(), see);
      llvm::for_each(inner.getResultTypes(), see);
      double time =
          isa<arith::DivFOp, math::SqrtOp>(inner) ? kSlowOperation : 1;
      ++operations;
      vectors += time * (isVectorized ? double(bits) / vectorBits : 1);
    }
  });
  return operations > 0 ? vectors / operations : 0;
}

/// The seconds of a kernel: its strategy's cost, or the stream of its weights.
static void expectKernel(StepExplanation &explanation, kernel::ContractOp op,
                         double weights, const Target &target,
                         const ThreadSpeed &speed) {
  kernel::LoweringConfigAttrInterface config = op.getLoweringConfigAttr();
  Cost cost = target.strategyOf(config)->cost(op, config);
  double products = double(*explanation.numOperations) / 2;
  // Merged groups multiply zeros, which no operation counts.
  if (auto merged = op->getAttrOfType<IntegerAttr>(kMergedGroupsAttr))
    products *= double(merged.getInt());
  auto seconds = [&](double costs, double bytes) {
    return speed.stepSeconds +
           std::max(products / kProductsOfCost * costs / speed.costs,
                    bytes / speed.weightBytes);
  };
  explanation.expectedSeconds = seconds(cost.time, weights);
  if (!op.isOfFloats()) {
    explanation.expectedSecondsOfBytes = explanation.expectedSeconds;
    return;
  }
  // The kernel of bytes is expected to reach the same share of its peak.
  double bytes = seconds(speed.leastByteCost / cost.shareOfPeak, weights / 4);
  // Otherwise weights of 7 bits may still be faster, by an unknown factor.
  if (bytes < *explanation.expectedSeconds)
    explanation.expectedSecondsOfBytes = bytes;
}

/// The operations of an op in a block of `rows` rows.
static double operationsOfBlock(Operation *op, int64_t rows) {
  auto contract = dyn_cast<kernel::ContractOp>(op);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!contract && !structured)
    return 0;
  double operations = double(operationsOfIteration(op));
  for (int64_t size : contract ? contract.getStaticLoopSizes()
                               : structured.getStaticLoopRanges())
    operations *= double(ShapedType::isDynamic(size) ? rows : size);
  return operations;
}

/// The seconds of a group of ops that run by blocks of rows: those of its
/// kernels and of its loops.
static double expectGroup(double allOperations, func::FuncOp step, int64_t rows,
                          const Target &target, const ThreadSpeed &speed) {
  double operations = 0, loops = 0, seconds = 0;
  step.walk([&](Operation *op) {
    double own = operationsOfBlock(op, rows);
    operations += own;
    auto contract = dyn_cast<kernel::ContractOp>(op);
    if (!contract) {
      loops += own;
      return;
    }
    kernel::LoweringConfigAttrInterface config =
        contract.getLoweringConfigAttr();
    double cost = target.strategyOf(config)->cost(contract, config).time;
    seconds += own / 2 / kProductsOfCost * cost / speed.costs;
  });
  seconds += loops * vectorsOfOperation(step, speed.vectorBits) /
             speed.vectorOperations;
  return operations > 0 ? seconds * allOperations / operations : 0;
}

void qcc::expectTime(StepExplanation &explanation, func::CallOp call,
                     func::FuncOp step, const Target &target) {
  std::optional<ThreadSpeed> speed = target.threadSpeed();
  if (!speed || !explanation.numOperations || !explanation.numBytes ||
      explanation.work == WorkKind::ControlFlow)
    return;
  double weights = std::min<double>(constantBytes(call), *explanation.numBytes);
  double tensors = double(*explanation.numBytes) - weights;
  explanation.numConstantBytes = static_cast<int64_t>(weights);
  explanation.constantSeconds = weights / speed->weightBytes;
  if (std::optional<int64_t> rows = rowsOfBlock(step)) {
    explanation.expectedSeconds =
        speed->stepSeconds +
        std::max(tensors / speed->tensorBytes,
                 expectGroup(double(*explanation.numOperations), step, *rows,
                             target, *speed));
    return;
  }
  kernel::ContractOp contract;
  step.walk([&](kernel::ContractOp op) { contract = op; });
  if (contract)
    return expectKernel(explanation, contract, weights, target, *speed);
  double bytes =
      tensors / (explanation.work == WorkKind::Packing ? speed->packedBytes
                                                       : speed->tensorBytes) +
      weights / speed->weightBytes;
  double operations = double(*explanation.numOperations) *
                      vectorsOfOperation(step, speed->vectorBits) /
                      speed->vectorOperations;
  explanation.expectedSeconds =
      speed->stepSeconds + std::max(bytes, operations);
  if (explanation.work != WorkKind::IntegerContraction &&
      explanation.work != WorkKind::FloatContraction)
    return;
  double kernel = double(*explanation.numOperations) / 2 / kProductsOfCost *
                  speed->leastByteCost / kUsualShareOfPeak / speed->costs;
  explanation.expectedSecondsOfBytes =
      std::min(*explanation.expectedSeconds, speed->stepSeconds + kernel);
}
