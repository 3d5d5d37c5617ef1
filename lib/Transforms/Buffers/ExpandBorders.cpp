//===- ExpandBorders.cpp - The sides of borders ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Transforms/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_EXPANDBORDERS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

/// The sides of a dimension lie between those of the dimensions before it, so
/// that no two of them share an element.
static void expand(RewriterBase &rewriter, kernel::FillBorderOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value out = op.getOut();
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(rewriter, loc, out);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
      ones(sizes.size(), rewriter.getIndexAttr(1));
  AffineExpr s = getAffineSymbolExpr(0, op.getContext());
  auto minus = [&](OpFoldResult size, int64_t by) {
    return affine::makeComposedFoldedAffineApply(rewriter, loc, s - by, {size});
  };
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t low = op.getLow()[d], high = op.getHigh()[d];
    OpFoldResult whole = sizes[d];
    auto fill = [&](OpFoldResult offset, int64_t size) {
      if (size == 0)
        return;
      offsets[d] = offset;
      sizes[d] = rewriter.getIndexAttr(size);
      Value side =
          memref::SubViewOp::create(rewriter, loc, out, offsets, sizes, ones);
      linalg::FillOp::create(rewriter, loc, op.getValue(), side);
    };
    fill(rewriter.getIndexAttr(0), low);
    fill(minus(whole, high), high);
    offsets[d] = rewriter.getIndexAttr(low);
    sizes[d] = minus(whole, low + high);
  }
  rewriter.eraseOp(op);
}

namespace {
struct ExpandBorders : qcc::impl::ExpandBordersBase<ExpandBorders> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<kernel::FillBorderOp> ops;
    getOperation().walk([&](kernel::FillBorderOp op) { ops.push_back(op); });
    for (kernel::FillBorderOp op : ops)
      expand(rewriter, op);
  }
};
} // namespace
