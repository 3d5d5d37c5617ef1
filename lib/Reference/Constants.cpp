//===- Constants.cpp - Values of constants --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "Half.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace qcc::reference;

static Scalar scalarOf(const APInt &value) {
  Scalar result;
  result.i = value.getSExtValue();
  return result;
}

static Scalar scalarOf(APFloat value, Elem elem) {
  Scalar result;
  if (elem.cls == Elem::F64) {
    result.d = value.convertToDouble();
    return result;
  }
  // Exact: the value has the format of its type.
  bool losesInfo;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  result.f = value.convertToFloat();
  return result;
}

static std::optional<Scalar> scalarOf(Attribute attribute, Elem elem) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return scalarOf(integer.getValue());
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return scalarOf(number.getValue(), elem);
  return std::nullopt;
}

/// The bytes of `blob` as elements: one for a splat, or all of them.
static llvm::Error copyBlob(Operation *op, ArrayRef<char> blob,
                            Tensor &tensor) {
  if (blob.size() != tensor.byteSize())
    return failure(op, "the resource has " + llvm::Twine(blob.size()) +
                           " bytes where the type needs " +
                           llvm::Twine(tensor.byteSize()));
  std::memcpy(tensor.data.get(), blob.data(), blob.size());
  return llvm::Error::success();
}

static llvm::Error fillDense(Operation *op, DenseElementsAttr dense,
                             Tensor &tensor) {
  int64_t count = tensor.count();
  if (count == 0)
    return llvm::Error::success();
  // Other widths are not stored as they are in a tensor.
  if (!dense.isSplat() && tensor.elem.width == 8 * tensor.elem.bytes() &&
      dense.getRawData().size() == tensor.byteSize()) {
    std::memcpy(tensor.data.get(), dense.getRawData().data(),
                tensor.byteSize());
    return llvm::Error::success();
  }
  if (!isa<IntegerType, FloatType, IndexType>(dense.getElementType()))
    return failure(op, "constants of this element type are not supported");
  if (dense.isSplat()) {
    std::optional<Scalar> value =
        scalarOf(dense.getSplatValue<Attribute>(), tensor.elem);
    if (!value)
      return failure(op, "constants of this element type are not supported");
    tensor.set(0, *value);
    unsigned bytes = tensor.elem.bytes();
    uint8_t *data = tensor.data.get();
    for (int64_t i = 1; i < count; ++i)
      std::memcpy(data + i * bytes, data, bytes);
    return llvm::Error::success();
  }
  int64_t at = 0;
  if (tensor.elem.isInt())
    for (const APInt &value : dense.getValues<APInt>())
      tensor.set(at++, scalarOf(value));
  else
    for (const APFloat &value : dense.getValues<APFloat>())
      tensor.set(at++, scalarOf(value, tensor.elem));
  return llvm::Error::success();
}

llvm::Expected<RtValue> Evaluator::constant(Operation *op, Attribute value,
                                            Type type) {
  std::optional<Elem> elem = elemOf(type);
  if (!elem || isa<VectorType>(type))
    return failure(op, "constants of this type are not supported");
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (!shaped) {
    if (std::optional<Scalar> scalar = scalarOf(value, *elem))
      return RtValue(*scalar);
    return failure(op, "constants of this type are not supported");
  }
  llvm::Expected<Tensor> tensor = allocate(op, type, shaped.getShape().vec());
  if (!tensor)
    return tensor.takeError();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return failure(op, "the weight '" + resource.getRawHandle().getKey() +
                             "' has no data: pass it with --weights");
    if (llvm::Error error = copyBlob(op, blob->getData(), *tensor))
      return std::move(error);
    return RtValue(std::move(*tensor));
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return failure(op, "constants of this attribute are not supported");
  if (llvm::Error error = fillDense(op, dense, *tensor))
    return std::move(error);
  return RtValue(std::move(*tensor));
}
