//===- Quantization.cpp - QuantizeLinear and its relatives ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quantization.h"
#include "../ModelConstants.h"
#include "../Ops.h"
#include "WideQuantization.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

bool onnx::isConstantByte(const GraphValue &value, uint8_t byte) {
  std::optional<ConstantData> data = ConstantData::get(value.constant);
  return data && llvm::all_of(data->bytes, [&](char c) {
           return static_cast<uint8_t>(c) == byte;
         });
}

/// Whether all elements of an integer are known to be 0.
static bool isZero(NodeImporter &n, GraphValue &value) {
  if (n.knowsIntegers(value))
    return llvm::all_of(*value.integers, [](OpFoldResult integer) {
      return knownSize(integer) == 0;
    });
  return isConstantByte(value, 0);
}

bool onnx::isOneNumber(const GraphValue &param) {
  return param.rank() == 0 ||
         (param.rank() == 1 && knownSize(param.shape[0]) == 1);
}

LogicalResult onnx::verifyScale(NodeImporter &n, const GraphValue &scale) {
  for (float number :
       Constants::readFloats(scale).value_or(SmallVector<float>()))
    if (!(number > 0) || !std::isnormal(number)) {
      SmallString<16> text;
      APFloat(number).toString(text);
      return n.refuse() << "has the scale " << text
                        << ", which is not positive, finite and normal; "
                           "measure the range again, without masks of -inf, "
                           "or leave the node unquantized";
    }
  return success();
}

FailureOr<QuantParams> onnx::readQuantParams(NodeImporter &n,
                                             const GraphValue &x,
                                             unsigned scaleInput,
                                             unsigned zeroInput) {
  GraphValue &given = n.in(scaleInput);
  if (!given.isFloat())
    return n.refuse() << "has a scale of " << elementName(given.element)
                      << ", which is not supported; make it float32";
  GraphValue *zero = n.has(zeroInput) ? &n.in(zeroInput) : nullptr;
  if (zero && isZero(n, *zero))
    zero = nullptr;
  FailureOr<GraphValue> wide = convert(n, given, n.b.getF32Type());
  if (failed(wide))
    return failure();
  GraphValue &scale = *wide;
  if (failed(verifyScale(n, scale)))
    return failure();
  bool isScalar = isOneNumber(scale);
  if (zero && isOneNumber(*zero) != isScalar)
    return n.refuse() << "has a scale and a zero point of different numbers "
                         "of elements; make them the same";
  QuantParams params;
  if (isScalar) {
    GraphValue scalar = reshape(n, scale, {});
    params.scale = n.tensor(scalar);
    if (zero) {
      GraphValue scalarZero = reshape(n, *zero, {});
      params.zeroPoint = n.tensor(scalarZero);
    }
    return params;
  }
  FailureOr<int64_t> axis = n.axis(1, x.rank());
  if (failed(axis))
    return failure();
  std::optional<int64_t> channels = knownSize(x.shape[*axis]);
  if (scale.rank() == 1 && !channels)
    return n.refuse() << "has scales along axis " << *axis
                      << ", whose size is not known; give it (--dim, --shape)";
  if (scale.rank() != 1 || knownSize(scale.shape[0]) != channels ||
      (zero && (zero->rank() != 1 || knownSize(zero->shape[0]) != channels)))
    return n.refuse() << "has scales that are neither one number nor one for "
                         "each element along axis "
                      << *axis << "; correct their shape";
  params.scale = n.tensor(scale);
  if (zero)
    params.zeroPoint = n.tensor(*zero);
  params.axis = n.b.getI64IntegerAttr(*axis);
  return params;
}

/// The quantized integer of a constant of one element, which an op such as Pad
/// may need; nothing for other inputs. The scale is valid.
static std::optional<GraphValue> quantizeOne(NodeImporter &n,
                                             const GraphValue &x, Type type) {
  std::optional<SmallVector<float>> number = Constants::readFloats(x),
                                    scale = Constants::readFloats(n.in(1));
  if (!number || !scale || number->size() != 1 || scale->size() != 1)
    return std::nullopt;
  bool isSigned = !type.isUnsignedInteger();
  float zero = 0, least = isSigned ? -128 : 0;
  if (n.has(2)) {
    std::optional<ConstantData> data = ConstantData::get(n.in(2).constant);
    if (!data)
      return std::nullopt;
    char byte = data->bytes.front();
    zero = isSigned ? static_cast<float>(static_cast<int8_t>(byte))
                    : static_cast<float>(static_cast<uint8_t>(byte));
  }
  float quotient = number->front() / scale->front();
  if (std::isnan(quotient))
    quotient = 0;
  quotient = std::clamp(quotient, least - zero, least + 255 - zero);
  char byte =
      static_cast<char>(static_cast<int32_t>(std::nearbyint(quotient) + zero));
  return Constants::toValue(
      n.b, makeConstant(n.type(type, x.shape), byte, "quantized"));
}

LogicalResult onnx::importQuantizeLinear(NodeImporter &n) {
  GraphValue x = n.in(0);
  // Before opset 19 the input may be int32.
  if (x.element.isInteger(32)) {
    FailureOr<GraphValue> real = convert(n, x, n.b.getF32Type());
    if (failed(real))
      return failure();
    x = *real;
  }
  if (int64_t precision = n.getInt("precision", 0); precision > 1)
    return n.refuse() << "has a precision other than float32, which is not "
                         "supported; remove the attribute";
  int32_t given = n.getInt("output_dtype", 0);
  Type type = n.has(2) ? n.in(2).element
              : given  ? elementType(given, n.b.getContext())
                       : n.b.getIntegerType(8, /*isSigned=*/false);
  bool isUInt16 = n.has(2) ? n.in(2).isUInt16
                           : given == static_cast<int32_t>(DataType::UInt16);
  bool isInBlocks = n.getInt("block_size", 0) != 0,
       isWide = isUInt16 || (type && type.isInteger(16));
  if (isInBlocks && isWide)
    return n.refuse() << "quantizes to " << (isUInt16 ? "uint16" : "int16")
                      << " in blocks, which is not supported; use int8 or "
                         "uint8";
  if (isWide)
    return quantizeWide(n, x, isUInt16);
  GraphValue probe;
  probe.element = type;
  if (!type || !probe.isByte())
    return n.refuse() << "quantizes to "
                      << (type ? elementName(type) : dataTypeName(given))
                      << ", which is not supported; use int8, uint8, int16 or "
                         "uint16";
  if (isInBlocks)
    return quantizeInBlocks(n, x, type);
  // The result has the type of the zero point.
  probe.shape = x.shape;
  FailureOr<QuantParams> params = readQuantParams(n, probe, 1, 2);
  if (failed(params))
    return failure();
  if (std::optional<GraphValue> known = quantizeOne(n, x, type))
    return n.set(0, *known);
  Value y = qnn::QuantizeOp::create(
      n.b, n.loc, n.type(type, x.shape), n.tensor(x), params->scale,
      params->zeroPoint, params->axis, UnitAttr());
  return n.set(0, y, x.shape);
}

//===----------------------------------------------------------------------===//
// DequantizeLinear
//===----------------------------------------------------------------------===//

/// The int8 constant that has the same values with the zero point 0 as a uint8
/// constant has with the zero point 128.
static GraphValue toSigned(NodeImporter &n, const GraphValue &x) {
  std::optional<ConstantData> data = ConstantData::get(x.constant);
  AsmResourceBlob bytes =
      HeapAsmResourceBlob::allocateAndCopyWithAlign(data->bytes, 64);
  for (char &byte : bytes.getMutableData())
    byte = static_cast<char>(byte ^ 0x80);
  n.evict(x.constant);
  TypedAttr attr =
      makeConstant(n.type(n.b.getI8Type(), x.shape), std::move(bytes),
                   data->name.empty() ? "weight" : data->name);
  return Constants::toValue(n.b, attr);
}

FailureOr<StoredValue> onnx::readStored(NodeImporter &n, QuantInputs inputs) {
  StoredValue value{n.in(inputs.stored), {}};
  GraphValue &x = value.integers;
  FailureOr<QuantParams> params =
      readQuantParams(n, x, inputs.scale, inputs.zeroPoint);
  if (failed(params))
    return failure();
  value.params = *params;
  if (params->zeroPoint && x.constant && x.isUnsigned() &&
      isConstantByte(n.in(inputs.zeroPoint), 128)) {
    x = toSigned(n, x);
    value.params.zeroPoint = {};
  }
  return value;
}

/// int32 less a zero point; integers wrap.
static FailureOr<GraphValue> subtractZero(NodeImporter &n, StoredValue &x) {
  Shape shape(x.integers.rank(), n.size(1));
  if (x.params.axis)
    shape[x.params.axis.getInt()] = x.integers.shape[x.params.axis.getInt()];
  Shape own;
  if (x.params.axis)
    own.push_back(shape[x.params.axis.getInt()]);
  GraphValue zero = toGraphValue(x.params.zeroPoint, own);
  GraphValue wide = reshape(n, zero, shape);
  return elementwise(
      n, {&x.integers, &wide}, x.integers.element,
      [](Scalars &s, ValueRange args) { return s.sub(args[0], args[1]); });
}

LogicalResult onnx::importDequantizeLinear(NodeImporter &n) {
  bool isWide = n.in(0).isUInt16 || n.in(0).element.isInteger(16);
  int32_t given = n.getInt("output_dtype", 0);
  Type type = given ? elementType(given, n.b.getContext()) : n.in(1).element;
  if (!type || !isa<FloatType>(type) || type.isF64())
    return n.refuse() << "gives a type that is not supported; use float32";
  if (n.getInt("block_size", 0) != 0 && isWide)
    return n.refuse() << "dequantizes integers of 16 bits in blocks, which is "
                         "not supported; use int8 or uint8";
  if (isWide)
    return dequantizeWide(n, type);
  if (n.getInt("block_size", 0) != 0)
    return dequantizeInBlocks(n, type);
  FailureOr<StoredValue> x = readStored(n, {0, 1, 2});
  if (failed(x))
    return failure();
  if (x->params.zeroPoint && x->integers.element.isInteger(32)) {
    FailureOr<GraphValue> difference = subtractZero(n, *x);
    if (failed(difference))
      return failure();
    x->integers = *difference;
    x->params.zeroPoint = {};
  }
  Value y = qnn::DequantizeOp::create(
      n.b, n.loc, n.type(type, x->integers.shape), n.tensor(x->integers),
      x->params.scale, x->params.zeroPoint, x->params.axis);
  return n.set(0, y, x->integers.shape);
}

//===----------------------------------------------------------------------===//
// Cast and Mul
//===----------------------------------------------------------------------===//

std::optional<GraphValue> onnx::matchScaledCast(NodeImporter &n) {
  for (unsigned i : {0, 1}) {
    GraphValue &x = n.in(i), &scale = n.in(1 - i);
    if (!x.stored || !scale.constant || !scale.element.isF32())
      continue;
    std::optional<SmallVector<float>> values = Constants::readFloats(scale);
    // Scales that N9 does not take are factors like others.
    if (!values || values->empty() || scale.rank() > x.rank() ||
        llvm::any_of(*values,
                     [](float s) { return !(s > 0) || !std::isnormal(s); }))
      continue;
    // One number, or one for each element along one dimension.
    int64_t offset = x.rank() - scale.rank(), axis = -1;
    bool fits = true;
    for (int64_t d = 0; d < scale.rank(); ++d) {
      if (knownSize(scale.shape[d]) == 1)
        continue;
      fits &= axis < 0 && scale.shape[d] == x.shape[offset + d];
      axis = offset + d;
    }
    if (!fits)
      continue;
    Shape shape;
    if (axis >= 0)
      shape.push_back(x.shape[axis]);
    GraphValue flat = reshape(n, scale, shape);
    IntegerAttr attr = axis >= 0 ? n.b.getI64IntegerAttr(axis) : IntegerAttr();
    return toGraphValue(
        qnn::DequantizeOp::create(n.b, n.loc, n.type(n.b.getF32Type(), x.shape),
                                  x.stored, n.tensor(flat), Value(), attr),
        x.shape);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// DynamicQuantizeLinear
//===----------------------------------------------------------------------===//

/// The least and the greatest element or 0, by one reduction.
static std::pair<GraphValue, GraphValue> findRange(NodeImporter &n,
                                                   GraphValue &x) {
  SmallVector<utils::IteratorType> iterators(x.rank(),
                                             utils::IteratorType::reduction);
  AffineMap all = n.b.getMultiDimIdentityMap(x.rank()),
            none = AffineMap::get(x.rank(), 0, {}, n.b.getContext());
  // The range contains 0, so that 0 is where both begin.
  Value start = filled(n, x.element, {}, 0.0);
  auto loops = linalg::GenericOp::create(
      n.b, n.loc, TypeRange{start.getType(), start.getType()}, n.tensor(x),
      ValueRange{start, start}, ArrayRef<AffineMap>{all, none, none}, iterators,
      [](OpBuilder &b, Location loc, ValueRange args) {
        Scalars s(b, loc);
        linalg::YieldOp::create(
            b, loc,
            ValueRange{s.min(args[1], args[0]), s.max(args[2], args[0])});
      });
  return {toGraphValue(loops.getResult(0), {}),
          toGraphValue(loops.getResult(1), {})};
}

LogicalResult onnx::importDynamicQuantizeLinear(NodeImporter &n) {
  GraphValue &x = n.in(0);
  auto [least, most] = findRange(n, x);
  FailureOr<GraphValue> scale = elementwise(
      n, {&least, &most}, x.element, [](Scalars &s, ValueRange args) {
        Type type = args[0].getType();
        Value range = s.div(s.sub(args[1], args[0]), s.constant(type, 255));
        // All elements are 0: any scale will do, and 0 would not.
        return s.select(s.equal(range, s.constant(type, 0)),
                        s.constant(type, 1), range);
      });
  if (failed(scale))
    return failure();
  FailureOr<GraphValue> place = elementwise(
      n, {&least, &*scale}, x.element, [](Scalars &s, ValueRange args) {
        Value zero = s.constant(args[0].getType(), 0);
        return s.sub(zero, s.div(args[0], args[1]));
      });
  if (failed(place))
    return failure();
  Type u8 = n.b.getIntegerType(8, /*isSigned=*/false);
  Value one = constantFloats(n, {1.0f}, {});
  Value zeroPoint =
      qnn::QuantizeOp::create(n.b, n.loc, n.type(u8, {}), n.tensor(*place), one,
                              Value(), IntegerAttr(), UnitAttr());
  Value y = qnn::QuantizeOp::create(n.b, n.loc, n.type(u8, x.shape),
                                    n.tensor(x), n.tensor(*scale), zeroPoint,
                                    IntegerAttr(), UnitAttr());
  (void)n.set(0, y, x.shape);
  (void)n.set(1, *scale);
  return n.set(2, zeroPoint, {});
}
