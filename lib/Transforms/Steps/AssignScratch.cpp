//===- AssignScratch.cpp - Stack buffers of steps to scratch memory -------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Steps/Steps.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "assign-scratch"

namespace qcc {
#define GEN_PASS_DEF_ASSIGNSCRATCH
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numBuffers, "Stack buffers in scratch memory");

/// The bytes of one element; vectors are the elements of some buffers.
static int64_t elementBytes(Type element) {
  if (auto vector = dyn_cast<VectorType>(element))
    return vector.getNumElements() * elementBytes(vector.getElementType());
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return llvm::divideCeil(bits, 8);
}

/// Gives the step its scratch argument; returns its size, 0 for none.
static FailureOr<int64_t> assign(func::FuncOp step) {
  SmallVector<memref::AllocaOp> buffers;
  step.walk([&](memref::AllocaOp op) { buffers.push_back(op); });
  if (buffers.empty())
    return 0;
  OpBuilder builder(step.getContext());
  Location loc = step.getLoc();
  auto scratchType =
      MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
  if (failed(step.insertArgument(0, scratchType, {}, loc)))
    return failure();
  int64_t offset = 0;
  for (memref::AllocaOp op : buffers) {
    MemRefType type = op.getType();
    if (!type.hasStaticShape() || !type.getLayout().isIdentity())
      return op.emitError("a temporary of a kernel has a dynamic size"),
             failure();
    ++numBuffers;
    LDBG() << step.getName() << ": the buffer at " << op.getLoc() << ", "
           << type << ", is at byte " << offset << " of its scratch";
    assert(offset % 64 == 0 && "buffers begin with a line of the cache");
    builder.setInsertionPoint(op);
    Value at = arith::ConstantIndexOp::create(builder, loc, offset);
    Value view = memref::ViewOp::create(builder, op.getLoc(), type,
                                        step.getArgument(0), at, ValueRange{});
    op.replaceAllUsesWith(view);
    op.erase();
    offset += llvm::alignTo(
        type.getNumElements() * elementBytes(type.getElementType()), 64);
  }
  step->setAttr(kScratchAttr, builder.getI64IntegerAttr(offset));
  // The new first argument moves the positions of the arguments that the step
  // writes by one.
  if (auto writes = step->getAttrOfType<DenseI64ArrayAttr>(kWritesAttr)) {
    SmallVector<int64_t> moved;
    for (int64_t i : writes.asArrayRef())
      moved.push_back(i + 1);
    step->setAttr(kWritesAttr, builder.getDenseI64ArrayAttr(moved));
  }
  return offset;
}

namespace {
struct AssignScratch : qcc::impl::AssignScratchBase<AssignScratch> {
  void runOnOperation() override {
    llvm::StringSet<> withScratch;
    for (auto step : getOperation().getOps<func::FuncOp>()) {
      if (!isStep(step) || step->hasAttr(kScratchAttr))
        continue;
      FailureOr<int64_t> bytes = assign(step);
      if (failed(bytes))
        return signalPassFailure();
      if (*bytes > 0)
        withScratch.insert(step.getName());
    }
    getOperation().walk([&](func::CallOp call) {
      if (!withScratch.contains(call.getCallee()))
        return;
      auto entry = call->getParentOfType<func::FuncOp>();
      Value arena = entry.getArguments().back();
      call.getOperandsMutable().assign(llvm::to_vector(
          llvm::concat<Value>(SmallVector<Value>{arena},
                              llvm::to_vector_of<Value>(call.getOperands()))));
      if (ArrayAttr attrs = call.getArgAttrsAttr()) {
        SmallVector<Attribute> moved{DictionaryAttr::get(&getContext())};
        llvm::append_range(moved, attrs);
        call.setArgAttrsAttr(ArrayAttr::get(&getContext(), moved));
      }
    });
  }
};
} // namespace
