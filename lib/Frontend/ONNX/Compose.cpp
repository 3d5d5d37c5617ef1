//===- Compose.cpp - Nodes that are made of other nodes -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compose.h"
#include "../Builder/Constants.h"
#include "NodeCheck.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/Utils/ConstantData.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Kind = NodeAttribute::Kind;

static NodeAttribute named(std::string_view name, Kind kind) {
  NodeAttribute attribute;
  attribute.name = name;
  attribute.kind = kind;
  return attribute;
}

NodeAttribute onnx::attribute(std::string_view name, int64_t value) {
  NodeAttribute attribute = named(name, Kind::Int);
  attribute.integer = value;
  return attribute;
}

NodeAttribute onnx::attribute(std::string_view name, float value) {
  NodeAttribute attribute = named(name, Kind::Float);
  attribute.real = value;
  return attribute;
}

NodeAttribute onnx::attribute(std::string_view name, std::string_view value) {
  NodeAttribute attribute = named(name, Kind::String);
  attribute.string = value;
  return attribute;
}

NodeAttribute onnx::attribute(std::string_view name, ArrayRef<int64_t> values) {
  NodeAttribute attribute = named(name, Kind::Ints);
  attribute.integers.assign(values.begin(), values.end());
  return attribute;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Composer::Refs Composer::ops(StringRef op, ArrayRef<Ref> inputs,
                             unsigned outputs, Attributes attributes,
                             int64_t operatorSet) {
  Refs results(outputs);
  auto fail = [&]() {
    hasFailed = true;
    for (Ref &result : results) {
      result = &values.emplace_back();
      result->element = n.b.getF32Type();
    }
    return results;
  };
  if (hasFailed)
    return fail();
  static constexpr std::string_view kNames[] = {"0", "1", "2", "3"};
  Node node;
  node.op = {op.data(), op.size()};
  node.attributes = std::move(attributes);
  node.outputs.assign(kNames, kNames + outputs);
  OpVersion version = *findOp("", op, operatorSet);
  NodeImporter importer(n, node, version.since, inputs);
  if (mlir::failed(checkOperands(importer, *version.signature)) ||
      mlir::failed(version.import(importer)))
    return fail();
  for (auto [result, value] : llvm::zip_equal(results, importer.outputs()))
    result = &values.emplace_back(std::move(*value));
  return results;
}

Composer::Ref Composer::op(StringRef op, ArrayRef<Ref> inputs,
                           Attributes attributes, int64_t operatorSet) {
  return ops(op, inputs, 1, std::move(attributes), operatorSet).front();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Composer::Ref Composer::hold(GraphValue value) {
  return &values.emplace_back(std::move(value));
}

Composer::Ref Composer::hold(FailureOr<GraphValue> value) {
  if (mlir::succeeded(value))
    return hold(std::move(*value));
  hasFailed = true;
  GraphValue none;
  none.element = n.b.getF32Type();
  return hold(std::move(none));
}

Composer::Ref Composer::number(Ref like, double value) {
  auto type = RankedTensorType::get({}, like->element);
  Attribute element =
      like->isFloat()
          ? Attribute(n.b.getFloatAttr(like->element, value))
          : n.b.getIntegerAttr(like->element, static_cast<int64_t>(value));
  GraphValue result;
  result.element = like->element;
  result.constant = DenseElementsAttr::get(type, element);
  return hold(std::move(result));
}

Composer::Ref Composer::integers(ArrayRef<OpFoldResult> integers) {
  GraphValue result;
  result.element = n.b.getI64Type();
  result.shape.push_back(n.size(integers.size()));
  result.integers = llvm::to_vector(integers);
  return hold(std::move(result));
}

Composer::Ref Composer::floats(ArrayRef<float> floats) {
  auto type = n.type(n.b.getF32Type(), {n.size(floats.size())});
  return hold(Constants::toValue(n.b, DenseElementsAttr::get(type, floats)));
}

Composer::Ref Composer::reshape(Ref x, const Shape &shape) {
  return hasFailed ? x : hold(onnx::reshape(n, *x, shape));
}

Composer::Ref Composer::transpose(Ref x, ArrayRef<int64_t> permutation) {
  return hasFailed ? x : hold(onnx::transpose(n, *x, permutation));
}

Composer::Ref Composer::part(Ref x, int64_t dim, OpFoldResult start,
                             OpFoldResult count) {
  if (hasFailed)
    return x;
  SmallVector<OpFoldResult> starts(x->rank(), n.size(0)), sizes(x->shape);
  SmallVector<int64_t> steps(x->rank(), 1);
  starts[dim] = start;
  sizes[dim] = count;
  return hold(slice(n, *x, starts, sizes, steps));
}

/// Element `i` along the first dimension of a constant that has bytes.
static bool elementOfConstant(NodeImporter &n, GraphValue &x, int64_t i,
                              GraphValue &result) {
  std::optional<ConstantData> data = ConstantData::get(x.constant);
  int64_t count = *knownSize(x.shape.front());
  if (!data || i < 0 || i >= count)
    return false;
  size_t size = data->bytes.size() / count;
  Shape shape(x.shape.begin() + 1, x.shape.end());
  result = Constants::toValue(
      n.b,
      makeConstant(n.type(x.element, shape), data->bytes.slice(i * size, size),
                   data->name.empty() ? "constant" : data->name));
  return true;
}

Composer::Ref Composer::element(Ref x, OpFoldResult i) {
  if (hasFailed)
    return x;
  std::optional<int64_t> known = knownSize(i);
  if (GraphValue constant;
      x->constant && known && elementOfConstant(n, *x, *known, constant))
    return hold(constant);
  // The slice loses the dimension: a temporary of a loop has the sizes of such
  // a slice, and they are those that are known before the loop.
  SmallVector<OpFoldResult> starts(x->rank(), n.size(0)), sizes(x->shape),
      steps(x->rank(), n.size(1));
  starts[0] = i;
  sizes[0] = n.size(1);
  Shape shape(sizes.begin() + 1, sizes.end());
  Value result =
      tensor::ExtractSliceOp::create(n.b, n.loc, n.type(x->element, shape),
                                     n.tensor(*x), starts, sizes, steps);
  return hold(toGraphValue(result, shape));
}

Composer::Ref Composer::map(ArrayRef<Ref> operands, Type element,
                            ScalarBody body) {
  if (hasFailed)
    return operands.front();
  return hold(elementwise(n, operands, element, body));
}

Composer::Ref Composer::convert(Ref x, Type element) {
  return hasFailed ? x : hold(onnx::convert(n, *x, element));
}

LogicalResult Composer::set(unsigned i, Ref value) {
  return hasFailed ? failure() : n.set(i, *value);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The same tensor with other sizes known in its type.
