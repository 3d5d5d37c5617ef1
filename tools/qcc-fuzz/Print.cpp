//===- Print.cpp - A graph as MLIR text -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Print.h.
//
//===----------------------------------------------------------------------===//

#include "Print.h"
#include "Data.h"
#include <algorithm>
#include <set>

namespace qcc::fuzz {

namespace {

/// Prints functions: the main one and, behind it, what it calls.
class Printer {
public:
  explicit Printer(const Graph &graph) : graph(graph) {}
  ProgramText print();

private:
  /// The function that is being printed.
  struct Scope {
    std::vector<ValueId> parameters;
    std::vector<DimId> dimParameters; // sizes that the caller hands over
    std::set<DimId> dims;             // that `head` defines
    std::set<int64_t> indices;
    std::string head, body;
    std::string indent = "  ";
  };

  std::string name(ValueId value) const { return "%v" + std::to_string(value); }
  std::string type(ValueId value) const {
    return spellType(graph, graph.types[value]);
  }
  std::string names(const std::vector<ValueId> &values) const;
  std::string types(const std::vector<ValueId> &values) const;

  /// Each defines what it returns at the head of the function.
  std::string index(int64_t value);
  std::string dim(DimId id);
  std::string size(DimId id) {
    return graph.isDynamic(id) ? dim(id) : std::to_string(graph.sizeOf(id, {}));
  }
  std::string empty(const Type &type);

  void printNode(const Node &node);
  void printConstant(const Node &node);
  std::string carried(const Node &node) const;
  void printRegion(const Region &region);
  void printLoop(const Node &node);
  void printWhile(const Node &node);
  void printIf(const Node &node);
  void printCall(const Node &node);
  void printOp(const Node &node);
  std::string expand(const Node &node);
  std::string bodyOf(const Node &node) const;
  std::string mapsOf(const Node &node) const;
  std::string function(const std::string &name, bool isPrivate,
                       const std::vector<ValueId> &results) const;
  void line(const std::string &text) {
    scope->body += scope->indent + text + "\n";
  }

  const Graph &graph;
  Scope *scope = nullptr;
  unsigned empties = 0, calls = 0;
  std::string callees, resources;
};

} // namespace

std::string Printer::names(const std::vector<ValueId> &values) const {
  std::string text;
  for (ValueId value : values)
    text += (text.empty() ? "" : ", ") + name(value);
  return text;
}

std::string Printer::types(const std::vector<ValueId> &values) const {
  std::string text;
  for (ValueId value : values)
    text += (text.empty() ? "" : ", ") + type(value);
  return text;
}

std::string Printer::index(int64_t value) {
  std::string text = "%c" + std::to_string(value);
  if (scope->indices.insert(value).second)
    scope->head += "  " + text + " = arith.constant " + std::to_string(value) +
                   " : index\n";
  return text;
}

std::string Printer::dim(DimId id) {
  const Dim &dim = graph.dims[id];
  if (dim.kind == Dim::Unknown)
    return this->dim(dim.a);
  if (!graph.isDynamic(id))
    return index(graph.sizeOf(id, {}));
  std::string text = "%d" + std::to_string(id);
  if (!scope->dims.insert(id).second)
    return text;
  std::string define = "  " + text + " = ";
  for (ValueId parameter : scope->parameters) {
    const Type &type = graph.types[parameter];
    auto found = std::find(type.dims.begin(), type.dims.end(), id);
    if (found == type.dims.end())
      continue;
    std::string at = index(found - type.dims.begin());
    scope->head += define + "tensor.dim " + name(parameter) + ", " + at +
                   " : " + spellType(graph, type) + "\n";
    return text;
  }
  auto compute = [&](const char *op, const std::string &a,
                     const std::string &b) {
    scope->head += define + std::string(op) + " " + a + ", " + b + " : index\n";
  };
  switch (dim.kind) {
  case Dim::Static:
  case Dim::Unknown:
    return text;
  case Dim::Dynamic:
    scope->dimParameters.push_back(id);
    return text;
  case Dim::Product:
  case Dim::Sum: {
    std::string a = this->dim(dim.a), b = this->dim(dim.b);
    compute(dim.kind == Dim::Sum ? "arith.addi" : "arith.muli", a, b);
    return text;
  }
  case Dim::Scaled:
    break;
  }
  std::string a = this->dim(dim.a), mul = index(dim.mul),
              add = index(dim.add + dim.div - 1), div = index(dim.div);
  scope->head += "  " + text + "m = arith.muli " + a + ", " + mul +
                 " : index\n  " + text + "a = arith.addi " + text + "m, " +
                 add + " : index\n";
  compute("arith.divui", text + "a", div);
  return text;
}

std::string Printer::empty(const Type &type) {
  std::string text = "%e" + std::to_string(empties++), sizes;
  for (DimId id : type.dims)
    if (graph.isDynamic(id))
      sizes += (sizes.empty() ? "" : ", ") + dim(id);
  line(text + " = tensor.empty(" + sizes + ") : " + spellType(graph, type));
  return text;
}

std::string Printer::mapsOf(const Node &node) const {
  std::string dims, text = "{indexing_maps = [", iterators;
  for (size_t i = 0; i < node.iterators.size(); ++i) {
    dims += (i ? ", d" : "d") + std::to_string(i);
    iterators += (i ? ", \"" : "\"") + node.iterators[i] + "\"";
  }
  for (size_t i = 0; i < node.maps.size(); ++i)
    text += (i ? ", " : "") + ("affine_map<(" + dims) + ") -> (" +
            node.maps[i] + ")>";
  if (node.iterators.empty() && node.op != "linalg.generic")
    return text + "]}";
  return text + "], iterator_types = [" + iterators + "]}";
}

/// An scf.if of a body, whose branches hold an op each.
static std::string branchOf(const BodyOp &op, const std::string &name,
                            const std::string &type) {
  size_t space = op.attribute.find(' ');
  auto branch = [&](const std::string &what, const std::string &suffix) {
    return " {\n      " + name + suffix + " = " + what + " %b" +
           std::to_string(op.operands[1]) + ", %b" +
           std::to_string(op.operands[2]) + " : " + type +
           "\n      scf.yield " + name + suffix + " : " + type + "\n    }";
  };
  return "    " + name + " = scf.if %b" + std::to_string(op.operands[0]) +
         " -> (" + type + ")" + branch(op.attribute.substr(0, space), "t") +
         " else" + branch(op.attribute.substr(space + 1), "e") + "\n";
}

std::string Printer::bodyOf(const Node &node) const {
  const Body &body = node.body;
  auto value = [](int id) { return "%b" + std::to_string(id); };
  std::string text, yields, types;
  int id = static_cast<int>(body.arguments.size());
  for (const BodyOp &op : body.ops) {
    std::string operands, type = spell(op.type);
    if (op.name == "scf.if") {
      text += branchOf(op, value(id++), type);
      continue;
    }
    for (int operand : op.operands)
      operands += (operands.empty() ? "" : ", ") + value(operand);
    text += "    " + value(id++) + " = " + op.name + " ";
    if (!op.attribute.empty())
      text += op.attribute + (operands.empty() ? "" : ", ");
    text += operands + " : ";
    Element from =
        op.operands.empty() ? op.type : body.typeOf(op.operands.front());
    if (op.attribute == "true" || op.attribute == "false") { // has no type
      text.replace(text.size() - 3, 3, "\n");
      continue;
    }
    bool isCast = op.operands.size() == 1 && from != op.type;
    if (isCast)
      text += spell(from) + " to " + type + "\n";
    else if (op.name == "arith.cmpf" || op.name == "arith.cmpi")
      text += spell(from) + "\n";
    else
      text += (op.name == "linalg.index" ? "index" : type) + "\n";
  }
  for (int yield : body.yields) {
    yields += (yields.empty() ? "" : ", ") + value(yield);
    types += (types.empty() ? "" : ", ") + spell(body.typeOf(yield));
  }
  return text + "    linalg.yield " + yields + " : " + types + "\n";
}

std::string Printer::expand(const Node &node) {
  std::string text;
  const std::string &from = node.text;
  auto number = [&](size_t &at) {
    size_t value = 0;
    while (at < from.size() && isdigit(static_cast<unsigned char>(from[at])))
      value = value * 10 + (from[at++] - '0');
    return value;
  };
  for (size_t at = 0; at < from.size();) {
    if (from[at] != '$') {
      text += from[at++];
      continue;
    }
    char what = from[++at];
    if (isdigit(static_cast<unsigned char>(what))) {
      text += name(node.operands[number(at)]);
      continue;
    }
    ++at;
    if (what == 't')
      text += type(node.operands[number(at)]);
    else if (what == 'r')
      text += type(node.results[number(at)]);
    else if (what == 'e')
      text += empty(graph.types[node.results[number(at)]]);
    else if (what == 'm')
      text += mapsOf(node);
    else if (what == 'b') {
      std::string arguments;
      for (size_t i = 0; i < node.body.arguments.size(); ++i)
        arguments += (i ? ", %b" : "%b") + std::to_string(i) + ": " +
                     spell(node.body.arguments[i]);
      if (node.op == "linalg.map" || node.op == "linalg.reduce")
        text += "(" + arguments + ") {\n" + bodyOf(node) + "  }";
      else
        text += "{\n  ^bb0(" + arguments + "):\n" + bodyOf(node) + "  }";
    } else if (what == '{') {
      text += size(static_cast<DimId>(number(at)));
      ++at;
    }
  }
  return text;
}

static std::string hex(const void *bytes, size_t count) {
  static const char digits[] = "0123456789ABCDEF";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    uint8_t byte = static_cast<const uint8_t *>(bytes)[i];
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

void Printer::printConstant(const Node &node) {
  const Type &type = graph.types[node.results[0]];
  std::vector<uint8_t> bytes = elementsOfConstant(graph, node);
  std::string text;
  if (type.isScalar)
    text = spellElement(type.element, bytes.data());
  else if (bytes.empty())
    text = "dense<>";
  else if (node.form == Form::Resource || type.quant >= 0) {
    std::string resource = graph.name + "_w" + std::to_string(node.results[0]);
    // The alignment, then the data.
    resources += (resources.empty() ? "" : ",\n") + resource +
                 ": \"0x04000000" + hex(bytes.data(), bytes.size()) + "\"";
    text = "dense_resource<" + resource + ">";
  } else if (node.form == Form::Splat) {
    text = "dense<" + spellElement(type.element, bytes.data()) + ">";
  } else {
    text = "dense<\"0x" + hex(bytes.data(), bytes.size()) + "\">";
  }
  bool isBool = type.isScalar && type.element == Element::I1;
  line(name(node.results[0]) + " = arith.constant " + text +
       (isBool ? "" : " : " + spellType(graph, type)));
}

/// "%v8 = %v3": what a region calls the operands.
std::string Printer::carried(const Node &node) const {
  const Region &region = node.regions[0];
  std::string text;
  for (size_t i = 0; i < region.parameters.size(); ++i)
    text += (i ? ", " : "") + name(region.parameters[i]) + " = " +
            name(node.operands[i]);
  return text;
}

void Printer::printRegion(const Region &region) {
  scope->indent += "  ";
  for (const Node &inner : region.nodes)
    printNode(inner);
  line("scf.yield " + names(region.yields) + " : " + types(region.yields));
  scope->indent.resize(scope->indent.size() - 2);
}

void Printer::printLoop(const Node &node) {
  std::string zero = index(0), one = index(1), last = index(node.trips);
  line(names(node.results) + " = scf.for %i" + std::to_string(node.results[0]) +
       " = " + zero + " to " + last + " step " + one + " iter_args(" +
       carried(node) + ") -> (" + types(node.results) + ") {");
  printRegion(node.regions[0]);
  line("}");
}

void Printer::printWhile(const Node &node) {
  line(names(node.results) + " = scf.while (" + carried(node) + ") : (" +
       types(node.operands) + ") -> (" + types(node.results) + ") {");
  const Region &before = node.regions[0], &after = node.regions[1];
  for (const Node &inner : before.nodes)
    printNode(inner);
  std::vector<ValueId> passed(before.yields.begin() + 1, before.yields.end());
  line("scf.condition(" + name(before.yields[0]) + ") " + names(passed) +
       " : " + types(passed));
  std::string parameters;
  for (ValueId value : after.parameters)
    parameters +=
        (parameters.empty() ? "" : ", ") + name(value) + ": " + type(value);
  line("} do {");
  line("^bb0(" + parameters + "):");
  printRegion(after);
  line("}");
}

void Printer::printIf(const Node &node) {
  line(names(node.results) + " = scf.if " + name(node.operands[0]) + " -> (" +
       types(node.results) + ") {");
  printRegion(node.regions[0]);
  line("} else {");
  printRegion(node.regions[1]);
  line("}");
}

void Printer::printCall(const Node &node) {
  std::string callee = graph.name + "_f" + std::to_string(calls++);
  Scope inner;
  inner.parameters = node.operands;
  Scope *outer = std::exchange(scope, &inner);
  for (const Node &nested : node.regions[0].nodes)
    printNode(nested);
  callees += function(callee, /*isPrivate=*/true, node.regions[0].yields);
  scope = outer;
  std::string operands = names(node.operands),
              operandTypes = types(node.operands);
  for (DimId id : inner.dimParameters) {
    operands += (operands.empty() ? "" : ", ") + dim(id);
    operandTypes += operandTypes.empty() ? "index" : ", index";
  }
  line(names(node.results) + (node.results.empty() ? "" : " = ") +
       "func.call @" + callee + "(" + operands + ") : (" + operandTypes +
       ") -> (" + types(node.results) + ")");
}

void Printer::printOp(const Node &node) {
  std::string text = expand(node); // defines what it needs before
  line(names(node.results) + " = " + text);
}

void Printer::printNode(const Node &node) {
  switch (node.kind) {
  case Node::Argument:
    return;
  case Node::Constant:
    return printConstant(node);
  case Node::Loop:
    return printLoop(node);
  case Node::While:
    return printWhile(node);
  case Node::If:
    return printIf(node);
  case Node::Call:
    return printCall(node);
  case Node::Op:
    return printOp(node);
  }
}

std::string Printer::function(const std::string &name, bool isPrivate,
                              const std::vector<ValueId> &results) const {
  std::string parameters;
  for (ValueId value : scope->parameters)
    parameters += (parameters.empty() ? "" : ", ") + this->name(value) + ": " +
                  type(value);
  for (DimId id : scope->dimParameters)
    parameters +=
        (parameters.empty() ? "%d" : ", %d") + std::to_string(id) + ": index";
  return std::string("func.func ") + (isPrivate ? "private @" : "@") + name +
         "(" + parameters + ") -> (" + types(results) + ") {\n" + scope->head +
         scope->body + "  return " + names(results) +
         (results.empty() ? "" : " : ") + types(results) + "\n}\n";
}

ProgramText Printer::print() {
  Scope main;
  scope = &main;
  for (const Node *node : graph.arguments())
    main.parameters.push_back(node->results[0]);
  for (const Node &node : graph.nodes)
    printNode(node);
  std::string text = function(graph.name, /*isPrivate=*/false, graph.results);
  return {text + callees, resources};
}

ProgramText print(const Graph &graph) { return Printer(graph).print(); }

std::string moduleText(const std::vector<ProgramText> &programs) {
  std::string text, resources;
  for (const ProgramText &program : programs) {
    text += program.functions;
    if (!program.resources.empty())
      resources += (resources.empty() ? "" : ",\n") + program.resources;
  }
  if (!resources.empty())
    text += "{-#\n  dialect_resources: { builtin: {\n" + resources +
            "\n  } }\n#-}\n";
  return text;
}

} // namespace qcc::fuzz
