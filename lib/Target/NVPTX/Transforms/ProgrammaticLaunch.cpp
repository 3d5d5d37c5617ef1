//===- ProgrammaticLaunch.cpp - Kernels that start early ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel has to wait even if it reads constants alone: the kernel behind it
// waits for it, and takes it for granted that all kernels before have ended.
//
//===----------------------------------------------------------------------===//

#include "ProgrammaticLaunch.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace qcc;

llvm::BitVector qcc::nvptx::findConstants(func::FuncOp step,
                                          ArrayRef<func::CallOp> calls) {
  llvm::BitVector constants(step.getNumArguments());
  for (unsigned i = 0; i < step.getNumArguments(); ++i)
    constants[i] = llvm::all_of(calls, [&](func::CallOp call) {
      Value operand = call.getOperand(i);
      while (auto cast = operand.getDefiningOp<memref::CastOp>())
        operand = cast.getSource();
      return operand.getDefiningOp<memref::GetGlobalOp>();
    });
  return constants;
}

namespace {
/// Finds out which ops of a step access memory that kernels before it may
/// write.
class Accesses {
public:
  Accesses(func::FuncOp step, const llvm::BitVector &constants)
      : step(step), constants(constants) {}

  /// Whether an op, or one inside of it, does.
  bool isIn(Operation &op) const {
    return op
        .walk([&](Operation *inner) {
          return isAccess(inner) ? WalkResult::interrupt()
                                 : WalkResult::advance();
        })
        .wasInterrupted();
  }

private:
  bool isAccess(Operation *op) const {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op) ||
        isa<NVVM::BarrierOp, NVVM::CpAsyncCommitGroupOp,
            NVVM::GriddepcontrolOp>(op))
      return false;
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      return !isConstant(load.getAddr());
    if (auto copy = dyn_cast<NVVM::CpAsyncOp>(op))
      return !isConstant(copy.getSrc());
    return true;
  }

  /// Whether an address is one of constants, whatever it is computed from.
  bool isConstant(Value address) const {
    bool hasConstant = false;
    llvm::SmallPtrSet<Value, 16> known;
    SmallVector<Value> open{address};
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (!known.insert(value).second)
        continue;
      if (Operation *def = value.getDefiningOp()) {
        if (!isMemoryEffectFree(def) || def->getNumRegions() != 0)
          return false;
        llvm::append_range(open, def->getOperands());
        continue;
      }
      auto argument = cast<BlockArgument>(value);
      Operation *owner = argument.getOwner()->getParentOp();
      if (owner == step && isa<MemRefType>(value.getType())) {
        if (!constants[argument.getArgNumber()])
          return false;
        hasConstant = true;
        continue;
      }
      // Sizes of the step, numbers of the block and of the thread, and of an
      // iteration.
      auto loop = dyn_cast<scf::ForOp>(owner);
      bool isNumber = value.getType().isIndex() &&
                      (owner == step || isa<nvptx::BlocksOp>(owner) ||
                       (loop && value == loop.getInductionVar()));
      if (!isNumber)
        return false;
    }
    return hasConstant;
  }

  func::FuncOp step;
  const llvm::BitVector &constants;
};
} // namespace

/// The op before which the threads of a step have to wait.
static Operation *findPlaceOfWait(func::FuncOp step,
                                  const llvm::BitVector &constants) {
  Block &body = step.getBody().front();
  Accesses accesses(step, constants);
  Operation *first = &*llvm::find_if(body, [&](Operation &op) {
    return accesses.isIn(op) || isa<nvptx::BlocksOp, scf::ForallOp>(op) ||
           op.hasTrait<OpTrait::IsTerminator>();
  });
  // Where there is nothing else, the blocks of the grid are those of the op, so
  // that each thread passes its body.
  auto blocks = dyn_cast<nvptx::BlocksOp>(first);
  if (!blocks || !blocks->getNextNode()->hasTrait<OpTrait::IsTerminator>())
    return &body.front();
  Block &ofBlocks = blocks.getBody().front();
  auto place =
      llvm::find_if(ofBlocks, [&](Operation &op) { return accesses.isIn(op); });
  return place == ofBlocks.end() ? &body.front() : &*place;
}

void qcc::nvptx::waitForKernels(RewriterBase &rewriter, func::FuncOp step,
                                const llvm::BitVector &constants) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(findPlaceOfWait(step, constants));
  NVVM::GriddepcontrolOp::create(rewriter, step.getLoc(),
                                 NVVM::GridDepActionKind::wait);
}
