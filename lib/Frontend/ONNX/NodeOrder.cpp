//===- NodeOrder.cpp - The order in which nodes can be computed -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeOrder.h"
#include "llvm/ADT/StringMap.h"

using namespace qcc::onnx;

using Names = llvm::SmallVector<llvm::StringRef>;

/// Adds the names that a node and its branches read.
static void addReads(const Node &node, Names &names) {
  for (std::string_view input : node.inputs)
    names.push_back({input.data(), input.size()});
  for (const NodeAttribute &attribute : node.attributes) {
    if (!attribute.graph)
      continue;
    for (const Node &inner : attribute.graph->nodes)
      addReads(inner, names);
    for (const ValueInfo &output : attribute.graph->outputs)
      names.push_back({output.name.data(), output.name.size()});
  }
}

namespace {
/// A node whose reads are being visited.
struct Visit {
  size_t node;
  Names reads;
  size_t next = 0;
};
} // namespace

llvm::SmallVector<const Node *>
qcc::onnx::orderNodes(const std::vector<Node> &nodes) {
  llvm::StringMap<size_t> writers;
  for (size_t i = 0; i < nodes.size(); ++i)
    for (std::string_view output : nodes[i].outputs)
      if (!output.empty())
        writers.try_emplace({output.data(), output.size()}, i);
  llvm::SmallVector<const Node *> order;
  std::vector<bool> isSeen(nodes.size(), false);
  // Depth first, without recursion: chains may be as long as the model.
  std::vector<Visit> open;
  auto enter = [&](size_t i) {
    isSeen[i] = true;
    open.push_back({i, {}, 0});
    addReads(nodes[i], open.back().reads);
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!isSeen[i])
      enter(i);
    while (!open.empty()) {
      Visit &visit = open.back();
      if (visit.next == visit.reads.size()) {
        order.push_back(&nodes[visit.node]);
        open.pop_back();
        continue;
      }
      auto writer = writers.find(visit.reads[visit.next++]);
      if (writer != writers.end() && !isSeen[writer->second])
        enter(writer->second);
    }
  }
  return order;
}
