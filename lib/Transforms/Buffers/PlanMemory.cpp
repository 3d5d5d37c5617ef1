//===- PlanMemory.cpp - Temporaries to offsets in one arena ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"
#include "qcc/Transforms/Buffers/StackBuffers.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Steps/EntryDims.h"
#include "qcc/Transforms/Steps/Steps.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "plan-memory"

namespace qcc {
#define GEN_PASS_DEF_PLANMEMORY
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numPlanned, "Temporaries with an offset in the arena");
ALWAYS_ENABLED_STATISTIC(numFirst, "Temporaries at the start of the arena");
ALWAYS_ENABLED_STATISTIC(numUnused, "Temporaries that no step uses");

static constexpr int64_t kAlignment = 64;

/// The sizes of the memory that a temporary takes: its rows may be apart.
static SmallVector<int64_t> allocatedShape(MemRefType type) {
  SmallVector<int64_t> shape(type.getShape());
  if (int64_t pitch = rowPitchOf(type))
    shape.back() = pitch;
  return shape;
}

static int64_t elementBytes(MemRefType type) {
  Type element = type.getElementType();
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return llvm::divideCeil(bits, 8);
}

/// The size in bytes, a multiple of the alignment, as an index value.
static Value emitBytes(OpBuilder &builder, memref::AllocOp alloc) {
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  int64_t constant = elementBytes(type);
  Value size;
  unsigned dynamic = 0;
  for (int64_t dim : allocatedShape(type)) {
    if (!ShapedType::isDynamic(dim)) {
      constant *= dim;
      continue;
    }
    Value value = alloc.getDynamicSizes()[dynamic++];
    size = size ? arith::MulIOp::create(builder, loc, size, value).getResult()
                : value;
  }
  assert(dynamic == alloc.getDynamicSizes().size() &&
         "a value for each dynamic dimension");
  assert(constant >= 0 && "the product of static sizes fits");
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  if (!size)
    return index(llvm::alignTo(constant, kAlignment));
  size = arith::MulIOp::create(builder, loc, size, index(constant));
  size = arith::AddIOp::create(builder, loc, size, index(kAlignment - 1));
  size = arith::DivUIOp::create(builder, loc, size, index(kAlignment));
  return arith::MulIOp::create(builder, loc, size, index(kAlignment));
}

/// The temporary as a part of the arena.
static Value emitView(OpBuilder &builder, memref::AllocOp alloc, Value arena,
                      Value offset) {
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  auto compact = MemRefType::get(allocatedShape(type), type.getElementType());
  Value view = memref::ViewOp::create(builder, loc, compact, arena, offset,
                                      alloc.getDynamicSizes());
  if (type.getLayout().isIdentity())
    return view;
  SmallVector<OpFoldResult> zeros(type.getRank(), builder.getIndexAttr(0)),
      ones(type.getRank(), builder.getIndexAttr(1));
  return memref::SubViewOp::create(
      builder, loc, type, view, zeros,
      getMixedValues(type.getShape(), alloc.getDynamicSizes(), builder), ones);
}

namespace {
/// Plans the memory of one entry.
class Planner {
public:
  explicit Planner(func::FuncOp entry)
      : entry(entry), body(entry.getBody().front()),
        builder(entry.getContext()), loc(entry.getLoc()) {}

  LogicalResult run();

private:
  /// Which temporaries there are, and which steps use them. Those that none
  /// uses are apart.
  void collect();
  /// Brings the sizes of temporaries before the first step, where all of them
  /// are emitted.
  LogicalResult hoistSizes();
  /// The sizes that the order is chosen for.
  SmallVector<BufferSizes> exampleSizes();
  Value createArena();
  Value maximum(ArrayRef<Value> values);
  /// The largest sum of sizes that are alive at one step.
  Value emitLiveBytes();
  /// Puts the temporaries into the arena; returns its size.
  Value stack(Value arena);

  func::FuncOp entry;
  Block &body;
  OpBuilder builder;
  Location loc;
  Operation *firstStep = nullptr; // or the terminator
  SmallVector<memref::AllocOp> allocs, unused;
  SmallVector<Lifetime> lifetimes; // of allocs
  SmallVector<Value> sizes;        // of allocs, in bytes
};
} // namespace

void Planner::collect() {
  DenseMap<Operation *, unsigned> stepOf;
  firstStep = body.getTerminator();
  for (auto call : body.getOps<func::CallOp>()) {
    if (stepOf.empty())
      firstStep = call;
    stepOf.insert({call, (unsigned)stepOf.size()});
  }
  for (auto alloc : body.getOps<memref::AllocOp>()) {
    std::optional<Lifetime> lifetime;
    for (Operation *user : alloc->getUsers()) {
      auto it = stepOf.find(user);
      if (it == stepOf.end())
        continue;
      unsigned step = it->second;
      if (!lifetime)
        lifetime = {step, step};
      lifetime->first = std::min(lifetime->first, step);
      lifetime->last = std::max(lifetime->last, step);
    }
    (lifetime ? allocs : unused).push_back(alloc);
    if (lifetime)
      lifetimes.push_back(*lifetime);
  }
}

LogicalResult Planner::hoistSizes() {
  DominanceInfo dominance(entry);
  IRRewriter rewriter(entry.getContext());
  for (memref::AllocOp alloc : body.getOps<memref::AllocOp>())
    for (Value size : alloc.getDynamicSizes())
      if (!dominance.properlyDominates(size, firstStep) &&
          failed(moveValueDefinitions(rewriter, {size}, firstStep, dominance)))
        return alloc.emitError(
            "the size of a temporary depends on data; qcc needs shapes that "
            "follow from those of the arguments");
  builder.setInsertionPoint(firstStep);
  for (memref::AllocOp alloc : allocs)
    sizes.push_back(emitBytes(builder, alloc));
  return success();
}

SmallVector<BufferSizes> Planner::exampleSizes() {
  // Lengths of sequences, numbers of rows, sizes of images.
  static constexpr int64_t kExamples[] = {128, 1, 16, 1024};
  SmallVector<BufferSizes> cases;
  for (int64_t example : kExamples) {
    SmallVector<int64_t> dims(countEntryDims(entry), example);
    IndexEvaluator evaluator(dims);
    BufferSizes &bytes = cases.emplace_back();
    for (Value size : sizes)
      bytes.push_back(std::clamp<int64_t>(evaluator.evaluate(size).value_or(0),
                                          0, int64_t(1) << 40));
    if (cases.size() > 1 && cases.back() == cases.front())
      cases.pop_back();
  }
  return cases;
}

Value Planner::createArena() {
  auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
  unsigned position = entry.getNumArguments();
  auto attrs = builder.getDictionaryAttr(
      builder.getNamedAttr(kArenaAttr, builder.getUnitAttr()));
  if (failed(entry.insertArgument(position, type, attrs, loc)))
    return {};
  return entry.getArgument(position);
}

Value Planner::maximum(ArrayRef<Value> values) {
  Value result;
  for (Value value : values)
    result = result ? builder.createOrFold<arith::MaxUIOp>(loc, result, value)
                    : value;
  return result ? result : arith::ConstantIndexOp::create(builder, loc, 0);
}

Value Planner::emitLiveBytes() {
  SmallVector<Value> sums;
  for (ArrayRef<unsigned> set : liveSets(lifetimes)) {
    Value sum;
    for (unsigned i : set)
      sum = sum ? builder.createOrFold<arith::AddIOp>(loc, sum, sizes[i])
                : sizes[i];
    sums.push_back(sum);
  }
  return maximum(sums);
}

Value Planner::stack(Value arena) {
  SmallVector<unsigned> order = chooseOrder(lifetimes, exampleSizes());
  assert(order.size() == allocs.size() && sizes.size() == allocs.size() &&
         lifetimes.size() == allocs.size() &&
         "each temporary has a lifetime, a size and a place in the order");
  auto below = buffersBelow(lifetimes, order);
  SmallVector<Value> ends(allocs.size());
  SmallVector<bool> isTop(allocs.size(), true); // nothing lies behind it
  for (unsigned i : order) {
    for (unsigned other : below[i])
      isTop[other] = false;
    ++numPlanned;
    if (below[i].empty())
      ++numFirst;
    LDBG() << "temporary at " << allocs[i].getLoc() << ", alive in steps ["
           << lifetimes[i].first << ", " << lifetimes[i].last
           << "], lies behind " << below[i].size() << " others";
    assert(llvm::all_of(below[i], [&](unsigned j) { return bool(ends[j]); }) &&
           "what lies below comes before in the order");
    Value offset = maximum(llvm::map_to_vector(
        below[i], [&](unsigned other) { return ends[other]; }));
    ends[i] = builder.createOrFold<arith::AddIOp>(loc, offset, sizes[i]);
    allocs[i].replaceAllUsesWith(emitView(builder, allocs[i], arena, offset));
  }
  numUnused += unused.size();
  for (memref::AllocOp alloc : unused)
    alloc.replaceAllUsesWith(
        emitView(builder, alloc, arena,
                 arith::ConstantIndexOp::create(builder, loc, 0)));
  SmallVector<Value> tops;
  for (auto [end, top] : llvm::zip_equal(ends, isTop))
    if (top)
      tops.push_back(end);
  return maximum(tops);
}

LogicalResult Planner::run() {
  collect();
  if (failed(hoistSizes()))
    return failure();
  Value arena = createArena();
  if (!arena)
    return failure();
  Value live = emitLiveBytes();
  Value size = stack(arena);
  for (memref::AllocOp alloc : llvm::concat<memref::AllocOp>(allocs, unused))
    alloc.erase();
  Operation *ret = body.getTerminator();
  ret->insertOperands(ret->getNumOperands(), {live, size});
  SmallVector<Type> results(ret->getOperandTypes());
  entry.setType(builder.getFunctionType(entry.getArgumentTypes(), results));
  return success();
}

namespace {
struct PlanMemory : qcc::impl::PlanMemoryBase<PlanMemory> {
  void runOnOperation() override {
    func::FuncOp entry = getOperation();
    if (!entry.isPublic() || entry.isDeclaration())
      return;
    if (failed(Planner(entry).run()))
      signalPassFailure();
  }
};
} // namespace
