//===- QNNToLinalg.cpp - The pass convert-qnn-to-linalg -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Patterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Conversion/Passes.h"
#include "qcc/Dialect/QNN/IR/FunctionAttrs.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/QNN/IR/QuantizedType.h"
#include "qcc/Dialect/QNN/IR/ReductionLimit.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"

namespace qcc {
#define GEN_PASS_DEF_CONVERTQNNTOLINALG
#include "qcc/Conversion/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

/// Keeps the types that are about to change for the descriptor of the program.
static void recordTypes(func::FuncOp func, const TypeConverter &converter) {
  FunctionType function = func.getFunctionType();
  auto typeOf = [&](Type type) -> Attribute {
    return converter.isLegal(type) ? TypeAttr() : TypeAttr::get(type);
  };
  setArgAttrs(func, kSourceTypeAttr,
              [&](unsigned i) { return typeOf(function.getInput(i)); });
  setResultAttrs(func, kSourceTypeAttr,
                 [&](unsigned i) { return typeOf(function.getResult(i)); });
}

/// Keeps scales and zero points that are constant operands, as in ONNX models,
/// where locations keep quantized types.
static void recordOperandTypes(Operation *op) {
  auto elementwise = dyn_cast<qnn::ElementwiseOpInterface>(op);
  if (!elementwise || !elementwise.getTensors().back().isQuantized())
    return;
  Type type =
      qnn::getQuantizedType(elementwise.getResultParams(), op->getContext());
  op->setLoc(withType(op->getLoc(), type));
}

/// Keeps the names of the tensors that an entry takes and returns, which later
/// passes replace, for the descriptor of the program. A result that has a name
/// already keeps it: the op that computes the result may be a layer with
/// another name, or the result an argument.
static void recordNames(func::FuncOp func) {
  if (!func.isPublic() || func.isExternal())
    return;
  auto nameOf = [&](Value value) -> Attribute {
    StringRef name = layerName(value.getLoc());
    return name.empty() ? StringAttr()
                        : StringAttr::get(func.getContext(), name);
  };
  setArgAttrs(func, kNameAttr,
              [&](unsigned i) { return nameOf(func.getArgument(i)); });
  Operation *ret = func.getBody().front().getTerminator();
  setResultAttrs(func, kNameAttr, [&](unsigned i) {
    return func.getResultAttr(i, kNameAttr) ? Attribute()
                                            : nameOf(ret->getOperand(i));
  });
}

LogicalResult qcc::convertToLinalg(ModuleOp module) {
  MLIRContext *context = module.getContext();
  StorageTypeConverter converter;
  ConversionTarget target(*context);
  target.addIllegalDialect<qnn::QNNDialect, quant::QuantDialect>();
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return converter.isLegalOp(op); });

  RewritePatternSet patterns(context);
  populateContractionPatterns(converter, patterns);
  populateConvolutionPatterns(converter, patterns);
  populateElementwisePatterns(converter, patterns);
  populatePoolingPatterns(converter, patterns);
  populateResizePatterns(converter, patterns);
  populateTypePatterns(converter, patterns);
  // Upstream's folders round otherwise than Numerics says.
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  return applyFullConversion(module, target, std::move(patterns), config);
}

/// The size of a dynamic reduction that an op may have is a requirement of the
/// entry.
static void requireLimit(linalg::GenericOp op) {
  auto limit = op->getAttrOfType<IntegerAttr>(qnn::kMostProductsAttr);
  if (!limit)
    return;
  op->removeAttr(qnn::kMostProductsAttr);
  OpBuilder builder(op);
  Value size;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    SmallVector<std::pair<Value, unsigned>> places;
    op.mapIterationSpaceDimToAllOperandDims(loop, places);
    if (iterator != utils::IteratorType::reduction || places.empty())
      continue;
    Value dim = getValueOrCreateConstantIndexOp(
        builder, op.getLoc(),
        tensor::getMixedSize(builder, op.getLoc(), places.front().first,
                             places.front().second));
    size =
        size
            ? arith::MulIOp::create(builder, op.getLoc(), size, dim).getResult()
            : dim;
  }
  if (size)
    requireReduction(builder, op, size, limit.getInt());
}

namespace {
struct ConvertQNNToLinalg
    : qcc::impl::ConvertQNNToLinalgBase<ConvertQNNToLinalg> {
  void runOnOperation() override {
    StorageTypeConverter converter;
    getOperation().walk([&](func::FuncOp func) {
      recordTypes(func, converter);
      recordNames(func);
    });
    getOperation().walk([](linalg::GenericOp op) { requireLimit(op); });
    getOperation().walk(recordOperandTypes);
    inheritLayers(getOperation());
    if (failed(convertToLinalg(getOperation())))
      signalPassFailure();
  }
};
} // namespace
