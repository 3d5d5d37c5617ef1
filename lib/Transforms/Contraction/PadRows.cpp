//===- PadRows.cpp - Temporaries with the pitch that kernels want ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TargetPass.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "pad-rows"

namespace qcc {
#define GEN_PASS_DEF_PADROWS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numPadded, "Temporaries whose rows were padded");

/// Rows of fewer bytes fill a cache evenly enough, and would grow by more than
/// an eighth.
constexpr int64_t kLeastBytes = 512;

/// Whether a user of a temporary takes it with any strides, and so do all users
/// of the view that it is.
static bool takesStrides(Operation *op) {
  if (auto view = dyn_cast<memref::SubViewOp>(op))
    return llvm::all_of(view->getUsers(), takesStrides);
  return isa<kernel::ContractOp, kernel::FillBorderOp, linalg::GenericOp,
             memref::DimOp>(op);
}

/// Whether a temporary is looked at by views, or has a border: one of bytes
/// then stays as it is.
static bool hasViews(memref::AllocOp alloc) {
  return llvm::any_of(alloc->getUsers(), [](Operation *op) {
    return isa<memref::SubViewOp, kernel::FillBorderOp>(op);
  });
}

/// Gives a temporary, or a view, another type, and its views the types that
/// follow.
static void setType(Value value, MemRefType type) {
  value.setType(type);
  for (Operation *user : value.getUsers())
    if (auto view = dyn_cast<memref::SubViewOp>(user))
      setType(view,
              memref::SubViewOp::inferRankReducedResultType(
                  view.getType().getShape(), type, view.getStaticOffsets(),
                  view.getStaticSizes(), view.getStaticStrides()));
}

/// How far apart a contraction wants rows of `bytes` bytes of its left operand.
static int64_t wantedPitch(kernel::ContractOp op, int64_t bytes,
                           const Target &target) {
  kernel::LoweringConfigAttrInterface config = op.getLoweringConfigAttr();
  const Strategy *strategy = target.strategyOf(config);
  return strategy ? strategy->rowPitch(config, bytes) : bytes;
}

/// Null where the rows may stay as they are.
static MemRefType paddedType(memref::AllocOp alloc, const Target &target) {
  MemRefType type = alloc.getType();
  if (type.getRank() < 2 || !type.getLayout().isIdentity() ||
      !(type.getElementType().isInteger(8) || type.getElementType().isF32()) ||
      type.isDynamicDim(type.getRank() - 1) ||
      (type.getElementType().isInteger(8) && hasViews(alloc)))
    return {};
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  int64_t bytes = type.getShape().back() * elementBytes, pitch = bytes;
  if (bytes < kLeastBytes)
    return {};
  for (OpOperand &use : alloc->getUses()) {
    if (!takesStrides(use.getOwner()))
      return {};
    auto contract = dyn_cast<kernel::ContractOp>(use.getOwner());
    if (contract && use.get() == contract.getLhs())
      pitch = std::max(pitch, wantedPitch(contract, bytes, target));
  }
  if (pitch == bytes)
    return {};
  SmallVector<int64_t> strides{1};
  assert(pitch % elementBytes == 0 && "rows start at elements");
  int64_t stride = pitch / elementBytes;
  for (int64_t dim : llvm::reverse(type.getShape().drop_front().drop_back())) {
    strides.push_back(stride);
    stride = ShapedType::isDynamic(dim) ? ShapedType::kDynamic : stride * dim;
    // Dynamic strides would have to be computed, and carried along.
    if (ShapedType::isDynamic(stride))
      return {};
  }
  strides.push_back(stride);
  assert(int64_t(strides.size()) == type.getRank() &&
         "a stride for each dimension");
  std::reverse(strides.begin(), strides.end());
  return MemRefType::get(
      type.getShape(), type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), /*offset=*/0, strides));
}

namespace {
struct PadRows : TargetPass<qcc::impl::PadRowsBase<PadRows>> {
  using TargetPass::TargetPass;

  void runOnOperation() override {
    getOperation().walk([&](memref::AllocOp alloc) {
      MemRefType type = paddedType(alloc, *target);
      if (!type)
        return;
      ++numPadded;
      LDBG() << "temporary at " << alloc.getLoc() << ": " << type
             << " instead of " << alloc.getType();
      setType(alloc, type);
    });
  }
};
} // namespace

std::unique_ptr<Pass> qcc::createPadRows(TargetRef target) {
  return std::make_unique<PadRows>(std::move(target));
}
