//===- ModelConstants.cpp - Constants of an ONNX model --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelConstants.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include "qcc/Support/InputLimits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

/// Constants of at least this size stay in the file.
static constexpr size_t kMinMapped = 4096;

Type onnx::elementType(int32_t type, MLIRContext *context) {
  switch (static_cast<DataType>(type)) {
  case DataType::Float:
    return Float32Type::get(context);
  case DataType::Float16:
    return Float16Type::get(context);
  case DataType::BFloat16:
    return BFloat16Type::get(context);
  case DataType::Double:
    return Float64Type::get(context);
  case DataType::UInt8:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  case DataType::Int8:
    return IntegerType::get(context, 8);
  case DataType::Int16:
    return IntegerType::get(context, 16);
  case DataType::Int32:
    return IntegerType::get(context, 32);
  case DataType::Int64:
    return IntegerType::get(context, 64);
  case DataType::Bool:
    return IntegerType::get(context, 1);
  default:
    return {};
  }
}

/// An attribute for bytes that lie in the file, or a copy of them; always a
/// copy unless the bytes outlive the model.
static TypedAttr makeAttribute(RankedTensorType type, ArrayRef<char> bytes,
                               bool outlives, StringRef name,
                               MappedFilePtr file) {
  unsigned width = getElementBytes(type.getElementType());
  if (bytes.empty())
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  bool isAligned = reinterpret_cast<uintptr_t>(bytes.data()) % width == 0;
  if (bytes.size() < kMinMapped || !isAligned || !outlives)
    return makeConstant(type, bytes, name.empty() ? "constant" : name);
  // The deleter keeps the file for as long as the data.
  AsmResourceBlob blob(
      bytes, width,
      [file = std::move(file)](void *data, size_t size, size_t) {
        if (file)
          file->evict({static_cast<const char *>(data), size});
      },
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, name.empty() ? "constant" : name,
                                        std::move(blob));
}

/// A constant of bytes, each of which has several elements of `bits` bits, the
/// low one first.
static TypedAttr unpack(RankedTensorType type, std::string_view data,
                        unsigned bits, StringRef name) {
  SmallVector<char> bytes;
  bytes.reserve(8 / bits * data.size());
  bool isSigned = !type.getElementType().isUnsignedInteger();
  unsigned sign = 1u << (bits - 1), mask = (1u << bits) - 1;
  for (char byte : data)
    for (unsigned shift = 0; shift < 8; shift += bits) {
      unsigned code = (static_cast<unsigned char>(byte) >> shift) & mask;
      bytes.push_back(
          static_cast<char>(isSigned ? (code ^ sign) - sign : code));
    }
  bytes.resize(type.getNumElements());
  return makeConstant(type, bytes, name.empty() ? "constant" : name);
}

/// A constant of int32 with the elements of one of uint16.
static TypedAttr widen(RankedTensorType type, std::string_view data,
                       StringRef name) {
  std::vector<int32_t> words;
  words.reserve(data.size() / 2);
  for (size_t at = 0; at + 2 <= data.size(); at += 2)
    words.push_back(static_cast<uint8_t>(data[at]) |
                    static_cast<uint8_t>(data[at + 1]) << 8);
  ArrayRef<char> bytes(reinterpret_cast<const char *>(words.data()),
                       words.size() * sizeof(int32_t));
  return makeConstant(type, bytes, name.empty() ? "constant" : name);
}

rt::Result<TypedAttr> ModelConstants::read(const Tensor &tensor,
                                           MLIRContext *context) {
  std::string what = "constant '" + std::string(tensor.name) + "': ";
  unsigned bits = packedBits(tensor.type);
  auto given = static_cast<DataType>(tensor.type);
  DataType wide = given;
  if (given == DataType::Int4 || given == DataType::Int2)
    wide = DataType::Int8;
  else if (given == DataType::UInt4 || given == DataType::UInt2)
    wide = DataType::UInt8;
  else if (given == DataType::UInt16)
    wide = DataType::Int32;
  Type element = elementType(static_cast<int32_t>(wide), context);
  if (!element)
    return rt::unsupported(what + "elements of " + dataTypeName(tensor.type) +
                           " are not supported; use float32, float16, "
                           "bfloat16, float64, int8, uint8, int16, int32, "
                           "int64 or bool");
  uint64_t elements = 1;
  for (int64_t dim : tensor.dims) {
    if (dim < 0)
      return rt::corrupt(what + "a dimension is negative; write it again");
    elements = llvm::SaturatingMultiply<uint64_t>(elements, dim);
    if (static_cast<uint64_t>(dim) > limits::kElements)
      elements = UINT64_MAX;
  }
  if (elements > limits::kElements)
    return rt::corrupt(what + "it has too many elements; write it again");
  uint64_t perUnit = bits ? 8 / bits : 1;
  uint64_t size = (elements + perUnit - 1) / perUnit * storedSize(tensor.type);
  std::string_view data = tensor.data;
  MappedFilePtr file;
  if (tensor.isExternal) {
    rt::Result<ExternalFiles::Data> found = files.find(tensor.external, size);
    if (!found.isOk())
      return found.status().withPrefix(what);
    data = found->bytes;
    file = found->file;
  }
  if (data.size() != size)
    return rt::corrupt(what + "it has " + std::to_string(data.size()) +
                       " bytes of data but its type needs " +
                       std::to_string(size) + "; write it again");
  auto type = RankedTensorType::get(tensor.dims, element);
  StringRef name(tensor.name.data(), tensor.name.size());
  if (bits)
    return unpack(type, data, bits, name);
  if (given == DataType::UInt16)
    return widen(type, data, name);
  if (element.isInteger(1)) {
    SmallVector<bool> bits;
    for (char byte : data)
      bits.push_back(byte != 0);
    return TypedAttr(DenseElementsAttr::get(type, ArrayRef<bool>(bits)));
  }
  return makeAttribute(type, ArrayRef<char>(data.data(), data.size()),
                       /*outlives=*/!tensor.isOwned, name, std::move(file));
}

rt::Result<GraphValue> ModelConstants::make(OpBuilder &b,
                                            const Tensor &tensor) {
  rt::Result<TypedAttr> attr = read(tensor, b.getContext());
  if (!attr.isOk())
    return attr.status();
  GraphValue value = toValue(b, *attr);
  value.packedBits = packedBits(tensor.type);
  value.isUInt16 = tensor.type == static_cast<int32_t>(DataType::UInt16);
  return value;
}

void ModelConstants::evict(Attribute constant) const {
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (blob)
    files.evict({blob->getData().data(), blob->getData().size()});
}
