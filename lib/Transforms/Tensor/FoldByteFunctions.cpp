//===- FoldByteFunctions.cpp - Elementwise chains to tables ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chain ends with an op whose elements are bytes. Producers are taken in, the
// last one first, as long as they compute an element from elements at the same
// place. Where what the chain reads is one tensor of bytes, the chain is a
// function of a byte.
//
//===----------------------------------------------------------------------===//

#include "../TargetPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Conversion/QNNToLinalg/EvaluateConstant.h"
#include "qcc/Transforms/Movement.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Refusal.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "fold-byte-functions"

namespace qcc {
#define GEN_PASS_DEF_FOLDBYTEFUNCTIONS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using kernel::LookupOp;

ALWAYS_ENABLED_STATISTIC(numTables, "Chains that became tables");
ALWAYS_ENABLED_STATISTIC(numIdentities, "Chains that give each byte itself");
ALWAYS_ENABLED_STATISTIC(numComputed, "Chains that the target computes faster");

/// How many ops a chain may have; otherwise chains of residual sums would take
/// time quadratic in their length.
static constexpr size_t kMaxOps = 256;

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

static bool hasBytes(Value tensor) {
  return getElementTypeOrSelf(tensor.getType()).isSignlessInteger(8);
}

/// What all elements of an input are; null where they are not one constant.
static TypedAttr constantOf(Value input) {
  if (auto fill = input.getDefiningOp<linalg::FillOp>())
    input = fill.value();
  Attribute attr;
  if (!matchPattern(input, m_Constant(&attr)))
    return {};
  if (auto elements = dyn_cast<DenseElementsAttr>(attr))
    attr = elements.isSplat() ? elements.getSplatValue<Attribute>() : nullptr;
  return isa_and_nonnull<IntegerAttr, FloatAttr>(attr) ? cast<TypedAttr>(attr)
                                                       : TypedAttr();
}

/// Whether the op computes each element of its result from constants and from
/// elements of its inputs at the same place.
static bool isPart(linalg::GenericOp op) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      op.hasIndexSemantics() || !op.hasPureTensorSemantics())
    return false;
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap place = op.getMatchingIndexingMap(init);
  return !op.payloadUsesValueFromOperand(init) && place.isPermutation() &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return constantOf(input->get()) ||
                  op.getMatchingIndexingMap(input) == place;
         });
}

namespace {
struct Chain {
  /// The bytes that it is a function of.
  Value start;
  /// Its ops in program order.
  SmallVector<linalg::GenericOp> ops;
};

/// Takes in ops from the last one on.
class ChainFinder {
public:
  explicit ChainFinder(linalg::GenericOp last) { take(last); }
  /// The longest chain; nothing if no chain is found.
  std::optional<Chain> find();

private:
  void take(linalg::GenericOp op);
  /// The producer of the value that is read and was computed last; null where
  /// it is no part of a chain.
  linalg::GenericOp next() const;

  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> read; // and computed by none of `ops`
};
} // namespace

void ChainFinder::take(linalg::GenericOp op) {
  ops.insert(op);
  read.remove(op->getResult(0));
  for (OpOperand *input : op.getDpsInputOperands())
    if (!constantOf(input->get()) &&
        !ops.contains(input->get().getDefiningOp()))
      read.insert(input->get());
}

linalg::GenericOp ChainFinder::next() const {
  // A chain may begin with bytes, but has to take in everything else.
  SmallVector<Value> candidates(llvm::make_filter_range(
      read, [](Value value) { return !hasBytes(value); }));
  if (candidates.empty())
    candidates = llvm::to_vector(read);
  Operation *last = nullptr;
  for (Value value : candidates) {
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == ops.front()->getBlock() &&
        (!last || last->isBeforeInBlock(op)))
      last = op;
  }
  auto generic = dyn_cast_or_null<linalg::GenericOp>(last);
  return generic && isPart(generic) ? generic : linalg::GenericOp();
}

std::optional<Chain> ChainFinder::find() {
  assert(!ops.empty() && "a chain has a last op");
  std::optional<Chain> longest;
  while (ops.size() <= kMaxOps) {
    // Constants, such as weights, are computed when the program is compiled.
    if (read.size() == 1 && hasBytes(read.front()) &&
        !matchPattern(read.front(), m_Constant())) {
      Value start = read.front();
      SmallVector<linalg::GenericOp> inOrder;
      for (Operation *op : ops)
        inOrder.push_back(cast<linalg::GenericOp>(op));
      llvm::sort(inOrder, [](linalg::GenericOp a, linalg::GenericOp b) {
        return a->isBeforeInBlock(b);
      });
      longest = Chain{start, std::move(inOrder)};
      // Bytes that others read are in memory anyway.
      if (llvm::any_of(start.getUsers(),
                       [&](Operation *user) { return !ops.contains(user); }))
        break;
    }
    linalg::GenericOp producer = next();
    if (!producer)
      break;
    take(producer);
  }
  return longest;
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// The time of an op of a body in operations on vectors of bytes.
static double costOf(Operation &op) {
  if (op.hasTrait<OpTrait::ConstantLike>())
    return 0;
  constexpr double kQuotient = 16, kLoads = 64;
  if (isa<tensor::ExtractOp>(op))
    return kLoads; // one for each element
  unsigned bits = 8;
  auto see = [&](Type type) {
    bits =
        std::max(bits, type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64);
  };
  llvm::for_each(op.getOperandTypes(), see);
  llvm::for_each(op.getResultTypes(), see);
  unsigned bytes = bits / 8;
  return bytes * (isa<arith::DivFOp, math::SqrtOp>(op) ? kQuotient : 1);
}

static double costOf(const Chain &chain) {
  double cost = 0;
  for (linalg::GenericOp op : chain.ops)
    for (Operation &inner : op.getBody()->without_terminator())
      cost += costOf(inner);
  return cost;
}

/// Whether elementwise ops, which become one, compute the value from the result
/// of a contraction.
static bool isAfterContraction(Value value, unsigned depth = 8) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || depth == 0)
    return false;
  return op.getNumReductionLoops() != 0 ||
         llvm::any_of(op.getDpsInputs(), [&](Value input) {
           return isAfterContraction(input, depth - 1);
         });
}

/// Where what a chain gives would be looked up, once ops are fused.
static LookupPlace placeOf(const Chain &chain) {
  linalg::GenericOp last = chain.ops.back();
  bool isComputedWith = llvm::any_of(last->getUsers(), [](Operation *user) {
    auto op = dyn_cast<linalg::GenericOp>(user);
    return op && op.getNumReductionLoops() == 0 && op->getNumResults() == 1 &&
           !movementOf(op->getResult(0));
  });
  if (isComputedWith)
    return LookupPlace::Operations;
  return isAfterContraction(chain.start) ? LookupPlace::Epilogue
                                         : LookupPlace::Memory;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Clones the bodies of a chain one after the other, on `byte`; returns the
/// last value.
static Value cloneBodies(OpBuilder &builder, const Chain &chain, Value byte) {
  IRMapping elements; // of tensors
  elements.map(chain.start, byte);
  Value result;
  for (linalg::GenericOp op : chain.ops) {
    IRMapping mapping;
    for (OpOperand *input : op.getDpsInputOperands()) {
      Value element = elements.lookupOrNull(input->get());
      if (!element)
        element = arith::ConstantOp::create(builder, op.getLoc(),
                                            constantOf(input->get()));
      mapping.map(op.getMatchingBlockArgument(input), element);
    }
    for (Operation &inner : op.getBody()->without_terminator())
      builder.clone(inner, mapping);
    result =
        mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
    elements.map(op->getResult(0), result);
  }
  return result;
}

/// An elementwise op whose `body` gets an element of `input`.
static linalg::GenericOp
createGeneric(OpBuilder &builder, Location loc, Value input, Value init,
              AffineMap map,
              function_ref<Value(OpBuilder &, Location, Value)> body) {
  SmallVector<utils::IteratorType> loops(map.getNumDims(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      builder, loc, TypeRange{init.getType()}, ValueRange{input},
      ValueRange{init}, ArrayRef<AffineMap>{map, map}, loops,
      [&](OpBuilder &inner, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(inner, loc,
                                body(inner, loc, arguments.front()));
      });
}

/// The function of the chain for each byte, by its bits; nothing where an op of
/// the chain cannot be evaluated.
static std::optional<SmallVector<int8_t>> tabulate(RewriterBase &rewriter,
                                                   const Chain &chain) {
  Location loc = chain.start.getLoc();
  auto type = RankedTensorType::get({LookupOp::kSize}, rewriter.getI8Type());
  SmallVector<int8_t> bytes;
  for (int64_t byte = 0; byte < LookupOp::kSize; ++byte)
    bytes.push_back(static_cast<int8_t>(byte));
  auto all = arith::ConstantOp::create(
      rewriter, loc, DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes)));
  auto empty = tensor::EmptyOp::create(rewriter, loc, type, ValueRange());
  linalg::GenericOp op = createGeneric(
      rewriter, loc, all, empty, rewriter.getMultiDimIdentityMap(1),
      [&](OpBuilder &builder, Location, Value byte) {
        return cloneBodies(builder, chain, byte);
      });
  std::optional<std::vector<char>> values = evaluateConstant(op.getResult(0));
  for (Operation *temporary :
       {op.getOperation(), empty.getOperation(), all.getOperation()})
    rewriter.eraseOp(temporary);
  if (!values)
    return std::nullopt;
  assert(values->size() == LookupOp::kSize && "an element for each byte");
  return llvm::to_vector_of<int8_t>(*values);
}

/// "lookup of qnn.dequantize + exp + qnn.quantize": what the chain did.
static std::string originOf(const Chain &chain) {
  llvm::SetVector<StringRef> names;
  SmallVector<std::string> origins;
  for (linalg::GenericOp op : chain.ops)
    origins.push_back(originOf(op.getOperation()));
  for (StringRef origin : origins)
    for (StringRef name : llvm::split(origin, ", "))
      names.insert(name);
  return "lookup of " + llvm::join(names, " + ");
}

static bool isIdentity(ArrayRef<int8_t> table) {
  return llvm::all_of(llvm::enumerate(table), [](auto entry) {
    return entry.value() == static_cast<int8_t>(entry.index());
  });
}

/// Adds the ops that nothing needs to `erased`.
static void eraseUnused(RewriterBase &rewriter, const Chain &chain,
                        DenseSet<Operation *> &erased) {
  for (linalg::GenericOp op : llvm::reverse(chain.ops))
    if (op->use_empty()) {
      erased.insert(op);
      rewriter.eraseOp(op);
    }
}

/// Adds the ops that nothing needs afterwards to `erased`.
static void replaceByLookup(RewriterBase &rewriter, const Chain &chain,
                            ArrayRef<int8_t> table,
                            DenseSet<Operation *> &erased) {
  linalg::GenericOp last = chain.ops.back();
  Location loc = last.getLoc();
  OpOperand *out = last.getDpsInitOperand(0);
  // The memory of an op of the chain would keep the op alive.
  Value init = out->get();
  if (llvm::is_contained(chain.ops, init.getDefiningOp()))
    init = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, chain.start),
        rewriter.getI8Type());
  linalg::GenericOp lookup = createGeneric(
      rewriter, loc, chain.start, init, last.getMatchingIndexingMap(out),
      [&](OpBuilder &builder, Location loc, Value byte) -> Value {
        return LookupOp::create(builder, loc, byte, table);
      });
  lookup->setAttr(kOriginAttr, rewriter.getStringAttr(originOf(chain)));
  rewriter.replaceAllUsesWith(last->getResults(), lookup.getResults());
  eraseUnused(rewriter, chain, erased);
}

namespace {
struct FoldByteFunctions
    : TargetPass<qcc::impl::FoldByteFunctionsBase<FoldByteFunctions>> {
  using TargetPass::TargetPass;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // The last first, so that a chain is as long as it can be.
    SmallVector<linalg::GenericOp> ends;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->getNumResults() == 1 && hasBytes(op->getResult(0)) &&
          isPart(op) && !movementOf(op->getResult(0)))
        ends.push_back(op);
    });
    DenseSet<Operation *> erased;
    for (linalg::GenericOp op : llvm::reverse(ends)) {
      if (erased.contains(op))
        continue;
      std::optional<Chain> chain = ChainFinder(op).find();
      if (!chain)
        continue;
      rewriter.setInsertionPoint(op);
      std::optional<SmallVector<int8_t>> table = tabulate(rewriter, *chain);
      if (!table) {
        LDBG() << "keeps " << originOf(*chain) << " at " << op.getLoc()
               << ": an op of it cannot be evaluated";
        continue;
      }
      Value start = chain->start;
      if (isIdentity(*table) && start.getType() == op->getResult(0).getType()) {
        ++numIdentities;
        LDBG() << "drops " << originOf(*chain) << " at " << op.getLoc()
               << ", which gives each byte itself";
        rewriter.replaceAllUsesWith(op->getResult(0), start);
        eraseUnused(rewriter, *chain, erased);
      } else if (isFaster(*chain)) {
        ++numTables;
        LDBG() << "makes a " << originOf(*chain) << " at " << op.getLoc();
        replaceByLookup(rewriter, *chain, *table, erased);
      } else {
        ++numComputed;
        LDBG() << "makes no " << originOf(*chain) << " at " << op.getLoc()
               << ": the target computes it faster, in " << costOf(*chain);
      }
    }
  }

private:
  /// Whether the target looks bytes up faster than it computes them.
  bool isFaster(const Chain &chain) const {
    std::optional<double> cost = target->lookupCost(placeOf(chain));
    return cost && costOf(chain) >= *cost;
  }
};
} // namespace

std::unique_ptr<Pass> qcc::createFoldByteFunctions(TargetRef target) {
  return std::make_unique<FoldByteFunctions>(std::move(target));
}
