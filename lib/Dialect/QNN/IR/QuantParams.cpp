//===- QuantParams.cpp - Parameters of a quantized tensor -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and checks parameters (N1, N9) in both forms, by type and by operands.
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/QNN/IR/QuantParams.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace qcc::qnn;

using EmitError = function_ref<InFlightDiagnostic()>;
using Kind = QuantParams::Kind;

bool QuantParams::hasNoZeroPoint() const {
  return isZeroPointConstant &&
         llvm::all_of(zeroPoints, [](int32_t z) { return z == 0; });
}

int64_t QuantParams::getMaxDifference() const {
  assert(qmin < qmax && "a storage type has several values");
  if (!isZeroPointConstant)
    return qmax - qmin;
  int64_t result = 0;
  for (int64_t z : zeroPoints)
    result = std::max({result, z - qmin, qmax - z});
  return result;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

QuantForms QuantForms::perTensorOrRow() {
  QuantForms forms;
  forms.perRow = true;
  return forms;
}

QuantForms QuantForms::any(Value tensor, std::optional<uint64_t> axis) {
  QuantForms forms;
  forms.perRow = forms.anyTypeAxis = true;
  forms.channelAxis =
      axis ? static_cast<int64_t>(*axis)
           : cast<RankedTensorType>(tensor.getType()).getRank() - 1;
  return forms;
}

QuantForms QuantForms::orInt32() const {
  QuantForms forms = *this;
  forms.int32 = true;
  return forms;
}

QuantForms QuantForms::stored() {
  QuantForms forms;
  forms.scaleOptional = forms.anyTypeAxis = true;
  forms.channelAxis = 0;
  return forms;
}

std::optional<QuantForms> QuantForms::ofType(Value tensor) {
  if (!isa<quant::QuantizedType>(getElementTypeOrSelf(tensor)))
    return std::nullopt;
  return stored();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// N9, and the message for what it excludes.
static LogicalResult verifyScale(EmitError emitError, StringRef what,
                                 float scale) {
  StringRef wrong;
  if (std::isnan(scale))
    wrong = "NaN";
  else if (scale < 0)
    wrong = "negative";
  else if (scale == 0)
    wrong = "zero (scales are rounded to f32)";
  else if (std::isinf(scale))
    wrong = "infinite (scales are rounded to f32)";
  else if (!std::isnormal(scale))
    wrong = "denormal";
  else
    return success();
  return emitError() << "scale of " << what << " is " << wrong
                     << "; give a positive, finite and normal f32";
}

static LogicalResult verifyZeroPoint(EmitError emitError, StringRef what,
                                     int64_t zeroPoint,
                                     const QuantParams &params) {
  if (zeroPoint >= params.qmin && zeroPoint <= params.qmax)
    return success();
  return emitError() << "zero point " << zeroPoint << " of " << what
                     << " is outside its storage range [" << params.qmin << ", "
                     << params.qmax << "]; give one inside it";
}

/// The elements of a constant in order, as `T` read from attribute values by
/// `convert` or from the bytes of a resource. False if `value` is no constant,
/// or one whose bytes are not there.
template <typename T, typename Convert>
static bool readConstant(Value value, Convert convert,
                         SmallVectorImpl<T> &result) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return false;
  if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    for (Attribute element : dense.getValues<Attribute>())
      result.push_back(convert(element));
    return true;
  }
  if (isa<FloatAttr, IntegerAttr>(attr)) {
    result.push_back(convert(attr));
    return true;
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(attr);
  if (!resource)
    return false;
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  auto type = cast<ShapedType>(resource.getType());
  Type element = type.getElementType();
  size_t width = element.getIntOrFloatBitWidth() / 8;
  assert((width == 4 || (width == 1 && !std::is_same_v<T, float>)) &&
         "scales are f32, zero points i8, ui8 or i32");
  if (!blob || blob->getData().size() != width * type.getNumElements())
    return false;
  const char *data = blob->getData().data();
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i, data += width) {
    if constexpr (std::is_same_v<T, float>) {
      memcpy(&result.emplace_back(), data, sizeof(float));
    } else {
      int32_t &z = result.emplace_back();
      if (width == 4)
        memcpy(&z, data, 4);
      else
        z = element.isUnsignedInteger() ? (int32_t)*(const uint8_t *)data
                                        : (int32_t)*(const int8_t *)data;
    }
  }
  return true;
}

bool qcc::qnn::readConstantFloats(Value value, SmallVectorImpl<float> &result) {
  return readConstant(
      value,
      [](Attribute a) {
        return cast<FloatAttr>(a).getValue().convertToFloat();
      },
      result);
}

static bool readZeroPoints(Value value, SmallVectorImpl<int32_t> &zeroPoints) {
  return readConstant(
      value,
      [](Attribute a) -> int32_t {
        auto integer = cast<IntegerAttr>(a);
        return integer.getType().isUnsignedInteger()
                   ? integer.getValue().getZExtValue()
                   : integer.getValue().getSExtValue();
      },
      zeroPoints);
}

//===----------------------------------------------------------------------===//
// By type
//===----------------------------------------------------------------------===//

static LogicalResult verifyStorage(EmitError emitError, StringRef what,
                                   quant::QuantizedType type, bool int32,
                                   QuantParams &params) {
  if (!isa<quant::UniformQuantizedType, quant::UniformQuantizedPerAxisType>(
          type))
    return emitError() << what << " has type " << Type(type)
                       << "; only !quant.uniform per tensor or per channel is "
                          "supported (sub-channel scales are not)";
  if (!type.getExpressedType().isF32())
    return emitError() << what << " has a quantized type with expressed type "
                       << type.getExpressedType()
                       << "; write f32 (results may still be f16 or bf16)";
  params.isSigned = type.isSigned();
  params.width = type.getStorageTypeIntegralWidth();
  params.qmin = type.getStorageTypeMin();
  params.qmax = type.getStorageTypeMax();
  if (params.width == 8 || (int32 && params.width == 32 && params.isSigned))
    return success();
  return emitError() << what << " has " << (params.isSigned ? "i" : "u")
                     << params.width << " storage; use i8 or u8"
                     << (int32 ? ", or i32" : "");
}

/// The parameters of `element`, apart from how they fit a shape.
static FailureOr<QuantParams> readType(EmitError emitError, StringRef what,
                                       quant::QuantizedType element,
                                       bool int32) {
  QuantParams params;
  if (failed(verifyStorage(emitError, what, element, int32, params)))
    return failure();
  SmallVector<int64_t> zeroPoints;
  if (auto type = dyn_cast<quant::UniformQuantizedType>(element)) {
    params.scales = {static_cast<float>(type.getScale())};
    zeroPoints = {type.getZeroPoint()};
  } else {
    auto axisType = cast<quant::UniformQuantizedPerAxisType>(element);
    params.scaleKind = params.zeroPointKind = Kind::PerChannel;
    params.axis = axisType.getQuantizedDimension();
    for (double scale : axisType.getScales())
      params.scales.push_back(static_cast<float>(scale));
    llvm::append_range(zeroPoints, axisType.getZeroPoints());
  }
  assert(params.scales.size() == zeroPoints.size() &&
         "a quantized type has a zero point for each scale");
  params.isScaleConstant = params.isZeroPointConstant = true;
  for (float scale : params.scales)
    if (failed(verifyScale(emitError, what, scale)))
      return failure();
  for (int64_t z : zeroPoints) {
    if (params.width == 32 && z != 0)
      return emitError() << what << " has i32 storage and zero point " << z
                         << "; i32 values have zero point 0";
    if (failed(verifyZeroPoint(emitError, what, z, params)))
      return failure();
    params.zeroPoints.push_back(static_cast<int32_t>(z));
  }
  // The same zero point everywhere is as good as one for the tensor.
  if (params.zeroPointKind == Kind::PerChannel &&
      llvm::all_equal(params.zeroPoints)) {
    params.zeroPointKind = Kind::PerTensor;
    params.zeroPoints.resize(1);
  }
  return params;
}

static LogicalResult verifyTypeAxis(EmitError emitError, StringRef what,
                                    RankedTensorType type,
                                    const QuantParams &params) {
  if (params.scaleKind != Kind::PerChannel)
    return success();
  if (params.axis < 0 || params.axis >= type.getRank())
    return emitError() << what << " is quantized along dimension "
                       << params.axis << " but has rank " << type.getRank()
                       << "; give the axis of one of its dimensions";
  int64_t size = type.getDimSize(params.axis);
  if (ShapedType::isDynamic(size))
    return emitError() << what << " is quantized along dimension "
                       << params.axis
                       << ", which is dynamic; give it a static size";
  if (size != static_cast<int64_t>(params.scales.size()))
    return emitError() << what << " has " << params.scales.size()
                       << " scales in its type but " << size
                       << " channels along dimension " << params.axis
                       << "; give one scale per channel";
  return success();
}

//===----------------------------------------------------------------------===//
// By operands
//===----------------------------------------------------------------------===//

/// Whether a parameter of type `param` has one element for each row and group
/// of K of a tensor of type `type`.
static bool isPerGroup(RankedTensorType param, RankedTensorType type) {
  int64_t rank = type.getRank();
  if (param.getRank() != rank || rank < 2 ||
      param.getShape().drop_back() != type.getShape().drop_back())
    return false;
  int64_t k = type.getShape().back(), groups = param.getShape().back();
  return !ShapedType::isDynamic(k) && groups > 0 && k > 0 && k % groups == 0;
}

/// How a parameter of type `paramType` covers a tensor of type `type`.
static FailureOr<Kind> getKind(EmitError emitError, const Twine &name,
                               Type paramType, RankedTensorType type,
                               const QuantForms &forms) {
  auto param = dyn_cast<RankedTensorType>(paramType);
  if (!param || param.getRank() == 0 ||
      (param.getRank() == 1 && param.getDimSize(0) == 1))
    return Kind::PerTensor;
  int64_t rank = type.getRank();
  bool isPerRow =
      param.getRank() == rank && rank > 1 && param.getDimSize(rank - 1) == 1;
  if (forms.perGroup && isPerGroup(param, type) && !(isPerRow && forms.perRow))
    return Kind::PerGroup;
  if (isPerRow && (forms.perRow || !forms.perGroup)) {
    if (!forms.perRow)
      return emitError() << name << " is per row (" << paramType
                         << "), which this tensor does not allow; give one per "
                            "tensor";
    if (param.getShape().drop_back() == type.getShape().drop_back())
      return Kind::PerRow;
  } else if (param.getRank() == 1) {
    if (!forms.channelAxis || *forms.channelAxis < 0)
      return emitError() << name << " is per channel (" << paramType
                         << "), which this tensor does not allow; give one per "
                            "tensor"
                         << (forms.perRow ? " or per row" : "");
    if (param.getDimSize(0) == type.getDimSize(*forms.channelAxis))
      return Kind::PerChannel;
  }
  InFlightDiagnostic diag = emitError()
                            << name << " of type " << paramType
                            << " does not fit " << type << "; give a scalar";
  if (forms.channelAxis && *forms.channelAxis >= 0)
    diag << ", one per channel of dimension " << *forms.channelAxis;
  if (forms.perRow && rank > 1)
    diag << ", or one per row (its shape with the last dimension 1)";
  if (forms.perGroup && rank > 1)
    diag << ", or one per group (its shape with a last dimension that divides "
            "its own)";
  return diag;
}

/// `params` with the size of groups of its operands.
static FailureOr<QuantParams> setGroupSize(EmitError emitError, StringRef what,
                                           RankedTensorType type,
                                           QuantParams params) {
  auto add = [&](Kind kind, Value operand) {
    if (kind != Kind::PerGroup)
      return true;
    int64_t size = type.getShape().back() /
                   cast<RankedTensorType>(operand.getType()).getShape().back();
    std::swap(size, params.groupSize);
    return size == 0 || size == params.groupSize;
  };
  if (add(params.scaleKind, params.scale) &&
      add(params.zeroPointKind, params.zeroPoint))
    return params;
  return emitError() << "scale of " << what << " of type "
                     << params.scale.getType() << " and its zero point of type "
                     << params.zeroPoint.getType()
                     << " have groups of different sizes; give as many zero "
                        "points as scales";
}

static FailureOr<QuantParams> readOperands(EmitError emitError, StringRef what,
                                           RankedTensorType type, Value scale,
                                           Value zeroPoint,
                                           const QuantForms &forms) {
  QuantParams params;
  Type element = type.getElementType();
  params.isSigned = !element.isUnsignedInteger();
  params.width = element.getIntOrFloatBitWidth();
  params.qmin = params.isSigned ? llvm::minIntN(params.width) : 0;
  params.qmax = params.isSigned ? llvm::maxIntN(params.width)
                                : llvm::maxUIntN(params.width);
  params.axis = forms.channelAxis.value_or(-1);
  params.scale = scale;
  params.zeroPoint = zeroPoint;
  if (!scale) {
    if (!forms.scaleOptional)
      return emitError() << what << " of type " << type
                         << " has no scale; give a scale operand or a "
                            "quantized type";
    params.isScaleConstant = true;
    params.scales = {1.0f};
  } else {
    FailureOr<Kind> kind =
        getKind(emitError, "scale of " + what, scale.getType(), type, forms);
    if (failed(kind))
      return failure();
    params.scaleKind = *kind;
    params.isScaleConstant = readConstantFloats(scale, params.scales);
    for (float s : params.scales)
      if (failed(verifyScale(emitError, what, s)))
        return failure();
  }

  if (!zeroPoint) {
    params.isZeroPointConstant = true;
    params.zeroPoints = {0};
    return setGroupSize(emitError, what, type, params);
  }
  if (params.width == 32)
    return emitError() << what
                       << " is i32 and has a zero point operand; i32 "
                          "values have zero point 0, remove it";
  FailureOr<Kind> kind = getKind(emitError, "zero point of " + what,
                                 zeroPoint.getType(), type, forms);
  if (failed(kind))
    return failure();
  params.zeroPointKind = *kind;
  Type zeroPointElement = getElementTypeOrSelf(zeroPoint.getType());
  if (!zeroPointElement.isInteger(32) && zeroPointElement != element)
    return emitError() << "zero point of " << what << " has element type "
                       << zeroPointElement << " but the tensor " << element
                       << "; give it as " << element << " or i32";
  params.isZeroPointConstant = readZeroPoints(zeroPoint, params.zeroPoints);
  for (int64_t z : params.zeroPoints)
    if (failed(verifyZeroPoint(emitError, what, z, params)))
      return failure();
  return setGroupSize(emitError, what, type, params);
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

FailureOr<QuantParams> qcc::qnn::getQuantParams(EmitError emitError,
                                                StringRef what, Type type,
                                                Value scale, Value zeroPoint,
                                                const QuantForms &forms) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return emitError() << what << " must be a ranked tensor, got " << type;
  auto element = dyn_cast<quant::QuantizedType>(tensor.getElementType());
  if (!element) {
    Type stored = tensor.getElementType();
    if (!stored.isSignlessInteger(8) && !stored.isUnsignedInteger(8) &&
        !(forms.int32 && stored.isSignlessInteger(32)))
      return emitError() << what << " has element type " << stored
                         << "; use a quantized type, i8 or ui8"
                         << (forms.int32 ? ", or i32" : "");
    return readOperands(emitError, what, tensor, scale, zeroPoint, forms);
  }
  if (scale || zeroPoint)
    return emitError() << what << " has the quantized type " << type
                       << " and also a scale or zero point operand; remove the "
                          "operands or use i8 or ui8";
  FailureOr<QuantParams> params =
      readType(emitError, what, element, forms.int32);
  if (failed(params) ||
      failed(verifyTypeAxis(emitError, what, tensor, *params)))
    return failure();
  if (params->scaleKind == Kind::PerTensor)
    return params;
  if (!forms.channelAxis)
    return emitError() << what
                       << " is quantized per channel, which is not allowed "
                          "here; use one scale per tensor";
  if (!forms.anyTypeAxis && params->axis != *forms.channelAxis)
    return emitError() << what << " is quantized along dimension "
                       << params->axis << "; the channels must be dimension "
                       << *forms.channelAxis;
  return params;
}

FailureOr<QuantParams> qcc::qnn::getQuantParams(Type type, Value scale,
                                                Value zeroPoint,
                                                std::optional<int64_t> axis) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return failure();
  QuantForms forms;
  forms.int32 = forms.perRow = forms.anyTypeAxis = true;
  forms.channelAxis = axis.value_or(tensor.getRank() - 1);
  return getQuantParams([] { return InFlightDiagnostic(); }, "", type, scale,
                        zeroPoint, forms);
}

FailureOr<QuantParams> QuantTensor::verify(Operation *op) const {
  return getQuantParams([&] { return op->emitOpError(); }, name,
                        value.getType(), scale, zeroPoint, *forms);
}

FailureOr<QuantParams> QuantTensor::tryGetParams() const {
  return getQuantParams([] { return InFlightDiagnostic(); }, name,
                        value.getType(), scale, zeroPoint, *forms);
}

QuantParams QuantTensor::getParams() const {
  FailureOr<QuantParams> params = tryGetParams();
  assert(succeeded(params) && "parameters of an op that was not verified");
  return *params;
}

LogicalResult qcc::qnn::verifyQuantType(EmitError emitError, Type type) {
  std::string what;
  llvm::raw_string_ostream(what) << "type " << type;
  if (isa<quant::QuantizedType>(type))
    return emitError() << what
                       << " is a quantized scalar; quantized values "
                          "are ranked tensors";
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return success();
  auto element = dyn_cast<quant::QuantizedType>(shaped.getElementType());
  if (!element)
    return success();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return emitError() << what << " must be a ranked tensor";
  FailureOr<QuantParams> params =
      readType(emitError, what, element, /*int32=*/true);
  if (failed(params))
    return failure();
  return verifyTypeAxis(emitError, what, tensor, *params);
}
