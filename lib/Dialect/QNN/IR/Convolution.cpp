//===- Convolution.cpp - Verifiers of convolutions ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constraints written in QNNOps.td of qnn.conv2d and conv_transpose2d. What
// all contractions share is in Contraction.cpp, the sizes of windows in
// Windows.cpp.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc::qnn;

template <typename OpTy> static QuantTensor inputOf(OpTy op) {
  QuantForms forms;
  forms.scaleOptional = yieldsInt32(op.getResult());
  return {"input", op.getInput(), op.getInputScale(), op.getInputZeroPoint(),
          forms};
}

template <typename OpTy> static QuantTensor weightOf(OpTy op) {
  QuantForms forms;
  forms.channelAxis = 0;
  forms.scaleOptional = yieldsInt32(op.getResult());
  return {"weight", op.getWeight(), op.getWeightScale(),
          op.getWeightZeroPoint(), forms};
}

template <typename OpTy> static QuantTensor resultOf(OpTy op) {
  return {"result", op.getResult(), op.getOutputScale(),
          op.getOutputZeroPoint(), QuantForms()};
}

/// Ranks, static dimensions, channels and groups.
template <typename OpTy> static LogicalResult verifyChannels(OpTy op) {
  ArrayRef<int64_t> input = shapeOf(op.getInput()),
                    weight = shapeOf(op.getWeight()),
                    result = shapeOf(op.getResult());
  if (input.size() != 4 || weight.size() != 4 || result.size() != 4)
    return op.emitOpError()
           << "needs an input [N, H, W, C], a weight [F, KH, KW, C / groups] "
              "and a result [N, OH, OW, F]; got "
           << op.getInput().getType() << ", " << op.getWeight().getType()
           << " and " << op.getResult().getType();
  if (ShapedType::isDynamicShape(weight) ||
      ShapedType::isDynamic(input.back()) ||
      ShapedType::isDynamic(result.back()))
    return op.emitOpError("only N, H and W of input and result may be dynamic; "
                          "make channels and the weight static");
  int64_t groups = op.getGroups(), c = input.back(), f = weight.front();
  if (groups < 1 || c % groups != 0 || f % groups != 0)
    return op.emitOpError()
           << "has " << groups << " groups for " << c << " channels of the "
           << "input and " << f
           << " of the result; give a positive number that divides both";
  if (weight.back() != c / groups)
    return op.emitOpError()
           << "input has " << c / groups << " channels in each of " << groups
           << " groups but the weight " << weight.back()
           << "; the weight must be [F, KH, KW, C / groups]";
  if (result.back() != f)
    return op.emitOpError()
           << "result has " << result.back() << " channels but the weight " << f
           << "; they must be equal";
  if (Value bias = op.getBias())
    if (shapeOf(bias) != ArrayRef<int64_t>{f})
      return op.emitOpError() << "bias has type " << bias.getType()
                              << "; it must have shape [" << f << "]";
  return success();
}

/// What does not depend on shapes, but for the size of the reduction.
template <typename OpTy> static LogicalResult verifySum(OpTy op) {
  QuantTensor input = inputOf(op), weight = weightOf(op);
  for (const QuantTensor &side : {input, weight})
    if (isa<FloatType>(elementOf(side.value)))
      return op.emitOpError()
             << side.name << " has element type " << elementOf(side.value)
             << "; convolutions of qnn take quantized operands: quantize it, "
                "or write a convolution of linalg, which takes real ones";
  uint64_t k = 1;
  for (int64_t size : shapeOf(op.getWeight()).drop_front())
    k = llvm::SaturatingMultiply<uint64_t>(k, size);
  int64_t bounded = std::min<uint64_t>(k, std::numeric_limits<int64_t>::max());
  return verifyContraction(op, {input, weight, resultOf(op), op.getBias(),
                                op.getClampMin(), op.getClampMax(), bounded});
}

/// [KH, KW]
template <typename OpTy> static ArrayRef<int64_t> kernelOf(OpTy op) {
  return shapeOf(op.getWeight()).slice(1, 2);
}

template <typename OpTy> static FailureOr<Windows> verifyWindows(OpTy op) {
  return Windows::verify(op, kernelOf(op), op.getStrides(), op.getDilations(),
                         op.getPadding());
}

template <typename OpTy> static Windows windowsOf(OpTy op) {
  return Windows::get(kernelOf(op), op.getStrides(), op.getDilations(),
                      op.getPadding());
}

LogicalResult Conv2DOp::verify() {
  if (failed(verifyChannels(*this)))
    return failure();
  FailureOr<Windows> windows = verifyWindows(*this);
  if (failed(windows) ||
      failed(windows->verifyShapes(*this,
                                   cast<RankedTensorType>(getInput().getType()),
                                   cast<RankedTensorType>(getType()))))
    return failure();
  return verifySum(*this);
}

bool Conv2DOp::hasQuantizedResult() { return isQuantizedResult(getResult()); }

QuantParams Conv2DOp::getInputParams() { return inputOf(*this).getParams(); }

QuantParams Conv2DOp::getWeightParams() { return weightOf(*this).getParams(); }

QuantParams Conv2DOp::getResultParams() { return resultOf(*this).getParams(); }

Windows Conv2DOp::getWindows() { return windowsOf(*this); }

LogicalResult ConvTranspose2DOp::verify() {
  if (failed(verifyChannels(*this)))
    return failure();
  FailureOr<Windows> windows = verifyWindows(*this);
  if (failed(windows) || failed(verifyTransposedShapes(
                             *this, *windows, getOutputPadding(),
                             cast<RankedTensorType>(getInput().getType()),
                             cast<RankedTensorType>(getType()))))
    return failure();
  return verifySum(*this);
}

bool ConvTranspose2DOp::hasQuantizedResult() {
  return isQuantizedResult(getResult());
}

QuantParams ConvTranspose2DOp::getInputParams() {
  return inputOf(*this).getParams();
}

QuantParams ConvTranspose2DOp::getWeightParams() {
  return weightOf(*this).getParams();
}

QuantParams ConvTranspose2DOp::getResultParams() {
  return resultOf(*this).getParams();
}

Windows ConvTranspose2DOp::getWindows() { return windowsOf(*this); }
