//===- ConstantData.cpp - Elements of constants ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/Utils/ConstantData.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Utils/ConstantAction.h"

using namespace mlir;
using namespace qcc;

MLIR_DEFINE_EXPLICIT_TYPE_ID(qcc::ConstantAction)

/// Inline constants up to this many bytes stay readable in a printed program.
static constexpr size_t kInlineBytes = 64;

unsigned qcc::getElementBytes(Type elementType) {
  if (auto quantized = dyn_cast<quant::QuantizedType>(elementType))
    return getElementBytes(quantized.getStorageType());
  if (!elementType.isIntOrFloat() || elementType.getIntOrFloatBitWidth() % 8)
    return 0;
  return elementType.getIntOrFloatBitWidth() / 8;
}

std::optional<ConstantData> ConstantData::get(Attribute value) {
  auto elements = dyn_cast_or_null<ElementsAttr>(value);
  if (!elements)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(elements.getShapedType());
  unsigned width = type ? getElementBytes(type.getElementType()) : 0;
  if (width == 0)
    return std::nullopt;
  size_t size = type.getNumElements() * width;
  ConstantData data;
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    data.bytes = dense.getRawData();
    if (dense.isSplat() && type.getNumElements() != 1) {
      data.owned.reserve(size);
      while (data.owned.size() < size)
        data.owned.insert(data.owned.end(), data.bytes.begin(),
                          data.bytes.end());
      data.bytes = data.owned;
    }
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    data.bytes = blob->getData();
    data.name = resource.getRawHandle().getKey().str();
  }
  if (data.bytes.size() != size)
    return std::nullopt;
  return data;
}

std::optional<ConstantData> ConstantData::get(Value value) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return get(attr);
}

TypedAttr qcc::makeConstant(RankedTensorType type, ArrayRef<char> bytes,
                            StringRef name) {
  return makeConstant(
      type, HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, 64), name);
}

TypedAttr qcc::makeConstant(RankedTensorType type, AsmResourceBlob bytes,
                            StringRef name) {
  assert(
      (getElementBytes(type.getElementType()) == 0 ||
       bytes.getData().size() == size_t(type.getNumElements()) *
                                     getElementBytes(type.getElementType())) &&
      "the bytes of a constant are those of its type");
  if (bytes.getData().size() <= kInlineBytes &&
      type.getElementType().isIntOrFloat())
    return DenseElementsAttr::getFromRawBuffer(type, bytes.getData());
  return DenseResourceElementsAttr::get(type, name, std::move(bytes));
}

TypedAttr qcc::retypeConstant(Attribute value, RankedTensorType type) {
  assert((!isa<ElementsAttr>(value) ||
          cast<ElementsAttr>(value).size() == type.getNumElements()) &&
         "a constant keeps its number of elements");
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (dense && type.getElementType().isIntOrFloat())
    return DenseElementsAttr::getFromRawBuffer(type, dense.getRawData());
  std::optional<ConstantData> data = ConstantData::get(value);
  if (!data)
    return {};
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (resource && data->bytes.size() > kInlineBytes)
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return makeConstant(type, data->bytes, "constant");
}

static TypedAttr foldSlice(tensor::ExtractSliceOp op, Attribute value) {
  RankedTensorType type = op.getType(), source = op.getSourceType();
  if (!type.hasStaticShape() ||
      ShapedType::isDynamicShape(op.getStaticOffsets()) ||
      ShapedType::isDynamicShape(op.getStaticSizes()) ||
      ShapedType::isDynamicShape(op.getStaticStrides()))
    return {};
  std::optional<ConstantData> data = ConstantData::get(value);
  if (!data)
    return {};
  unsigned width = getElementBytes(type.getElementType());
  int64_t rank = source.getRank();
  SmallVector<int64_t> strides(rank, width);
  for (int64_t d = rank - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * source.getDimSize(d + 1);
  std::vector<char> bytes;
  bytes.reserve(type.getNumElements() * width);
  SmallVector<int64_t> index(rank, 0);
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
    int64_t offset = 0;
    for (int64_t d = 0; d < rank; ++d)
      offset += strides[d] * (op.getStaticOffsets()[d] +
                              index[d] * op.getStaticStrides()[d]);
    if (offset < 0 || offset + width > static_cast<int64_t>(data->bytes.size()))
      return {}; // Out of bounds: undefined at run time as well.
    bytes.insert(bytes.end(), data->bytes.begin() + offset,
                 data->bytes.begin() + offset + width);
    for (int64_t d = rank - 1; d >= 0 && ++index[d] == op.getStaticSizes()[d];
         --d)
      index[d] = 0;
  }
  return makeConstant(type, bytes,
                      data->name.empty() ? "slice" : data->name + "_slice");
}

/// Pads that add more than this many bytes are left to the program.
static constexpr int64_t kMaxPaddingBytes = 1 << 20;

static TypedAttr foldPad(tensor::PadOp op, Attribute value) {
  RankedTensorType type = op.getResultType(), source = op.getSourceType();
  Attribute padding;
  Value constant = op.getConstantPaddingValue();
  unsigned width = getElementBytes(type.getElementType());
  if (!constant || !matchPattern(constant, m_Constant(&padding)) ||
      !type.getElementType().isIntOrFloat() || width == 0 ||
      !type.hasStaticShape() || !source.hasStaticShape() ||
      ShapedType::isDynamicShape(op.getStaticLow()) ||
      ShapedType::isDynamicShape(op.getStaticHigh()) ||
      llvm::any_of(op.getStaticLow(), [](int64_t low) { return low < 0; }) ||
      llvm::any_of(op.getStaticHigh(), [](int64_t high) { return high < 0; }) ||
      (type.getNumElements() - source.getNumElements()) * width >
          kMaxPaddingBytes)
    return {};
  std::optional<ConstantData> data = ConstantData::get(value);
  if (!data)
    return {};
  ArrayRef<char> fill =
      DenseElementsAttr::get(RankedTensorType::get({}, type.getElementType()),
                             padding)
          .getRawData();
  std::vector<char> bytes;
  bytes.reserve(type.getNumElements() * width);
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
    int64_t offset = 0, stride = width, rest = i;
    bool isInside = true;
    for (int64_t d = type.getRank() - 1; d >= 0; --d) {
      int64_t at = rest % type.getDimSize(d) - op.getStaticLow()[d];
      rest /= type.getDimSize(d);
      isInside &= at >= 0 && at < source.getDimSize(d);
      offset += at * stride;
      stride *= source.getDimSize(d);
    }
    assert((!isInside || (offset >= 0 && offset + int64_t(width) <=
                                             int64_t(data->bytes.size()))) &&
           "elements inside of the padding are those of the source");
    const char *from = isInside ? data->bytes.data() + offset : fill.data();
    bytes.insert(bytes.end(), from, from + width);
  }
  return makeConstant(type, bytes,
                      data->name.empty() ? "padded" : data->name + "_padded");
}

/// The place in the data of an element of the result, as a sum: the factor of
/// each loop, then a constant. Nothing where it is no such sum.
static std::optional<SmallVector<int64_t>>
readFactors(AffineMap map, RankedTensorType source) {
  SmallVector<int64_t> sum(map.getNumDims() + 1), factors;
  assert(map.getNumResults() == source.getRank() &&
         "an index for each dimension");
  int64_t stride = 1;
  for (int64_t d = source.getRank() - 1; d >= 0; --d) {
    if (failed(getFlattenedAffineExpr(map.getResult(d), map.getNumDims(),
                                      /*numSymbols=*/0, &factors)) ||
        factors.size() != sum.size())
      return std::nullopt;
    for (auto [total, factor] : llvm::zip_equal(sum, factors))
      total += factor * stride;
    stride *= source.getDimSize(d);
  }
  return sum;
}

/// A generic that takes some of the elements of a constant, each at most once,
/// such as every other one, or all of them backwards. What is only in another
/// order is read through maps.
static TypedAttr foldSelection(linalg::GenericOp op, Attribute value) {
  RankedTensorType type = cast<RankedTensorType>(op.getResult(0).getType());
  auto source = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  Block &body = op.getRegion().front();
  if (!source || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 ||
      body.getTerminator()->getOperand(0) != body.getArgument(0))
    return {};
  AffineMap map = op.getIndexingMapsArray().front();
  bool isSelection = llvm::any_of(map.getResults(), [](AffineExpr expr) {
    return !isa<AffineDimExpr, AffineConstantExpr>(expr);
  });
  std::optional<SmallVector<int64_t>> factors = readFactors(map, source);
  std::optional<ConstantData> data = ConstantData::get(value);
  unsigned width = getElementBytes(type.getElementType());
  if (!isSelection || !factors || !data || width == 0 ||
      type.getNumElements() > source.getNumElements() ||
      !op.getIndexingMapsArray().back().isIdentity())
    return {};
  std::vector<char> bytes;
  bytes.reserve(type.getNumElements() * width);
  SmallVector<int64_t> index(type.getRank(), 0);
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
    int64_t place = factors->back();
    for (auto [at, factor] : llvm::zip(index, *factors))
      place += at * factor;
    if (place < 0 || place >= source.getNumElements())
      return {}; // No program that was accepted reads there.
    const char *from = data->bytes.data() + place * width;
    bytes.insert(bytes.end(), from, from + width);
    for (int64_t d = type.getRank() - 1;
         d >= 0 && ++index[d] == type.getDimSize(d); --d)
      index[d] = 0;
  }
  return makeConstant(type, bytes,
                      data->name.empty() ? "part" : data->name + "_part");
}

TypedAttr qcc::foldMovement(Operation *op) {
  if (op->getNumResults() != 1)
    return {};
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  Attribute value;
  if (!type || !type.hasStaticShape() ||
      !matchPattern(op->getOperand(0), m_Constant(&value)) ||
      !isa<ElementsAttr>(value))
    return {};
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return foldSlice(slice, value);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return foldPad(pad, value);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return foldSelection(generic, value);
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
           tensor::BitcastOp, quant::StorageCastOp>(op))
    return {};
  // i1 is packed inline but takes a byte in a resource.
  if (getElementBytes(type.getElementType()) == 0)
    return {};
  return retypeConstant(value, type);
}

TypedAttr qcc::transposeConstant(Attribute value,
                                 ArrayRef<int64_t> permutation) {
  std::optional<ConstantData> data = ConstantData::get(value);
  if (!data)
    return {};
  auto type = cast<RankedTensorType>(cast<TypedAttr>(value).getType());
  unsigned width = getElementBytes(type.getElementType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> strides(rank, width), shape, steps;
  for (int64_t d = rank - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * type.getDimSize(d + 1);
  for (int64_t d : permutation) {
    shape.push_back(type.getDimSize(d));
    steps.push_back(strides[d]);
  }
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(data->bytes.size(), 64);
  char *to = blob.getMutableData().data();
  SmallVector<int64_t> index(rank, 0);
  int64_t place = 0;
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
    to = std::copy_n(data->bytes.data() + place, width, to);
    for (int64_t d = rank - 1; d >= 0; --d) {
      place += steps[d];
      if (++index[d] < shape[d])
        break;
      place -= steps[d] * shape[d];
      index[d] = 0;
    }
  }
  return makeConstant(RankedTensorType::get(shape, type.getElementType()),
                      std::move(blob),
                      data->name.empty() ? "constant" : data->name);
}
