//===- Types.cpp - Quantized types become their storage -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that move data do not care what it means: they are rebuilt with the new
// types. Constants keep their bytes.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"

using namespace mlir;
using namespace qcc;

StorageTypeConverter::StorageTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](IntegerType type) -> Type {
    return IntegerType::get(type.getContext(), type.getWidth());
  });
  addConversion([](quant::QuantizedType type) -> Type {
    return IntegerType::get(type.getContext(),
                            type.getStorageTypeIntegralWidth());
  });
  addConversion([this](RankedTensorType type) -> Type {
    return type.clone(convertType(type.getElementType()));
  });
}

bool StorageTypeConverter::isLegalOp(Operation *op) const {
  if (auto func = dyn_cast<FunctionOpInterface>(op))
    return isSignatureLegal(cast<FunctionType>(func.getFunctionType())) &&
           isLegal(&func.getFunctionBody());
  return isLegal(op) && llvm::all_of(op->getRegions(), [&](Region &region) {
           return isLegal(&region);
         });
}

namespace {
/// Any op whose meaning does not depend on the element type; its location
/// keeps a quantized one.
struct ConvertTypesOfOp : ConversionPattern {
  ConvertTypesOfOp(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect == "qnn" || dialect == "quant" || isa<FunctionOpInterface>(op))
      return rewriter.notifyMatchFailure(op, "has a pattern of its own");
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return failure();
    Location loc = op->getLoc();
    if (op->getNumResults() == 1)
      loc = withType(loc, getElementTypeOrSelf(op->getResult(0)));
    Operation *converted = Operation::create(
        loc, op->getName(), types, operands, op->getDiscardableAttrDictionary(),
        op->getPropertiesStorage(), op->getSuccessors(), op->getNumRegions());
    rewriter.insert(converted);
    for (auto [from, to] :
         llvm::zip_equal(op->getRegions(), converted->getRegions())) {
      rewriter.inlineRegionBefore(from, to, to.end());
      if (failed(rewriter.convertRegionTypes(&to, *getTypeConverter())))
        return failure();
    }
    rewriter.replaceOp(op, converted->getResults());
    return success();
  }
};

/// Constants, inline or resources, keep their bytes.
struct ConvertConstant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast_or_null<RankedTensorType>(
        getTypeConverter()->convertType(op.getType()));
    if (!type)
      return failure();
    TypedAttr value;
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue()))
      value = DenseResourceElementsAttr::get(type, resource.getRawHandle());
    else if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue()))
      value = dense.bitcast(type.getElementType());
    else
      return rewriter.notifyMatchFailure(op, "value is not dense");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

/// Casts between types of one storage disappear.
template <typename OpTy> struct DropCast : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value input = adaptor.getOperands().front();
    if (this->getTypeConverter()->convertType(op.getType()) != input.getType())
      return failure();
    rewriter.replaceOp(op, input);
    return success();
  }
};
} // namespace

void qcc::populateTypePatterns(const StorageTypeConverter &converter,
                               RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ConvertTypesOfOp>(converter, context);
  patterns.add<ConvertConstant, DropCast<quant::StorageCastOp>,
               DropCast<tensor::BitcastOp>>(converter, context, /*benefit=*/2);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                 converter);
}
