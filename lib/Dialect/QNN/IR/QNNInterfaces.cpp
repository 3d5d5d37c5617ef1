//===- QNNInterfaces.cpp - The verifier of elementwise qnn ops ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/QNN/IR/QNNInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace qcc::qnn;

#include "qcc/Dialect/QNN/IR/QNNInterfaces.cpp.inc"

static LogicalResult verifySameShape(Operation *op, const QuantTensor &a,
                                     const QuantTensor &b) {
  if (a.getType().getShape() == b.getType().getShape())
    return success();
  return op->emitOpError() << a.name << " " << a.getType() << " and " << b.name
                           << " " << b.getType()
                           << " must have the same shape; insert a tensor.cast "
                              "if only ? differs";
}

/// Each operand has the size of the result in a dimension or the size 1, and
/// one of them has that of the result.
static LogicalResult verifyBroadcast(Operation *op,
                                     ArrayRef<QuantTensor> tensors) {
  const QuantTensor &result = tensors.back();
  ArrayRef<int64_t> shape = result.getType().getShape();
  ArrayRef<QuantTensor> operands = tensors.drop_back();
  for (const QuantTensor &operand : operands) {
    ArrayRef<int64_t> sizes = operand.getType().getShape();
    if (sizes.size() != shape.size())
      return op->emitOpError()
             << operand.name << " " << operand.getType() << " and "
             << result.name << " " << result.getType()
             << " must have equal ranks; insert a tensor.expand_shape that "
                "adds dimensions of size 1";
    for (auto [size, expected] : llvm::zip(sizes, shape))
      if (size != expected && size != 1)
        return op->emitOpError()
               << operand.name << " " << operand.getType() << " and "
               << result.name << " " << result.getType()
               << " must have the same shape, apart from sizes of 1 of "
               << operand.name << "; insert a tensor.cast if only ? differs";
  }
  for (auto [dim, size] : llvm::enumerate(shape))
    if (llvm::none_of(operands,
                      [&, dim = dim, size = size](const QuantTensor &operand) {
                        return operand.getType().getDimSize(dim) == size;
                      }))
      return op->emitOpError()
             << result.name << " " << result.getType() << " has the size "
             << (ShapedType::isDynamic(size) ? "?" : std::to_string(size))
             << " in dimension " << dim
             << ", in which all operands have the size 1; make it 1 there, or "
                "broadcast it by linalg.broadcast";
  return success();
}

static LogicalResult verifyShapes(ElementwiseOpInterface op,
                                  ArrayRef<QuantTensor> tensors) {
  if (op.broadcasts())
    return verifyBroadcast(op, tensors);
  for (const QuantTensor &tensor : tensors.drop_front())
    if (failed(verifySameShape(op, tensors.front(), tensor)))
      return failure();
  return success();
}

/// The axis is that of parameters in operands, and one of the dimensions of
/// `tensor`, the first that is quantized.
static LogicalResult verifyAxis(Operation *op, uint64_t axis,
                                ArrayRef<QuantTensor> tensors,
                                const QuantTensor &tensor) {
  if (llvm::none_of(tensors, [](const QuantTensor &tensor) {
        return tensor.scale || tensor.zeroPoint;
      }))
    return op->emitOpError("has an axis, which is that of scale and zero point "
                           "operands, and none of these; remove it, a type has "
                           "its own");
  int64_t rank = tensor.getType().getRank();
  int64_t value = static_cast<int64_t>(axis);
  if (value >= 0 && value < rank)
    return success();
  return op->emitOpError() << "axis " << value << " is not a dimension of "
                           << tensor.getType() << "; give 0 to " << rank - 1;
}

LogicalResult qcc::qnn::detail::verifyElementwise(ElementwiseOpInterface op) {
  SmallVector<QuantTensor> tensors = op.getTensors();
  if (failed(verifyShapes(op, tensors)))
    return failure();
  auto quantized = llvm::make_filter_range(
      tensors, [](const QuantTensor &tensor) { return tensor.isQuantized(); });
  if (std::optional<uint64_t> axis = op.getChannelAxis())
    if (failed(verifyAxis(op, *axis, tensors, *quantized.begin())))
      return failure();
  for (const QuantTensor &tensor : quantized)
    if (failed(tensor.verify(op)))
      return failure();
  return success();
}
