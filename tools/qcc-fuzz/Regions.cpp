//===- Regions.cpp - Calls and loops --------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of the program becomes a function of its own, or a loop carries a
// tensor through ops that keep its type.
//
//===----------------------------------------------------------------------===//

#include "Generate.h"
#include <algorithm>
#include <set>

namespace qcc::fuzz {

/// Replaces uses of values by nodes from `first` on, and by the results.
static void replaceFrom(Graph &graph, size_t first, ValueId from, ValueId to) {
  for (size_t i = first; i < graph.nodes.size(); ++i)
    std::replace(graph.nodes[i].operands.begin(), graph.nodes[i].operands.end(),
                 from, to);
  std::replace(graph.results.begin(), graph.results.end(), from, to);
}

void outlineCall(Builder &b) {
  Graph &graph = b.graph;
  std::vector<size_t> ops;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].kind == Node::Op)
      ops.push_back(i);
  if (ops.empty())
    return;
  size_t first = b.random.pick(ops);
  size_t last = std::min(graph.nodes.size(), first + 1 + b.random.below(6));
  Node call;
  call.kind = Node::Call;
  std::vector<Node> others;
  std::set<ValueId> inside, taken;
  for (size_t i = first; i < last; ++i) {
    Node &node = graph.nodes[i];
    if (node.kind != Node::Op && node.kind != Node::Constant) {
      others.push_back(node);
      continue;
    }
    for (ValueId operand : node.operands)
      if (!inside.count(operand) && taken.insert(operand).second)
        call.operands.push_back(operand);
    inside.insert(node.results.begin(), node.results.end());
    call.nodes.push_back(node);
  }
  // A loop in between would use what only the function has.
  if (std::any_of(others.begin(), others.end(),
                  [](const Node &node) { return node.kind != Node::Argument; }))
    return;
  // What the rest of the program uses.
  std::set<ValueId> used(graph.results.begin(), graph.results.end());
  for (size_t i = last; i < graph.nodes.size(); ++i) {
    used.insert(graph.nodes[i].operands.begin(), graph.nodes[i].operands.end());
    // A nested use would need to be replaced as well.
    for (const Node &nested : graph.nodes[i].nodes)
      for (ValueId operand : nested.operands)
        if (inside.count(operand))
          return;
  }
  for (ValueId value : inside)
    if (used.count(value))
      call.yields.push_back(value);
  if (call.yields.empty())
    return;
  graph.nodes.erase(graph.nodes.begin() + first, graph.nodes.begin() + last);
  graph.nodes.insert(graph.nodes.begin() + first, others.begin(), others.end());
  first += others.size();
  for (ValueId value : call.yields) {
    ValueId result = static_cast<ValueId>(graph.types.size());
    graph.types.push_back(graph.types[value]);
    call.results.push_back(result);
    replaceFrom(graph, first, value, result);
  }
  graph.nodes.insert(graph.nodes.begin() + first, std::move(call));
}

/// One step of a loop: a value of the type of x.
static ValueId step(Builder &b, ValueId x) {
  Type type = b.typeOf(x);
  Random &random = b.random;
  if (type.element == Element::F32 && type.rank() >= 2 &&
      b.isStatic(type.dims.back()) && random.chance(30)) {
    Quantized q = b.quantize(x, 0.05);
    ValueId real = b.convert(b.dequantize(q), Element::F32);
    return b.convert(b.realLinear(real, type.dims.back()), Element::F32);
  }
  if (isFloat(type.element) && type.element != Element::F64 &&
      random.chance(40))
    return b.activation(x);
  return b.combine(
      random.pick(floatBinaryOps()),
      random.pick({std::string("arith.addi"), std::string("arith.xori"),
                   std::string("arith.muli")}),
      x, b.another(type));
}

void addLoop(Builder &b) {
  ValueId x = b.pickFromPool([&](ValueId value) {
    Type type = b.typeOf(value);
    return !type.isScalar && type.quant < 0 && type.element != Element::U8 &&
           type.element != Element::I1;
  });
  if (x < 0)
    return;
  Graph &graph = b.graph;
  auto value = [&](const Type &type) {
    graph.types.push_back(type);
    return static_cast<ValueId>(graph.types.size()) - 1;
  };
  size_t first = graph.nodes.size();
  Node loop;
  loop.kind = Node::Loop;
  loop.trips = b.random.between(0, 3);
  loop.operands = {x};
  loop.parameters = {value(b.typeOf(x))};
  ValueId carried = loop.parameters[0];
  for (unsigned i = 0, e = 1 + b.random.below(3); i < e; ++i)
    carried = step(b, carried);
  loop.yields = {carried};
  loop.results = {value(b.typeOf(x))};
  // Arguments are those of the function.
  std::vector<Node> arguments;
  for (size_t i = first; i < graph.nodes.size(); ++i)
    (graph.nodes[i].kind == Node::Argument ? arguments : loop.nodes)
        .push_back(graph.nodes[i]);
  graph.nodes.resize(first);
  for (Node &argument : arguments)
    graph.nodes.push_back(std::move(argument));
  ValueId result = loop.results[0];
  graph.nodes.push_back(std::move(loop));
  b.keep(result);
}

} // namespace qcc::fuzz
