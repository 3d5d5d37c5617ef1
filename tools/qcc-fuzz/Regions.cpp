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

static bool usesAny(const std::vector<Region> &regions,
                    const std::set<ValueId> &values) {
  for (const Region &region : regions) {
    for (ValueId value : region.yields)
      if (values.count(value))
        return true;
    for (const Node &node : region.nodes) {
      for (ValueId operand : node.operands)
        if (values.count(operand))
          return true;
      if (usesAny(node.regions, values))
        return true;
    }
  }
  return false;
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
  Region &region = call.regions.emplace_back();
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
    region.nodes.push_back(node);
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
    if (usesAny(graph.nodes[i].regions, inside))
      return;
  }
  for (ValueId value : inside)
    if (used.count(value))
      region.yields.push_back(value);
  if (region.yields.empty())
    return;
  graph.nodes.erase(graph.nodes.begin() + first, graph.nodes.begin() + last);
  graph.nodes.insert(graph.nodes.begin() + first, others.begin(), others.end());
  first += others.size();
  for (ValueId value : region.yields) {
    ValueId result = static_cast<ValueId>(graph.types.size());
    graph.types.push_back(graph.types[value]);
    call.results.push_back(result);
    replaceFrom(graph, first, value, result);
  }
  graph.nodes.insert(graph.nodes.begin() + first, std::move(call));
}

/// What was added since there were `first` nodes becomes a region's, but for
/// arguments, which are those of the function.
static void moveInto(Graph &graph, size_t first, Region &region) {
  std::vector<Node> arguments;
  for (size_t i = first; i < graph.nodes.size(); ++i)
    (graph.nodes[i].kind == Node::Argument ? arguments : region.nodes)
        .push_back(graph.nodes[i]);
  graph.nodes.resize(first);
  for (Node &argument : arguments)
    graph.nodes.push_back(std::move(argument));
}

static ValueId newValue(Graph &graph, const Type &type) {
  graph.types.push_back(type);
  return static_cast<ValueId>(graph.types.size()) - 1;
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

/// What loops and branches go on from; -1 if there is nothing.
static ValueId pickCarried(Builder &b) {
  return b.pickFromPool([&](ValueId value) {
    Type type = b.typeOf(value);
    return !type.isScalar && type.quant < 0 && type.element != Element::U8 &&
           type.element != Element::I1;
  });
}

/// The nodes of some steps from x, in a region that yields the last one.
static void addSteps(Builder &b, ValueId x, unsigned count, Region &region) {
  size_t first = b.graph.nodes.size();
  for (unsigned i = 0; i < count; ++i)
    x = step(b, x);
  moveInto(b.graph, first, region);
  region.yields.insert(region.yields.begin(), x);
}

void addLoop(Builder &b) {
  ValueId x = pickCarried(b);
  if (x < 0)
    return;
  Graph &graph = b.graph;
  Node loop;
  loop.kind = Node::Loop;
  loop.trips = b.random.between(0, 3);
  loop.operands = {x};
  Region &region = loop.regions.emplace_back();
  region.parameters = {newValue(graph, b.typeOf(x))};
  addSteps(b, region.parameters[0],
           1 + static_cast<unsigned>(b.random.below(3)), region);
  ValueId result = newValue(graph, b.typeOf(x));
  loop.results = {result};
  graph.nodes.push_back(std::move(loop));
  b.keep(result);
}

/// A number that the run decides, in [0, high].
static ValueId numberOfRun(Builder &b, int64_t high) {
  Data data;
  data.role = Data::Integer;
  data.high = high;
  ValueId numbers =
      b.argument(Builder::tensor(Element::I32, {b.fixed(1)}), data);
  Data zero;
  zero.role = Data::Integer;
  ValueId at = b.constant(Builder::scalar(Element::Index), zero);
  return b.op("tensor.extract", {"tensor.extract $0[$1] : $t0", {numbers, at}},
              Builder::scalar(Element::I32));
}

static ValueId smallConstant(Builder &b, int64_t value) {
  Data data;
  data.role = Data::Exact;
  data.scale = static_cast<double>(value);
  return b.constant(Builder::scalar(Element::I32), data);
}

static ValueId isGreater(Builder &b, ValueId number, ValueId bound) {
  return b.op("arith.cmpi", {"arith.cmpi sgt, $0, $1 : $t0", {number, bound}},
              Builder::scalar(Element::I1));
}

void addBranch(Builder &b) {
  ValueId x = pickCarried(b);
  if (x < 0)
    return;
  Node branch;
  branch.kind = Node::If;
  branch.op = "scf.if";
  ValueId bound = smallConstant(b, 1);
  branch.operands = {isGreater(b, numberOfRun(b, 3), bound)};
  branch.regions.resize(2);
  for (Region &region : branch.regions)
    addSteps(b, x, 1 + static_cast<unsigned>(b.random.below(2)), region);
  ValueId result = newValue(b.graph, b.typeOf(x));
  branch.results = {result};
  b.graph.nodes.push_back(std::move(branch));
  b.keep(result);
}

/// A number of the run counts down to zero.
void addWhile(Builder &b) {
  ValueId x = pickCarried(b);
  if (x < 0)
    return;
  Graph &graph = b.graph;
  Node loop;
  loop.kind = Node::While;
  loop.op = "scf.while";
  ValueId zero = smallConstant(b, 0), one = smallConstant(b, 1);
  loop.operands = {x, numberOfRun(b, 3)};
  Type type = b.typeOf(x), counter = Builder::scalar(Element::I32);
  loop.regions.resize(2);
  Region &before = loop.regions[0], &after = loop.regions[1];
  for (Region *region : {&before, &after})
    region->parameters = {newValue(graph, type), newValue(graph, counter)};
  size_t first = graph.nodes.size();
  ValueId condition = isGreater(b, before.parameters[1], zero);
  moveInto(graph, first, before);
  before.yields = {condition, before.parameters[0], before.parameters[1]};
  first = graph.nodes.size();
  ValueId next =
      b.op("arith.subi",
           {"arith.subi $0, $1 : $r0", {after.parameters[1], one}}, counter);
  moveInto(graph, first, after);
  after.yields = {next};
  addSteps(b, after.parameters[0], 1 + static_cast<unsigned>(b.random.below(2)),
           after);
  loop.results = {newValue(graph, type), newValue(graph, counter)};
  ValueId result = loop.results[0];
  graph.nodes.push_back(std::move(loop));
  b.keep(result);
}

} // namespace qcc::fuzz
