//===- StoreUnsigned.cpp - Temporaries as unsigned bytes ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group is what holds the same bytes: a tensor and what padding, slices and
// reshapes make of it. All of a group is stored plus 128, or none: what
// computes it adds 128, which is often one with adding a zero point;
// contractions of it get another zero point; every other region that reads it
// takes 128 away first.
//
//===----------------------------------------------------------------------===//

#include "../TargetPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Utils/Notes.h"
#include "qcc/Transforms/Contraction/ContractParts.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "store-unsigned"

namespace qcc {
#define GEN_PASS_DEF_STOREUNSIGNED
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using kernel::ContractOp;

ALWAYS_ENABLED_STATISTIC(numGroups,
                         "Groups of tensors stored as unsigned bytes");
ALWAYS_ENABLED_STATISTIC(numCopied, "Left operands copied to unsigned bytes");
ALWAYS_ENABLED_STATISTIC(numSigned, "Left operands that stay signed");

constexpr int64_t kShift = 128;

/// Ops whose result holds bytes of their source.
static bool isMovement(Operation *op) {
  return isa_and_nonnull<tensor::PadOp, tensor::CollapseShapeOp,
                         tensor::ExpandShapeOp, tensor::ExtractSliceOp,
                         tensor::CastOp>(op);
}

/// A contraction that reads the operand as signed bytes where it lies.
static bool isSignedLhs(OpOperand &operand) {
  auto op = dyn_cast<ContractOp>(operand.getOwner());
  return op && operand.get() == op.getLhs() &&
         operand.getOperandNumber() == 0 && op.getLhsPrologue().empty() &&
         !op.isOfFloats() && !op.hasGroups() && !op.getLhsUnsigned();
}

/// The argument of a region by which an op reads an element of an operand; null
/// where it reads the operand otherwise.
static BlockArgument argumentOf(OpOperand &operand) {
  if (auto generic = dyn_cast<linalg::GenericOp>(operand.getOwner()))
    return generic.isDpsInput(&operand)
               ? generic.getMatchingBlockArgument(&operand)
               : BlockArgument();
  auto op = dyn_cast<ContractOp>(operand.getOwner());
  if (!op)
    return {};
  unsigned number = operand.getOperandNumber();
  auto inside = [&](OperandRange range, Region &region) {
    unsigned first = range.getBeginOperandIndex();
    return number >= first && number < first + range.size()
               ? region.getArgument(1 + number - first)
               : BlockArgument();
  };
  if (number == 0)
    return op.getLhsPrologue().empty() ? BlockArgument()
                                       : op.getLhsPrologue().getArgument(0);
  if (number == 1)
    return op.getRhsPrologue().empty() ? BlockArgument()
                                       : op.getRhsPrologue().getArgument(0);
  if (auto argument = inside(op.getEpilogueOperands(), op.getEpilogue()))
    return argument;
  if (auto argument = inside(op.getLhsOperands(), op.getLhsPrologue()))
    return argument;
  // Behind the accumulator and the total.
  unsigned first = op.getGroupOperands().getBeginOperandIndex();
  if (number >= first && number < first + op.getGroupOperands().size())
    return op.getGroupEpilogue().getArgument(2 + number - first);
  return inside(op.getRhsOperands(), op.getRhsPrologue());
}

/// Where an op yields the elements of a result that it computes, each once;
/// null where it does something else.
static OpOperand *yieldOf(OpResult result) {
  Operation *op = result.getOwner();
  if (auto contract = dyn_cast<ContractOp>(op))
    return &contract.getEpilogue().front().getTerminator()->getOpOperand(
        result.getResultNumber());
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumReductionLoops() != 0 ||
      generic.payloadUsesValueFromOperand(
          generic.getDpsInitOperand(result.getResultNumber())))
    return nullptr;
  return &generic.getBody()->getTerminator()->getOpOperand(
      result.getResultNumber());
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace {
struct Group {
  llvm::SetVector<Value> values;
  /// Whether all that touches the group can be changed.
  bool isOurs = true;

  static Group around(Value value);

private:
  void addDefinition(Value value);
  void addUse(OpOperand &use);
};
} // namespace

Group Group::around(Value value) {
  Group group;
  group.values.insert(value);
  for (size_t i = 0; i < group.values.size() && group.isOurs; ++i) {
    Value value = group.values[i];
    group.addDefinition(value);
    for (OpOperand &use : value.getUses())
      group.addUse(use);
  }
  return group;
}

void Group::addDefinition(Value value) {
  Operation *op = value.getDefiningOp();
  if (isMovement(op))
    values.insert(op->getOperand(0));
  else if (!op || !yieldOf(cast<OpResult>(value)))
    isOurs = false;
}

void Group::addUse(OpOperand &use) {
  if (isMovement(use.getOwner()) && use.getOperandNumber() == 0)
    values.insert(use.getOwner()->getResult(0));
  else if (!isSignedLhs(use) && !argumentOf(use) &&
           !isa<tensor::DimOp>(use.getOwner()))
    isOurs = false;
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// `value` plus 128. Bytes flip their highest bit, those of a table before they
/// are looked up; what is truncated to a byte is added to before, where there
/// may be an addition already.
static Value moved(OpBuilder &builder, Location loc, Value value) {
  if (auto truncate = value.getDefiningOp<arith::TruncIOp>()) {
    Value wide = truncate.getIn();
    Value shift = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(wide.getType(), kShift));
    return arith::TruncIOp::create(
        builder, loc, value.getType(),
        arith::AddIOp::create(builder, loc, wide, shift));
  }
  if (auto lookup = value.getDefiningOp<kernel::LookupOp>()) {
    SmallVector<int8_t> table;
    for (int8_t element : lookup.getTable())
      table.push_back(element ^ -kShift);
    return kernel::LookupOp::create(builder, loc, lookup.getByte(), table);
  }
  Value highest = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(value.getType(), -kShift));
  return arith::XOrIOp::create(builder, loc, value, highest);
}

/// Lets a region that reads a byte by `argument` see what it was.
static void moveArgument(OpBuilder &builder, BlockArgument argument) {
  builder.setInsertionPointToStart(argument.getOwner());
  Value byte = moved(builder, argument.getLoc(), argument);
  argument.replaceAllUsesExcept(byte, byte.getDefiningOp());
}

static void moveYield(OpBuilder &builder, OpOperand &yielded) {
  builder.setInsertionPoint(yielded.getOwner());
  yielded.set(moved(builder, yielded.getOwner()->getLoc(), yielded.get()));
}

/// A zero point, if there is one, plus 128.
static MappedOperand movedZeroPoint(OpBuilder &builder, Location loc,
                                    MappedOperand zeroPoint, unsigned loops) {
  auto i32 = builder.getI32Type();
  auto shift = builder.getIntegerAttr(i32, kShift);
  if (!zeroPoint) {
    auto type = RankedTensorType::get({}, i32);
    return {arith::ConstantOp::create(builder, loc,
                                      DenseElementsAttr::get(type, shift)),
            AffineMap::get(loops, 0, builder.getContext())};
  }
  auto type = cast<RankedTensorType>(zeroPoint.value.getType());
  auto identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, zeroPoint.value);
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, i32);
  SmallVector<utils::IteratorType> loopsOf(type.getRank(),
                                           utils::IteratorType::parallel);
  auto add = linalg::GenericOp::create(
      builder, loc, TypeRange{empty.getType()}, ValueRange{zeroPoint.value},
      ValueRange{empty}, ArrayRef<AffineMap>{identity, identity}, loopsOf,
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        Value sum =
            arith::AddIOp::create(body, loc, arguments.front(),
                                  arith::ConstantOp::create(body, loc, shift));
        linalg::YieldOp::create(body, loc, sum);
      });
  return {add.getResult(0), zeroPoint.map};
}

/// A constant zero point plus 128.
static MappedOperand movedConstant(OpBuilder &builder, Location loc,
                                   MappedOperand zeroPoint) {
  DenseElementsAttr constant;
  if (!zeroPoint || !matchPattern(zeroPoint.value, m_Constant(&constant)))
    return {};
  auto sum = constant.mapValues(builder.getI32Type(), [](const APInt &value) {
    return value + APInt(value.getBitWidth(), kShift);
  });
  return {arith::ConstantOp::create(builder, loc, cast<TypedAttr>(sum)),
          zeroPoint.map};
}

/// The contraction of the same left operand, or of `lhs`, stored plus 128.
static void readUnsigned(RewriterBase &rewriter, ContractOp op,
                         Value lhs = {}) {
  rewriter.setInsertionPoint(op);
  ContractParts parts = ContractParts::of(op);
  assert(!op.getLhsUnsigned() && "the left operand is moved once");
  if (lhs)
    parts.lhs.value = lhs;
  parts.attributes.lhs_unsigned = rewriter.getUnitAttr();
  if (kernel::PaddingAttr &padding = parts.attributes.lhs_padding)
    padding =
        kernel::PaddingAttr::get(rewriter.getContext(), padding.getWidths(),
                                 int8_t(padding.getValue() + kShift));
  MappedOperand constant =
      movedConstant(rewriter, op.getLoc(), parts.lhsZeroPoint);
  parts.lhsZeroPoint =
      constant ? constant
               : movedZeroPoint(rewriter, op.getLoc(), parts.lhsZeroPoint,
                                op.getNumLoops());
  ContractOp unsignedOp = parts.createFrom(rewriter, op);
  rewriter.replaceOp(op, unsignedOp.getResults());
}

static void movePadding(OpBuilder &builder, tensor::PadOp pad) {
  moveYield(builder, pad.getRegion().front().getTerminator()->getOpOperand(0));
}

/// Says that a result is stored plus 128, for what steps show of layers.
static void recordShift(OpResult result) {
  SmallVector<ValueInfo> infos =
      valueInfos(result.getOwner(), result.getOwner()->getNumResults());
  infos[result.getResultNumber()].byteShift = kShift;
  setValueInfos(result.getOwner(), infos);
}

/// Stores a group plus 128. Contractions of it are added to `readers`, to be
/// changed later: they may compute other groups.
static void storeUnsigned(OpBuilder &builder, const Group &group,
                          llvm::SetVector<Operation *> &readers) {
  assert(group.isOurs && "others see what the group holds");
  llvm::SetVector<BlockArgument> arguments;
  for (Value value : group.values) {
    Operation *op = value.getDefiningOp();
    if (auto pad = dyn_cast<tensor::PadOp>(op))
      movePadding(builder, pad);
    if (!isMovement(op)) {
      moveYield(builder, *yieldOf(cast<OpResult>(value)));
      recordShift(cast<OpResult>(value));
    }
    for (OpOperand &use : value.getUses())
      if (isSignedLhs(use))
        readers.insert(use.getOwner());
      else if (BlockArgument argument = argumentOf(use))
        arguments.insert(argument);
  }
  for (BlockArgument argument : arguments)
    moveArgument(builder, argument);
}

//===----------------------------------------------------------------------===//
// What belongs to others
//===----------------------------------------------------------------------===//

namespace {
/// Copies of groups that cannot be changed, such as arguments of the program:
/// where bytes are copied anyway since they are padded, or would be copied once
/// for each window that they are in.
class UnsignedCopies {
public:
  UnsignedCopies(RewriterBase &rewriter, const Target &target)
      : rewriter(rewriter), target(target) {}

  /// The left operand of a contraction, stored plus 128; null where it had
  /// better stay as it is.
  Value lhsFor(ContractOp op);

private:
  Value copyOf(Value source);
  /// `value`, which movement makes of something else, made of its copy.
  Value moveCopy(Value value);

  RewriterBase &rewriter;
  const Target &target;
  DenseMap<Value, Value> copies;
};
} // namespace

Value UnsignedCopies::copyOf(Value source) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(source);
  Location loc = source.getLoc();
  auto type = cast<RankedTensorType>(source.getType());
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, source),
      type.getElementType());
  auto identity = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      rewriter, loc, TypeRange{empty.getType()}, ValueRange{source},
      ValueRange{empty}, ArrayRef<AffineMap>{identity, identity}, loops,
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(body, loc, moved(body, loc, arguments.front()));
      });
  copy->setAttr(kOriginAttr, rewriter.getStringAttr("to unsigned"));
  recordShift(cast<OpResult>(copy.getResult(0)));
  return copy.getResult(0);
}

Value UnsignedCopies::moveCopy(Value value) {
  if (Value known = copies.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  Value result;
  // What a slice leaves out is not copied.
  if (isMovement(op) && !isa<tensor::ExtractSliceOp>(op)) {
    Value source = moveCopy(op->getOperand(0));
    rewriter.setInsertionPoint(op);
    IRMapping mapping;
    mapping.map(op->getOperand(0), source);
    Operation *clone = rewriter.clone(*op, mapping);
    if (auto pad = dyn_cast<tensor::PadOp>(clone))
      movePadding(rewriter, pad);
    result = clone->getResult(0);
  } else {
    result = copyOf(value);
  }
  return copies[value] = result;
}

Value UnsignedCopies::lhsFor(ContractOp op) {
  bool isPadded = false;
  for (Operation *at = op.getLhs().getDefiningOp(); isMovement(at);
       at = at->getOperand(0).getDefiningOp())
    isPadded |= isa<tensor::PadOp>(at);
  bool isCopied =
      isPadded || (!kernel::isProjection(op.getLhsMap()) &&
                   !target.readsLhsAsItLies(
                       op, cast<RankedTensorType>(op.getLhs().getType())));
  return isCopied ? moveCopy(op.getLhs()) : Value();
}

namespace {
struct StoreUnsigned : TargetPass<qcc::impl::StoreUnsignedBase<StoreUnsigned>> {
  using TargetPass::TargetPass;

  void runOnOperation() override {
    if (!target->prefersUnsignedLhs())
      return;
    SmallVector<ContractOp> ops;
    getOperation().walk([&](ContractOp op) {
      if (!op.getLoweringConfig() && isSignedLhs(op.getLhsMutable()))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    llvm::SetVector<Operation *> readers;
    DenseSet<Value> seen;
    for (ContractOp op : ops) {
      if (seen.contains(op.getLhs()))
        continue;
      Group group = Group::around(op.getLhs());
      seen.insert(group.values.begin(), group.values.end());
      if (!group.isOurs)
        continue;
      ++numGroups;
      LDBG() << "stores " << group.values.size()
             << " tensors around the left operand of the contraction at "
             << op.getLoc() << " as unsigned bytes";
      storeUnsigned(rewriter, group, readers);
    }
    UnsignedCopies copies(rewriter, *target);
    SmallVector<std::pair<ContractOp, Value>> copied;
    for (ContractOp op : ops)
      if (!readers.contains(op)) {
        Value lhs = copies.lhsFor(op);
        ++(lhs ? numCopied : numSigned);
        LDBG() << (lhs ? "copies" : "leaves signed")
               << " the left operand of the contraction at " << op.getLoc()
               << ", which others hold";
        if (lhs)
          copied.push_back({op, lhs});
      }
    for (Operation *op : readers)
      readUnsigned(rewriter, cast<ContractOp>(op));
    for (auto [op, lhs] : copied)
      readUnsigned(rewriter, op, lhs);
  }
};
} // namespace

std::unique_ptr<Pass> qcc::createStoreUnsigned(TargetRef target) {
  return std::make_unique<StoreUnsigned>(std::move(target));
}
