//===- AddResultDestinations.cpp - Results in memory of the caller --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../KnownSizes.h"
#include "ContinuedArguments.h"
#include "qcc/Dialect/QNN/IR/FunctionAttrs.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Steps/Steps.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "add-result-destinations"

namespace qcc {
#define GEN_PASS_DEF_ADDRESULTDESTINATIONS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;

ALWAYS_ENABLED_STATISTIC(numResults, "Results with a destination");
ALWAYS_ENABLED_STATISTIC(
    numCopies, "Results copied to their destination or before an overwrite");
ALWAYS_ENABLED_STATISTIC(numContinued, "Results that update an argument");

/// A value of the same shape that no loop computes: a loop keeps the memory,
/// and so the shape, of what it carries. The result of the loop becomes the
/// destination, so the size of the destination cannot be that of the result.
static Value beforeLoops(Value value) {
  while (auto loop = value.getDefiningOp<scf::ForOp>())
    value = loop.getInitArgs()[cast<OpResult>(value).getResultNumber()];
  return value;
}

namespace {
/// The control flow that a value comes out of, if it is a result of it or of
/// ops after it that keep its memory.
enum class Source {
  Straight, // none
  Carried,  // scf.for
  Chosen    // scf.if or scf.while, maybe before scf.for
};
} // namespace

static Source sourceOf(Value value) {
  Source source = Source::Straight;
  while (Operation *op = value.getDefiningOp()) {
    if (isa<scf::IfOp, scf::WhileOp>(op))
      return Source::Chosen;
    if (isa<scf::ForOp>(op)) {
      source = Source::Carried;
      value = beforeLoops(value);
    } else if (auto update = dyn_cast<DestinationStyleOpInterface>(op)) {
      value = update.getTiedOpOperand(cast<OpResult>(value))->get();
    } else if (isa<tensor::CastOp, tensor::ExtractSliceOp,
                   tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      value = op->getOperand(0);
    } else {
      break;
    }
  }
  return source;
}

/// The tensor that a reshape is made of, or null for another op.
static Value sourceOfReshape(Operation *op) {
  return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)
             ? op->getOperand(0)
             : Value();
}

/// The tensor that has the elements of `value`, before all reshapes.
static Value unshaped(Value value) {
  while (Value source = sourceOfReshape(value.getDefiningOp()))
    value = source;
  return value;
}

/// A size of a value that is returned, or null. What control flow gives is
/// written to the destination, and so is what is reshaped (storeResult): asking
/// it would ask the destination for its own size.
static Value sizeOfResult(OpBuilder &builder, qcc::KnownSizes &known,
                          Value value, int64_t dim, bool isContinued) {
  Source source = sourceOf(value);
  if (source != Source::Straight || sourceOfReshape(value.getDefiningOp()) ||
      isContinued)
    if (OpFoldResult size = known.sizeOf(value, dim))
      return known.valueOf(size);
  if (source == Source::Chosen)
    return {};
  return tensor::DimOp::create(builder, value.getLoc(), beforeLoops(value),
                               dim);
}

/// The sizes of a tensor, null where they are not known before the program
/// runs; none of no tensor.
static SmallVector<OpFoldResult> sizesOf(qcc::KnownSizes &known, Value tensor) {
  SmallVector<OpFoldResult> sizes;
  if (tensor)
    for (int64_t d = 0; d < cast<ShapedType>(tensor.getType()).getRank(); ++d)
      sizes.push_back(known.sizeOf(tensor, d));
  return sizes;
}

/// Whether all sizes of a tensor are known before the program runs.
static bool knowsSizes(qcc::KnownSizes &known, Value tensor) {
  return !llvm::is_contained(sizesOf(known, tensor), OpFoldResult());
}

/// `value` in the memory of `destination`, which is reshaped where the value
/// is, so that what computes its elements can do so in their place:
///
///   %v = tensor.collapse_shape %x
///   materialize %v in %d
/// =>
///   %e = tensor.expand_shape %d
///   %m = materialize %x in %e
///   %v = tensor.collapse_shape %m
static Value storeResult(OpBuilder &builder, qcc::KnownSizes &known,
                         Value value, Value destination) {
  Location loc = value.getLoc();
  Operation *reshape = value.getDefiningOp();
  Value source = sourceOfReshape(reshape);
  SmallVector<OpFoldResult> sizes = sizesOf(known, source);
  if (!source || sourceOf(source) != Source::Straight ||
      !knowsSizes(known, source) || !knowsSizes(known, value))
    return bufferization::MaterializeInDestinationOp::create(
               builder, loc, destination.getType(), value, destination)
        .getResult();
  Value memory;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape))
    memory = tensor::ExpandShapeOp::create(
        builder, loc, source.getType(), destination,
        collapse.getReassociationIndices(), sizes);
  else
    memory = tensor::CollapseShapeOp::create(
        builder, loc, cast<RankedTensorType>(source.getType()), destination,
        cast<tensor::ExpandShapeOp>(reshape).getReassociationIndices());
  Value stored = storeResult(builder, known, source, memory);
  Operation *copy = builder.clone(*reshape);
  copy->setOperand(0, stored);
  return copy->getResult(0);
}

/// A copy of `value` for each op that overwrites it while it is also returned:
///
///   %r = linalg.generic ... outs(%f)        %c = linalg.copy ins(%f) ...
///   return %r, %f                      ⇒    %r = linalg.generic ... outs(%c)
///                                           return %r, %f
///
/// Bufferization would look for one memory that serves both results.
static void copyOverwrittenResult(OpBuilder &builder, Value value) {
  SmallVector<OpOperand *> overwriting;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    auto destination = dyn_cast<DestinationStyleOpInterface>(user);
    if ((destination && destination.isDpsInit(&use)) ||
        isa<scf::ForOp, scf::WhileOp>(user))
      overwriting.push_back(&use);
  }
  for (OpOperand *use : overwriting) {
    Location loc = use->getOwner()->getLoc();
    builder.setInsertionPoint(use->getOwner());
    auto type = cast<RankedTensorType>(value.getType());
    Value memory = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, value),
        type.getElementType());
    ++numCopies;
    LDBG() << "copies the value at " << value.getLoc()
           << ", which is returned, before " << use->getOwner()->getName()
           << " at " << loc << " overwrites it";
    use->set(linalg::CopyOp::create(builder, loc, value, memory).getResult(0));
  }
}

/// Adds an argument for each result, with the attributes of the result; says
/// which arguments are written.
static LogicalResult addDestinations(func::FuncOp func, func::ReturnOp ret) {
  unsigned numArguments = func.getNumArguments();
  SmallVector<unsigned> positions(ret.getNumOperands(), numArguments);
  SmallVector<DictionaryAttr> attrs;
  func.getAllResultAttrs(attrs);
  SmallVector<Location> locs = llvm::map_to_vector(
      ret.getOperands(), [](Value value) { return value.getLoc(); });
  if (failed(
          func.insertArguments(positions, ret.getOperandTypes(), attrs, locs)))
    return failure();
  Builder builder(func.getContext());
  using bufferization::BufferizationDialect;
  qcc::setArgAttrs(
      func, BufferizationDialect::kWritableAttrName,
      [&](unsigned i) -> Attribute {
        bool isTensor = isa<TensorType>(func.getArgument(i).getType());
        return isTensor ? builder.getBoolAttr(i >= numArguments) : BoolAttr();
      });
  qcc::setArgAttrs(func, qcc::kDestinationAttr, [&](unsigned i) -> Attribute {
    return i >= numArguments ? builder.getUnitAttr() : UnitAttr();
  });
  return success();
}

namespace {
struct AddResultDestinations
    : qcc::impl::AddResultDestinationsBase<AddResultDestinations> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func.isPublic())
      return;
    OpBuilder builder(&getContext());
    auto ret = cast<func::ReturnOp>(func.getBody().front().getTerminator());
    for (Value value : llvm::SmallSetVector<Value, 4>(ret.getOperands().begin(),
                                                      ret.getOperands().end()))
      copyOverwrittenResult(builder, value);
    unsigned numArguments = func.getNumArguments();
    if (failed(addDestinations(func, ret)))
      return signalPassFailure();
    builder.setInsertionPoint(ret);
    qcc::KnownSizes known(func);
    known.setInsertionPoint(ret);
    SmallVector<Value> results, sizes;
    for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
      auto type = cast<RankedTensorType>(value.getType());
      OpOperand *argument = qcc::findContinuedArgument(value);
      BlockArgument destination = func.getArgument(numArguments + i);
      for (int64_t d = 0; d < type.getRank(); ++d) {
        if (!type.isDynamicDim(d))
          continue;
        sizes.push_back(sizeOfResult(builder, known, value, d, argument));
        if (sizes.back())
          continue;
        mlir::emitError(value.getLoc(),
                        "the shape of a result depends on data: a branch or a "
                        "loop gives it one size or another; qcc needs shapes "
                        "that follow from those of the arguments");
        return signalPassFailure();
      }
      // Elements that are returned twice are copied from their first place.
      for (auto [j, other] : llvm::enumerate(ret.getOperands().take_front(i)))
        if (unshaped(other) == unshaped(value)) {
          ++numCopies;
          LDBG() << "copies result " << i << " of " << func.getName()
                 << " from result " << j << ": they have the same elements";
          value = linalg::CopyOp::create(builder, value.getLoc(),
                                         other == value ? results[j] : value,
                                         destination)
                      .getResult(0);
          argument = nullptr;
          break;
        }
      ++numResults;
      Value memory = destination;
      if (argument && knowsSizes(known, value)) {
        ++numContinued;
        LDBG() << "result " << i << " of " << func.getName()
               << " updates an argument";
        memory = qcc::startInDestination(builder, *argument, destination);
      }
      results.push_back(storeResult(builder, known, value, memory));
    }
    llvm::append_range(results, sizes);
    ret->setOperands(results);
    SmallVector<Type> types(ValueRange(results).getTypes());
    func.setType(builder.getFunctionType(func.getArgumentTypes(), types));
    func.setAllResultAttrs(SmallVector<DictionaryAttr>(
        types.size(), builder.getDictionaryAttr({})));
  }
};
} // namespace
