//===- ImageOps.cpp - Verifiers of poolings and qnn.resize ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constraints written in QNNImageOps.td of ops that compute an NHWC image
// of another one, each channel by itself.
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/QNN/IR/QNN.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qcc::qnn;

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

static RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

/// Per tensor or per channel.
static QuantForms imageForms() {
  QuantForms forms;
  forms.channelAxis = 3;
  return forms;
}

static LogicalResult verifyImages(Operation *op, RankedTensorType input,
                                  RankedTensorType result) {
  if (input.getRank() != 4 || result.getRank() != 4)
    return op->emitOpError()
           << "has an input of type " << input << " and a result of type "
           << result
           << "; both are images [N, H, W, C], add dimensions of size 1 by "
              "tensor.expand_shape";
  if (input.getDimSize(3) != result.getDimSize(3))
    return op->emitOpError()
           << "has an input of type " << input << " and a result of type "
           << result << "; make C, the last dimension, the same in both";
  return success();
}

/// A result that keeps stored integers has the element type of the input.
static LogicalResult verifySameElement(Operation *op, RankedTensorType input,
                                       RankedTensorType result) {
  if (input.getElementType() == result.getElementType())
    return success();
  return op->emitOpError() << "has an input of elements "
                           << input.getElementType()
                           << " and a result of elements "
                           << result.getElementType()
                           << ", but keeps stored integers as they are; make "
                              "the types the same and add a qnn.requantize or "
                              "qnn.dequantize";
}

static bool isReal(Type type) {
  return isa<Float32Type, Float16Type, BFloat16Type>(type);
}

/// An input whose stored integers are compared or moved, whatever they mean.
static QuantTensor storedTensor(Value input) {
  QuantTensor tensor{"input", input, {}, {}, imageForms()};
  tensor.forms->scaleOptional = true;
  return tensor;
}

/// A result that is quantized or real; a real one has no parameters.
static QuantTensor resultTensor(Value result, Value scale, Value zeroPoint) {
  QuantTensor tensor{"result", result, scale, zeroPoint, imageForms()};
  if (isReal(tensor.getType().getElementType()))
    tensor.forms = std::nullopt;
  return tensor;
}

static LogicalResult verifyParameters(Operation *op,
                                      ArrayRef<QuantTensor> tensors) {
  for (const QuantTensor &tensor : tensors) {
    if (tensor.isQuantized()) {
      if (failed(tensor.verify(op)))
        return failure();
    } else if (tensor.scale || tensor.zeroPoint) {
      return op->emitOpError()
             << "has a result of " << tensor.getType().getElementType()
             << ", which takes no scale or zero point; remove the operand";
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Checks that each window fits and has an element of the image.
static LogicalResult verifyPooling(Operation *op, const Windows &windows,
                                   RankedTensorType input,
                                   RankedTensorType result) {
  if (failed(windows.verifyShapes(op, input, result)))
    return failure();
  for (auto [d, dim] : llvm::enumerate(windows.dims)) {
    int64_t size = input.getDimSize(1 + d), least = dim.leastPooledSize();
    if (!ShapedType::isDynamic(size) && size < least)
      return op->emitOpError()
             << "has windows that lie in padding alone, since the input has "
             << size << " elements along " << "HW"[d] << "; give it at least "
             << least << ", or less padding";
  }
  return success();
}

LogicalResult MaxPool2DOp::verify() {
  RankedTensorType input = typeOf(getInput()), result = typeOf(getResult());
  if (failed(verifyImages(*this, input, result)) ||
      failed(verifySameElement(*this, input, result)))
    return failure();
  FailureOr<Windows> windows = Windows::verify(
      *this, getWindow(), getStrides(), getDilations(), getPadding(), "window");
  if (failed(windows) || failed(verifyPooling(*this, *windows, input, result)))
    return failure();
  return storedTensor(getInput()).verify(*this);
}

Windows MaxPool2DOp::getWindows() {
  return Windows::get(getWindow(), getStrides(), getDilations(), getPadding());
}

QuantParams MaxPool2DOp::getInputParams() {
  return storedTensor(getInput()).getParams();
}

SmallVector<QuantTensor> AvgPool2DOp::getTensors() {
  return {
      {"input", getInput(), getInputScale(), getInputZeroPoint(), imageForms()},
      resultTensor(getResult(), getOutputScale(), getOutputZeroPoint())};
}

static constexpr int64_t kNoDilations[] = {1, 1};

Windows AvgPool2DOp::getWindows() {
  return Windows::get(*getWindow(), getStrides(), kNoDilations, getPadding());
}

bool AvgPool2DOp::hasQuantizedResult() { return getTensors()[1].isQuantized(); }

QuantParams AvgPool2DOp::getInputParams() {
  return getTensors()[0].getParams();
}

QuantParams AvgPool2DOp::getResultParams() {
  return getTensors()[1].getParams();
}

int64_t AvgPool2DOp::getMostElements() {
  return std::numeric_limits<int32_t>::max() /
         std::max<int64_t>(getInputParams().getMaxDifference(), 1);
}

/// N2, for sums of differences. Sizes that are dynamic are checked when the
/// program runs.
static LogicalResult verifyNoOverflow(AvgPool2DOp op,
                                      ArrayRef<int64_t> window) {
  int64_t most = op.getMostElements(), elements = 1;
  for (int64_t size : window)
    if (!ShapedType::isDynamic(size))
      elements = llvm::SaturatingMultiply<uint64_t>(elements,
                                                    std::max<int64_t>(size, 1));
  if (elements <= most)
    return success();
  return op.emitOpError() << "sum of " << elements << " elements of at most "
                          << op.getInputParams().getMaxDifference()
                          << " each could overflow i32; with this storage "
                             "range and zero point at most "
                          << most << " are possible, use smaller windows";
}

static LogicalResult verifyGlobalPooling(AvgPool2DOp op, RankedTensorType input,
                                         RankedTensorType result) {
  if (llvm::any_of(op.getStrides(), [](int64_t s) { return s != 1; }) ||
      llvm::any_of(op.getPadding(), [](int64_t p) { return p != 0; }) ||
      op.getCountIncludePad())
    return op.emitOpError("has strides, padding or count_include_pad, but no "
                          "window: the whole image is one; give a window");
  for (int64_t d : {1, 2})
    if (input.getDimSize(d) == 0)
      return op.emitOpError() << "has an input of type " << input
                              << ", whose mean is that of no elements; give an "
                                 "image that is not empty";
  if (failed(verifyPixels(op, input, result, {input.getDimSize(0), 1, 1})))
    return failure();
  return verifyNoOverflow(op, input.getShape().slice(1, 2));
}

LogicalResult AvgPool2DOp::verify() {
  RankedTensorType input = typeOf(getInput()), result = typeOf(getResult());
  if (failed(verifyImages(*this, input, result)) ||
      failed(verifyParameters(*this, getTensors())))
    return failure();
  if (isGlobal())
    return verifyGlobalPooling(*this, input, result);
  FailureOr<Windows> windows = Windows::verify(
      *this, *getWindow(), getStrides(), kNoDilations, getPadding(), "window");
  if (failed(windows) || failed(verifyPooling(*this, *windows, input, result)))
    return failure();
  return verifyNoOverflow(*this, *getWindow());
}

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

SmallVector<QuantTensor> ResizeOp::getTensors() {
  return {
      {"input", getInput(), getInputScale(), getInputZeroPoint(), imageForms()},
      resultTensor(getResult(), getOutputScale(), getOutputZeroPoint())};
}

bool ResizeOp::hasQuantizedResult() { return getTensors()[1].isQuantized(); }

QuantParams ResizeOp::getInputParams() { return getTensors()[0].getParams(); }

QuantParams ResizeOp::getResultParams() { return getTensors()[1].getParams(); }

/// Checks that an attribute is one of `choices`.
static LogicalResult verifyChoice(Operation *op, StringRef name,
                                  StringRef value,
                                  ArrayRef<StringRef> choices) {
  if (llvm::is_contained(choices, value))
    return success();
  return op->emitOpError() << "has the " << name << " '" << value << "'; give "
                           << llvm::join(choices.drop_back(), ", ") << " or "
                           << choices.back();
}

static LogicalResult verifyAttributes(ResizeOp op) {
  if (failed(verifyChoice(op, "mode", op.getMode(), {"nearest", "linear"})) ||
      failed(verifyChoice(op, "coordinate_transformation",
                          op.getCoordinateTransformation(),
                          {"asymmetric", "half_pixel", "align_corners"})))
    return failure();
  std::optional<StringRef> rounding = op.getRounding();
  if (!op.isNearest())
    return rounding ? op.emitOpError("has a rounding, which is for the mode "
                                     "nearest; remove it")
                    : success();
  if (!rounding)
    return op.emitOpError("has the mode nearest and no rounding; give floor, "
                          "ceil, round_prefer_floor or round_prefer_ceil");
  return verifyChoice(
      op, "rounding", *rounding,
      {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"});
}

/// No size is larger, so that places are exact in all that computes them.
static constexpr int64_t kLargestSize = 1 << 24;

static LogicalResult verifySizes(ResizeOp op, RankedTensorType type) {
  for (int64_t d : {1, 2}) {
    int64_t size = type.getDimSize(d);
    if (ShapedType::isDynamic(size))
      return op.emitOpError()
             << "has an image of type " << type
             << ", whose H or W is dynamic; make both static, weights are "
                "computed from them";
    if (size < 1 || size > kLargestSize)
      return op.emitOpError()
             << "has an image of type " << type << ", of size " << size
             << " along " << "HW"[d - 1] << "; give 1 to " << kLargestSize;
  }
  return success();
}

LogicalResult ResizeOp::verify() {
  RankedTensorType input = typeOf(getInput()), result = typeOf(getResult());
  if (failed(verifyAttributes(*this)) ||
      failed(verifyImages(*this, input, result)) ||
      failed(verifySizes(*this, input)) || failed(verifySizes(*this, result)) ||
      failed(verifyPixels(
          *this, input, result,
          {input.getDimSize(0), result.getDimSize(1), result.getDimSize(2)})))
    return failure();
  if (!isNearest())
    return verifyParameters(*this, getTensors());
  if (getNumOperands() != 1)
    return emitOpError("has the mode nearest, which keeps stored integers as "
                       "they are, and operands for parameters; remove them");
  if (failed(verifySameElement(*this, input, result)))
    return failure();
  return storedTensor(getInput()).verify(*this);
}
