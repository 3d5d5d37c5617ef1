//===- OpImporter.cpp - An op of StableHLO on its way into linalg ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpImporter.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

bool stablehlo::isUnsigned(Type type) { return type.isUnsignedInteger(); }

StringRef stablehlo::wordOf(Operation *op, StringRef name) {
  auto text = op->getAttrOfType<OpaqueAttr>(name);
  return text ? text.getAttrData().rsplit(' ').second : StringRef();
}

OpImporter::OpImporter(Operation *op, OpBuilder &builder,
                       ArrayRef<GraphValue *> operands, Constants &constants,
                       SizeArithmetic &sizes)
    : GraphBuilder(builder, op->getLoc(), constants, sizes), op(op),
      operands(operands), values(op->getNumResults()) {}

InFlightDiagnostic OpImporter::refuse() {
  return emitError(loc) << "'" << op->getName() << "' ";
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Type OpImporter::elementOf(unsigned i) const {
  return getElementTypeOrSelf(op->getOperand(i).getType());
}

Type OpImporter::resultElement(unsigned i) const {
  return getElementTypeOrSelf(op->getResult(i).getType());
}

FailureOr<SmallVector<OpFoldResult>> OpImporter::integers(unsigned i,
                                                          StringRef what) {
  GraphValue &value = in(i);
  if (!value.isBool() && knowsIntegers(value))
    return *value.integers;
  return refuse() << "takes " << what
                  << " from a value that is known only when the program runs; "
                     "only constants and sizes of arguments may decide of "
                     "shapes";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

FailureOr<int64_t> OpImporter::integer(StringRef name, int64_t absent) {
  Attribute attr = op->getAttr(name);
  if (!attr)
    return absent;
  if (auto truth = dyn_cast<BoolAttr>(attr))
    return static_cast<int64_t>(truth.getValue());
  auto number = dyn_cast<IntegerAttr>(attr);
  if (number && number.getValue().getSignificantBits() <= 64)
    return number.getValue().getSExtValue();
  return refuse() << "has an attribute '" << name
                  << "' that is no integer; correct it";
}

FailureOr<SmallVector<int64_t>> OpImporter::ints(StringRef name) {
  SmallVector<int64_t> result;
  Attribute attr = op->getAttr(name);
  if (!attr)
    return result;
  if (auto array = dyn_cast<DenseI64ArrayAttr>(attr))
    return llvm::to_vector(array.asArrayRef());
  if (auto array = dyn_cast<DenseBoolArrayAttr>(attr)) {
    result.assign(array.asArrayRef().begin(), array.asArrayRef().end());
    return result;
  }
  auto dense = dyn_cast<DenseIntElementsAttr>(attr);
  if (dense && dense.getElementType().getIntOrFloatBitWidth() <= 64 &&
      dense.getNumElements() <= 1024) {
    for (const APInt &element : dense.getValues<APInt>())
      result.push_back(dense.getElementType().isInteger(1)
                           ? element.getZExtValue()
                           : element.getSExtValue());
    return result;
  }
  return refuse() << "has an attribute '" << name
                  << "' that is no list of integers; correct it";
}

FailureOr<SmallVector<int64_t>> OpImporter::ints(StringRef name, size_t count,
                                                 int64_t absent) {
  if (!has(name))
    return SmallVector<int64_t>(count, absent);
  FailureOr<SmallVector<int64_t>> found = ints(name);
  if (failed(found) || found->size() == count)
    return found;
  return refuse() << "has " << found->size() << " numbers in '" << name
                  << "' where its operands ask for " << count
                  << "; correct the attribute";
}

FailureOr<SmallVector<int64_t>> OpImporter::dimensions(StringRef name,
                                                       int64_t rank) {
  FailureOr<SmallVector<int64_t>> found = ints(name);
  if (failed(found))
    return failure();
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t d : *found)
    if (d < 0 || d >= rank || !seen.insert(d).second)
      return refuse() << "names dimension " << d << " in '" << name
                      << "' twice, or it is not one of " << rank
                      << "; correct the attribute";
  return found;
}

FailureOr<llvm::StringMap<SmallVector<int64_t>>>
OpImporter::fields(StringRef name) {
  llvm::StringMap<SmallVector<int64_t>> result;
  auto attr = dyn_cast_or_null<OpaqueAttr>(op->getAttr(name));
  auto bad = [&] {
    return refuse() << "has an attribute '" << name
                    << "' that cannot be read; correct it";
  };
  if (!attr)
    return bad();
  StringRef text = attr.getAttrData().trim();
  text = text.substr(text.find('<') + 1).rtrim();
  text.consume_back(">");
  while (!(text = text.ltrim(" ,\n\t")).empty()) {
    auto [key, rest] = text.split('=');
    if (rest.empty())
      return bad();
    rest = rest.ltrim();
    SmallVector<int64_t> &numbers = result[key.trim()];
    bool isList = rest.consume_front("[");
    StringRef body = rest.substr(0, rest.find_first_of(isList ? "]" : ",>"));
    text = rest.drop_front(std::min(body.size() + isList, rest.size()));
    SmallVector<StringRef> parts;
    body.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef part : parts)
      if (!part.trim().empty() &&
          part.trim().getAsInteger(10, numbers.emplace_back()))
        return bad();
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

FailureOr<Shape> OpImporter::declared(unsigned i, const Shape &computed) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(i).getType());
  if (!type)
    return refuse() << "has a result of type " << op->getResult(i).getType()
                    << ", which is not supported; use tensors with a rank";
  bool fits = type.getRank() == static_cast<int64_t>(computed.size());
  Shape shape;
  for (auto [size, known] : llvm::zip(computed, type.getShape())) {
    bool isDynamic = ShapedType::isDynamic(known);
    fits &= isDynamic || knownSize(size).value_or(known) == known;
    shape.push_back(isDynamic ? size : this->size(known));
  }
  if (fits)
    return shape;
  return refuse() << "declares the type " << type << " but computes "
                  << this->type(type.getElementType(), computed)
                  << "; correct the program";
}

LogicalResult OpImporter::set(unsigned i, GraphValue value) {
  FailureOr<Shape> shape = declared(i, value.shape);
  if (failed(shape))
    return failure();
  Type element = signless(resultElement(i));
  if (element != value.element)
    return refuse() << "declares elements of type " << resultElement(i)
                    << " but computes " << value.element
                    << "; correct the program";
  // A size that the program knows better than what computes it.
  if (ArrayRef<OpFoldResult>(*shape) != ArrayRef<OpFoldResult>(value.shape))
    value = assumeSizes(*this, value, *shape);
  values[i] = std::move(value);
  return success();
}
