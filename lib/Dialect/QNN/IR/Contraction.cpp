//===- Contraction.cpp - Shared checks of contractions --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "qcc/Dialect/QNN/IR/ReductionLimit.h"
#include <limits>

using namespace mlir;
using namespace qcc::qnn;

Type qcc::qnn::elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

ArrayRef<int64_t> qcc::qnn::shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

static bool isReal(Type type) {
  return isa<Float32Type, Float16Type, BFloat16Type>(type);
}

bool qcc::qnn::yieldsInt32(Value result) {
  return elementOf(result).isSignlessInteger(32);
}

bool qcc::qnn::isQuantizedResult(Value result) {
  return !isReal(elementOf(result)) && !yieldsInt32(result);
}

LogicalResult qcc::qnn::verifyClampBounds(Operation *op,
                                          std::optional<APFloat> low,
                                          std::optional<APFloat> high) {
  if ((low && low->isNaN()) || (high && high->isNaN()))
    return op->emitOpError("clamp bound is NaN; give a number or infinity");
  if (low && high && *low > *high)
    return op->emitOpError("lower clamp bound is above the upper one; swap "
                           "them");
  return success();
}

int64_t qcc::qnn::getMostProducts(const QuantParams &lhs,
                                  const QuantParams &rhs) {
  int64_t product = lhs.getMaxDifference() * rhs.getMaxDifference();
  return std::numeric_limits<int32_t>::max() / std::max<int64_t>(product, 1);
}

/// N2: K * max|x - zx| * max|w - zw| fits in i32.
static LogicalResult verifyNoOverflow(Operation *op, int64_t k,
                                      const QuantParams &lhs,
                                      const QuantParams &rhs) {
  int64_t limit = getMostProducts(lhs, rhs);
  if (ShapedType::isDynamic(k) || k <= limit)
    return success();
  int64_t product = lhs.getMaxDifference() * rhs.getMaxDifference();
  return op->emitOpError() << "reduction of " << k << " products of at most "
                           << product
                           << " could overflow i32; with these storage ranges "
                              "and zero points at most "
                           << limit << " are possible, split the reduction";
}

/// Operands that are real.
static LogicalResult verifyFloatOperands(Operation *op,
                                         const ContractionTensors &tensors) {
  for (const QuantTensor &side : {tensors.lhs, tensors.rhs}) {
    if (!elementOf(side.value).isF32())
      return op->emitOpError()
             << side.name << " has element type " << elementOf(side.value)
             << "; real operands are f32";
    if (side.scale || side.zeroPoint)
      return op->emitOpError() << side.name
                               << " is f32 and takes no scale or zero point; "
                                  "remove the operand";
  }
  Type result = elementOf(tensors.result.value);
  if (!isReal(result))
    return op->emitOpError() << "has f32 operands and a result of " << result
                             << "; make the result f32, f16 or bf16 and "
                                "quantize it by qnn.quantize";
  if (tensors.bias && !elementOf(tensors.bias).isF32())
    return op->emitOpError("has f32 operands and an i32 bias; dequantize the "
                           "bias to f32");
  return success();
}

/// The size of groups of K, or 0. Reports operands whose groups differ, and
/// what a sum of groups does not take.
static FailureOr<int64_t> verifyGroups(Operation *op,
                                       const ContractionTensors &tensors,
                                       const QuantParams &lhs,
                                       const QuantParams &rhs) {
  if (lhs.groupSize && rhs.groupSize && lhs.groupSize != rhs.groupSize)
    return op->emitOpError()
           << tensors.lhs.name << " has groups of " << lhs.groupSize
           << " elements along K and " << tensors.rhs.name << " groups of "
           << rhs.groupSize << "; give both groups of one size";
  int64_t group = std::max(lhs.groupSize, rhs.groupSize);
  if (!group)
    return group;
  Type result = elementOf(tensors.result.value);
  if (!isReal(result))
    return op->emitOpError()
           << "has scales or zero points for groups of K and a result of "
           << result
           << "; make the result f32, f16 or bf16 and quantize it by "
              "qnn.quantize";
  if (tensors.bias && !elementOf(tensors.bias).isF32())
    return op->emitOpError("has scales or zero points for groups of K and an "
                           "i32 bias; dequantize the bias to f32");
  return group;
}

static LogicalResult verifyResult(Operation *op,
                                  const ContractionTensors &tensors) {
  const QuantTensor &result = tensors.result;
  if (isQuantizedResult(result.value))
    return success(succeeded(result.verify(op)));
  if (result.scale || result.zeroPoint)
    return op->emitOpError() << "has a result of " << elementOf(result.value)
                             << ", which takes no scale or zero point; remove "
                                "the operand";
  if (!yieldsInt32(result.value))
    return success();
  if (tensors.bias && !elementOf(tensors.bias).isInteger(32))
    return op->emitOpError("has an i32 result and an f32 bias; give the bias "
                           "in i32 or make the result f32");
  if (tensors.clampMin || tensors.clampMax)
    return op->emitOpError("has an i32 result and a clamp; make the result "
                           "f32 or quantized, or remove the clamp");
  return success();
}

LogicalResult qcc::qnn::verifyContraction(Operation *op,
                                          const ContractionTensors &tensors) {
  const QuantTensor &lhs = tensors.lhs, &rhs = tensors.rhs;
  bool lhsFloat = isa<FloatType>(elementOf(lhs.value));
  if (lhsFloat != isa<FloatType>(elementOf(rhs.value)))
    return op->emitOpError()
           << lhs.name << " " << lhs.getType() << " and " << rhs.name << " "
           << rhs.getType()
           << " must both be f32 or both be quantized; quantize the one or "
              "dequantize the other";
  if (lhsFloat) {
    if (failed(verifyFloatOperands(op, tensors)))
      return failure();
  } else {
    FailureOr<QuantParams> lhsParams = lhs.verify(op);
    if (failed(lhsParams))
      return failure();
    FailureOr<QuantParams> rhsParams = rhs.verify(op);
    if (failed(rhsParams))
      return failure();
    FailureOr<int64_t> group =
        verifyGroups(op, tensors, *lhsParams, *rhsParams);
    if (failed(group) ||
        failed(verifyNoOverflow(op, *group ? *group : tensors.k, *lhsParams,
                                *rhsParams)))
      return failure();
  }
  if (failed(verifyResult(op, tensors)))
    return failure();
  return verifyClampBounds(op, tensors.clampMin, tensors.clampMax);
}
