//===- Builder.cpp - Adds random ops to a graph ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Builder.h.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include <algorithm>

namespace qcc::fuzz {

void OpText::parameters(const std::string &role, const Quantized &value) {
  if (value.scale >= 0)
    text += " " + role + "scale(" + typed(value.scale) + ")";
  if (value.zeroPoint >= 0)
    text += " " + role + "zero_point(" + typed(value.zeroPoint) + ")";
}

//===----------------------------------------------------------------------===//
// Sizes and types
//===----------------------------------------------------------------------===//

DimId Builder::someDim(int64_t most) {
  int64_t size = 1;
  switch (random.weighted({9, 45, 30, 11, 5})) {
  case 0:
    break;
  case 1:
    size = random.between(2, 9);
    break;
  case 2:
    size = random.between(10, 18);
    break;
  case 3:
    size = random.between(19, 34);
    break;
  default:
    size = random.between(35, 70);
    break;
  }
  return fixed(std::min(size, most));
}

DimId Builder::scaled(DimId a, int64_t mul, int64_t add, int64_t div) {
  if (mul == 1 && add == 0 && div == 1)
    return a;
  return graph.dim({Dim::Scaled, 0, a, -1, mul, add, div});
}

bool Builder::isStatic(const Dims &dims) const {
  return std::all_of(dims.begin(), dims.end(),
                     [&](DimId id) { return isStatic(id); });
}

int64_t Builder::elements(const Dims &dims) const {
  int64_t count = 1;
  for (DimId id : dims)
    count *= graph.sizeOf(id, {64, 64, 64});
  return count;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static ValueId append(Graph &graph, Node node, const Type &type) {
  ValueId value = static_cast<ValueId>(graph.types.size());
  graph.types.push_back(type);
  node.results.push_back(value);
  graph.nodes.push_back(std::move(node));
  return value;
}

ValueId Builder::argument(const Type &type, const Data &data) {
  Node node;
  node.kind = Node::Argument;
  node.data = data;
  node.data.seed = random.bits();
  return append(graph, std::move(node), type);
}

ValueId Builder::constant(const Type &type, const Data &data) {
  Node node;
  node.kind = Node::Constant;
  node.data = data;
  node.data.seed = random.bits();
  node.form = type.quant >= 0 ? Form::Resource
                              : random.pick({Form::Inline, Form::Inline,
                                             Form::Resource, Form::Splat});
  // i1 has no bytes in a file.
  if (type.element == Element::I1)
    node.form = Form::Splat;
  return append(graph, std::move(node), type);
}

ValueId Builder::leaf(const Type &type, const Data &data,
                      unsigned constantPercent) {
  return isStatic(type.dims) && random.chance(constantPercent)
             ? constant(type, data)
             : argument(type, data);
}

Data Builder::anyData(double scale) {
  Data data;
  data.scale = scale;
  return data;
}

ValueId Builder::op(const std::string &name, OpText text, const Type &result) {
  Node node;
  node.op = name;
  node.text = std::move(text.text);
  node.operands = std::move(text.operands);
  return append(graph, std::move(node), result);
}

ValueId Builder::unary(const std::string &name, ValueId operand) {
  return op(name, {name + " $0 : $r0", {operand}}, typeOf(operand));
}

ValueId Builder::binary(const std::string &name, ValueId lhs, ValueId rhs) {
  return op(name, {name + " $0, $1 : $r0", {lhs, rhs}}, typeOf(lhs));
}

ValueId Builder::cast(const std::string &name, ValueId operand, Element to) {
  Type type = typeOf(operand);
  type.element = to;
  return op(name, {name + " $0 : $t0 to $r0", {operand}}, type);
}

ValueId Builder::filled(const Type &type, double value) {
  Data data;
  data.role = Data::Exact;
  data.scale = value;
  if (isStatic(type.dims) && random.chance(40)) {
    ValueId result = constant(type, data);
    graph.nodes.back().form = Form::Splat;
    return result;
  }
  ValueId number = constant(scalar(type.element), data);
  return op("linalg.fill",
            {"linalg.fill ins($0 : $t0) outs($e0 : $r0) -> $r0", {number}},
            type);
}

ValueId Builder::zeros(const Type &type) { return filled(type, 0); }

ValueId Builder::generic(const std::vector<ValueId> &inputs, ValueId init,
                         const Type &result, std::vector<std::string> maps,
                         std::vector<std::string> iterators, Body body) {
  OpText text;
  std::string names, types;
  for (ValueId input : inputs) {
    std::string name = text.use(input);
    names += (names.empty() ? "" : ", ") + name;
    types += (types.empty() ? "$t" : ", $t") + name.substr(1);
  }
  text.text = "linalg.generic $m";
  if (!inputs.empty())
    text.text += " ins(" + names + " : " + types + ")";
  text.text +=
      " outs(" + (init < 0 ? "$e0" : text.use(init)) + " : $r0) $b -> $r0";
  ValueId value = op("linalg.generic", std::move(text), result);
  Node &node = graph.nodes.back();
  node.maps = std::move(maps);
  node.iterators = std::move(iterators);
  node.body = std::move(body);
  return value;
}

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

ValueId Builder::pickFromPool(const std::function<bool(ValueId)> &accept) {
  std::vector<ValueId> found;
  for (ValueId value : pool)
    if (accept(value))
      found.push_back(value);
  if (found.empty())
    return -1;
  if (random.chance(50))
    return found.back();
  return random.pick(found);
}

ValueId Builder::another(const Type &type, double scale) {
  ValueId value =
      pickFromPool([&](ValueId value) { return typeOf(value) == type; });
  if (value >= 0 && random.chance(60))
    return value;
  return moved(
      type.dims,
      [&](const Dims &dims) {
        Type source = type;
        source.dims = dims;
        return leaf(source, anyData(scale), 40);
      },
      10);
}

} // namespace qcc::fuzz
