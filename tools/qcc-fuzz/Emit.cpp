//===- Emit.cpp - A run of a program for other interpreters ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Emit.h.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Print.h"
#include "qcc/Support/Json.h"
#include "qcc/Support/TensorFile.h"
#include <filesystem>
#include <fstream>

namespace qcc::fuzz {

namespace {

/// Writes the graph and its constants.
class Emitter {
public:
  Emitter(const std::string &folder, const Graph &graph,
          const std::vector<int64_t> &symbols)
      : folder(folder), graph(graph), symbols(symbols) {}

  Json emitGraph();

  rt::Status status;

private:
  Json emitType(const Type &type);
  Json emitNode(const Node &node);
  Json emitBody(const Body &body);
  /// With numbers for `${12}`.
  std::string resolve(const std::string &text);

  template <typename T> static Json list(const std::vector<T> &values) {
    Json json = Json::list();
    for (const T &value : values)
      if constexpr (std::is_arithmetic_v<T>)
        json.add(std::is_floating_point_v<T>
                     ? Json::of(static_cast<double>(value))
                     : Json::of(static_cast<int64_t>(value)));
      else
        json.add(Json::of(std::string_view(value)));
    return json;
  }

  const std::string &folder;
  const Graph &graph;
  const std::vector<int64_t> &symbols;
};

} // namespace

Json Emitter::emitType(const Type &type) {
  Json json = Json::dictionary();
  json.add("element", Json::of(std::string_view(spell(type.element))));
  json.add("shape", list(graph.shapeOf(type, symbols)));
  // Which sizes the program does not know.
  std::vector<int> dynamic;
  for (DimId id : type.dims)
    dynamic.push_back(graph.isDynamic(id));
  json.add("dynamic", list(dynamic));
  json.add("scalar", Json::of(type.isScalar));
  if (type.quant >= 0) {
    const Quant &quant = graph.quants[type.quant];
    int64_t channels =
        quant.axis < 0 ? 1 : graph.sizeOf(type.dims[quant.axis], symbols);
    json.add("axis", Json::of(int64_t(quant.axis)));
    json.add("scales", list(scalesOf(quant, channels)));
    json.add("zero_points", list(zeroPointsOf(quant, channels)));
  }
  return json;
}

Json Emitter::emitBody(const Body &body) {
  Json json = Json::dictionary(), arguments = Json::list(), ops = Json::list();
  for (Element element : body.arguments)
    arguments.add(Json::of(std::string_view(spell(element))));
  for (const BodyOp &op : body.ops) {
    Json item = Json::dictionary();
    item.add("op", Json::of(std::string_view(op.name)));
    item.add("attribute", Json::of(std::string_view(op.attribute)));
    item.add("operands", list(op.operands));
    item.add("type", Json::of(std::string_view(spell(op.type))));
    ops.add(std::move(item));
  }
  json.add("arguments", std::move(arguments));
  json.add("ops", std::move(ops));
  json.add("yields", list(body.yields));
  return json;
}

std::string Emitter::resolve(const std::string &text) {
  std::string resolved;
  for (size_t at = 0; at < text.size();) {
    if (text.compare(at, 2, "${") != 0) {
      resolved += text[at++];
      continue;
    }
    size_t end = text.find('}', at);
    int id = std::stoi(text.substr(at + 2, end - at - 2));
    resolved += std::to_string(graph.sizeOf(id, symbols));
    at = end + 1;
  }
  return resolved;
}

Json Emitter::emitNode(const Node &node) {
  static const char *const kinds[] = {"argument", "constant", "op", "call",
                                      "loop",     "while",    "if"};
  Json json = Json::dictionary();
  json.add("kind", Json::of(kinds[node.kind]));
  json.add("operands", list(node.operands));
  json.add("results", list(node.results));
  if (node.kind == Node::Constant) {
    const Type &type = graph.types[node.results[0]];
    std::vector<uint8_t> bytes = elementsOfConstant(graph, node);
    json.add("splat", Json::of(node.form == Form::Splat || type.isScalar));
    std::string file =
        folder + "/constant" + std::to_string(node.results[0]) + ".npy";
    if (status.isOk())
      status = writeNpy(file, dtypeOf(type.element),
                        graph.shapeOf(type, symbols), bytes.data());
  }
  if (node.kind == Node::Op) {
    json.add("op", Json::of(std::string_view(node.op)));
    json.add("text", Json::of(std::string_view(resolve(node.text))));
    json.add("maps", list(node.maps));
    json.add("iterators", list(node.iterators));
    json.add("body", emitBody(node.body));
  }
  Json regions = Json::list();
  for (const Region &region : node.regions) {
    Json item = Json::dictionary(), nodes = Json::list();
    for (const Node &nested : region.nodes)
      nodes.add(emitNode(nested));
    item.add("nodes", std::move(nodes));
    item.add("parameters", list(region.parameters));
    item.add("yields", list(region.yields));
    regions.add(std::move(item));
  }
  json.add("regions", std::move(regions));
  json.add("trips", Json::of(node.trips));
  return json;
}

Json Emitter::emitGraph() {
  Json json = Json::dictionary(), types = Json::list(), nodes = Json::list();
  for (const Type &type : graph.types)
    types.add(emitType(type));
  for (const Node &node : graph.nodes)
    nodes.add(emitNode(node));
  json.add("name", Json::of(std::string_view(graph.name)));
  json.add("types", std::move(types));
  json.add("nodes", std::move(nodes));
  json.add("results", list(graph.results));
  return json;
}

rt::Status emitRun(const std::string &folder, const Subject &subject,
                   const Case &which, const std::vector<rt::Tensor> &inputs,
                   const std::vector<rt::Tensor> &results) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return rt::ioError(folder + ": " + error.message());
  Emitter emitter(folder, subject.graph, which.symbols);
  std::ofstream file(folder + "/graph.json");
  file << emitter.emitGraph().print();
  file.close();
  rt::Status status = emitter.status;
  if (!file)
    status = rt::ioError(folder + "/graph.json cannot be written");
  auto write = [&](const char *name, const std::vector<rt::Tensor> &tensors) {
    for (size_t i = 0; i < tensors.size() && status.isOk(); ++i)
      status = writeNpy(folder + "/" + name + std::to_string(i) + ".npy",
                        tensors[i].dtype, tensors[i].shape, tensors[i].data);
  };
  write("input", inputs);
  write("result", results);
  return status;
}

} // namespace qcc::fuzz
