//===- MatchContraction.cpp - Contractions to kernel.contract -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionRewrites.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/QNN/IR/WeightNote.h"
#include "qcc/Transforms/Movement.h"
#include "qcc/Transforms/Refusal.h"
#include "qcc/Transforms/WidenedConstants.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "form-contractions"

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numFormed, "Contractions formed");
ALWAYS_ENABLED_STATISTIC(numRefused, "Contractions refused");

//===----------------------------------------------------------------------===//
// Matching the contraction
//===----------------------------------------------------------------------===//

OpOperand *qcc::inputOf(linalg::GenericOp op, Value value) {
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

/// A zero point that the body converts to i32 from a scalar of the program, as
/// a value that is converted before the generic; what it was, otherwise.
static Value convertedBefore(OpBuilder &builder, linalg::GenericOp op,
                             Value zeroPoint) {
  Operation *convert = zeroPoint.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
          convert) ||
      convert->getBlock() != op.getBody())
    return zeroPoint;
  Value scalar = convert->getOperand(0);
  if (OpOperand *input = inputOf(op, scalar))
    scalar = input->get();
  if (!scalar.getType().isInteger() ||
      scalar.getParentRegion() == &op.getRegion())
    return zeroPoint;
  IRMapping mapping;
  mapping.map(convert->getOperand(0), scalar);
  Operation *before = builder.clone(*convert, mapping);
  SmallVector<Value> folded;
  return succeeded(builder.tryFold(before, folded)) ? folded.front()
                                                    : before->getResult(0);
}

/// A zero point as an operand of the contraction: an i32 tensor and its map, or
/// nothing where it is 0. Fails where it is neither a constant nor an input of
/// the generic.
static FailureOr<MappedOperand>
zeroPointOperand(OpBuilder &builder, linalg::GenericOp op, Value zeroPoint) {
  if (!zeroPoint)
    return MappedOperand{};
  zeroPoint = convertedBefore(builder, op, zeroPoint);
  if (OpOperand *input = inputOf(op, zeroPoint)) {
    if (isa<RankedTensorType>(input->get().getType()))
      return MappedOperand{input->get(), op.getMatchingIndexingMap(input)};
    zeroPoint = input->get();
  }
  auto scalarMap = AffineMap::get(op.getNumLoops(), 0, op.getContext());
  auto scalarType = RankedTensorType::get({}, builder.getI32Type());
  APInt constant;
  if (matchPattern(zeroPoint, m_ConstantInt(&constant))) {
    if (constant.isZero())
      return MappedOperand{};
    Value value = arith::ConstantOp::create(
        builder, op.getLoc(), DenseElementsAttr::get(scalarType, constant));
    return MappedOperand{value, scalarMap};
  }
  if (zeroPoint.getParentRegion() == &op.getRegion() ||
      !zeroPoint.getType().isInteger(32))
    return failure();
  Value value = tensor::FromElementsOp::create(builder, op.getLoc(), scalarType,
                                               zeroPoint);
  return MappedOperand{value, scalarMap};
}

AffineMap qcc::through(AffineMap inner, AffineMap result, AffineMap outer) {
  assert(result.isPermutation() && "each element of the result is made once");
  assert(outer.getNumResults() == result.getNumResults() &&
         "the reader has an index for each dimension of the result");
  return inner.compose(inversePermutation(result)).compose(outer);
}

/// The only dimension of a group of a reshape that may have more than one
/// element, if the others are read at 0 where `map` reads the group at all.
static std::optional<int64_t>
soleDimension(ArrayRef<int64_t> group, ArrayRef<int64_t> shape, AffineMap map) {
  assert(!group.empty() && "a group of a reshape has dimensions");
  std::optional<int64_t> sole;
  for (int64_t dim : group) {
    bool isAtZero = shape[dim] == 1 && map && map.getResult(dim) == 0;
    if (shape[dim] == 1 && (isAtZero || !map))
      continue;
    if (sole)
      return std::nullopt;
    sole = dim;
  }
  return sole.value_or(group.front());
}

/// Reads the source of a reshape that adds or takes away dimensions of one
/// element; false for any other reshape.
static bool absorbReshape(MappedOperand &operand) {
  auto expand = operand.value.getDefiningOp<tensor::ExpandShapeOp>();
  auto collapse = operand.value.getDefiningOp<tensor::CollapseShapeOp>();
  if (!expand && !collapse)
    return false;
  MLIRContext *context = operand.map.getContext();
  auto groups = expand ? expand.getReassociationIndices()
                       : collapse.getReassociationIndices();
  ArrayRef<int64_t> wide = expand ? expand.getResultType().getShape()
                                  : collapse.getSrcType().getShape();
  SmallVector<AffineExpr> reads;
  // What has no dimension left belongs to no group.
  if (collapse && groups.empty())
    reads.assign(wide.size(), getAffineConstantExpr(0, context));
  for (auto [narrow, group] : llvm::enumerate(groups)) {
    std::optional<int64_t> sole =
        soleDimension(group, wide, expand ? operand.map : AffineMap());
    if (!sole)
      return false;
    if (expand)
      reads.push_back(operand.map.getResult(*sole));
    for (int64_t dim : group)
      if (collapse)
        reads.push_back(dim == *sole ? operand.map.getResult(narrow)
                                     : getAffineConstantExpr(0, context));
  }
  operand = {expand ? expand.getSrc() : collapse.getSrc(),
             AffineMap::get(operand.map.getNumDims(), 0, reads, context)};
  return true;
}

void qcc::absorbMovement(MappedOperand &operand) {
  while (true) {
    if (absorbReshape(operand))
      continue;
    linalg::GenericOp move = movementOf(operand.value);
    if (!move)
      return;
    AffineMap map = through(
        move.getMatchingIndexingMap(move.getDpsInputOperand(0)),
        move.getMatchingIndexingMap(move.getDpsInitOperand(0)), operand.map);
    if (!kernel::isProjection(map))
      return; // windows read an operand repeatedly: it is moved before
    operand = {move.getDpsInputOperand(0)->get(), map};
  }
}

bool qcc::isZeroFill(Value value) {
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  // A sum of floats that starts from -0.0 may have another sign.
  auto isZero = [](Value scalar) {
    return matchPattern(scalar, m_Zero()) ||
           matchPattern(scalar, m_PosZeroFloat());
  };
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return isZero(fill.value());
  if (auto op = value.getDefiningOp<linalg::GenericOp>()) {
    auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
    if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0)
      return false;
    Value yielded = yield.getOperand(0);
    if (OpOperand *input = inputOf(op, yielded))
      yielded = input->get();
    return isZero(yielded);
  }
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return false;
  if (isa<FloatType>(constant.getElementType()))
    return constant.getSplatValue<APFloat>().isPosZero();
  return constant.getElementType().isInteger() &&
         constant.getSplatValue<APInt>().isZero();
}

static bool isConstantLike(Value value) {
  while (linalg::GenericOp move = movementOf(value))
    value = move.getDpsInputOperand(0)->get();
  auto producer = value.getDefiningOp<linalg::GenericOp>();
  return matchPattern(value, m_Constant()) ||
         (producer && widensConstant(producer));
}

bool qcc::matchContraction(linalg::GenericOp op, Factor &lhs, Factor &rhs) {
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

//===----------------------------------------------------------------------===//
// Forming it
//===----------------------------------------------------------------------===//

/// The reduction dimensions; returns why they cannot be those of a kernel.
static StringRef collectReductions(linalg::GenericOp op, ContractParts &parts) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (unsigned d = 0, e = op.getNumLoops(); d < e; ++d) {
    if (op.getIteratorTypesArray()[d] != utils::IteratorType::reduction)
      continue;
    if (ShapedType::isDynamic(sizes[d]))
      return "the size of a reduction dimension (K) is dynamic";
    parts.reductionDims.push_back(d);
    parts.reductionSizes.push_back(sizes[d]);
  }
  if (llvm::is_contained(parts.reductionSizes, 0))
    return "a reduction dimension (K) has size 0";
  return "";
}

/// Both operands and their zero points; returns what is wrong with them.
static StringRef collectOperands(RewriterBase &rewriter, linalg::GenericOp op,
                                 const Factor &left, const Factor &right,
                                 ContractParts &parts) {
  auto operandOf = [&](const Factor &factor) {
    MappedOperand operand = withoutUnitTerms(
        rewriter, op, factor.input, computeFactor(rewriter, op, factor));
    absorbMovement(operand);
    return operand;
  };
  parts.lhs = operandOf(left);
  parts.rhs = operandOf(right);
  if (left.isUnsigned)
    parts.attributes.lhs_unsigned = UnitAttr::get(op.getContext());
  if (right.isUnsigned)
    parts.attributes.rhs_unsigned = UnitAttr::get(op.getContext());
  if (!kernel::isWindow(parts.lhs.map) || !kernel::isProjection(parts.rhs.map))
    return "its operands are indexed by something else than single dimensions "
           "and, one of them, sums of dimensions times positive constants";
  auto leftZero = zeroPointOperand(rewriter, op, left.zeroPoint);
  auto rightZero = zeroPointOperand(rewriter, op, right.zeroPoint);
  if (failed(leftZero) || failed(rightZero))
    return "a zero point is neither a constant nor a scalar nor an operand of "
           "i32";
  parts.lhsZeroPoint = *leftZero;
  parts.rhsZeroPoint = *rightZero;
  return "";
}

/// What is wrong with how the zero points and the result are indexed.
static StringRef checkIndexing(const ContractParts &parts, AffineMap outMap) {
  for (const MappedOperand *zero : {&parts.lhsZeroPoint, &parts.rhsZeroPoint})
    if (*zero && !kernel::isProjection(zero->map))
      return "a zero point is not indexed by single dimensions";
  if (!kernel::isProjection(outMap))
    return "its result is not indexed by single dimensions";
  auto isReduced = [&](AffineMap map) {
    return llvm::none_of(parts.reductionDims,
                         [&](int64_t d) { return map.isFunctionOfDim(d); });
  };
  if (!isReduced(outMap))
    return "its result has a reduction dimension";
  for (const MappedOperand *zero : {&parts.lhsZeroPoint, &parts.rhsZeroPoint})
    if (*zero && !isReduced(zero->map))
      return "a zero point varies along a reduction dimension";
  return "";
}

/// Whether there are columns, and every parallel dimension is one of the
/// result's.
static bool hasRoles(kernel::ContractOp op, AffineMap outMap) {
  if (failed(op.getRoles()))
    return false;
  for (unsigned d = 0; d < op.getNumLoops(); ++d)
    if (!op.isReduction(d) && !outMap.isFunctionOfDim(d))
      return false;
  return true;
}

/// The most columns that leave more of a vector unused than generic loops do:
/// of one batch each, and of floats.
constexpr int64_t kFewColumns = 8, kFewColumnsOfFloats = 4;

/// The same for contractions of floats.
static StringRef whyGenericIsFasterForFloats(kernel::ContractOp op) {
  kernel::ContractOp::Roles roles = *op.getRoles();
  int64_t columns = op.getStaticLoopSizes()[roles.n];
  if (op.getReductionSize() == 1)
    return "each result is a single product: computed by generic loops";
  if (roles.isDepthwise)
    return "each of its columns has a left operand of its own, as in a "
           "depthwise convolution: kernels of floats have none";
  if (!ShapedType::isDynamic(columns) && columns <= kFewColumnsOfFloats)
    return "it has few columns: computed by generic loops, which have other "
           "dimensions in their lanes";
  return "";
}

/// Why generic loops are faster than a kernel; nothing where they are not.
static StringRef whyGenericIsFaster(kernel::ContractOp op) {
  if (op.isOfFloats())
    if (StringRef reason = whyGenericIsFasterForFloats(op); !reason.empty())
      return reason;
  kernel::ContractOp::Roles roles = *op.getRoles();
  SmallVector<int64_t> sizes = op.getStaticLoopSizes();
  if ((roles.isDepthwise || sizes[roles.n] == 1) && op.getReductionSize() == 1)
    return "each result is a single product: computed by generic loops";
  if (roles.isDepthwise || ShapedType::isDynamic(sizes[roles.n]) ||
      sizes[roles.n] > kFewColumns)
    return "";
  for (AffineExpr expr : llvm::reverse(op.getLhsMap().getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || sizes[dim.getPosition()] == 1)
      continue;
    if (llvm::is_contained(roles.batch, dim.getPosition()))
      return "its innermost dimension is a batch and there are few columns: "
             "computed by generic loops, which have the batch in their lanes";
    break;
  }
  return "";
}

/// Whether `factor` has to be rhs, `other` being lhs: windows are of lhs, and
/// rhs is what is constant.
static bool isRhs(linalg::GenericOp op, const Factor &factor,
                  const Factor &other) {
  auto hasWindows = [&](const Factor &one) {
    return !kernel::isProjection(op.getMatchingIndexingMap(one.input));
  };
  if (hasWindows(factor) != hasWindows(other))
    return hasWindows(other);
  return isConstantLike(factor.input->get()) &&
         !isConstantLike(other.input->get());
}

/// Whether a contraction of floats has so few columns that loops compute it.
static bool hasFewColumns(linalg::GenericOp op, OpOperand *lhs,
                          OpOperand *rhs) {
  AffineMap left = op.getMatchingIndexingMap(lhs),
            right = op.getMatchingIndexingMap(rhs);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  std::optional<int64_t> columns;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (!right.isFunctionOfDim(d) || left.isFunctionOfDim(d))
      continue;
    if (ShapedType::isDynamic(size))
      return false;
    columns = columns.value_or(1) * size;
  }
  // A depthwise one has none, but channels.
  return columns && *columns <= kFewColumnsOfFloats;
}

std::pair<OpOperand *, OpOperand *> qcc::factorOperands(linalg::GenericOp op,
                                                        bool formsFloats) {
  Factor left, right;
  bool isOfIntegers = matchContraction(op, left, right);
  if (!isOfIntegers && !(formsFloats && matchFloatContraction(op, left, right)))
    return {};
  if (isRhs(op, left, right))
    std::swap(left, right);
  if (!isOfIntegers && hasFewColumns(op, left.input, right.input))
    return {};
  return {left.input, right.input};
}

/// Notes why a contraction stays a generic.
static void leaveGeneric(linalg::GenericOp op, StringRef reason) {
  ++numRefused;
  LDBG() << "leaves " << originOf(op) << " at " << op.getLoc() << ": "
         << reason;
  refuse(op, reason);
}

/// The note that lowering left, or one for the constant operand.
static Attribute weightOf(linalg::GenericOp op, const Factor &left,
                          const Factor &right) {
  if (Attribute weight = op->getAttr(kWeightAttr))
    return weight;
  for (const Factor *factor : {&right, &left})
    if (Attribute weight = noteOfWeight(factor->input->get()))
      return weight;
  return nullptr;
}

void qcc::formContraction(RewriterBase &rewriter, linalg::GenericOp op,
                          bool formsFloats) {
  Factor left, right;
  if (!matchContraction(op, left, right) &&
      !(formsFloats && matchFloatContraction(op, left, right)))
    return;
  rewriter.setInsertionPoint(op);
  ContractParts parts;
  Attribute weight = weightOf(op, left, right);
  if (StringRef reason = collectReductions(op, parts); !reason.empty())
    return leaveGeneric(op, reason);
  if (isRhs(op, left, right))
    std::swap(left, right);
  OpOperand *out = op.getDpsInitOperand(0);
  AffineMap outMap = op.getMatchingIndexingMap(out);
  StringRef reason = collectOperands(rewriter, op, left, right, parts);
  if (reason.empty())
    reason = checkIndexing(parts, outMap);
  if (!reason.empty())
    return leaveGeneric(op, reason);

  if (!isZeroFill(out->get())) {
    parts.init = {out->get(), outMap};
    absorbMovement(parts.init);
  }
  SmallVector<OpFoldResult> outSizes =
      tensor::getMixedSizes(rewriter, op.getLoc(), out->get());
  Type accumulator = getElementTypeOrSelf(out->get().getType());
  Value empty =
      tensor::EmptyOp::create(rewriter, op.getLoc(), outSizes, accumulator);
  parts.outs.push_back({empty, outMap});
  parts.values = {valueInfo(op.getLoc())};
  parts.fused.push_back(originOf(op));

  kernel::ContractOp contract = parts.create(rewriter, op.getLoc());
  Block *epilogue = rewriter.createBlock(&contract.getEpilogue(), {},
                                         {accumulator}, {op.getLoc()});
  kernel::YieldOp::create(rewriter, op.getLoc(), epilogue->getArguments());
  // The roles of the dimensions decide whether the op can be formed at all.
  if (!hasRoles(contract, outMap)) {
    rewriter.eraseOp(contract);
    return leaveGeneric(
        op, "no single dimension belongs to the right operand alone "
            "(N) or is the innermost one of both operands and the "
            "result, or one is missing from the result");
  }
  if (StringRef reason = whyGenericIsFaster(contract); !reason.empty()) {
    rewriter.eraseOp(contract);
    return leaveGeneric(op, reason);
  }
  // Why it is not one of integers.
  if (Attribute reason = op->getAttr(kRefusedAttr))
    contract->setAttr(kRefusedAttr, reason);
  if (weight)
    contract->setAttr(kWeightAttr, weight);
  ++numFormed;
  LDBG() << "forms a contraction of " << originOf(op) << " at " << op.getLoc();
  rewriter.replaceOp(op, contract.getResults());
}
