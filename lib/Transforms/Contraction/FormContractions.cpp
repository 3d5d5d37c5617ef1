//===- FormContractions.cpp - Contractions and their neighbours to one op -===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First every int8 contraction becomes a bare kernel.contract. Then the op
// grows: producers into prologues, consumers into the epilogue, one at a time,
// until nothing more fits. The iteration space stays that of the contraction;
// the maps of what is taken in are rewritten to it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "qcc/Transforms/Contraction/ContractParts.h"
#include "qcc/Transforms/Movement.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Refusal.h"

namespace qcc {
#define GEN_PASS_DEF_FORMCONTRACTIONS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Matching the contraction
//===----------------------------------------------------------------------===//

namespace {
/// One factor of the product: extend(input) - zeroPoint.
struct Factor {
  OpOperand *input = nullptr;
  bool isUnsigned = false;
  Value zeroPoint; // null: 0
};
} // namespace

/// The op operand behind a block argument of a generic, or null.
static OpOperand *inputOf(linalg::GenericOp op, Value value) {
  auto arg = dyn_cast<BlockArgument>(value);
  if (!arg || arg.getOwner() != op.getBody() ||
      arg.getArgNumber() >= op.getNumDpsInputs())
    return nullptr;
  return op.getDpsInputOperand(arg.getArgNumber());
}

static std::optional<Factor> matchFactor(linalg::GenericOp op, Value value) {
  Factor factor;
  if (auto sub = value.getDefiningOp<arith::SubIOp>()) {
    factor.zeroPoint = sub.getRhs();
    value = sub.getLhs();
  }
  Operation *extend = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extend))
    return std::nullopt;
  factor.isUnsigned = isa<arith::ExtUIOp>(extend);
  factor.input = inputOf(op, extend->getOperand(0));
  if (!factor.input || !extend->getOperand(0).getType().isInteger(8))
    return std::nullopt;
  return factor;
}

/// A zero point as an operand of the contraction: an i32 tensor and its map.
/// Fails where it is neither a constant nor an input of the generic.
static FailureOr<MappedOperand>
zeroPointOperand(OpBuilder &builder, linalg::GenericOp op, Value zeroPoint) {
  if (!zeroPoint || matchPattern(zeroPoint, m_Zero()))
    return MappedOperand{};
  unsigned loops = op.getNumLoops();
  auto scalarMap = AffineMap::get(loops, 0, op.getContext());
  auto scalarType = RankedTensorType::get({}, builder.getI32Type());
  APInt constant;
  if (matchPattern(zeroPoint, m_ConstantInt(&constant))) {
    Value value = arith::ConstantOp::create(
        builder, op.getLoc(), DenseElementsAttr::get(scalarType, constant));
    return MappedOperand{value, scalarMap};
  }
  if (OpOperand *input = inputOf(op, zeroPoint)) {
    if (isa<RankedTensorType>(input->get().getType()))
      return MappedOperand{input->get(), op.getMatchingIndexingMap(input)};
    zeroPoint = input->get();
  }
  if (zeroPoint.getParentRegion() == &op.getRegion() ||
      !zeroPoint.getType().isInteger(32))
    return failure();
  Value value = tensor::FromElementsOp::create(builder, op.getLoc(), scalarType,
                                               zeroPoint);
  return MappedOperand{value, scalarMap};
}

/// `inner` is a map of an op whose result, with map `result`, is read with map
/// `outer` by another op: the map by which that other op reads the operand.
static AffineMap through(AffineMap inner, AffineMap result, AffineMap outer) {
  return inner.compose(inversePermutation(result)).compose(outer);
}

/// Follows data movement backwards into the map.
static void absorbMovement(MappedOperand &operand) {
  while (linalg::GenericOp move = movementOf(operand.value)) {
    AffineMap map = through(
        move.getMatchingIndexingMap(move.getDpsInputOperand(0)),
        move.getMatchingIndexingMap(move.getDpsInitOperand(0)), operand.map);
    if (!kernel::isProjection(map))
      return;
    operand = {move.getDpsInputOperand(0)->get(), map};
  }
}

static bool isZeroFill(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.value(), m_Zero());
  if (auto op = value.getDefiningOp<linalg::GenericOp>()) {
    auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
    if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0)
      return false;
    Value yielded = yield.getOperand(0);
    if (OpOperand *input = inputOf(op, yielded))
      yielded = input->get();
    return matchPattern(yielded, m_Zero());
  }
  DenseElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) && constant.isSplat() &&
         constant.getElementType().isInteger() &&
         constant.getSplatValue<APInt>().isZero();
}

static bool isConstantLike(Value value) {
  while (linalg::GenericOp move = movementOf(value))
    value = move.getDpsInputOperand(0)->get();
  return matchPattern(value, m_Constant());
}

/// Whether the generic is an int8 contraction at all; only then is a failure
/// to form worth a reason.
static bool matchContraction(linalg::GenericOp op, Factor &lhs, Factor &rhs) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return false;
  Block *body = op.getBody();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  Value acc = body->getArguments().back();
  if (!add || !add.getType().isInteger(32))
    return false;
  Value product = add.getLhs() == acc   ? add.getRhs()
                  : add.getRhs() == acc ? add.getLhs()
                                        : Value();
  auto mul = product ? product.getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  if (!mul)
    return false;
  auto left = matchFactor(op, mul.getLhs()),
       right = matchFactor(op, mul.getRhs());
  if (!left || !right || left->input == right->input)
    return false;
  lhs = *left;
  rhs = *right;
  return true;
}

/// Turns the generic into a bare kernel.contract, or records why not.
static void formContraction(RewriterBase &rewriter, linalg::GenericOp op) {
  Factor left, right;
  if (!matchContraction(op, left, right))
    return;
  rewriter.setInsertionPoint(op);
  ContractParts parts;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (unsigned d = 0, e = op.getNumLoops(); d < e; ++d) {
    if (op.getIteratorTypesArray()[d] != utils::IteratorType::reduction)
      continue;
    if (ShapedType::isDynamic(sizes[d]))
      return refuse(op, "the size of a reduction dimension (K) is dynamic");
    parts.reductionDims.push_back(d);
    parts.reductionSizes.push_back(sizes[d]);
  }
  if (llvm::is_contained(parts.reductionSizes, 0))
    return refuse(op, "a reduction dimension (K) has size 0");
  if (isConstantLike(left.input->get()) && !isConstantLike(right.input->get()))
    std::swap(left, right);

  auto operandOf = [&](const Factor &factor) {
    MappedOperand operand{factor.input->get(),
                          op.getMatchingIndexingMap(factor.input)};
    absorbMovement(operand);
    return operand;
  };
  OpOperand *out = op.getDpsInitOperand(0);
  AffineMap outMap = op.getMatchingIndexingMap(out);
  parts.lhs = operandOf(left);
  parts.rhs = operandOf(right);
  parts.lhsUnsigned = left.isUnsigned;
  parts.rhsUnsigned = right.isUnsigned;
  for (const MappedOperand *operand : {&parts.lhs, &parts.rhs})
    if (!kernel::isProjection(operand->map))
      return refuse(op, "its operands are not indexed by single dimensions "
                        "(a convolution): computed by generic loops");
  auto leftZero = zeroPointOperand(rewriter, op, left.zeroPoint);
  auto rightZero = zeroPointOperand(rewriter, op, right.zeroPoint);
  if (failed(leftZero) || failed(rightZero))
    return refuse(op, "a zero point is neither a constant nor an operand");
  parts.lhsZeroPoint = *leftZero;
  parts.rhsZeroPoint = *rightZero;
  for (const MappedOperand *zero : {&parts.lhsZeroPoint, &parts.rhsZeroPoint})
    if (*zero && !kernel::isProjection(zero->map))
      return refuse(op, "a zero point is not indexed by single dimensions");
  if (!kernel::isProjection(outMap))
    return refuse(op, "its result is not indexed by single dimensions");
  auto isReduced = [&](AffineMap map) {
    return llvm::none_of(parts.reductionDims,
                         [&](int64_t d) { return map.isFunctionOfDim(d); });
  };
  if (!isReduced(outMap))
    return refuse(op, "its result has a reduction dimension");
  for (const MappedOperand *zero : {&parts.lhsZeroPoint, &parts.rhsZeroPoint})
    if (*zero && !isReduced(zero->map))
      return refuse(op, "a zero point varies along a reduction dimension");

  if (!isZeroFill(out->get())) {
    parts.init = {out->get(), outMap};
    absorbMovement(parts.init);
  }
  SmallVector<OpFoldResult> outSizes =
      tensor::getMixedSizes(rewriter, op.getLoc(), out->get());
  Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), outSizes,
                                        rewriter.getI32Type());
  parts.outs.push_back({empty, outMap});
  parts.values = {valueInfo(op.getLoc())};
  parts.fused.push_back(originOf(op));

  // The roles of the dimensions decide whether the op can be formed at all.
  kernel::ContractOp contract = parts.create(rewriter, op.getLoc());
  Block *epilogue = rewriter.createBlock(
      &contract.getEpilogue(), {}, {rewriter.getI32Type()}, {op.getLoc()});
  kernel::YieldOp::create(rewriter, op.getLoc(), epilogue->getArguments());
  FailureOr<kernel::ContractOp::Roles> roles = contract.getRoles();
  bool batchOk = succeeded(roles);
  if (batchOk)
    for (unsigned d = 0; d < op.getNumLoops(); ++d)
      if (!contract.isReduction(d) && !outMap.isFunctionOfDim(d))
        batchOk = false;
  if (!batchOk) {
    rewriter.eraseOp(contract);
    return refuse(op, "no single dimension belongs to the right operand alone "
                      "(N), or one is missing from the result");
  }
  rewriter.replaceOp(op, contract.getResults());
}

//===----------------------------------------------------------------------===//
// Elementwise neighbours
//===----------------------------------------------------------------------===//

/// Whether the body can be evaluated on vectors as it stands.
static bool isMappable(linalg::GenericOp op) {
  for (Operation &inner : op.getBody()->without_terminator())
    if (!isa<arith::ConstantOp>(inner) &&
        !OpTrait::hasElementwiseMappableTraits(&inner))
      return false;
  return true;
}

/// Whether vectors of the element type can be loaded and stored: one element
/// takes whole bytes, of a width that does not depend on the target.
static bool hasVectorElements(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0;
}

static bool isElementwise(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0 ||
      !isMappable(op) || !llvm::all_of(op->getOperands(), hasVectorElements))
    return false;
  for (AffineMap map : op.getIndexingMapsArray())
    if (!kernel::isProjection(map))
      return false;
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init).isPermutation();
  });
}

namespace {
/// What all elements of a tensor are: a constant, or a scalar of the function.
struct Uniform {
  TypedAttr constant;
  Value scalar;
  explicit operator bool() const { return constant || scalar; }
};
} // namespace

/// Something of the sizes of a uniform tensor that exists without it.
static Value sizeSource(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  return op ? op.getDpsInits()[0] : tensor;
}

/// Splats and fills; neither is worth a buffer.
static Uniform uniformOf(Value tensor) {
  DenseElementsAttr dense;
  if (matchPattern(tensor, m_Constant(&dense)) && dense.isSplat())
    return {dyn_cast<TypedAttr>(dense.getSplatValue<Attribute>()), {}};
  Value scalar;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    scalar = fill.value();
  else if (auto op = tensor.getDefiningOp<linalg::GenericOp>();
           op && op.getNumDpsInits() == 1 && op.getNumReductionLoops() == 0 &&
           op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation()) {
    scalar = op.getBody()->getTerminator()->getOperand(0);
    if (OpOperand *input = inputOf(op, scalar))
      scalar = input->get();
    Attribute constant;
    if (scalar.getParentRegion() == &op.getRegion() &&
        !matchPattern(scalar, m_Constant(&constant)))
      return {};
  }
  if (!scalar || !scalar.getType().isIntOrIndexOrFloat())
    return {};
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return {dyn_cast<TypedAttr>(constant), {}};
  return {{}, scalar};
}

/// The position of an operand in the list, appended if it is not there.
static unsigned indexOf(SmallVectorImpl<MappedOperand> &list,
                        MappedOperand operand) {
  for (auto [i, other] : llvm::enumerate(list))
    if (other.value == operand.value && other.map == operand.map)
      return i;
  list.push_back(operand);
  return list.size() - 1;
}

/// A scalar that the body of a generic captures, as an operand without
/// dimensions.
static MappedOperand capturedOperand(OpBuilder &builder, Location loc,
                                     Value scalar, unsigned loops) {
  auto map = AffineMap::get(loops, 0, builder.getContext());
  if (auto extract = scalar.getDefiningOp<tensor::ExtractOp>())
    if (extract.getTensor().getType().getRank() == 0)
      return {extract.getTensor(), map};
  auto type = RankedTensorType::get({}, scalar.getType());
  return {tensor::FromElementsOp::create(builder, loc, type, scalar), map};
}

/// The scalars from outside that the body uses, constants aside.
static SmallVector<Value> capturedScalars(linalg::GenericOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  SmallVector<Value> result;
  for (Value value : captured)
    if (!matchPattern(value, m_Constant()))
      result.push_back(value);
  return result;
}

/// Adds block arguments for operands that were appended to a list, and maps
/// the values of the generic's body to arguments of `block`, whose first
/// `offset` arguments stand before those of `list`.
static Value argumentFor(Block *block, unsigned offset, unsigned index,
                         Value operand, Location loc) {
  while (block->getNumArguments() <= offset + index)
    block->addArgument(getElementTypeOrSelf(operand.getType()), loc);
  return block->getArgument(offset + index);
}

/// Clones the constants that the body captures, and the body, before the
/// terminator of `block`; returns the values that it yields.
static SmallVector<Value> cloneBody(RewriterBase &rewriter,
                                    linalg::GenericOp op, Block *block,
                                    IRMapping &mapping) {
  rewriter.setInsertionPoint(block->getTerminator());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  for (Value value : captured)
    if (!mapping.contains(value))
      mapping.map(value,
                  rewriter.clone(*value.getDefiningOp())
                      ->getResult(cast<OpResult>(value).getResultNumber()));
  for (Operation &inner : op.getBody()->without_terminator())
    rewriter.clone(inner, mapping);
  return llvm::map_to_vector(
      op.getBody()->getTerminator()->getOperands(),
      [&](Value v) { return mapping.lookupOrDefault(v); });
}

/// Whether the value comes from a pass over memory that an elementwise op can
/// join: then it costs no pass of its own, nor need the kernel repeat it.
static bool isFromElementwise(Value value) {
  auto producer = value.getDefiningOp<linalg::GenericOp>();
  return producer && producer->getNumResults() == 1 && value.hasOneUse() &&
         isElementwise(producer) && !movementOf(value);
}

/// Takes the elementwise producer of an operand in as its prologue.
static bool fuseProducer(RewriterBase &rewriter, kernel::ContractOp op,
                         bool isLhs) {
  Value operand = isLhs ? op.getLhs() : op.getRhs();
  AffineMap operandMap = isLhs ? op.getLhsMap() : op.getRhsMap();
  Region &region = isLhs ? op.getLhsPrologue() : op.getRhsPrologue();
  auto producer = operand.getDefiningOp<linalg::GenericOp>();
  if (!region.empty() || !producer || !operand.hasOneUse() ||
      producer->getNumResults() != 1 || !isElementwise(producer))
    return false;
  OpOperand *out = producer.getDpsInitOperand(0);
  if (producer.payloadUsesValueFromOperand(out))
    return false;
  AffineMap outMap = producer.getMatchingIndexingMap(out);
  auto mapOf = [&](OpOperand *input) {
    return through(producer.getMatchingIndexingMap(input), outMap, operandMap);
  };
  // The operand proper is an input over the whole space.
  OpOperand *main = nullptr;
  for (OpOperand *input : producer.getDpsInputOperands())
    if (!main && isa<RankedTensorType>(input->get().getType()) &&
        producer.getMatchingIndexingMap(input).isPermutation())
      main = input;
  if (!main || isFromElementwise(main->get()))
    return false;

  rewriter.setInsertionPoint(op);
  ContractParts parts = ContractParts::of(op);
  SmallVector<MappedOperand> &operands =
      isLhs ? parts.lhsOperands : parts.rhsOperands;
  (isLhs ? parts.lhs : parts.rhs) = {main->get(), mapOf(main)};
  SmallVector<Value> captured = capturedScalars(producer);

  IRMapping mapping;
  Block *block = new Block();
  Location loc = producer.getLoc();
  block->addArgument(getElementTypeOrSelf(main->get().getType()), loc);
  auto bind = [&](Value inner, MappedOperand from) {
    mapping.map(
        inner, argumentFor(block, 1, indexOf(operands, from), from.value, loc));
  };
  auto bindUniform = [&](Value inner, Uniform uniform) {
    if (!uniform.constant)
      return bind(inner, capturedOperand(rewriter, loc, uniform.scalar,
                                         op.getNumLoops()));
    OpBuilder inBlock(rewriter.getContext()); // the block has no parent yet
    inBlock.setInsertionPointToEnd(block);
    mapping.map(inner,
                arith::ConstantOp::create(inBlock, loc, uniform.constant));
  };
  for (OpOperand *input : producer.getDpsInputOperands()) {
    Value arg = producer.getMatchingBlockArgument(input);
    if (input == main)
      mapping.map(arg, block->getArgument(0));
    else if (Uniform uniform = uniformOf(input->get()))
      bindUniform(arg, uniform);
    else if (isa<RankedTensorType>(input->get().getType()))
      bind(arg, {input->get(), mapOf(input)});
    else
      bind(arg, capturedOperand(rewriter, loc, input->get(), op.getNumLoops()));
  }
  for (Value scalar : captured)
    bind(scalar, capturedOperand(rewriter, loc, scalar, op.getNumLoops()));

  // One source op may have become several generics: name it once.
  if (parts.fused.front() != originOf(producer))
    parts.fused.insert(parts.fused.begin(), originOf(producer));
  rewriter.setInsertionPoint(op);
  kernel::ContractOp fused = parts.createFrom(rewriter, op);
  Region &newRegion = isLhs ? fused.getLhsPrologue() : fused.getRhsPrologue();
  newRegion.push_back(block);
  rewriter.setInsertionPointToEnd(block);
  // A terminator to insert before; its operand is set once the body is there.
  auto yield = kernel::YieldOp::create(rewriter, loc, block->getArguments());
  SmallVector<Value> yielded = cloneBody(rewriter, producer, block, mapping);
  yield->setOperands(yielded);
  rewriter.replaceOp(op, fused.getResults());
  rewriter.eraseOp(producer);
  return true;
}

/// The map from the consumer's loops to those of the contraction, by the first
/// operand that is a result of the contraction; null where no such operand has
/// each element once.
static AffineMap mapToContraction(kernel::ContractOp op,
                                  linalg::GenericOp consumer) {
  for (OpOperand &operand : consumer->getOpOperands()) {
    auto result = dyn_cast<OpResult>(operand.get());
    AffineMap map = consumer.getMatchingIndexingMap(&operand);
    // out = outMap(d), out = map(c): c = inverse(map)(outMap(d)).
    if (result && result.getOwner() == op && map.isPermutation() &&
        consumer.payloadUsesValueFromOperand(&operand))
      return inversePermutation(map).compose(
          op.getOutMaps()[result.getResultNumber()]);
  }
  return {};
}

/// Whether the consumer reads results of the contraction only where its
/// iteration computes them, and everything else by single dimensions.
static bool readsInOneOrder(kernel::ContractOp op, linalg::GenericOp consumer,
                            AffineMap toContract) {
  for (OpOperand &operand : consumer->getOpOperands()) {
    auto result = dyn_cast<OpResult>(operand.get());
    AffineMap map = consumer.getMatchingIndexingMap(&operand);
    map = map.compose(toContract);
    if (result && result.getOwner() == op &&
        map != op.getOutMaps()[result.getResultNumber()])
      return false;
    if (isa<RankedTensorType>(operand.get().getType()) &&
        !kernel::isProjection(map))
      return false;
  }
  return true;
}

/// Takes an elementwise consumer of a result in as a part of the epilogue.
static bool fuseConsumer(RewriterBase &rewriter, kernel::ContractOp op,
                         linalg::GenericOp consumer, DominanceInfo &dominance) {
  if (!isElementwise(consumer) || consumer->getBlock() != op->getBlock())
    return false;
  unsigned loops = op.getNumLoops();
  AffineMap toContract = mapToContraction(op, consumer);
  if (!toContract)
    return false;
  if (!readsInOneOrder(op, consumer, toContract))
    return false;
  auto mapOf = [&](OpOperand *operand) {
    return consumer.getMatchingIndexingMap(operand).compose(toContract);
  };
  // Everything else that the consumer reads must exist before the contraction.
  SmallVector<Value> others;
  for (OpOperand &operand : consumer->getOpOperands()) {
    Value value = operand.get();
    if (value.getDefiningOp() == op)
      continue;
    Uniform uniform = uniformOf(value);
    if (!uniform || consumer.isDpsInit(&operand))
      others.push_back(uniform ? sizeSource(value) : value);
    if (uniform.scalar)
      others.push_back(uniform.scalar);
  }
  llvm::append_range(others, capturedScalars(consumer));
  for (Value value : others)
    if (!dominance.properlyDominates(value, op) &&
        failed(moveValueDefinitions(rewriter, {value}, op, dominance)))
      return false;

  rewriter.setInsertionPoint(op);
  ContractParts parts = ContractParts::of(op);
  Location loc = consumer.getLoc();
  Block *block = &op.getEpilogue().front();
  auto oldYield = cast<kernel::YieldOp>(block->getTerminator());
  SmallVector<Value> yielded(oldYield.getValues());
  IRMapping mapping;
  auto bind = [&](Value inner, MappedOperand from) {
    mapping.map(inner,
                argumentFor(block, 1, indexOf(parts.epilogueOperands, from),
                            from.value, loc));
  };
  auto bindUniform = [&](Value inner, Uniform uniform) {
    if (!uniform.constant)
      return bind(inner, capturedOperand(rewriter, loc, uniform.scalar, loops));
    OpBuilder inBlock(oldYield);
    mapping.map(inner,
                arith::ConstantOp::create(inBlock, loc, uniform.constant));
  };
  for (OpOperand &operand : consumer->getOpOperands()) {
    Value arg = consumer.getMatchingBlockArgument(&operand);
    auto result = dyn_cast<OpResult>(operand.get());
    if (consumer.isDpsInit(&operand) &&
        !consumer.payloadUsesValueFromOperand(&operand))
      continue;
    if (result && result.getOwner() == op)
      mapping.map(arg, yielded[result.getResultNumber()]);
    else if (Uniform uniform = uniformOf(operand.get()))
      bindUniform(arg, uniform);
    else if (isa<RankedTensorType>(operand.get().getType()))
      bind(arg, {operand.get(), mapOf(&operand)});
    else
      bind(arg, capturedOperand(rewriter, loc, operand.get(), loops));
  }
  for (Value scalar : capturedScalars(consumer))
    bind(scalar, capturedOperand(rewriter, loc, scalar, loops));
  unsigned firstNew = parts.outs.size();
  for (OpOperand &init : consumer.getDpsInitsMutable()) {
    Value out = init.get();
    // Written before, needlessly: the same sizes, other memory.
    if (out.getDefiningOp() == op || uniformOf(out)) {
      Value own = out.getDefiningOp() == op
                      ? op.getOuts()[cast<OpResult>(out).getResultNumber()]
                      : sizeSource(out);
      out = tensor::EmptyOp::create(rewriter, loc,
                                    tensor::getMixedSizes(rewriter, loc, own),
                                    getElementTypeOrSelf(out.getType()));
    }
    parts.outs.push_back({out, mapOf(&init)});
  }
  llvm::append_range(parts.values,
                     valueInfos(consumer, consumer.getNumDpsInits()));
  if (parts.fused.back() != originOf(consumer))
    parts.fused.push_back(originOf(consumer));

  llvm::append_range(yielded, cloneBody(rewriter, consumer, block, mapping));
  rewriter.setInsertionPoint(oldYield);
  kernel::YieldOp::create(rewriter, loc, yielded);
  rewriter.eraseOp(oldYield);
  rewriter.setInsertionPoint(op);
  kernel::ContractOp fused = parts.createFrom(rewriter, op);
  rewriter.replaceOp(consumer, fused.getResults().drop_front(firstNew));
  rewriter.replaceOp(op, fused.getResults().take_front(firstNew));
  return true;
}

/// Why an elementwise consumer of a result is no part of the epilogue, once
/// nothing more fits.
static StringRef consumerObstacle(kernel::ContractOp op,
                                  linalg::GenericOp consumer) {
  if (consumer->getBlock() != op->getBlock())
    return "it is in a loop or a branch, but the contraction before it is not";
  if (!isMappable(consumer))
    return "it stands after a contraction, but its body has operations that "
           "are not elementwise";
  if (!llvm::all_of(consumer->getOperands(), hasVectorElements))
    return "it stands after a contraction, but elements of an operand or of "
           "its result do not have whole bytes";
  if (!isElementwise(consumer))
    return "it stands after a contraction, but an operand or its result is "
           "not indexed by single dimensions";
  AffineMap toContract = mapToContraction(op, consumer);
  if (!toContract)
    return "it reads elements of the contraction before it repeatedly";
  if (!readsInOneOrder(op, consumer, toContract))
    return "it reads the contraction before it in two orders";
  return "it also needs a value that is computed from the result of the "
         "contraction before it, or later";
}

/// Why the elementwise producer of an operand is no prologue.
static StringRef producerObstacle(linalg::GenericOp producer) {
  if (!isElementwise(producer))
    return "it computes the operand of a contraction, but is not elementwise";
  if (!producer->hasOneUse())
    return "several ops read its result, a contraction being one of them";
  return "it computes the operand of a contraction in a pass over memory that "
         "other elementwise ops share";
}

/// Notes on the neighbours of a contraction that stay outside why they do.
static void noteNeighbours(kernel::ContractOp op) {
  for (Operation *user : op->getUsers())
    if (auto consumer = dyn_cast<linalg::GenericOp>(user);
        consumer && consumer.getNumReductionLoops() == 0)
      refuse(consumer, consumerObstacle(op, consumer));
  for (Value operand : {op.getLhs(), op.getRhs()})
    if (auto producer = operand.getDefiningOp<linalg::GenericOp>();
        producer && producer.getNumReductionLoops() == 0)
      refuse(producer, producerObstacle(producer));
}

/// Drops the results that nobody uses, keeping one.
static void dropDeadResults(RewriterBase &rewriter, kernel::ContractOp op) {
  ContractParts parts = ContractParts::of(op);
  Block *block = &op.getEpilogue().front();
  auto yield = cast<kernel::YieldOp>(block->getTerminator());
  SmallVector<MappedOperand> outs;
  SmallVector<ValueInfo> infos;
  SmallVector<Value> yielded, kept;
  for (auto [result, out, info, value] : llvm::zip(
           op.getResults(), parts.outs, parts.values, yield.getValues())) {
    if (result.use_empty())
      continue;
    outs.push_back(out);
    infos.push_back(info);
    yielded.push_back(value);
    kept.push_back(result);
  }
  if (kept.empty() || kept.size() == op.getNumResults())
    return;
  yield->setOperands(yielded);
  parts.outs = outs;
  parts.values = infos;
  rewriter.setInsertionPoint(op);
  kernel::ContractOp fused = parts.createFrom(rewriter, op);
  for (auto [from, to] : llvm::zip(kept, fused.getResults()))
    rewriter.replaceAllUsesWith(from, to);
  rewriter.eraseOp(op);
}

/// One step of growth at `op`; false when nothing more fits.
static bool grow(RewriterBase &rewriter, kernel::ContractOp op,
                 DominanceInfo &dominance) {
  if (fuseProducer(rewriter, op, /*isLhs=*/true) ||
      fuseProducer(rewriter, op, /*isLhs=*/false))
    return true;
  // Consumers in program order, so that chains are followed from their start.
  SmallVector<linalg::GenericOp> consumers;
  for (Operation *user : op->getUsers())
    if (auto consumer = dyn_cast<linalg::GenericOp>(user))
      if (consumer->getBlock() == op->getBlock() &&
          !llvm::is_contained(consumers, consumer))
        consumers.push_back(consumer);
  llvm::sort(consumers, [](linalg::GenericOp a, linalg::GenericOp b) {
    return a->isBeforeInBlock(b);
  });
  for (linalg::GenericOp consumer : consumers)
    if (fuseConsumer(rewriter, op, consumer, dominance))
      return true;
  return false;
}

namespace {
struct FormContractions : qcc::impl::FormContractionsBase<FormContractions> {
  using FormContractionsBase::FormContractionsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics)
      formContraction(rewriter, op);

    // Contractions in program order; each grows until nothing more fits. A
    // fusion replaces the op, so look it up by position again.
    DominanceInfo dominance(getOperation());
    bool changed = fuse;
    while (changed) {
      changed = false;
      SmallVector<kernel::ContractOp> contracts;
      getOperation().walk(
          [&](kernel::ContractOp op) { contracts.push_back(op); });
      for (kernel::ContractOp op : contracts)
        if (grow(rewriter, op, dominance)) {
          dominance.invalidate();
          changed = true;
          break;
        }
    }
    SmallVector<kernel::ContractOp> contracts;
    getOperation().walk(
        [&](kernel::ContractOp op) { contracts.push_back(op); });
    for (kernel::ContractOp op : contracts) {
      if (fuse)
        noteNeighbours(op);
      dropDeadResults(rewriter, op);
    }
  }
};
} // namespace
