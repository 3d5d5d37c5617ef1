//===- Quantized.cpp - Ops on real numbers for those on quantized ones ----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quantized.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;
using quant::QuantizedType;

static QuantizedType quantizedOf(Type type) {
  return dyn_cast<QuantizedType>(getElementTypeOrSelf(type));
}

/// The tensor's type with other elements.
static Type withElements(Type type, Type element) {
  return cast<ShapedType>(type).clone(element);
}

static Type storageOf(QuantizedType type) {
  auto storage = cast<IntegerType>(type.getStorageType());
  return type.isSigned()
             ? storage
             : IntegerType::get(type.getContext(), storage.getWidth(),
                                IntegerType::Unsigned);
}

/// The type of a value once the program is one of integers.
static Type plain(Type type) {
  QuantizedType quantized = quantizedOf(type);
  return quantized ? withElements(type, storageOf(quantized)) : type;
}

namespace {
/// What an op does with quantized values.
enum class Use {
  Computes, ///< Computes real numbers.
  Moves,    ///< Moves their integers into a type of the same parameters.
  Keeps     ///< Hands them on, or its region computes.
};
} // namespace

static Use useOf(Operation *op) {
  if (op->getNumRegions() > 0)
    return Use::Keeps;
  return llvm::StringSwitch<Use>(op->getName().getStringRef())
      .Cases({"chlo.top_k", "func.call", "func.return",
              "stablehlo.bitcast_convert", "stablehlo.composite",
              "stablehlo.constant", "stablehlo.custom_call",
              "stablehlo.get_dimension_size", "stablehlo.return"},
             Use::Keeps)
      .Cases({"stablehlo.broadcast", "stablehlo.broadcast_in_dim",
              "stablehlo.concatenate", "stablehlo.dynamic_broadcast_in_dim",
              "stablehlo.dynamic_gather", "stablehlo.dynamic_pad",
              "stablehlo.dynamic_reshape", "stablehlo.dynamic_slice",
              "stablehlo.dynamic_update_slice", "stablehlo.gather",
              "stablehlo.optimization_barrier", "stablehlo.pad",
              "stablehlo.real_dynamic_slice", "stablehlo.reshape",
              "stablehlo.reverse", "stablehlo.select", "stablehlo.slice",
              "stablehlo.transpose"},
             Use::Moves)
      .Default(Use::Computes);
}

/// Whether elements of two types stand for the same numbers, wherever the axis
/// of their parameters lies.
static bool haveSameParameters(QuantizedType x, QuantizedType y) {
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(x);
  auto other = dyn_cast<quant::UniformQuantizedPerAxisType>(y);
  if (!perAxis || !other)
    return x == y;
  // A slice has some of them.
  return storageOf(x) == storageOf(y) &&
         x.getExpressedType() == y.getExpressedType() &&
         (perAxis.getScales().size() != other.getScales().size() ||
          (perAxis.getScales() == other.getScales() &&
           perAxis.getZeroPoints() == other.getZeroPoints()));
}

static LogicalResult verifyMovement(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  QuantizedType first;
  for (Type type : types)
    if (QuantizedType quantized = quantizedOf(type)) {
      if (first && !haveSameParameters(first, quantized))
        return op->emitError()
               << "'" << op->getName() << "' moves elements of type " << first
               << " into " << quantized
               << ", which has other parameters; use uniform_quantize";
      first = quantized;
    }
  return success();
}

/// Whether scales are normal and positive, and zero points integers of the
/// type.
static bool hasValidParameters(QuantizedType type) {
  auto isValid = [&](double scale, int64_t zeroPoint) {
    auto rounded = static_cast<float>(scale);
    return std::isnormal(rounded) && rounded > 0 &&
           zeroPoint >= type.getStorageTypeMin() &&
           zeroPoint <= type.getStorageTypeMax();
  };
  if (auto all = dyn_cast<quant::UniformQuantizedType>(type))
    return isValid(all.getScale(), all.getZeroPoint());
  auto each = cast<quant::UniformQuantizedPerAxisType>(type);
  return llvm::all_of(
      llvm::zip_equal(each.getScales(), each.getZeroPoints()),
      [&](auto pair) { return isValid(std::get<0>(pair), std::get<1>(pair)); });
}

static LogicalResult verifyType(Operation *op, Type type) {
  QuantizedType quantized = quantizedOf(type);
  if (!quantized)
    return success();
  auto storage = dyn_cast<IntegerType>(quantized.getStorageType());
  bool isKnown =
      isa<quant::UniformQuantizedType, quant::UniformQuantizedPerAxisType>(
          quantized);
  bool isReal = isa_and_present<BFloat16Type, Float16Type, Float32Type>(
      quantized.getExpressedType());
  if (isKnown && isReal && storage && isa<RankedTensorType>(type) &&
      llvm::is_contained({8u, 16u, 32u}, storage.getWidth()) &&
      (quantized.isSigned() || storage.getWidth() == 8)) {
    if (hasValidParameters(quantized))
      return success();
    return op->emitError() << "'" << op->getName() << "' has a value of type "
                           << type
                           << ", whose scales are not all normal positive "
                              "numbers, or whose zero points are not all among "
                              "its integers; correct the type";
  }
  return op->emitError() << "'" << op->getName() << "' has a value of type "
                         << type
                         << ", which is not supported; use !quant.uniform per "
                            "tensor or per axis of i8, u8, i16 or i32 and "
                            "bf16, f16 or f32";
}

/// Creates uniform_quantize or uniform_dequantize of `value`.
static Value convert(OpBuilder &b, Location loc, StringRef name, Value value,
                     Type result, QuantizedType parameters) {
  OperationState state(loc, name);
  state.addOperands(value);
  state.addTypes(result);
  state.addAttribute(kQuantizedAttr, TypeAttr::get(parameters));
  return b.create(state)->getResult(0);
}

static Value dequantize(OpBuilder &b, Location loc, Value value) {
  QuantizedType type = quantizedOf(value.getType());
  return convert(b, loc, "stablehlo.uniform_dequantize", value,
                 withElements(value.getType(), type.getExpressedType()), type);
}

/// Lets the op compute real numbers.
static void expand(Operation *op) {
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands())
    if (quantizedOf(operand.get().getType()))
      operand.set(dequantize(b, op->getLoc(), operand.get()));
  b.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    Type type = result.getType();
    QuantizedType quantized = quantizedOf(type);
    if (!quantized)
      continue;
    result.setType(withElements(type, quantized.getExpressedType()));
    Value integers = convert(b, op->getLoc(), "stablehlo.uniform_quantize",
                             result, type, quantized);
    result.replaceAllUsesExcept(integers, integers.getDefiningOp());
  }
}

static LogicalResult expandOp(Operation *op) {
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (failed(verifyType(op, type)))
        return failure();
  StringRef name = op->getName().getStringRef();
  bool quantizes = name == "stablehlo.uniform_quantize";
  if (quantizes || name == "stablehlo.uniform_dequantize") {
    if (op->getNumOperands() != 1 || op->getNumResults() != 1)
      return op->emitError() << "'" << name << "' has no operand and result of "
                             << "its own; correct the program";
    QuantizedType type = quantizedOf(quantizes ? op->getResult(0).getType()
                                               : op->getOperand(0).getType());
    if (!type)
      return op->emitError()
             << "'" << name << "' has no quantized type; correct the program";
    op->setAttr(kQuantizedAttr, TypeAttr::get(type));
    OpBuilder b(op);
    if (quantizes && quantizedOf(op->getOperand(0).getType()))
      op->setOperand(0, dequantize(b, op->getLoc(), op->getOperand(0)));
    return success();
  }
  Use use = useOf(op);
  if (use == Use::Moves)
    return verifyMovement(op);
  if (use == Use::Computes)
    expand(op);
  return success();
}

LogicalResult stablehlo::expandQuantized(ModuleOp module) {
  auto isQuantized = [](Type type) { return bool(quantizedOf(type)); };
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (llvm::any_of(op->getOperandTypes(), isQuantized) ||
        llvm::any_of(op->getResultTypes(), isQuantized) ||
        op->getName().getStringRef().starts_with("stablehlo.uniform_"))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (failed(expandOp(op)))
      return failure();
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    for (Value value : op->getResults())
      value.setType(plain(value.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments()) {
          if (failed(verifyType(op, argument.getType())))
            return WalkResult::interrupt();
          argument.setType(plain(argument.getType()));
        }
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      SmallVector<Type> inputs = llvm::map_to_vector(
          function.getArgumentTypes(), [](Type type) { return plain(type); });
      SmallVector<Type> results = llvm::map_to_vector(
          function.getResultTypes(), [](Type type) { return plain(type); });
      function.setFunctionType(
          FunctionType::get(op->getContext(), inputs, results));
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
