//===- Nodes.cpp - The nodes of graphs, branches and functions ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nodes.h"
#include "../Builder/Emit.h"
#include "Marks.h"
#include "NodeCheck.h"
#include "NodeImporter.h"
#include "NodeOrder.h"
#include "OpTable.h"
#include "mlir/IR/Builders.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

/// How many nodes a message names.
static constexpr size_t kMaxNamed = 5;
/// How deep calls of functions and branches may be nested.
static constexpr unsigned kMaxDepth = 32;
/// How many nodes calls of functions may become.
static constexpr size_t kMaxExpanded = 1 << 16;

/// The name of a node, or of what it computes.
static std::string nameOf(const Node &node, const Scope &scope) {
  bool isUnnamed = node.name.empty() && !node.outputs.empty();
  return scope.prefix +
         std::string(isUnnamed ? node.outputs.front() : node.name);
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

GraphValue *Scope::find(std::string_view name) {
  for (Scope *scope = this; scope; scope = scope->outer) {
    auto found = scope->values.find(StringRef(name));
    if (found != scope->values.end())
      return &found->second;
  }
  return nullptr;
}

bool Scope::isMissing(std::string_view name) const {
  for (const Scope *scope = this; scope; scope = scope->outer)
    if (scope->missing.contains(StringRef(name)))
      return true;
  return false;
}

bool Scope::isAbsent(std::string_view name) const {
  for (const Scope *scope = this; scope; scope = scope->outer)
    if (scope->absent.contains(StringRef(name)))
      return true;
  return false;
}

/// The operator set of the default domain in a list of sets.
static int64_t operatorSetOf(const std::vector<OperatorSet> &sets,
                             int64_t absent) {
  for (const OperatorSet &set : sets)
    if (set.domain.empty() || set.domain == "ai.onnx")
      return set.version;
  return absent;
}

/// The scope of the nodes of a function.
static Scope scopeOf(const LocalFunction &function, const Scope &caller) {
  Scope scope;
  scope.function = &function;
  scope.operatorSet = operatorSetOf(function.operatorSets, caller.operatorSet);
  scope.depth = caller.depth + 1;
  return scope;
}

Nodes::Nodes(const Model &model, ModelConstants &constants, OpBuilder &builder,
             Location place)
    : constants(constants), builder(builder), place(place) {
  for (const LocalFunction &function : model.functions)
    functions[{function.domain, function.name, function.overload}] = &function;
}

const LocalFunction *Nodes::findFunction(const Node &node) const {
  auto found = functions.find({node.domain, node.op, node.overload});
  return found == functions.end() ? nullptr : found->second;
}

//===----------------------------------------------------------------------===//
// What is not supported
//===----------------------------------------------------------------------===//

namespace {
enum class State { Open, Done };
} // namespace

struct Nodes::Check {
  const Nodes &nodes;
  Refused refused;
  std::map<const LocalFunction *, std::pair<State, size_t>> seen;
  std::string fault;

  size_t check(const std::vector<Node> &list, const Scope &scope);
  size_t checkCall(const LocalFunction &function, const Scope &scope);
};

/// How many nodes the function becomes.
size_t Nodes::Check::checkCall(const LocalFunction &function,
                               const Scope &scope) {
  std::string name = "the function " + std::string(function.domain) + "." +
                     std::string(function.name);
  auto [place, isNew] = seen.try_emplace(&function, State::Open, 0);
  if (!isNew && place->second.first == State::Open)
    fault = name + " calls itself, which never ends; correct the model";
  if (!isNew)
    return place->second.second;
  Scope inner = scopeOf(function, scope);
  if (inner.depth > kMaxDepth) {
    fault = name + " is called in " + std::to_string(inner.depth) +
            " others, one in another; at most " + std::to_string(kMaxDepth) +
            " are supported: inline some";
    return 0;
  }
  inner.prefix = std::string(function.name) + "/";
  size_t count = check(function.nodes, inner);
  place->second = {State::Done, count};
  return count;
}

size_t Nodes::Check::check(const std::vector<Node> &list, const Scope &scope) {
  size_t count = 0;
  for (const Node &node : list) {
    if (!fault.empty())
      return count;
    if (const LocalFunction *function = nodes.findFunction(node))
      count += checkCall(*function, scope);
    else if (StringRef domain = StringRef(node.domain), op = StringRef(node.op);
             !findOp(domain, op, scope.operatorSet)) {
      Refusal &refusal =
          refused[(domainName(domain) + "." + op + " (operator set " +
                   Twine(scope.operatorSet) + ")")
                      .str()];
      refusal.nodes.push_back(nameOf(node, scope));
      refusal.remedy = remedyForOp(domain, op, scope.operatorSet);
    }
    if (scope.function)
      ++count;
    if (count > kMaxExpanded && fault.empty())
      fault = "calls of functions become more than " +
              std::to_string(kMaxExpanded) +
              " nodes, which is not supported; simplify the model";
  }
  return count;
}

LogicalResult Nodes::verify(const std::vector<Node> &nodes,
                            const Scope &scope) {
  Check check{*this, {}, {}, {}};
  check.check(nodes, scope);
  if (!check.fault.empty())
    return emitError(place) << check.fault;
  for (auto &[op, refusal] : check.refused) {
    ArrayRef<std::string> names = refusal.nodes;
    std::string list;
    for (StringRef name : names.take_front(kMaxNamed))
      list += (list.empty() ? "'" : ", '") + name.str() + "'";
    if (names.size() > kMaxNamed)
      list += " and " + std::to_string(names.size() - kMaxNamed) + " more";
    emitError(place) << "the op " << op << " is not supported, in "
                     << (names.size() == 1 ? "node " : "nodes ") << list << "; "
                     << refusal.remedy;
  }
  return success(check.refused.empty());
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

NodeImporter Nodes::importerAt(Location loc) {
  static const Node none;
  return NodeImporter(none, 0, builder, loc, {}, constants, sizes);
}

LogicalResult Nodes::addConstants(const Graph &graph, Scope &scope) {
  bool ok = true;
  for (const Tensor &tensor : graph.initializers) {
    rt::Result<GraphValue> value = constants.make(builder, tensor);
    if (!value.isOk()) {
      ok = false;
      emitError(place) << value.message();
      continue;
    }
    scope.values[StringRef(tensor.name)] = std::move(*value);
  }
  return success(ok);
}

/// The node with the attributes of the call where its own refer to them;
/// nothing if none does.
static std::optional<Node> resolve(const Node &node, const Scope &scope) {
  auto refers = [](const NodeAttribute &attribute) {
    return !attribute.reference.empty();
  };
  if (llvm::none_of(node.attributes, refers))
    return std::nullopt;
  Node resolved = node;
  resolved.attributes.clear();
  for (const NodeAttribute &attribute : node.attributes) {
    if (!refers(attribute)) {
      resolved.attributes.push_back(attribute);
      continue;
    }
    auto isMeant = [&](const NodeAttribute &given) {
      return given.name == attribute.reference;
    };
    const NodeAttribute *found = nullptr;
    for (const NodeAttribute &given : scope.function->defaults)
      if (isMeant(given))
        found = &given;
    for (const NodeAttribute &given : scope.call->attributes)
      if (isMeant(given))
        found = &given;
    if (!found)
      continue; // Left out, as the call leaves it out.
    NodeAttribute &given = resolved.attributes.emplace_back(*found);
    given.name = attribute.name;
    // The type that the reference says; checkNode refuses another one.
    using Kind = NodeAttribute::Kind;
    if (attribute.kind != Kind::None && attribute.kind != found->kind)
      given.kind = Kind::Other;
  }
  return resolved;
}

LogicalResult Nodes::setOutput(std::string_view name, GraphValue value,
                               Location loc, Scope &scope) {
  if (scope.values.contains(StringRef(name)))
    return emitError(loc) << "node '" << cast<NameLoc>(loc).getName().getValue()
                          << "' computes '" << StringRef(name)
                          << "', which is computed already; rename it";
  scope.values[StringRef(name)] = std::move(value);
  return success();
}

/// The DequantizeLinear of the model that computes a value, or null.
static qnn::DequantizeOp findDequantize(const GraphValue *value) {
  return value && value->value ? value->value.getDefiningOp<qnn::DequantizeOp>()
                               : nullptr;
}

Type Nodes::widen(const Node &node, MutableArrayRef<GraphValue *> inputs,
                  Location loc, std::deque<GraphValue> &wide) {
  Type narrow;
  NodeImporter importer = importerAt(loc);
  bool isInteger =
      llvm::is_contained({"Conv", "ConvTranspose", "Gemm", "MatMul"},
                         StringRef(node.op)) &&
      inputs.size() >= 2 && findDequantize(inputs[0]) &&
      findDequantize(inputs[1]);
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (!input || !(input->element.isF16() || input->element.isBF16()))
      continue;
    narrow = input->element;
    if (isInteger && i < 2) {
      auto copy = cast<qnn::DequantizeOp>(
          builder.clone(*findDequantize(input).getOperation()));
      copy.getResult().setType(
          importer.type(builder.getF32Type(), input->shape));
      wide.push_back(toGraphValue(copy.getResult(), input->shape));
    } else {
      wide.push_back(*convert(importer, *input, builder.getF32Type()));
    }
    input = &wide.back();
  }
  return narrow;
}

FailureOr<SmallVector<GraphValue *>>
Nodes::findInputs(const Node &node, Location loc, Scope &scope) {
  SmallVector<GraphValue *> inputs;
  for (std::string_view input : node.inputs) {
    if (scope.isMissing(input))
      return failure(); // Reported where it should have been computed.
    GraphValue *found = input.empty() ? nullptr : scope.find(input);
    if (!input.empty() && !found && !scope.isAbsent(input))
      return emitError(loc)
             << "node '" << nameOf(node, scope) << "' (" << StringRef(node.op)
             << ") reads '" << StringRef(input)
             << "', which nothing computes before; correct "
                "the model";
    inputs.push_back(found);
  }
  return inputs;
}

LogicalResult Nodes::importNode(const Node &original, Scope &scope) {
  std::string name = nameOf(original, scope);
  Location loc = place;
  if (original.outputs.size() == 1)
    loc = NameLoc::get(builder.getStringAttr(kModelValuePrefix +
                                             StringRef(original.outputs[0])),
                       loc);
  loc = NameLoc::get(
      builder.getStringAttr(kModelOpPrefix + StringRef(original.op)), loc);
  loc = NameLoc::get(builder.getStringAttr(name), loc);
  auto refuse = [&]() {
    return emitError(loc) << "node '" << name << "' (" << StringRef(original.op)
                          << ") ";
  };
  if (failed(checkReferences(original, scope.function, refuse)))
    return failure();
  std::optional<Node> resolved = resolve(original, scope);
  const Node &node = resolved ? *resolved : original;
  FailureOr<SmallVector<GraphValue *>> found = findInputs(node, loc, scope);
  if (failed(found))
    return failure();
  SmallVector<GraphValue *> inputs = std::move(*found);
  if (scope.function && ++expanded > kMaxExpanded)
    return emitError(loc) << "calls of functions become more than "
                          << kMaxExpanded
                          << " nodes, which is not supported; simplify the "
                             "model";
  if (const LocalFunction *function = findFunction(node))
    return importCall(node, *function, inputs, loc, scope);
  std::optional<OpVersion> version =
      findOp(StringRef(node.domain), StringRef(node.op), scope.operatorSet);
  // A function without an operator set of its own has that of each call.
  if (!version)
    return refuse() << "is not supported in operator set " << scope.operatorSet
                    << ", in which the function is called";
  NodeImporter unchecked(node, version->since, builder, loc, inputs, constants,
                         sizes);
  if (failed(checkNode(unchecked, *version->signature)))
    return failure();
  std::deque<GraphValue> wide;
  Type narrow;
  if (version->sumsInFloat32)
    narrow = widen(node, inputs, loc, wide);
  NodeImporter importer(node, version->since, builder, loc, inputs, constants,
                        sizes);
  importer.importBranch = [&](const Graph &graph,
                              ArrayRef<GraphValue> arguments, bool isChosen) {
    return importBranch(graph, arguments, scope, isChosen);
  };
  importer.lookup = [&](std::string_view name) { return scope.find(name); };
  importer.isChosen = scope.isChosen;
  importer.channelBlock = channelBlock;
  FailureOr<Marks> marks = readMarks(importer);
  if (failed(marks) || failed(version->import(importer)))
    return failure();
  bool hasStatistics = importer.op().ends_with("LayerNormalization") &&
                       importer.op() != "EmbedLayerNormalization";
  for (auto [i, output, value] :
       llvm::enumerate(node.outputs, importer.outputs())) {
    if (output.empty())
      continue;
    if (!value)
      return importer.refuse() << "has the output '" << StringRef(output)
                               << "', which is not supported; remove it";
    bool isStatistic = hasStatistics && (i == 1 || i == 2);
    if (narrow && value->element.isF32() && !isStatistic)
      value = *convert(importer, *value, narrow);
    marks->addTo(*value);
    if (failed(setOutput(output, std::move(*value), loc, scope)))
      return failure();
  }
  return success();
}

bool Nodes::import(const std::vector<Node> &nodes, Scope &scope) {
  bool ok = true;
  for (const Node *node : orderNodes(nodes)) {
    if (succeeded(importNode(*node, scope)))
      continue;
    ok = false;
    for (std::string_view output : node->outputs)
      scope.missing.insert(StringRef(output));
    if (expanded > kMaxExpanded)
      break;
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// Functions and branches
//===----------------------------------------------------------------------===//

LogicalResult Nodes::importCall(const Node &call, const LocalFunction &function,
                                ArrayRef<GraphValue *> inputs, Location loc,
                                Scope &scope) {
  std::string name = nameOf(call, scope);
  auto refuse = [&]() {
    return emitError(loc) << "node '" << name << "' ("
                          << domainName(StringRef(function.domain)) << "."
                          << StringRef(function.name) << ") ";
  };
  Scope inner = scopeOf(function, scope);
  if (inner.depth > kMaxDepth)
    return refuse() << "is nested more than " << kMaxDepth
                    << " calls and branches deep, which is not supported; "
                       "inline some";
  if (inputs.size() > function.inputs.size() ||
      call.outputs.size() > function.outputs.size())
    return refuse() << "has more inputs or outputs than the function that the "
                       "model defines; correct the call";
  if (failed(checkCall(call, function, refuse)))
    return failure();
  inner.call = &call;
  inner.prefix = name + "/";
  for (auto [i, input] : llvm::enumerate(function.inputs)) {
    if (i < inputs.size() && inputs[i])
      inner.values[StringRef(input)] = *inputs[i];
    else
      inner.absent.insert(StringRef(input));
  }
  if (!import(function.nodes, inner))
    return failure();
  for (auto [i, output] : llvm::enumerate(call.outputs)) {
    if (output.empty())
      continue;
    GraphValue *value = inner.find(function.outputs[i]);
    if (!value)
      return refuse() << "gives '" << StringRef(function.outputs[i])
                      << "', which no node of the function computes; correct "
                         "the function";
    if (failed(setOutput(output, *value, loc, scope)))
      return failure();
  }
  return success();
}

FailureOr<SmallVector<GraphValue>>
Nodes::importBranch(const Graph &graph, ArrayRef<GraphValue> arguments,
                    Scope &outer, bool isChosen) {
  Scope inner;
  inner.isChosen = outer.isChosen && isChosen;
  inner.outer = &outer;
  inner.function = outer.function;
  inner.call = outer.call;
  inner.operatorSet = outer.operatorSet;
  inner.prefix = outer.prefix;
  inner.depth = outer.depth + 1;
  if (inner.depth > kMaxDepth)
    return emitError(place) << "branches are nested more than " << kMaxDepth
                            << " deep, which is not supported";
  // Iterations of loops are as many nodes as calls of functions.
  if (!arguments.empty() && (expanded += graph.nodes.size()) > kMaxExpanded)
    return emitError(place)
           << "iterations of loops become more than " << kMaxExpanded
           << " nodes, which is not supported; simplify the "
              "model";
  for (auto [input, argument] : llvm::zip(graph.inputs, arguments))
    inner.values[StringRef(input.name)] = argument;
  if (failed(verify(graph.nodes, inner)) ||
      failed(addConstants(graph, inner)) || !import(graph.nodes, inner))
    return failure();
  SmallVector<GraphValue> results;
  for (const ValueInfo &output : graph.outputs) {
    GraphValue *value = inner.find(output.name);
    if (!value)
      return emitError(place)
             << "a branch gives '" << StringRef(output.name)
             << "', which no node of it computes; correct the model";
    results.push_back(*value);
  }
  return results;
}
