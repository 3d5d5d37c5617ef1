//===- BlockRows.cpp - Attentions and norms by blocks of rows -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group of ops that hand rows to each other (RowGroup.h) becomes one loop
// over blocks of rows. Within the loop temporaries have the rows of a block,
// and belong to a thread. docs/Rationale/Attention.md says when that is faster.
//
//===----------------------------------------------------------------------===//

#include "../TargetPass.h"
#include "RowPlan.h"
#include "StepValues.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Refusal.h"
#include "qcc/Transforms/Steps/StepInfo.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "block-rows"

namespace qcc {
#define GEN_PASS_DEF_BLOCKROWS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numGroups, "Groups that run by blocks of rows");
ALWAYS_ENABLED_STATISTIC(numMembers, "Steps that became parts of such groups");

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {
class Blocker {
public:
  Blocker(RewriterBase &rewriter, const RowGroup &group, RowPlan plan)
      : rewriter(rewriter), group(group), plan(plan),
        members(group.getMembers()), loc(members.back()->getLoc()) {}

  void run();

private:
  void openLoop();
  /// A temporary of a block.
  Value allocate(memref::AllocOp alloc);
  /// The rows of the block of an operand of a member.
  Value slice(Operation *member, const RowAccess &access);
  /// The part of `memref` that is the block along `dims`, one dimension for
  /// each row dimension or nothing.
  Value slice(Value memref, ArrayRef<std::optional<unsigned>> dims,
              bool fromStart);

  RewriterBase &rewriter;
  const RowGroup &group;
  RowPlan plan;
  SmallVector<Operation *> members;
  Location loc;
  SmallVector<Value> begin;         // of each row dimension
  SmallVector<OpFoldResult> totals; // rows of the group
  SmallVector<OpFoldResult> counts; // rows of the block
  DenseMap<Value, Value> temporaries;
};
} // namespace

void Blocker::openLoop() {
  // The last member writes rows of all row dimensions.
  for (const RowAccess &access : rowAccesses(members.back())) {
    ArrayRef<unsigned> dims = group.getRowDims(access.memref());
    if (!access.isWritten)
      continue;
    SmallVector<OpFoldResult> sizes = sizesOf(rewriter, loc, access.memref());
    SmallVector<OpFoldResult> lower(dims.size(), rewriter.getIndexAttr(0)),
        upper, steps(dims.size(), rewriter.getIndexAttr(1));
    for (unsigned dim : dims)
      upper.push_back(sizes[dim]);
    steps[plan.blockedRow] = rewriter.getIndexAttr(plan.size);
    auto forall = scf::ForallOp::create(rewriter, loc, lower, upper, steps,
                                        ValueRange(), std::nullopt);
    rewriter.setInsertionPointToStart(forall.getBody());
    llvm::append_range(begin, forall.getInductionVars());
    totals = upper;
    counts.assign(dims.size(), rewriter.getIndexAttr(1));
    counts[plan.blockedRow] = rewriter.getIndexAttr(plan.size);
    OpFoldResult rows = upper[plan.blockedRow];
    auto known = getConstantIntValue(rows);
    if (known && *known % plan.size == 0)
      return;
    AffineExpr s0, s1;
    bindSymbols(rewriter.getContext(), s0, s1);
    counts[plan.blockedRow] = affine::makeComposedFoldedAffineMin(
        rewriter, loc,
        AffineMap::get(0, 2,
                       {s1 - s0, rewriter.getAffineConstantExpr(plan.size)},
                       rewriter.getContext()),
        {begin[plan.blockedRow], rows});
    return;
  }
}

Value Blocker::slice(Value memref, ArrayRef<std::optional<unsigned>> dims,
                     bool fromStart) {
  SmallVector<OpFoldResult> sizes = sizesOf(rewriter, loc, memref);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
      strides(sizes.size(), rewriter.getIndexAttr(1));
  for (auto [row, dim] : llvm::enumerate(dims)) {
    if (!dim)
      continue;
    if (!fromStart)
      offsets[*dim] = begin[row];
    sizes[*dim] = counts[row];
  }
  return memref::SubViewOp::create(rewriter, loc, memref, offsets, sizes,
                                   strides);
}

Value Blocker::allocate(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<std::optional<unsigned>> dims;
  for (auto [row, dim] : llvm::enumerate(group.getRowDims(alloc))) {
    shape[dim] = row == plan.blockedRow ? plan.size : 1;
    dims.push_back(dim);
  }
  // Rows keep the pitch that kernels want.
  int64_t columns = shape.back();
  if (!type.getLayout().isIdentity())
    shape.back() = type.getStridesAndOffset().first.end()[-2];
  Value block = memref::AllocaOp::create(
      rewriter, loc, MemRefType::get(shape, type.getElementType()),
      rewriter.getI64IntegerAttr(64));
  if (shape.back() != columns) {
    SmallVector<OpFoldResult> sizes = sizesOf(rewriter, loc, block);
    sizes.back() = rewriter.getIndexAttr(columns);
    block = memref::SubViewOp::create(
        rewriter, loc, block,
        SmallVector<OpFoldResult>(sizes.size(), rewriter.getIndexAttr(0)),
        sizes,
        SmallVector<OpFoldResult>(sizes.size(), rewriter.getIndexAttr(1)));
  }
  if (getConstantIntValue(counts[plan.blockedRow]))
    return block;
  return slice(block, dims, /*fromStart=*/true);
}

Value Blocker::slice(Operation *member, const RowAccess &access) {
  Value memref = access.memref();
  if (Value block = temporaries.lookup(memref))
    return block;
  ArrayRef<unsigned> loops = group.getLoops(member);
  if (!access.map) {
    // Batch dimensions lead those of packed operands.
    auto batch = cast<kernel::ContractOp>(member).getRoles()->batch;
    SmallVector<std::optional<unsigned>> dims(loops.size());
    for (auto [row, loop] : llvm::enumerate(loops))
      if (auto *at = llvm::find(batch, loop); at != batch.end())
        dims[row] = at - batch.begin();
    bool isShared = llvm::none_of(dims, [](auto dim) { return dim; });
    return isShared ? memref : slice(memref, dims, /*fromStart=*/false);
  }
  SmallVector<OpFoldResult> sizes = sizesOf(rewriter, loc, memref);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
      strides(sizes.size(), rewriter.getIndexAttr(1));
  AffineExpr s0, s1, s2;
  bindSymbols(rewriter.getContext(), s0, s1, s2);
  auto apply = [&](AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(rewriter, loc, expr, operands);
  };
  bool isSliced = false;
  for (auto [i, expr] : llvm::enumerate(access.map.getResults()))
    for (auto [row, loop] : llvm::enumerate(loops)) {
      int64_t step = *rowStep(expr, access.map.getNumDims(), loop);
      if (step == 0)
        continue;
      isSliced = true;
      if (isa<AffineDimExpr>(expr)) {
        offsets[i] = begin[row];
        sizes[i] = counts[row];
        continue;
      }
      // The windows of rows that the block lacks are left out.
      offsets[i] = apply(s0 + s1 * step, {offsets[i], begin[row]});
      sizes[i] =
          apply(s0 - (s1 - s2) * step, {sizes[i], totals[row], counts[row]});
    }
  return isSliced ? memref::SubViewOp::create(rewriter, loc, memref, offsets,
                                              sizes, strides)
                        .getResult()
                  : memref;
}

void Blocker::run() {
  rewriter.setInsertionPointAfter(members.back());
  openLoop();
  for (memref::AllocOp alloc : group.getTemporaries())
    temporaries[alloc] = allocate(alloc);
  for (Operation *member : members) {
    SmallVector<Value> operands(member->getOperands());
    for (const RowAccess &access : rowAccesses(member))
      operands[access.operand->getOperandNumber()] = slice(member, access);
    Operation *clone = rewriter.clone(*member);
    clone->setOperands(operands);
  }
  for (Operation *member : llvm::reverse(members))
    rewriter.eraseOp(member);
  for (auto &[alloc, block] : temporaries)
    rewriter.eraseOp(alloc.getDefiningOp());
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// So many ops are looked at for a next member: the branches of a network are
/// short, or belong elsewhere.
constexpr unsigned kMostBetween = 16;

/// Whether an op only names or allocates memory, or computes scalars.
static bool isNoWork(Operation *op) {
  return isa<memref::AllocOp, memref::GetGlobalOp>(op) ||
         (isMemoryEffectFree(op) && op->getNumRegions() == 0);
}

/// Whether ops between the members may run before all of them.
static bool mayRunLast(const RowGroup &group) {
  SmallVector<Operation *> members = group.getMembers();
  for (Operation *op = members.front(); op != members.back();
       op = op->getNextNode())
    if (!isNoWork(op) && !llvm::is_contained(members, op) &&
        group.mustPrecede(op))
      return false;
  return true;
}

namespace {
struct BlockRows : TargetPass<qcc::impl::BlockRowsBase<BlockRows>> {
  using TargetPass::TargetPass;

  void runOnOperation() override {
    if (target->coreCacheBytes() == 0 ||
        !getOperation().getBody().hasOneBlock())
      return;
    IRRewriter rewriter(&getContext());
    SmallVector<kernel::ContractOp> contractions(
        getOperation().getOps<kernel::ContractOp>());
    DenseSet<Operation *> done;
    for (kernel::ContractOp op : contractions)
      if (!done.contains(op) && !reasonAgainstRows(op))
        blockFrom(rewriter, op, done);
    // What is left: reductions of rows, such as those of a layer norm.
    SmallVector<linalg::GenericOp> reductions;
    for (auto op : getOperation().getOps<linalg::GenericOp>())
      if (op.getNumReductionLoops() != 0)
        reductions.push_back(op);
    for (linalg::GenericOp op : reductions)
      if (!done.contains(op) && !reasonAgainstRows(op))
        blockFrom(rewriter, op, done);
  }

private:
  /// Blocks the group that begins with `first`, if that is faster. Adds its
  /// members to `done`.
  void blockFrom(RewriterBase &rewriter, kernel::ContractOp first,
                 DenseSet<Operation *> &done);
  void blockFrom(RewriterBase &rewriter, linalg::GenericOp first,
                 DenseSet<Operation *> &done);
  void block(RewriterBase &rewriter, const RowGroup &group, RowPlan plan,
             DenseSet<Operation *> &done);
  /// Notes why the result of a contraction goes through memory, if it does not
  /// fit the cache.
  void leaveApart(kernel::ContractOp first, StringRef reason);
};
} // namespace

void BlockRows::leaveApart(kernel::ContractOp first, StringRef reason) {
  int64_t cache = target->coreCacheBytes();
  auto alloc = first.getOuts().front().getDefiningOp<memref::AllocOp>();
  if (reason.empty() || !alloc ||
      bytesOf(alloc, /*unknown=*/cache + 1) <= cache)
    return;
  LDBG() << "leaves the steps from the contraction at " << first.getLoc()
         << " apart: " << reason;
  refuse(first, "its result goes through memory, since the next steps do not "
                "run by blocks of rows with it: " +
                    reason);
}

/// Adds ops that follow `first` to its group, as far as they compute rows from
/// rows of it. Returns why the next one that needs a member does not, for
/// people.
static std::string grow(RowGroup &group, Operation *first) {
  unsigned between = 0;
  for (Operation *op = first->getNextNode(); op && between <= kMostBetween;
       op = op->getNextNode()) {
    if (isNoWork(op) || llvm::is_contained(group.getMembers(), op))
      continue;
    std::optional<std::string> reason = reasonAgainstRows(op);
    RowGroup grown = group;
    if (!reason)
      reason = grown.add(op);
    if (!reason && mayRunLast(grown)) {
      group = grown;
      between = 0;
      continue;
    }
    ++between;
    if (group.mustPrecede(op))
      return reason.value_or("steps between need its operands");
  }
  return "";
}

void BlockRows::block(RewriterBase &rewriter, const RowGroup &group,
                      RowPlan plan, DenseSet<Operation *> &done) {
  SmallVector<Operation *> members = group.getMembers();
  done.insert_range(members);
  ++numGroups;
  numMembers += members.size();
  LDBG() << members.size() << " steps from " << members.front()->getLoc()
         << " on run by blocks of " << plan.size << " rows";
  Blocker(rewriter, group, plan).run();
}

void BlockRows::blockFrom(RewriterBase &rewriter, kernel::ContractOp first,
                          DenseSet<Operation *> &done) {
  RowGroup group(first);
  if (group.getNumRows() == 0)
    return;
  std::string stopped = grow(group, first);
  std::variant<RowPlan, std::string> plan = planContractions(group, *target);
  if (auto *reason = std::get_if<std::string>(&plan))
    return leaveApart(first, reason->empty() ? stopped : *reason);
  block(rewriter, group, std::get<RowPlan>(plan), done);
}

void BlockRows::blockFrom(RewriterBase &rewriter, linalg::GenericOp first,
                          DenseSet<Operation *> &done) {
  RowGroup group(first);
  if (group.getNumRows() == 0)
    return;
  RowGroup grown = group;
  grown.addWriters(first);
  if (mayRunLast(grown))
    group = grown;
  grow(group, first);
  if (std::optional<RowPlan> plan = planReductions(group, *target))
    block(rewriter, group, *plan, done);
}

std::unique_ptr<Pass> qcc::createBlockRows(TargetRef target) {
  return std::make_unique<BlockRows>(std::move(target));
}
