//===- FuseNeighbours.cpp - Prologues and epilogues of contractions -------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionRewrites.h"
#include "MovedBody.h"
#include "Uniform.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"
#include "qcc/Transforms/ElementwiseFusion.h"
#include "qcc/Transforms/Movement.h"
#include "qcc/Transforms/Refusal.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "form-contractions"

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numPrologues, "Producers that became prologues");
ALWAYS_ENABLED_STATISTIC(numEpilogues,
                         "Consumers that became parts of epilogues");
ALWAYS_ENABLED_STATISTIC(numOutside,
                         "Elementwise neighbours that stay outside");

//===----------------------------------------------------------------------===//
// Elementwise neighbours
//===----------------------------------------------------------------------===//

bool qcc::isMappable(linalg::GenericOp op) {
  for (Operation &inner : op.getBody()->without_terminator())
    if (!isa<arith::ConstantOp>(inner) &&
        !OpTrait::hasElementwiseMappableTraits(&inner))
      return false;
  return true;
}

bool qcc::hasVectorElements(Value value) {
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

//===----------------------------------------------------------------------===//
// Producers
//===----------------------------------------------------------------------===//

/// Whether the value comes from a pass over memory that an elementwise op can
/// join: then it costs no pass of its own, nor need the kernel repeat it.
static bool isFromElementwise(Value value) {
  auto producer = value.getDefiningOp<linalg::GenericOp>();
  return producer && producer->getNumResults() == 1 && value.hasOneUse() &&
         isElementwise(producer) && !movementOf(value);
}

/// The input of a producer that takes the place of its result: one over the
/// whole space; null if no input has the whole space.
static OpOperand *mainInput(linalg::GenericOp producer) {
  for (OpOperand *input : producer.getDpsInputOperands())
    if (isa<RankedTensorType>(input->get().getType()) &&
        producer.getMatchingIndexingMap(input).isPermutation())
      return input;
  return nullptr;
}

/// So many operations of a chain are computed again for each block of columns
/// rather than in a pass over memory of their own.
constexpr size_t kMostRepeated = 40;

/// The chain of elementwise ops that ends with `producer`, as one op; null
/// where it is long, or begins with a result that others read as well: what
/// follows joins the pass over memory that computes that.
static linalg::GenericOp fuseChain(RewriterBase &rewriter,
                                   linalg::GenericOp producer) {
  size_t operations = producer.getBody()->getOperations().size();
  for (OpOperand *main = mainInput(producer); main;) {
    auto before = main->get().getDefiningOp<linalg::GenericOp>();
    if (!isFromElementwise(main->get())) {
      if (before && isElementwise(before) && !movementOf(main->get()))
        return {};
      break;
    }
    operations += before.getBody()->getOperations().size();
    main = mainInput(before);
  }
  if (operations > kMostRepeated)
    return {};
  auto findInput = [&]() -> OpOperand * {
    for (OpOperand *input : producer.getDpsInputOperands())
      if (isFromElementwise(input->get()) && isFusable(input))
        return input;
    return nullptr;
  };
  while (OpOperand *input = findInput()) {
    Operation *before = input->get().getDefiningOp();
    producer = fuseIntoReader(rewriter, input);
    rewriter.eraseOp(before);
  }
  return producer;
}

bool qcc::fuseProducer(RewriterBase &rewriter, kernel::ContractOp op,
                       bool isLhs) {
  Value operand = isLhs ? op.getLhs() : op.getRhs();
  AffineMap operandMap = isLhs ? op.getLhsMap() : op.getRhsMap();
  Region &region = isLhs ? op.getLhsPrologue() : op.getRhsPrologue();
  auto producer = operand.getDefiningOp<linalg::GenericOp>();
  if (!region.empty() || !producer || !operand.hasOneUse() ||
      producer->getNumResults() != 1 || !isElementwise(producer) ||
      !kernel::isProjection(operandMap) || !mainInput(producer) ||
      producer.payloadUsesValueFromOperand(producer.getDpsInitOperand(0)))
    return false;
  if (isFromElementwise(mainInput(producer)->get())) {
    producer = fuseChain(rewriter, producer);
    if (!producer)
      return false;
  }
  OpOperand *out = producer.getDpsInitOperand(0);
  OpOperand *main = mainInput(producer);
  if (!main)
    return false;
  AffineMap outMap = producer.getMatchingIndexingMap(out);
  auto mapOf = [&](OpOperand *input) {
    return through(producer.getMatchingIndexingMap(input), outMap, operandMap);
  };
  // A depthwise contraction is told by the columns that are innermost.
  if (op.getRoles()->isDepthwise &&
      mapOf(main).getResults().back() != operandMap.getResults().back())
    return false;

  rewriter.setInsertionPoint(op);
  ContractParts parts = ContractParts::of(op);
  (isLhs ? parts.lhs : parts.rhs) = {main->get(), mapOf(main)};
  Block *block = new Block();
  Location loc = producer.getLoc();
  block->addArgument(getElementTypeOrSelf(main->get().getType()), loc);
  MovedBody body(rewriter, producer, block, op.getNumLoops(),
                 isLhs ? parts.lhsOperands : parts.rhsOperands);
  for (OpOperand *input : producer.getDpsInputOperands())
    if (input == main)
      body.bindTo(producer.getMatchingBlockArgument(input),
                  block->getArgument(0));
    else
      body.bind(*input, mapOf(input));
  body.bindCapturedScalars();

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
  yield->setOperands(body.clone());
  ++numPrologues;
  LDBG() << "takes " << originOf(producer) << " at " << loc << " in as the "
         << (isLhs ? "left" : "right") << " prologue of the contraction at "
         << op.getLoc();
  rewriter.replaceOp(op, fused.getResults());
  rewriter.eraseOp(producer);
  return true;
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

AffineMap qcc::mapToContraction(kernel::ContractOp op,
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

bool qcc::readsInOneOrder(kernel::ContractOp op, linalg::GenericOp consumer,
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

/// Whether results of the consumer can be those of the contraction: a depthwise
/// one is told by the columns that are innermost.
static bool keepsColumns(kernel::ContractOp op, linalg::GenericOp consumer,
                         AffineMap toContract) {
  kernel::ContractOp::Roles roles = *op.getRoles();
  if (!roles.isDepthwise)
    return true;
  AffineExpr columns = getAffineDimExpr(roles.n, op.getContext());
  return llvm::all_of(consumer.getDpsInitsMutable(), [&](OpOperand &init) {
    AffineMap map = consumer.getMatchingIndexingMap(&init).compose(toContract);
    return map.getNumResults() != 0 && map.getResults().back() == columns;
  });
}

LogicalResult qcc::moveOperandsBefore(RewriterBase &rewriter,
                                      kernel::ContractOp op,
                                      linalg::GenericOp consumer,
                                      DominanceInfo &dominance) {
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
      return failure();
  return success();
}

/// The memory of a result of the consumer. Where it was written before, to no
/// use, other memory of the same sizes.
static Value destinationOf(RewriterBase &rewriter, kernel::ContractOp op,
                           Value init, Location loc) {
  if (init.getDefiningOp() != op && !uniformOf(init))
    return init;
  Value own = init.getDefiningOp() == op
                  ? op.getOuts()[cast<OpResult>(init).getResultNumber()]
                  : sizeSource(init);
  return tensor::EmptyOp::create(rewriter, loc,
                                 tensor::getMixedSizes(rewriter, loc, own),
                                 getElementTypeOrSelf(init.getType()));
}

bool qcc::fuseConsumer(RewriterBase &rewriter, kernel::ContractOp op,
                       linalg::GenericOp consumer, DominanceInfo &dominance) {
  if (!isElementwise(consumer) || consumer->getBlock() != op->getBlock())
    return false;
  AffineMap toContract = mapToContraction(op, consumer);
  if (!toContract || !readsInOneOrder(op, consumer, toContract) ||
      !keepsColumns(op, consumer, toContract) ||
      failed(moveOperandsBefore(rewriter, op, consumer, dominance)))
    return false;
  auto mapOf = [&](OpOperand &operand) {
    return consumer.getMatchingIndexingMap(&operand).compose(toContract);
  };

  rewriter.setInsertionPoint(op);
  ContractParts parts = ContractParts::of(op);
  Location loc = consumer.getLoc();
  Block *block = &op.getEpilogue().front();
  auto oldYield = cast<kernel::YieldOp>(block->getTerminator());
  SmallVector<Value> yielded(oldYield.getValues());
  MovedBody body(rewriter, consumer, block, op.getNumLoops(),
                 parts.epilogueOperands);
  for (OpOperand &operand : consumer->getOpOperands()) {
    if (consumer.isDpsInit(&operand) &&
        !consumer.payloadUsesValueFromOperand(&operand))
      continue;
    auto result = dyn_cast<OpResult>(operand.get());
    if (result && result.getOwner() == op)
      body.bindTo(consumer.getMatchingBlockArgument(&operand),
                  yielded[result.getResultNumber()]);
    else
      body.bind(operand, mapOf(operand));
  }
  body.bindCapturedScalars();
  unsigned firstNew = parts.outs.size();
  for (OpOperand &init : consumer.getDpsInitsMutable())
    parts.outs.push_back(
        {destinationOf(rewriter, op, init.get(), loc), mapOf(init)});
  llvm::append_range(parts.values,
                     valueInfos(consumer, consumer.getNumDpsInits()));
  if (parts.fused.back() != originOf(consumer))
    parts.fused.push_back(originOf(consumer));

  llvm::append_range(yielded, body.clone());
  rewriter.setInsertionPoint(oldYield);
  kernel::YieldOp::create(rewriter, loc, yielded);
  rewriter.eraseOp(oldYield);
  rewriter.setInsertionPoint(op);
  kernel::ContractOp fused = parts.createFrom(rewriter, op);
  ++numEpilogues;
  LDBG() << "takes " << originOf(consumer) << " at " << loc
         << " in as a part of the epilogue of the contraction at "
         << op.getLoc();
  rewriter.replaceOp(consumer, fused.getResults().drop_front(firstNew));
  rewriter.replaceOp(op, fused.getResults().take_front(firstNew));
  return true;
}

//===----------------------------------------------------------------------===//
// Why neighbours stay outside
//===----------------------------------------------------------------------===//

/// Why an elementwise consumer of a result is no part of the epilogue, once
/// nothing more fits.
static StringRef reasonAgainstConsumer(kernel::ContractOp op,
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
  if (!keepsColumns(op, consumer, toContract))
    return "it stands after a depthwise contraction, but its result does not "
           "have the channels innermost";
  return "it also needs a value that is computed from the result of the "
         "contraction before it, or later";
}

/// Why the elementwise producer of an operand is no prologue.
static StringRef reasonAgainstProducer(AffineMap map,
                                       linalg::GenericOp producer) {
  if (!isElementwise(producer))
    return "it computes the operand of a contraction, but is not elementwise";
  if (!kernel::isProjection(map))
    return "it computes the operand of a convolution, whose windows would "
           "compute it repeatedly";
  if (!producer->hasOneUse())
    return "several ops read its result, a contraction being one of them";
  return "it computes the operand of a contraction in a pass over memory that "
         "other elementwise ops share";
}

/// Notes why a neighbour of a contraction stays outside of it.
static void leaveOutside(linalg::GenericOp neighbour, StringRef reason) {
  ++numOutside;
  LDBG() << "leaves " << originOf(neighbour) << " at " << neighbour.getLoc()
         << " outside: " << reason;
  refuse(neighbour, reason);
}

void qcc::explainNeighbours(kernel::ContractOp op) {
  for (Operation *user : op->getUsers())
    if (auto consumer = dyn_cast<linalg::GenericOp>(user);
        consumer && consumer.getNumReductionLoops() == 0)
      leaveOutside(consumer, reasonAgainstConsumer(op, consumer));
  for (auto [operand, map] : {std::make_pair(op.getLhs(), op.getLhsMap()),
                              std::make_pair(op.getRhs(), op.getRhsMap())})
    if (auto producer = operand.getDefiningOp<linalg::GenericOp>();
        producer && producer.getNumReductionLoops() == 0)
      leaveOutside(producer, reasonAgainstProducer(map, producer));
}
