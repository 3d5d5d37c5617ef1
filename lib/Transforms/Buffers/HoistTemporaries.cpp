//===- HoistTemporaries.cpp - Memory of temporaries out of loops ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "hoist-temporaries"

namespace qcc {
#define GEN_PASS_DEF_HOISTTEMPORARIES
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;

ALWAYS_ENABLED_STATISTIC(numHoisted,
                         "Temporaries allocated before loops and branches");
ALWAYS_ENABLED_STATISTIC(numInside,
                         "Temporaries that stay in loops and branches");

/// Whether the memory, or a view of it, leaves the iteration that uses it.
static bool escapes(Value memory) {
  return llvm::any_of(memory.getUsers(), [](Operation *user) {
    if (user->hasTrait<OpTrait::IsTerminator>() ||
        isa<scf::SCFDialect>(user->getDialect()))
      return true;
    return isa<ViewLikeOpInterface>(user) && escapes(user->getResult(0));
  });
}

/// The outermost loop or branch around `alloc` that its sizes do not depend on.
static Operation *getOutermost(memref::AllocOp alloc) {
  Operation *outermost = nullptr;
  for (Operation *parent = alloc->getParentOp();
       parent && isa<scf::SCFDialect>(parent->getDialect());
       parent = parent->getParentOp()) {
    bool dependsOnParent = llvm::any_of(alloc->getOperands(), [&](Value size) {
      return parent->isAncestor(size.getParentBlock()->getParentOp());
    });
    if (dependsOnParent)
      break;
    outermost = parent;
  }
  return outermost;
}

namespace {
struct HoistTemporaries : qcc::impl::HoistTemporariesBase<HoistTemporaries> {
  void runOnOperation() override {
    getOperation().walk([](memref::AllocOp alloc) {
      Operation *outermost = getOutermost(alloc);
      if (outermost && !escapes(alloc)) {
        ++numHoisted;
        LDBG() << "allocates the temporary at " << alloc.getLoc()
               << " before the " << outermost->getName() << " at "
               << outermost->getLoc();
        alloc->moveBefore(outermost);
      } else if (isa<scf::SCFDialect>(alloc->getParentOp()->getDialect())) {
        ++numInside;
        LDBG() << "leaves the temporary at " << alloc.getLoc() << " inside: "
               << (outermost ? "it leaves its iteration"
                             : "its sizes depend on the loop");
      }
    });
  }
};
} // namespace
