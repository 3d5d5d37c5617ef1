//===- ContractOp.cpp - Fused contractions --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpChecks.h"
#include "mlir/IR/AffineMap.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc::kernel;

void ContractOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(cast<DestinationStyleOpInterface>(getOperation()), effects);
}

int64_t ContractOp::getReductionSize() { return product(getReductionSizes()); }

/// Calls `visit` for each dimension of an operand that is indexed by one loop
/// alone, with the operand's number, the loop and the size, until it returns
/// false; returns whether it never did.
static bool
forEachLoopSize(ContractOp op,
                function_ref<bool(unsigned, unsigned, int64_t)> visit) {
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    if ((op.isPacked() && number == 1) || op.isRhsSums(number))
      continue;
    auto type = cast<ShapedType>(operand.get().getType());
    for (auto [size, expr] :
         llvm::zip(type.getShape(), op.getIndexingMap(operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (!visit(number, dim.getPosition(), size))
          return false;
  }
  return true;
}

SmallVector<int64_t> ContractOp::getStaticLoopSizes() {
  SmallVector<int64_t> sizes(getNumLoops(), ShapedType::kDynamic);
  for (auto [dim, size] : llvm::zip(getReductionDims(), getReductionSizes())) {
    assert(dim >= 0 && dim < int64_t(sizes.size()) &&
           "reductions are loops of a verified contraction");
    sizes[dim] = size;
  }
  forEachLoopSize(*this, [&](unsigned, unsigned loop, int64_t size) {
    if (ShapedType::isDynamic(sizes[loop]))
      sizes[loop] = size;
    return true;
  });
  return sizes;
}

/// More elements than any operand has.
constexpr int64_t kMaxReduction = int64_t(1) << 40;

/// Each reduction dimension is a loop with a size.
static LogicalResult verifyReductions(ContractOp op) {
  ArrayRef<int64_t> dims = op.getReductionDims();
  unsigned loops = op.getNumLoops();
  if (dims.size() != op.getReductionSizes().size() || dims.empty())
    return op.emitOpError("must have one of reduction_sizes for each of "
                          "reduction_dims, and at least one");
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= (int64_t)loops)
      return op.emitOpError() << "reduction dimension " << dim
                              << " is not one of " << loops << " loops";
    if (llvm::is_contained(dims.take_front(i), dim))
      return op.emitOpError() << "has reduction dimension " << dim << " twice";
    if (op.getReductionSizes()[i] <= 0)
      return op.emitOpError("reduction sizes must be positive");
  }
  int64_t size = 1;
  for (int64_t one : op.getReductionSizes())
    if (llvm::MulOverflow(size, one, size) || size > kMaxReduction)
      return op.emitOpError() << "reduction sizes must have a product of at "
                                 "most "
                              << kMaxReduction;
  return success();
}

/// Whether an operand is one of `operands`.
static bool isOneOf(OpOperand &operand, OperandRange operands) {
  unsigned number = operand.getOperandNumber(),
           first = operands.getBeginOperandIndex();
  return number >= first && number < first + operands.size();
}

/// The reduction dimensions along which an operand may not be indexed.
static ArrayRef<int64_t> dimsOutside(ContractOp op, OpOperand &operand) {
  ArrayRef<int64_t> dims = op.getReductionDims();
  if (operand.getOperandNumber() < 2 || isOneOf(operand, op.getLhsOperands()) ||
      isOneOf(operand, op.getRhsOperands()))
    return {};
  bool isReadAlongGroups =
      op.hasGroups() && (isOneOf(operand, op.getLhsZeroPointMutable()) ||
                         isOneOf(operand, op.getRhsZeroPointMutable()) ||
                         isOneOf(operand, op.getGroupOperands()));
  return isReadAlongGroups ? dims.drop_front() : dims;
}

static LogicalResult verifyMap(ContractOp op, OpOperand &operand) {
  unsigned loops = op.getNumLoops(), number = operand.getOperandNumber();
  AffineMap map = op.getIndexingMap(operand);
  auto error = [&] {
    return op.emitOpError() << "map of operand " << number << " ";
  };
  if (map.getNumDims() != loops || map.getNumSymbols() != 0)
    return error() << "must have " << loops << " dimensions and no symbols";
  if (number == 0 && !isWindow(map, op.getInnermostColumns()))
    return error() << "must index each dimension by a sum of different "
                      "dimensions times positive constants, and the "
                      "last one perhaps by the group of a column";
  if (number != 0 && !isProjection(map))
    return error() << "must be a projected permutation";
  bool isPackedRhs = op.isPacked() && number == 1;
  auto type = cast<ShapedType>(operand.get().getType());
  if (!isPackedRhs && (int64_t)map.getNumResults() != type.getRank())
    return error() << "has " << map.getNumResults()
                   << " results, the operand rank " << type.getRank();
  for (int64_t dim : dimsOutside(op, operand))
    if (map.isFunctionOfDim(dim))
      return error() << "must not depend on reduction dimension " << dim;
  return success();
}

/// There is a map of the right form for each operand but rhs_sums, and results
/// have every parallel dimension.
static LogicalResult verifyMaps(ContractOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!op.isRhsSums(operand.getOperandNumber()) &&
        failed(verifyMap(op, operand)))
      return failure();
  }
  for (AffineMap map : op.getOutMaps())
    for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
      if (!op.isReduction(dim) && !map.isFunctionOfDim(dim))
        return op.emitOpError() << "outs must be indexed by dimension " << dim
                                << ", which is not reduced";
  return success();
}

/// Two widths for each dimension of the left operand, one that windows move in
/// where there is padding.
static LogicalResult verifyPadding(ContractOp op) {
  if (!op.getLhsPadding())
    return success();
  ArrayRef<int64_t> padding = op.getLhsPaddingWidths();
  AffineMap map = op.getLhsMap();
  if (padding.size() != 2 * size_t(map.getNumResults()))
    return op.emitOpError("must have two lhs_padding widths for each dimension "
                          "of lhs");
  if (!op.getLhsPrologue().empty())
    return op.emitOpError("has lhs_padding and lhs_prologue; a padded left "
                          "operand has no prologue");
  for (auto [d, expr] : llvm::enumerate(map.getResults()))
    if (padding[2 * d] + padding[2 * d + 1] > 0 && isa<AffineDimExpr>(expr))
      return op.emitOpError("has lhs_padding in dimension ")
             << d << ", which is indexed by one loop alone";
  return success();
}

/// Windows of the left operand lie inside of it and its padding, as far as
/// sizes are static.
static LogicalResult verifyWindows(ContractOp op, ArrayRef<int64_t> sizes) {
  if (failed(verifyPadding(op)))
    return failure();
  auto type = cast<ShapedType>(op.getLhs().getType());
  SmallVector<int64_t> padding = llvm::to_vector(op.getLhsPaddingWidths());
  padding.resize(2 * type.getRank(), 0);
  for (auto [i, expr] : llvm::enumerate(op.getLhsMap().getResults())) {
    // Without iterations nothing is read.
    bool isKnown = !isa<AffineDimExpr>(expr) && !type.isDynamicDim(i);
    uint64_t greatest = 0;
    for (auto [size, factor] :
         llvm::zip(sizes, *windowFactors(expr, sizes.size()))) {
      if (factor == 0)
        continue;
      isKnown &= !ShapedType::isDynamic(size) && size != 0;
      greatest = llvm::SaturatingMultiplyAdd<uint64_t>(isKnown ? size - 1 : 0,
                                                       factor, greatest);
    }
    if (std::optional<GroupTerm> group = groupTerm(expr)) {
      isKnown &= sizes[group->loop] > 0;
      greatest = llvm::SaturatingMultiplyAdd<uint64_t>(
          isKnown ? (sizes[group->loop] - 1) / group->size : 0, group->stride,
          greatest);
    }
    uint64_t width = uint64_t(padding[2 * i]) + padding[2 * i + 1];
    if (!isKnown || greatest < type.getDimSize(i) + width)
      continue;
    InFlightDiagnostic error = op.emitOpError();
    error << "reads lhs at index " << greatest << " of dimension " << i
          << ", which has size " << type.getDimSize(i);
    if (width > 0)
      error << " and " << width << " elements of padding";
    return error;
  }
  return success();
}

/// Static sizes of one dimension must agree, those of reductions with
/// `reduction_sizes`.
static LogicalResult verifyShapes(ContractOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopSizes();
  LogicalResult result = success();
  forEachLoopSize(op, [&](unsigned number, unsigned loop, int64_t size) {
    if (ShapedType::isDynamic(size) || size == sizes[loop])
      return true;
    result = op.emitOpError()
             << "dimension " << loop << " has size " << sizes[loop]
             << ", but operand " << number << " has " << size;
    return false;
  });
  return failed(result) ? result : verifyWindows(op, sizes);
}

/// The type of the elements that are multiplied.
static Type factorType(ContractOp op) {
  Type accumulator = op.getAccumulatorType();
  return op.isOfFloats() ? accumulator : IntegerType::get(op.getContext(), 8);
}

static LogicalResult verifyElementTypes(ContractOp op) {
  Type accumulator = op.getAccumulatorType(), factor = factorType(op);
  if (!accumulator.isSignlessInteger(32) && !accumulator.isF32())
    return op.emitOpError("epilogue must take an accumulator of i32 or f32");
  auto isElement = [](Value v, Type type) {
    return getElementTypeOrSelf(v.getType()) == type;
  };
  if (op.getLhsPrologue().empty() && !isElement(op.getLhs(), factor))
    return op.emitOpError("lhs without a prologue must have element type ")
           << factor;
  if (!op.isPacked() && op.getRhsPrologue().empty() &&
      !isElement(op.getRhs(), factor))
    return op.emitOpError("rhs without a prologue must have element type ")
           << factor;
  if (op.isPacked() && op.getRhsPrologue().empty() &&
      !isElement(op.getRhs(), accumulator))
    return op.emitOpError("packed rhs must have element type ") << accumulator;
  for (Value v : {op.getLhsZeroPoint(), op.getRhsZeroPoint(), op.getRhsSums()})
    if (v && !isElement(v, accumulator))
      return op.emitOpError("zero points and sums must have element type ")
             << accumulator;
  if (op.getInit() && !isElement(op.getInit(), op.getTotalType()))
    return op.emitOpError("init must have element type ") << op.getTotalType();
  return success();
}

/// Groups have sums of integers, and a total of f32.
static LogicalResult verifyGroups(ContractOp op) {
  if (!op.hasGroups())
    return op.getGroupOperands().empty()
               ? success()
               : op.emitOpError("has group_ins without group_epilogue");
  if (op.getGroupEpilogue().front().getNumArguments() < 2)
    return op.emitOpError("group_epilogue must take an accumulator of i32 and "
                          "a total of f32");
  if (!op.getAccumulatorType().isSignlessInteger(32) ||
      !op.getTotalType().isF32())
    return op.emitOpError("with groups must have accumulators of i32 and an "
                          "epilogue that takes an f32");
  if (op.getReductionDims().size() < 2)
    return op.emitOpError("with groups must have a reduction dimension of "
                          "groups and one of their elements");
  if (op.getLhsPadding() || op.getKnownFacts().zeroBorder)
    return op.emitOpError("with groups has no lhs_padding and no zero_border");
  return success();
}

/// What floats have not: zero points, signs of bytes, sums of columns, padding
/// that is a byte. And what integers have not: packed words without sums.
static LogicalResult verifyFloats(ContractOp op) {
  if (!op.isOfFloats()) {
    if (op.getRhsPacked() && !op.hasGroups())
      return op.emitOpError("of integers has rhs_sums where rhs is packed, not "
                            "rhs_packed");
    return success();
  }
  if (op.getLhsZeroPoint() || op.getRhsZeroPoint() || op.getRhsSums() ||
      op.getLhsUnsigned() || op.getRhsUnsigned() || op.getLhsPadding())
    return op.emitOpError("of floats has no zero points, rhs_sums, "
                          "lhs_unsigned, rhs_unsigned or lhs_padding");
  return success();
}

static LogicalResult verifyGroupEpilogue(ContractOp op) {
  if (!op.hasGroups())
    return success();
  SmallVector<Type> types{op.getAccumulatorType(), op.getTotalType()};
  llvm::append_range(types, elementTypes(op.getGroupOperands()));
  return verifyRegion(op, op.getGroupEpilogue(), "group_epilogue", types,
                      {op.getTotalType()});
}

/// Prologues yield a factor for an element and their operands, the epilogue
/// what outs hold.
static LogicalResult verifyBodies(ContractOp op) {
  if (op.isPacked() && !op.isOfFloats() && !op.getRhsPrologue().empty())
    return op.emitOpError(
        "packed rhs of integers has no prologue: it belongs to kernel.pack");
  if (op.getLhsPrologue().empty() && !op.getLhsOperands().empty())
    return op.emitOpError("lhs_ins without lhs_prologue");
  if (op.getRhsPrologue().empty() && !op.getRhsOperands().empty())
    return op.emitOpError("rhs_ins without rhs_prologue");
  Type factor = factorType(op);
  auto verify = [&](Region &region, StringRef name, Type first,
                    OperandRange rest, ArrayRef<Type> results) {
    SmallVector<Type> types{first};
    llvm::append_range(types, elementTypes(rest));
    return region.empty() ? success()
                          : verifyRegion(op, region, name, types, results);
  };
  auto elementOf = [](Value v) { return getElementTypeOrSelf(v.getType()); };
  // Words of nibbles, which the prologue takes as bytes.
  Type rhsElement = elementOf(op.getRhs());
  if (op.isPacked() && rhsElement.isInteger(32))
    rhsElement = IntegerType::get(op.getContext(), 8);
  return success(
      succeeded(verify(op.getLhsPrologue(), "lhs_prologue",
                       elementOf(op.getLhs()), op.getLhsOperands(),
                       {factor})) &&
      succeeded(verify(op.getRhsPrologue(), "rhs_prologue", rhsElement,
                       op.getRhsOperands(), {factor})) &&
      succeeded(verifyGroupEpilogue(op)) &&
      succeeded(verify(op.getEpilogue(), "epilogue", op.getTotalType(),
                       op.getEpilogueOperands(), elementTypes(op.getOuts()))));
}

static LogicalResult verifyResults(ContractOp op) {
  SmallVector<Type> tensors;
  for (Value out : op.getOuts())
    if (isa<TensorType>(out.getType()))
      tensors.push_back(out.getType());
  if (TypeRange(tensors) != op.getResultTypes())
    return op.emitOpError(
        "must have a result of the type of each tensor of outs");
  return success();
}

/// What kernel.pack makes of rhs, as far as it follows from the contraction:
/// [batch..., tiles, words, NR] and the sums of columns [batch..., columns], or
/// [batch..., groups, columns].
static LogicalResult verifyPacked(ContractOp op) {
  if (!op.isPacked())
    return success();
  auto packed = cast<ShapedType>(op.getRhs().getType());
  int64_t batch = op.getRoles()->batch.size(),
          sumsRank = batch + (op.hasGroups() ? 2 : 1);
  if (packed.getRank() != batch + 3 ||
      (op.getRhsSums() &&
       cast<ShapedType>(op.getRhsSums().getType()).getRank() != sumsRank))
    return op.emitOpError() << "packed rhs must have rank " << batch + 3
                            << " and rhs_sums rank " << sumsRank;
  // A word has up to 4 bytes, or one float; of groups, and of what is widened
  // to floats, up to 8 nibbles.
  int64_t words = packed.getDimSize(batch + 1),
          ofWord = !op.getRhsPrologue().empty() ? 8
                   : op.isOfFloats()            ? 1
                   : op.hasGroups()             ? 8
                                                : 4;
  if (ShapedType::isDynamic(words) ||
      words < int64_t(llvm::divideCeil(op.getReductionSize(), ofWord)))
    return op.emitOpError()
           << "packed rhs must have words for " << op.getReductionSize()
           << " elements of K in dimension " << batch + 1;
  return success();
}

static LogicalResult verifyZeroBorder(ContractOp op) {
  DenseI64ArrayAttr border = op.getKnownFacts().zeroBorder;
  if (!border)
    return success();
  auto lhs = cast<ShapedType>(op.getLhs().getType());
  if (border.size() != 2 * lhs.getRank())
    return op.emitOpError("must have two zero_border widths for each dimension "
                          "of lhs");
  for (int64_t d = 0; d < lhs.getRank(); ++d)
    if (!lhs.isDynamicDim(d) &&
        border[2 * d] > lhs.getDimSize(d) - border[2 * d + 1])
      return op.emitOpError("has a zero_border that is wider than dimension ")
             << d << " of lhs";
  return success();
}

LogicalResult ContractOp::verify() {
  unsigned maps = getNumOperands() - (getRhsSums() ? 1 : 0);
  if (getEpilogue().front().getNumArguments() == 0 ||
      (hasGroups() && getGroupEpilogue().front().getNumArguments() == 0))
    return emitOpError("epilogue must take an accumulator of i32 or f32");
  if (getIndexingMaps().size() != maps)
    return emitOpError() << "has " << maps << " operands with a map but "
                         << getIndexingMaps().size() << " indexing_maps";
  if (failed(verifyReductions(*this)))
    return failure();
  if (getOuts().empty())
    return emitOpError("must have outs");
  if (!haveOneKind(*this))
    return emitOpError("operands must be all tensors or all memrefs");
  if (failed(verifyMaps(*this)) || failed(verifyShapes(*this)))
    return failure();
  if (failed(getRoles()))
    return emitOpError("must have exactly one dimension that rhs has and lhs "
                       "has not, or none, and an innermost one that lhs, rhs "
                       "and outs have");
  if (failed(verifyGroups(*this)) || failed(verifyElementTypes(*this)) ||
      failed(verifyFloats(*this)) || failed(verifyPacked(*this)) ||
      failed(verifyBodies(*this)))
    return failure();
  DenseF64ArrayAttr ranges = getKnownFacts().epilogueRanges;
  if (ranges && ranges.size() != 2 * int64_t(getEpilogueOperands().size()))
    return emitOpError(
        "must have two epilogue_ranges for each of epilogue_ins");
  if (failed(verifyZeroBorder(*this)))
    return failure();
  return verifyResults(*this);
}
