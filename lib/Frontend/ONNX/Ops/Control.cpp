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

/// Whether one value can be taken for the other. Dynamic sizes are compared by
/// the entry.
static bool haveSameSizes(const GraphValue &x, const GraphValue &y) {
  return llvm::all_of(llvm::zip_equal(x.shape, y.shape), [](auto sizes) {
    std::optional<int64_t> a = knownSize(std::get<0>(sizes)),
                           b = knownSize(std::get<1>(sizes));
    return !a || !b || *a == *b;
  });
}

/// The value with elements of 0 behind it, up to the sizes of `shape`.
static Composer::Ref padTo(NodeImporter &n, Composer &c, GraphValue &x,
                           const Shape &shape) {
  SmallVector<OpFoldResult> low(x.rank(), n.size(0)), high;
  for (auto [size, wanted] : llvm::zip_equal(x.shape, shape))
    high.push_back(n.sub(wanted, size));
  return c.hold(
      pad(n, x, low, high, Scalars(n.b, n.loc).constant(x.element, 0)));
}

/// One of two values by a condition on sizes, which decides of the sizes of the
/// result as well.
static Composer::Ref selectSized(NodeImporter &n, Composer &c,
                                 OpFoldResult condition, Composer::Ref x,
                                 Composer::Ref y) {
  if (x->isUnsigned()) {
    Composer::Ref bits =
        selectSized(n, c, condition, c.hold(bitsOfBytes(n, *x)),
                    c.hold(bitsOfBytes(n, *y)));
    return c.failed() ? bits : c.hold(bytesOfBits(n, *bits));
  }
  Shape greatest, shape;
  for (auto [a, b] : llvm::zip_equal(x->shape, y->shape)) {
    greatest.push_back(n.max(a, b));
    shape.push_back(a == b ? a : n.select(condition, a, b));
  }
  Composer::Ref all =
      c.op("Where", {c.reshape(c.in(0), {}), padTo(n, c, *x, greatest),
                     padTo(n, c, *y, greatest)});
  if (c.failed())
    return all;
  SmallVector<OpFoldResult> starts(shape.size(), n.size(0));
  SmallVector<int64_t> steps(shape.size(), 1);
  return c.hold(slice(n, *all, starts, shape, steps));
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
  OpFoldResult onSizes = n.in(0).condition;
  for (auto [i, x, y] : llvm::enumerate(*thenValues, *elseValues)) {
    bool areAlike = x.element == y.element && x.rank() == y.rank();
    if (areAlike && onSizes && !haveSameSizes(x, y)) {
      if (failed(c.set(i, selectSized(n, c, onSizes, c.hold(x), c.hold(y)))))
        return failure();
      continue;
    }
    if (!areAlike || !haveSameSizes(x, y))
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
