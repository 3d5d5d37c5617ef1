//===- Control.cpp - If ---------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../Compose.h"
#include "../Ops.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

/// The outputs of a branch.
static FailureOr<SmallVector<GraphValue>>
importBranch(NodeImporter &n, StringRef name, bool isChosen) {
  FailureOr<SmallVector<GraphValue>> values =
      n.importBranch(*n.find(name)->graph, {}, isChosen);
  if (succeeded(values) && values->size() != n.node.outputs.size())
    return n.refuse() << "has a branch of " << values->size()
                      << " outputs where the node has " << n.node.outputs.size()
                      << "; correct the model";
  return values;
}

/// Whether one value can be taken for the other: an artifact knows shapes
/// before it runs. Dynamic sizes are compared by the entry.
static bool areAlike(const GraphValue &x, const GraphValue &y) {
  if (x.element != y.element || x.rank() != y.rank())
    return false;
  return llvm::all_of(llvm::zip_equal(x.shape, y.shape), [](auto sizes) {
    std::optional<int64_t> a = knownSize(std::get<0>(sizes)),
                           b = knownSize(std::get<1>(sizes));
    return !a || !b || *a == *b;
  });
}

/// Computes both branches, and selects the results of one by the condition.
static LogicalResult importBoth(NodeImporter &n) {
  auto thenValues = importBranch(n, "then_branch", /*isChosen=*/false);
  if (failed(thenValues))
    return failure();
  auto elseValues = importBranch(n, "else_branch", /*isChosen=*/false);
  if (failed(elseValues))
    return failure();
  Composer c(n);
  Composer::Ref condition = c.reshape(c.in(0), {});
  for (auto [i, x, y] : llvm::enumerate(*thenValues, *elseValues)) {
    if (!areAlike(x, y))
      return n.refuse()
             << "branches on a value that is known only when the model runs, "
                "and its output "
             << i
             << " has another type or shape in one branch than in the other, "
                "which is not supported; make its condition a constant, or "
                "give the sizes (--dim, --shape) or the input (--constant) "
                "that it "
                "depends on";
    if (failed(c.set(i, c.op("Where", {condition, c.hold(std::move(x)),
                                       c.hold(std::move(y))}))))
      return failure();
  }
  return success();
}

/// Whether a graph consists of constants and one Squeeze, of a value that has
/// exactly one dimension of `size`.
static bool squeezes(NodeImporter &n, const Graph &graph, OpFoldResult size) {
  const Node *squeeze = nullptr;
  for (const Node &node : graph.nodes) {
    if (node.op == "Constant")
      continue;
    if (squeeze || node.op != "Squeeze" || node.inputs.empty())
      return false;
    squeeze = &node;
  }
  GraphValue *x = squeeze ? n.lookup(squeeze->inputs[0]) : nullptr;
  return x && llvm::count(x->shape, size) == 1;
}

/// How PyTorch writes squeeze(d) where it does not know the size: an If on
/// whether the size is 1, of a Squeeze and an Identity. What follows can be
/// compiled for one number of dimensions only; it is the one that was asked
/// for, and Squeeze makes the size a requirement of the entry. Gives the result
/// of the Squeeze, or nothing if the node is something else.
static FailureOr<std::optional<GraphValue>> importSqueezed(NodeImporter &n) {
  OpFoldResult size = n.in(0).isOne;
  if (!n.isChosen || !size || !squeezes(n, *n.find("then_branch")->graph, size))
    return std::optional<GraphValue>();
  auto values = importBranch(n, "then_branch", /*isChosen=*/true);
  if (failed(values))
    return failure();
  if (values->size() != 1 || llvm::is_contained(values->front().shape, size))
    return std::optional<GraphValue>();
  return std::optional(values->front());
}

/// The branch of a constant condition, whose shapes the other one need not
/// have.
LogicalResult onnx::importIf(NodeImporter &n) {
  std::optional<bool> condition = Constants::readBool(n.in(0));
  if (!condition) {
    FailureOr<std::optional<GraphValue>> squeezed = importSqueezed(n);
    if (failed(squeezed))
      return failure();
    return *squeezed ? n.set(0, **squeezed) : importBoth(n);
  }
  auto values = importBranch(n, *condition ? "then_branch" : "else_branch",
                             /*isChosen=*/true);
  if (failed(values))
    return failure();
  for (auto [i, value] : llvm::enumerate(*values))
    (void)n.set(i, std::move(value));
  return success();
}
