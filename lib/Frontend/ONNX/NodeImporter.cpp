//===- NodeImporter.cpp - A node on its way into MLIR ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeImporter.h"
#include "ModelConstants.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

NodeImporter::NodeImporter(const Node &node, int64_t since, OpBuilder &builder,
                           Location loc, ArrayRef<GraphValue *> inputs,
                           ModelConstants &constants, SizeArithmetic &sizes)
    : GraphBuilder(builder, loc, constants, sizes), node(node), since(since),
      inputs(inputs), constants(constants), results(node.outputs.size()) {}

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

FailureOr<GraphValue> NodeImporter::makeConstant(const Tensor &tensor) {
  rt::Result<GraphValue> value = constants.make(b, tensor);
  if (!value.isOk())
    return refuse() << "has a constant that cannot be read: "
                    << value.message();
  return std::move(*value);
}
