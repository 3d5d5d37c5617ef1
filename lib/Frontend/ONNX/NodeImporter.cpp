//===- NodeImporter.cpp - A node on its way into MLIR ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeImporter.h"
#include "Constants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

std::optional<SmallVector<int64_t>>
onnx::knownSizes(ArrayRef<OpFoldResult> shape) {
  SmallVector<int64_t> sizes;
  for (OpFoldResult size : shape) {
    std::optional<int64_t> known = knownSize(size);
    if (!known)
      return std::nullopt;
    sizes.push_back(*known);
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

InFlightDiagnostic NodeImporter::refuse() { return begin(emitError(loc)); }

InFlightDiagnostic NodeImporter::warn() { return begin(emitWarning(loc)); }

InFlightDiagnostic NodeImporter::begin(InFlightDiagnostic diagnostic) const {
  diagnostic << "node '" << cast<NameLoc>(loc).getName().getValue() << "' (";
  // What the model has, and what of it is refused.
  if (whole)
    diagnostic << whole->outermost().op() << ", in the " << op()
               << " that it contains) ";
  else
    diagnostic << op() << "-" << since << ") ";
  return diagnostic;
}

const NodeImporter &NodeImporter::outermost() const {
  return whole ? whole->outermost() : *this;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Value NodeImporter::tensor(GraphValue &value) {
  if (value.value)
    return value.value;
  if (value.constant) {
    value.value = arith::ConstantOp::create(b, loc, value.constant);
    return value.value;
  }
  if (std::optional<SmallVector<int64_t>> known = knownSizes(*value.integers)) {
    SmallVector<APInt> words;
    for (int64_t integer : *known)
      words.emplace_back(value.element.getIntOrFloatBitWidth(), integer,
                         /*isSigned=*/true, /*implicitTrunc=*/true);
    value.constant =
        DenseElementsAttr::get(type(value.element, value.shape), words);
    value.value = arith::ConstantOp::create(b, loc, value.constant);
    return value.value;
  }
  // Integers that are known at run time.
  SmallVector<Value> elements;
  for (OpFoldResult integer : *value.integers)
    elements.push_back(
        arith::IndexCastOp::create(b, loc, value.element, index(integer)));
  value.value = tensor::FromElementsOp::create(
      b, loc, type(value.element, value.shape), elements);
  return value.value;
}

bool NodeImporter::knowsIntegers(GraphValue &value) {
  if (!value.integers)
    value.integers = Constants::readIntegers(b, value);
  return value.integers.has_value();
}

FailureOr<SmallVector<OpFoldResult>> NodeImporter::integers(unsigned i,
                                                            StringRef what) {
  GraphValue &value = in(i);
  if (value.rank() > 1)
    return refuse() << "takes " << what << " from a value with " << value.rank()
                    << " dimensions; reshape it to one";
  if (knowsIntegers(value))
    return *value.integers;
  return refuse() << "takes " << what
                  << " from a value that is known only when the model runs; "
                     "only constants and sizes of inputs may decide of shapes";
}

FailureOr<SmallVector<int64_t>> NodeImporter::constantIntegers(unsigned i,
                                                               StringRef what) {
  FailureOr<SmallVector<OpFoldResult>> known = integers(i, what);
  if (failed(known))
    return failure();
  SmallVector<int64_t> values;
  for (OpFoldResult integer : *known) {
    std::optional<int64_t> constant = getConstantIntValue(integer);
    if (!constant)
      return refuse() << "takes " << what
                      << " from dynamic sizes of inputs; it has to be constant";
    values.push_back(*constant);
  }
  return values;
}

FailureOr<SmallVector<float>> NodeImporter::constantFloats(unsigned i,
                                                           StringRef what) {
  std::optional<SmallVector<float>> values = Constants::readFloats(in(i));
  if (values)
    return *values;
  return refuse()
         << "takes " << what
         << " from a value that is no constant of float32; make it one";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const NodeAttribute *NodeImporter::find(StringRef name) const {
  for (const NodeAttribute &attribute : node.attributes)
    if (StringRef(attribute.name) == name)
      return &attribute;
  return nullptr;
}

int64_t NodeImporter::getInt(StringRef name, int64_t absent) const {
  const NodeAttribute *found = find(name);
  return found ? found->integer : absent;
}

float NodeImporter::getFloat(StringRef name, float absent) const {
  const NodeAttribute *found = find(name);
  return found ? found->real : absent;
}

StringRef NodeImporter::getString(StringRef name, StringRef absent) const {
  const NodeAttribute *found = find(name);
  return found ? StringRef(found->string) : absent;
}

ArrayRef<int64_t> NodeImporter::getInts(StringRef name) const {
  const NodeAttribute *found = find(name);
  return found ? ArrayRef<int64_t>(found->integers) : ArrayRef<int64_t>();
}

FailureOr<SmallVector<int64_t>>
NodeImporter::getInts(StringRef name, size_t count, int64_t absent) {
  if (!find(name))
    return SmallVector<int64_t>(count, absent);
  ArrayRef<int64_t> values = getInts(name);
  if (values.size() != count)
    return refuse() << "has " << values.size() << " numbers in '" << name
                    << "' where its inputs ask for " << count
                    << "; correct the attribute";
  return llvm::to_vector(values);
}

FailureOr<int64_t> NodeImporter::dimension(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return refuse() << "names the axis " << axis << " of a value with " << rank
                    << " dimensions; correct the axis";
  return axis < 0 ? axis + rank : axis;
}

LogicalResult NodeImporter::requireInt(StringRef name, int64_t value) {
  int64_t found = getInt(name, value);
  if (found == value)
    return success();
  return refuse() << "has " << name << " = " << found
                  << ", which is not supported; only " << value << " is";
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Shape NodeImporter::shape(ArrayRef<int64_t> sizes) {
  Shape result;
  for (int64_t n : sizes)
    result.push_back(size(n));
  return result;
}

Value NodeImporter::index(OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(b, loc, size);
}

OpFoldResult NodeImporter::add(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Add, x, y);
}
OpFoldResult NodeImporter::sub(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Sub, x, y);
}
OpFoldResult NodeImporter::mul(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Mul, x, y);
}
OpFoldResult NodeImporter::floorDiv(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::FloorDiv, x, y);
}
OpFoldResult NodeImporter::ceilDiv(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::CeilDiv, x, y);
}
OpFoldResult NodeImporter::truncDiv(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::TruncDiv, x, y);
}
OpFoldResult NodeImporter::min(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Min, x, y);
}
OpFoldResult NodeImporter::max(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Max, x, y);
}
OpFoldResult NodeImporter::broadcastSize(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Broadcast, x, y);
}
OpFoldResult NodeImporter::repeats(OpFoldResult x, OpFoldResult y) {
  return sizes.compute(b, loc, SizeOp::Repeats, x, y);
}

OpFoldResult NodeImporter::product(ArrayRef<OpFoldResult> factors) {
  OpFoldResult result = size(1);
  for (OpFoldResult factor : factors)
    result = mul(result, factor);
  return result;
}

RankedTensorType NodeImporter::type(Type element, const Shape &shape) {
  SmallVector<int64_t> sizes;
  for (OpFoldResult size : shape)
    sizes.push_back(knownSize(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(sizes, element);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult NodeImporter::set(unsigned i, GraphValue value) {
  if (i < results.size())
    results[i] = std::move(value);
  return success();
}

LogicalResult NodeImporter::set(unsigned i, Value value, const Shape &shape) {
  GraphValue result;
  result.element = cast<RankedTensorType>(value.getType()).getElementType();
  result.shape = shape;
  result.value = value;
  return set(i, std::move(result));
}

void NodeImporter::evict(Attribute constant) { constants.evict(constant); }

TypedAttr NodeImporter::transposed(TypedAttr constant,
                                   ArrayRef<int64_t> permutation) {
  return constants.transposed(constant, permutation);
}

FailureOr<GraphValue> NodeImporter::makeConstant(const Tensor &tensor) {
  rt::Result<GraphValue> value = constants.make(b, tensor);
  if (!value.isOk())
    return refuse() << "has a constant that cannot be read: "
                    << value.message();
  return std::move(*value);
}
