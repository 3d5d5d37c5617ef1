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
  for (const QuantTensor &tensor : llvm::drop_begin(tensors))
    if (failed(verifySameShape(op, tensors.front(), tensor)))
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
