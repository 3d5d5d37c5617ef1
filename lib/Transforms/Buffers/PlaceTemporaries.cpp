//===- PlaceTemporaries.cpp - Temporaries where they are copied to --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A temporary S, perhaps with more dimensions, is copied to a part of a
// temporary D. S may be that part from the start, if nothing else is written to
// the part, and nothing to S after it is copied. What is read is no matter:
// until the copy the part has no value that could be read, and after it both
// have the same.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "place-temporaries"

namespace qcc {
#define GEN_PASS_DEF_PLACETEMPORARIES
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numPlaced,
                         "Temporaries placed where they are copied to");
ALWAYS_ENABLED_STATISTIC(numCopies, "Copies that stay");

//===----------------------------------------------------------------------===//
// Parts of a temporary
//===----------------------------------------------------------------------===//

namespace {
/// A range of indices in each dimension of a temporary, [begin, end). A size
/// that is not known is as large as can be.
struct Box {
  struct Range {
    int64_t begin, end;
  };
  SmallVector<Range> ranges;

  static Box of(MemRefType type) {
    Box box;
    for (int64_t size : type.getShape())
      box.ranges.push_back({0, ShapedType::isDynamic(size) ? kNoEnd : size});
    return box;
  }
  bool isDisjoint(const Box &other) const {
    return llvm::any_of(llvm::zip_equal(ranges, other.ranges), [](auto both) {
      auto [a, b] = both;
      return a.end <= b.begin || b.end <= a.begin;
    });
  }

  static constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();
};

/// A temporary or a view of it.
struct Alias {
  Value value;
  /// Where its elements lie, at most.
  Box box;
  /// Whether its dimensions are those of the temporary, and the box is all that
  /// it has.
  bool isBox = true;
};

struct Access {
  /// The op in the block of the temporary that accesses it or has a region
  /// that does.
  Operation *op;
  Box box;
  bool writes;
};
} // namespace

/// The part of `source` that a view has.
static Alias aliasOf(const Alias &source, Operation *view) {
  Alias alias{view->getResult(0), source.box, false};
  auto subview = dyn_cast<memref::SubViewOp>(view);
  if (!subview || !source.isBox)
    return alias;
  alias.isBox =
      subview.getSourceType().getRank() == subview.getType().getRank();
  for (auto [range, offset, size, stride] :
       llvm::zip_equal(alias.box.ranges, subview.getMixedOffsets(),
                       subview.getMixedSizes(), subview.getMixedStrides())) {
    auto o = getConstantIntValue(offset), n = getConstantIntValue(size),
         s = getConstantIntValue(stride);
    alias.isBox &= o && s && *s == 1;
    if (!o || !s)
      continue;
    range.begin += *o;
    if (n)
      range.end = range.begin + (*n == 0 ? 0 : (*n - 1) * *s + 1);
  }
  return alias;
}

/// The sides of a border, each as a box.
static SmallVector<Box> sidesOf(kernel::FillBorderOp op, const Alias &alias) {
  SmallVector<Box> sides;
  if (!alias.isBox)
    return {alias.box};
  assert(op.getLow().size() == alias.box.ranges.size() &&
         "a border has two widths for each dimension");
  for (auto [d, low, high] : llvm::enumerate(op.getLow(), op.getHigh())) {
    Box::Range range = alias.box.ranges[d];
    if (low > 0) {
      sides.push_back(alias.box);
      sides.back().ranges[d].end = range.begin + low;
    }
    if (high > 0) {
      sides.push_back(alias.box);
      if (range.end != Box::kNoEnd)
        sides.back().ranges[d].begin = range.end - high;
    }
  }
  return sides;
}

/// Collects what ops do with a temporary and its views. Fails where they do
/// something else than read, write and view elements.
static LogicalResult collect(const Alias &alias, Block *block,
                             SmallVectorImpl<Access> &accesses) {
  for (OpOperand &use : alias.value.getUses()) {
    Operation *op = use.getOwner(),
              *inBlock = block->findAncestorOpInBlock(*op);
    if (!inBlock || op->hasTrait<OpTrait::IsTerminator>())
      return failure();
    if (isa<memref::DimOp>(op))
      continue;
    if (isa<memref::SubViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
            memref::CastOp>(op)) {
      if (failed(collect(aliasOf(alias, op), block, accesses)))
        return failure();
      continue;
    }
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects || isa<ViewLikeOpInterface>(op))
      return failure();
    bool writes =
        effects.getEffectOnValue<MemoryEffects::Write>(alias.value).has_value();
    if (auto border = dyn_cast<kernel::FillBorderOp>(op)) {
      for (const Box &side : sidesOf(border, alias))
        accesses.push_back({inBlock, side, true});
      continue;
    }
    accesses.push_back({inBlock, alias.box, writes});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Other layouts
//===----------------------------------------------------------------------===//

/// The type of a view after its source has got another layout; null if no type
/// describes it.
static MemRefType typeOfView(Operation *view, MemRefType source) {
  if (auto subview = dyn_cast<memref::SubViewOp>(view))
    return memref::SubViewOp::inferRankReducedResultType(
        subview.getType().getShape(), source, subview.getMixedOffsets(),
        subview.getMixedSizes(), subview.getMixedStrides());
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(view)) {
    auto groups = collapse.getReassociationIndices();
    if (!memref::CollapseShapeOp::isGuaranteedCollapsible(source, groups))
      return {};
    return memref::CollapseShapeOp::computeCollapsedType(source, groups);
  }
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(view)) {
    auto type = memref::ExpandShapeOp::computeExpandedType(
        source, expand.getResultType().getShape(),
        expand.getReassociationIndices());
    return succeeded(type) ? *type : MemRefType();
  }
  return {};
}

/// Whether all views of `value` can be made of a value of another type.
static bool canRetype(Value value, MemRefType type) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (!isa<ViewLikeOpInterface>(user))
      return true;
    MemRefType view = typeOfView(user, type);
    return view && canRetype(user->getResult(0), view);
  });
}

static void retypeViews(Value value, MemRefType type) {
  for (Operation *user : value.getUsers())
    if (isa<ViewLikeOpInterface>(user)) {
      MemRefType view = typeOfView(user, type);
      user->getResult(0).setType(view);
      retypeViews(user->getResult(0), view);
    }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The ops that make a view of a temporary, from the view to the temporary, if
/// the view is a part of it.
static SmallVector<Operation *> chainOf(Value view) {
  SmallVector<Operation *> chain;
  while (auto subview = view.getDefiningOp<memref::SubViewOp>()) {
    chain.push_back(subview);
    view = subview.getSource();
  }
  auto alloc = view.getDefiningOp<memref::AllocOp>();
  if (!alloc || chain.empty())
    return {};
  chain.push_back(alloc);
  return chain;
}

/// Whether the ops can stand in front of `place`: what they take from others is
/// there.
static bool canMoveTo(ArrayRef<Operation *> chain, Operation *place,
                      DominanceInfo &dominance) {
  return llvm::all_of(chain, [&](Operation *op) {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return llvm::is_contained(chain, operand.getDefiningOp()) ||
             dominance.properlyDominates(operand, place);
    });
  });
}

/// Whether `source` can be the part of a temporary that the copy writes.
static bool canPlace(memref::CopyOp copy, memref::AllocOp source,
                     ArrayRef<Operation *> chain) {
  Block *block = copy->getBlock();
  auto alloc = cast<memref::AllocOp>(chain.back());
  if (source == alloc || source->getBlock() != block ||
      alloc->getBlock() != block)
    return false;
  Alias part{alloc, Box::of(alloc.getType())};
  for (Operation *view : llvm::reverse(chain.drop_back()))
    part = aliasOf(part, view);
  SmallVector<Access> ofSource, ofTarget;
  if (!part.isBox ||
      failed(collect({source, Box::of(source.getType())}, block, ofSource)) ||
      failed(collect({alloc, Box::of(alloc.getType())}, block, ofTarget)))
    return false;
  return llvm::all_of(ofSource,
                      [&](const Access &access) {
                        return !access.writes ||
                               access.op->isBeforeInBlock(copy);
                      }) &&
         llvm::all_of(ofTarget, [&](const Access &access) {
           return !access.writes || access.op == copy ||
                  access.box.isDisjoint(part.box);
         });
}

/// Moves borders of a temporary in front of what is inside, so that steps that
/// write what is inside fill them.
static void hoistBorders(memref::AllocOp alloc, DominanceInfo &dominance) {
  Alias all{alloc, Box::of(alloc.getType())};
  SmallVector<Access> accesses;
  if (failed(collect(all, alloc->getBlock(), accesses)))
    return;
  for (Operation *user : llvm::to_vector(alloc->getUsers())) {
    auto border = dyn_cast<kernel::FillBorderOp>(user);
    if (!border || border->getBlock() != alloc->getBlock() ||
        !dominance.properlyDominates(border.getValue(), alloc))
      continue;
    SmallVector<Box> sides = sidesOf(border, all);
    bool isFirst = llvm::all_of(accesses, [&](const Access &access) {
      return border->isBeforeInBlock(access.op) || access.op == border ||
             llvm::all_of(sides, [&](const Box &side) {
               return access.box.isDisjoint(side);
             });
    });
    if (isFirst)
      border->moveAfter(alloc);
  }
}

static bool place(memref::CopyOp copy, DominanceInfo &dominance) {
  auto expand = copy.getSource().getDefiningOp<memref::ExpandShapeOp>();
  auto source = (expand ? expand.getSrc() : copy.getSource())
                    .getDefiningOp<memref::AllocOp>();
  SmallVector<Operation *> chain = chainOf(copy.getTarget());
  assert((chain.empty() || isa<memref::AllocOp>(chain.back())) &&
         "a part is one of a temporary");
  if (!source || chain.empty() || !canPlace(copy, source, chain))
    return false;
  auto type = cast<MemRefType>(copy.getTarget().getType());
  if (expand) {
    // The part without the dimensions that the copy added.
    auto groups = expand.getReassociationIndices();
    if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
      return false;
    type = memref::CollapseShapeOp::computeCollapsedType(type, groups);
  }
  if (type.getShape() != source.getType().getShape() ||
      !canRetype(source, type) || !canMoveTo(chain, source, dominance))
    return false;
  for (Operation *op : llvm::reverse(chain))
    if (!op->isBeforeInBlock(source))
      op->moveBefore(source);
  hoistBorders(cast<memref::AllocOp>(chain.back()), dominance);
  Value part = copy.getTarget();
  copy.erase();
  if (expand) {
    OpBuilder builder(source);
    part = memref::CollapseShapeOp::create(builder, source.getLoc(), part,
                                           expand.getReassociationIndices());
    if (expand->use_empty())
      expand.erase();
  }
  retypeViews(source, type);
  source.getResult().replaceAllUsesWith(part);
  source.erase();
  return true;
}

namespace {
struct PlaceTemporaries : qcc::impl::PlaceTemporariesBase<PlaceTemporaries> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    DominanceInfo dominance(getOperation());
    // What is placed last may hold what was placed before.
    for (memref::CopyOp copy : copies) {
      Location loc = copy.getLoc();
      bool isPlaced = place(copy, dominance);
      ++(isPlaced ? numPlaced : numCopies);
      LDBG() << (isPlaced ? "places what is copied at " : "keeps the copy at ")
             << loc;
    }
  }
};
} // namespace
