//===- ModelConstants.cpp - Constants of a TFLite model -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelConstants.h"
#include "OpImporter.h"
#include "Sparse.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "qcc/Dialect/Utils/ConstantData.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

/// Constants of at least this size stay in the file.
static constexpr size_t kMinMapped = 4096;

/// Two elements of 4 bits of each byte, the low one first.
static SmallVector<char> unpack(ArrayRef<char> data, int64_t count) {
  SmallVector<char> bytes;
  bytes.reserve(2 * data.size());
  for (char byte : data)
    for (unsigned shift : {0u, 4u}) {
      int code = (static_cast<unsigned char>(byte) >> shift) & 15;
      bytes.push_back(static_cast<char>((code ^ 8) - 8));
    }
  bytes.resize(count);
  return bytes;
}

static TypedAttr makeAttribute(RankedTensorType type, const TensorInfo &tensor,
                               bool outlives = true) {
  ArrayRef<char> data = tensor.data;
  StringRef name = tensor.name.empty() ? "constant" : tensor.name;
  if (tensor.type == fb::TensorType_Int4)
    return makeConstant(type, unpack(data, type.getNumElements()), name);
  if (tensor.type == fb::TensorType_UInt8) {
    SmallVector<char> bytes(data);
    for (char &byte : bytes)
      byte = static_cast<char>(byte ^ 0x80);
    return makeConstant(type, bytes, name);
  }
  if (tensor.type == fb::TensorType_Bool) {
    SmallVector<bool> bits;
    for (char byte : data)
      bits.push_back(byte != 0);
    return DenseElementsAttr::get(type, ArrayRef<bool>(bits));
  }
  unsigned width = getElementBytes(type.getElementType());
  bool isAligned = reinterpret_cast<uintptr_t>(data.data()) % width == 0;
  if (data.size() < kMinMapped || !isAligned || !outlives)
    return makeConstant(type, data, name);
  AsmResourceBlob blob(
      data, width, [](void *, size_t, size_t) {},
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

rt::Result<GraphValue> tflite::makeConstantValue(OpBuilder &b,
                                                 const TensorInfo &tensor) {
  std::string what = "constant '" + tensor.name.str() + "' ";
  Type element = elementType(tensor.type, b.getContext());
  if (!element)
    return rt::unsupported(what + "has elements of " +
                           typeName(tensor.type).str() +
                           ", which are not supported; use float32, int32 or "
                           "int8");
  for (int64_t size : tensor.shape)
    if (size < 0)
      return rt::corrupt(what + "has a size that is not known; convert the "
                                "model again");
  auto type = RankedTensorType::get(tensor.shape, element);
  if (type.getNumElements() == 0)
    return Constants::toValue(
        b, DenseElementsAttr::get(type, ArrayRef<Attribute>()));
  if (!tensor.sparsity)
    return Constants::toValue(b, makeAttribute(type, tensor));
  rt::Result<std::vector<char>> dense = makeDense(tensor);
  if (!dense.isOk())
    return dense.status();
  TensorInfo all = tensor;
  all.data = *dense;
  return Constants::toValue(b, makeAttribute(type, all, /*outlives=*/false));
}
