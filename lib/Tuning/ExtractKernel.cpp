//===- ExtractKernel.cpp - A contraction as a program ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Tuning/ExtractKernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace qcc;

kernel::ContractOp ExtractedKernel::contract() const {
  kernel::ContractOp found;
  module.get()->walk([&](kernel::ContractOp op) { found = op; });
  return found;
}

/// How many windows of lhs there are along a loop, if the other loops of the
/// dimension that it moves in have static sizes. A convolution may have
/// computed fewer.
static Value countWindows(OpBuilder &builder, kernel::ContractOp op,
                          unsigned loop, const IRMapping &mapping) {
  SmallVector<int64_t> sizes = op.getStaticLoopSizes();
  Location loc = op.getLoc();
  for (auto [i, expr] : llvm::enumerate(op.getLhsMap().getResults())) {
    SmallVector<int64_t> factors =
        *kernel::windowFactors(expr, op.getNumLoops());
    if (factors[loop] == 0)
      continue;
    // What one window spans, beyond what is padded.
    int64_t span = 1;
    if (ArrayRef<int64_t> padding = op.getLhsPaddingWidths(); !padding.empty())
      span -= padding[2 * i] + padding[2 * i + 1];
    for (auto [other, factor] : llvm::enumerate(factors)) {
      if (other == loop || factor == 0)
        continue;
      if (ShapedType::isDynamic(sizes[other]))
        return {};
      span += (sizes[other] - 1) * factor;
    }
    auto index = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    Value size =
        tensor::DimOp::create(builder, loc, mapping.lookup(op.getLhs()), i);
    Value rest = arith::SubIOp::create(builder, loc, size, index(span));
    Value steps =
        arith::DivSIOp::create(builder, loc, rest, index(factors[loop]));
    return arith::AddIOp::create(builder, loc, steps, index(1));
  }
  return {};
}

/// A dimension of an input that a loop runs over, or 1 where no loop does, as
/// an index.
static Value sizeOfLoop(OpBuilder &builder, kernel::ContractOp op,
                        AffineExpr loop, const IRMapping &mapping) {
  if (isa<AffineConstantExpr>(loop))
    return arith::ConstantIndexOp::create(builder, op.getLoc(), 1);
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.isDpsInit(&operand))
      continue;
    for (auto [i, expr] :
         llvm::enumerate(op.getIndexingMap(operand).getResults()))
      if (expr == loop)
        return tensor::DimOp::create(builder, op.getLoc(),
                                     mapping.lookup(operand.get()), i);
  }
  return countWindows(builder, op, cast<AffineDimExpr>(loop).getPosition(),
                      mapping);
}

llvm::Expected<ExtractedKernel> qcc::extractKernel(kernel::ContractOp op) {
  op->getContext()->loadDialect<func::FuncDialect, tensor::TensorDialect>();
  ExtractedKernel kernel;
  Location loc = op.getLoc();
  kernel.module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(kernel.module->getBody());
  auto function = func::FuncOp::create(
      builder, loc, "kernel",
      builder.getFunctionType({}, op.getResults().getTypes()));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);

  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (op.isDpsInit(&operand) || mapping.contains(value))
      continue;
    Operation *source = value.getDefiningOp();
    if (source && matchPattern(source, m_Constant())) {
      builder.clone(*source, mapping);
      continue;
    }
    mapping.map(value, body->addArgument(value.getType(), loc));
    kernel.arguments.push_back(value);
  }
  function.setType(builder.getFunctionType(body->getArgumentTypes(),
                                           op.getResults().getTypes()));
  SmallVector<Value> outs;
  for (auto [out, map] : llvm::zip_equal(op.getOuts(), op.getOutMaps())) {
    auto type = cast<RankedTensorType>(out.getType());
    SmallVector<Value> sizes;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (!type.isDynamicDim(i))
        continue;
      sizes.push_back(sizeOfLoop(builder, op, expr, mapping));
      if (!sizes.back())
        return llvm::createStringError(
            "no operand of the contraction has dimension %u of its result",
            (unsigned)i);
    }
    outs.push_back(tensor::EmptyOp::create(builder, loc, type, sizes));
  }
  auto copy = cast<kernel::ContractOp>(builder.clone(*op, mapping));
  // An input may be the destination as well. The copy reads the input, but not
  // what was in the destination.
  copy.getOutsMutable().assign(outs);
  func::ReturnOp::create(builder, loc, copy->getResults());
  return kernel;
}
