//===- ResolveSizes.cpp - Sizes in terms of arguments ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResolveSizes.h"
#include "../KnownSizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace qcc;

namespace {
class Resolver : KnownSizes {
public:
  explicit Resolver(func::FuncOp func) : KnownSizes(func, Memory::Keep) {}

  void run();

private:
  void resolveDim(tensor::DimOp dim);
  void resolveOutputs(linalg::GenericOp op);
  /// An empty tensor of the type and sizes of another, or null where these are
  /// not known.
  Value emptyLike(Value tensor, Operation *before);
};
} // namespace

void Resolver::resolveDim(tensor::DimOp dim) {
  std::optional<int64_t> index = dim.getConstantIndex();
  auto argument = dyn_cast<BlockArgument>(dim.getSource());
  if (!index || (argument && argument.getOwner() == top))
    return;
  if (OpFoldResult size = sizeOf(dim.getSource(), *index))
    dim.getResult().replaceAllUsesWith(valueOf(size));
}

Value Resolver::emptyLike(Value tensor, Operation *before) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    sizes.push_back(sizeOf(tensor, d));
    if (!sizes.back())
      return {};
  }
  OpBuilder inPlace(before);
  return tensor::EmptyOp::create(inPlace, before->getLoc(), sizes,
                                 type.getElementType());
}

/// Elements that no iteration writes keep their values, so that ops are left
/// alone that have reductions, which may be empty, or write parts of an output.
void Resolver::resolveOutputs(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0)
    return;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    if (!op.getMatchingIndexingMap(&output).isPermutation() ||
        output.get().getDefiningOp<tensor::EmptyOp>() ||
        op.payloadUsesValueFromOperand(&output))
      continue;
    Value empty = emptyLike(output.get(), op);
    // A dynamic dimension may turn out to have a size that is known.
    if (empty && empty.getType() == output.get().getType())
      output.set(empty);
    else if (empty)
      empty.getDefiningOp()->erase();
  }
}

void Resolver::run() {
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (isa<tensor::DimOp, linalg::GenericOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (!setInsertionPoint(op))
      continue;
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      resolveDim(dim);
    else
      resolveOutputs(cast<linalg::GenericOp>(op));
  }
  for (Operation *op : ops)
    if (isa<tensor::DimOp>(op) && op->use_empty())
      op->erase();
}

void qcc::resolveSizes(func::FuncOp func) {
  if (!func.isDeclaration() && llvm::hasSingleElement(func.getBody()))
    Resolver(func).run();
}
