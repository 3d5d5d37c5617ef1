//===- ChannelBlocks.cpp - Images in blocks of channels -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelBlocks.h"
#include "NodeOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <map>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

static constexpr std::array<int64_t, 2> kSizes = {8, 16};

//===----------------------------------------------------------------------===//
// The size of a block
//===----------------------------------------------------------------------===//

namespace {
/// Follows the channels of images through a graph, and drops the sizes of
/// blocks that some number of channels excludes.
class BlockSearch {
public:
  explicit BlockSearch(const Graph &graph) : graph(graph) {
    for (const Tensor &tensor : graph.initializers)
      weights[tensor.name] = &tensor;
  }

  void run() {
    for (const Node *node : orderNodes(graph.nodes))
      visit(*node);
  }
  bool allows(int64_t size) const {
    return allowed[llvm::find(kSizes, size) - kSizes.begin()];
  }

private:
  void visit(const Node &node);
  void visitConv(const Node &node);
  /// Keeps the sizes for which `holds`.
  void require(llvm::function_ref<bool(int64_t)> holds) {
    for (auto [size, isAllowed] : llvm::zip_equal(kSizes, allowed))
      isAllowed = isAllowed && holds(size);
  }
  /// The channels of an image in blocks, or one of the numbers below; nothing
  /// for a value that is not in blocks.
  std::optional<int64_t> channelsOf(const Node &node, size_t input) const {
    auto found = input < node.inputs.size() ? channels.find(node.inputs[input])
                                            : channels.end();
    return found == channels.end() ? std::nullopt
                                   : std::optional(found->second);
  }

  /// The number of channels is not known, or only that an image had so many
  /// before it was in blocks, all of which are full.
  static constexpr int64_t kUnknown = 0, kWhole = -1;

  const Graph &graph;
  std::map<std::string_view, const Tensor *> weights;
  std::map<std::string_view, int64_t> channels;
  std::array<bool, kSizes.size()> allowed = {true, true};
};
} // namespace

static int64_t integerOf(const Node &node, std::string_view name,
                         int64_t absent) {
  for (const NodeAttribute &attribute : node.attributes)
    if (attribute.name == name)
      return attribute.integer;
  return absent;
}

void BlockSearch::visitConv(const Node &node) {
  auto found =
      node.inputs.size() < 2 ? weights.end() : weights.find(node.inputs[1]);
  if (found == weights.end() || found->second->dims.size() != 4)
    return; // The import refuses it.
  int64_t filters = found->second->dims[0], depth = found->second->dims[1],
          groups = integerOf(node, "group", 1);
  bool isDepthwise = groups > 1 && depth == 1;
  bool readsBlocks = channelsOf(node, 0).has_value();
  require([&](int64_t size) {
    if (filters % size != 0)
      return false;
    if (isDepthwise)
      return true;
    return readsBlocks ? depth % size == 0 : depth < size;
  });
  if (!node.outputs.empty())
    channels[node.outputs[0]] = filters;
}

void BlockSearch::visit(const Node &node) {
  bool isBlocked = node.domain == kBlockedDomain;
  if (isBlocked && node.op == "Conv")
    return visitConv(node);
  std::optional<int64_t> count = channelsOf(node, 0);
  if (isBlocked && node.op == "ReorderOutput") {
    int64_t shown = integerOf(node, "channels", 0);
    if (count && *count != kUnknown && shown > 0)
      require([&](int64_t size) {
        return *count == kWhole
                   ? shown % size == 0
                   : static_cast<int64_t>(llvm::alignTo(shown, size)) == *count;
      });
    return;
  }
  if (isBlocked && node.op == "ReorderInput")
    count = kUnknown;
  else if (isBlocked && count == kUnknown)
    count = kWhole; // ONNX Runtime does not fill blocks for poolings.
  if (node.op == "Concat")
    for (size_t i = 1; i < node.inputs.size() && count; ++i) {
      int64_t other = channelsOf(node, i).value_or(kUnknown);
      count = *count > 0 && other > 0 ? *count + other : kUnknown;
    }
  for (size_t i = 1; i < node.inputs.size() && !count; ++i)
    count = channelsOf(node, i);
  if (count)
    for (std::string_view output : node.outputs)
      channels[output] = *count;
}

rt::Result<int64_t> onnx::findChannelBlock(const Model &model) {
  auto isBlocked = [](const Node &node) {
    return node.domain == kBlockedDomain;
  };
  if (llvm::none_of(model.graph.nodes, isBlocked))
    return 0;
  BlockSearch search(model.graph);
  search.run();
  SmallVector<int64_t> fitting;
  for (int64_t size : kSizes)
    if (search.allows(size))
      fitting.push_back(size);
  for (auto [key, text] : model.metadata) {
    if (key != kChannelBlockKey)
      continue;
    int64_t given = 0;
    if (StringRef(text).getAsInteger(10, given) ||
        !llvm::is_contained(fitting, given))
      return rt::invalidArgument(
          "the metadata entry '" + std::string(kChannelBlockKey) + "' is '" +
          std::string(text) +
          "', which is no size of blocks of channels that the weights of the "
          "model allow; correct or remove it");
    return given;
  }
  if (fitting.empty())
    return rt::invalidArgument(
        "the model has weights in blocks of channels that are neither of 8 nor "
        "of 16 channels; save it at the level EXTENDED");
  return fitting.size() == 1 ? fitting.front() : 0;
}
