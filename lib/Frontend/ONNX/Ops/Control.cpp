//===- Control.cpp - If ---------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Constants.h"
#include "../Ops.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

/// The branch of a constant condition. Shapes may differ from branch to branch,
/// and an artifact knows them before it runs.
LogicalResult onnx::importIf(NodeImporter &n) {
  if (failed(n.requireInputs(1)))
    return failure();
  std::optional<bool> condition = Constants::readBool(n.in(0));
  if (!condition)
    return n.refuse() << "branches on a value that is known only when the "
                         "model runs, which is not supported; make its "
                         "condition a constant, or give the sizes that it "
                         "compares";
  StringRef name = *condition ? "then_branch" : "else_branch";
  const NodeAttribute *branch = n.find(name);
  if (!branch || !branch->graph)
    return n.refuse() << "has no " << name << "; add it";
  FailureOr<SmallVector<GraphValue>> values = n.importBranch(*branch->graph);
  if (failed(values))
    return failure();
  if (values->size() != n.node.outputs.size())
    return n.refuse() << "has a branch of " << values->size()
                      << " outputs where the node has " << n.node.outputs.size()
                      << "; correct the model";
  for (auto [i, value] : llvm::enumerate(*values))
    (void)n.set(i, std::move(value));
  return success();
}
