//===- PlanMemory.cpp - Temporaries to slots of one arena -----------------===//
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
#include "qcc/Transforms/Entry/Steps.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace qcc {
#define GEN_PASS_DEF_PLANMEMORY
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

namespace {
constexpr int64_t kAlignment = 64;

struct Temporary {
  memref::AllocOp alloc;
  unsigned first = ~0u, last = 0; // steps that use it
  std::optional<int64_t> bytes;   // where it is static, aligned
  unsigned slot = 0;
};

struct Slot {
  int64_t bytes; // of its static buffers
  SmallVector<Temporary *> buffers;
};
} // namespace

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

/// Large temporaries come first. Each goes into the smallest slot that is free
/// for its lifetime; a slot grows to the largest of its buffers.
static SmallVector<Slot> assignSlots(MutableArrayRef<Temporary> temporaries) {
  SmallVector<Slot> slots;
  SmallVector<Temporary *> order;
  for (Temporary &temporary : temporaries)
    order.push_back(&temporary);
  llvm::sort(order, [](Temporary *a, Temporary *b) {
    int64_t sizeA = a->bytes.value_or(INT64_MAX);
    int64_t sizeB = b->bytes.value_or(INT64_MAX);
    return sizeA != sizeB ? sizeA > sizeB : a < b; // in program order
  });
  for (Temporary *temporary : order) {
    Slot *best = nullptr;
    for (Slot &slot : slots) {
      bool free = llvm::all_of(slot.buffers, [&](Temporary *other) {
        return other->last < temporary->first || temporary->last < other->first;
      });
      // Dynamic sizes share with dynamic sizes only: their ratio is unknown.
      bool sameKind = temporary->bytes.has_value() ==
                      slot.buffers.front()->bytes.has_value();
      if (free && sameKind && (!best || slot.bytes < best->bytes))
        best = &slot;
    }
    if (!best)
      best = &slots.emplace_back(Slot{temporary->bytes.value_or(0), {}});
    temporary->slot = best - slots.begin();
    best->buffers.push_back(temporary);
  }
  return slots;
}

namespace {
struct PlanMemory : qcc::impl::PlanMemoryBase<PlanMemory> {
  void runOnOperation() override {
    func::FuncOp entry = getOperation();
    if (!entry.isPublic() || entry.isDeclaration())
      return;
    Block &body = entry.getBody().front();
    DenseMap<Operation *, unsigned> stepOf;
    for (auto call : body.getOps<func::CallOp>())
      stepOf.insert({call, (unsigned)stepOf.size()});

    SmallVector<Temporary> temporaries;
    for (auto alloc :
         llvm::make_early_inc_range(body.getOps<memref::AllocOp>())) {
      Temporary temporary;
      temporary.alloc = alloc;
      if (alloc.getType().hasStaticShape())
        temporary.bytes =
            llvm::alignTo(llvm::product_of(allocatedShape(alloc.getType())) *
                              elementBytes(alloc.getType()),
                          kAlignment);
      for (Operation *user : alloc->getUsers()) {
        auto it = stepOf.find(user);
        if (it == stepOf.end())
          continue;
        temporary.first = std::min(temporary.first, it->second);
        temporary.last = std::max(temporary.last, it->second);
      }
      temporaries.push_back(temporary);
    }
    SmallVector<Slot> slots = assignSlots(temporaries);

    // Sizes, offsets and views stand before the first step.
    OpBuilder builder(&getContext());
    Location loc = entry.getLoc();
    Operation *first = body.getTerminator();
    if (!stepOf.empty())
      first = *body.getOps<func::CallOp>().begin();
    DominanceInfo dominance(entry);
    IRRewriter rewriter(&getContext());
    for (Temporary &temporary : temporaries)
      for (Value size : temporary.alloc.getDynamicSizes())
        if (!dominance.properlyDominates(size, first) &&
            failed(moveValueDefinitions(rewriter, {size}, first, dominance))) {
          temporary.alloc.emitError(
              "the size of a temporary depends on data; qcc needs shapes that "
              "follow from those of the arguments");
          return signalPassFailure();
        }
    builder.setInsertionPoint(first);
    unsigned position = entry.getNumArguments();
    auto arenaType =
        MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
    if (failed(entry.insertArgument(position, arenaType, {}, loc)))
      return signalPassFailure();
    Value arena = entry.getArgument(position);
    Value offset = arith::ConstantIndexOp::create(builder, loc, 0);
    for (Slot &slot : slots) {
      Value size;
      for (Temporary *temporary : slot.buffers) {
        Value bytes = emitBytes(builder, temporary->alloc);
        size = size ? builder.createOrFold<arith::MaxUIOp>(loc, size, bytes)
                    : bytes;
        Value view = emitView(builder, temporary->alloc, arena, offset);
        temporary->alloc.replaceAllUsesWith(view);
      }
      offset = builder.createOrFold<arith::AddIOp>(loc, offset, size);
    }
    for (Temporary &temporary : temporaries)
      temporary.alloc.erase();
    Operation *ret = body.getTerminator();
    ret->insertOperands(ret->getNumOperands(), offset);
    SmallVector<Type> results(ret->getOperandTypes());
    entry.setType(builder.getFunctionType(entry.getArgumentTypes(), results));
  }
};
} // namespace
