//===- FindInPlaceResults.cpp - Results in the memory of arguments --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepValues.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Steps/Steps.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "find-in-place-results"

namespace qcc {
#define GEN_PASS_DEF_FINDINPLACERESULTS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numInPlace, "Results that may lie in an argument");
ALWAYS_ENABLED_STATISTIC(numApart, "Results that start as a copy of an "
                                   "argument which is read too late");

/// The same buffer with the sizes that are known where it is made.
static Value withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  return value;
}

namespace {
/// A step of an entry, and how it touches two of the entry's buffers.
class StepUses {
public:
  StepUses(func::CallOp call, const SymbolTable &symbols)
      : call(call), step(symbols.lookup<func::FuncOp>(call.getCallee())) {}

  bool reads(Value buffer) { return touches(buffer, false); }
  bool writes(Value buffer) { return touches(buffer, true); }

  /// The argument of the entry that the step copies to the start of `result`,
  /// if it does nothing else; null otherwise.
  BlockArgument findCopied(BlockArgument result);

  /// Whether the step only writes elements of `result` that lie behind those of
  /// `argument` in some dimension. Where both have one shape, there are none.
  bool writesBehind(BlockArgument argument, BlockArgument result);

private:
  bool isWritten(unsigned operand) {
    return llvm::is_contained(
        step->getAttrOfType<DenseI64ArrayAttr>(kWritesAttr).asArrayRef(),
        int64_t(operand));
  }
  bool touches(Value buffer, bool writing);
  /// The buffer or size of the entry that is a value of the step.
  Value operandOf(Value value) {
    auto argument = dyn_cast<BlockArgument>(withoutCasts(value));
    return argument ? withoutCasts(call.getOperand(argument.getArgNumber()))
                    : value;
  }
  /// The only op of the step that touches memory, or null.
  Operation *findWork();
  bool isSizeOf(OpFoldResult size, BlockArgument argument, unsigned dim);

  func::CallOp call;
  func::FuncOp step;
};
} // namespace

bool StepUses::touches(Value buffer, bool writing) {
  for (auto [i, operand] : llvm::enumerate(call.getOperands()))
    if (isa<MemRefType>(operand.getType()) && baseOf(operand) == buffer &&
        isWritten(i) == writing)
      return true;
  return false;
}

Operation *StepUses::findWork() {
  Operation *work = nullptr;
  for (Operation &op : step.getBody().front().without_terminator()) {
    if (isMemoryEffectFree(&op))
      continue;
    if (work)
      return nullptr;
    work = &op;
  }
  return work;
}

BlockArgument StepUses::findCopied(BlockArgument result) {
  auto copy = dyn_cast_or_null<memref::CopyOp>(findWork());
  if (!copy)
    return {};
  auto source = dyn_cast<BlockArgument>(operandOf(copy.getSource()));
  Value target = copy.getTarget();
  if (auto view = target.getDefiningOp<memref::SubViewOp>()) {
    if (view.getType().getRank() != view.getSourceType().getRank() ||
        !llvm::all_of(view.getMixedOffsets(), isZeroInteger) ||
        !llvm::all_of(view.getMixedStrides(), isOneInteger))
      return {};
    target = view.getSource();
  }
  return operandOf(target) == result ? source : BlockArgument();
}

bool StepUses::isSizeOf(OpFoldResult size, BlockArgument argument,
                        unsigned dim) {
  int64_t known = cast<MemRefType>(argument.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(known))
    return getConstantIntValue(size) == known;
  auto value = dyn_cast<Value>(size);
  auto asked =
      value ? operandOf(value).getDefiningOp<memref::DimOp>() : memref::DimOp();
  return asked && withoutCasts(asked.getSource()) == argument &&
         asked.getConstantIndex() == int64_t(dim);
}

bool StepUses::writesBehind(BlockArgument argument, BlockArgument result) {
  auto fill = dyn_cast_or_null<linalg::FillOp>(findWork());
  auto view = fill
                  ? fill.getOutputs().front().getDefiningOp<memref::SubViewOp>()
                  : memref::SubViewOp();
  if (!view || operandOf(view.getSource()) != result)
    return false;
  for (auto [d, offset] : llvm::enumerate(view.getMixedOffsets()))
    if (isSizeOf(offset, argument, d))
      return true;
  return false;
}

/// The call that copies an argument to a result before anything else is written
/// to it, if nothing reads the argument once the result has other elements.
static func::CallOp findIdleCopy(func::FuncOp entry, const SymbolTable &symbols,
                                 BlockArgument result,
                                 BlockArgument &argument) {
  func::CallOp copy;
  bool hasChanged = false;
  SmallVector<StepUses> earlier;
  for (auto call : entry.getOps<func::CallOp>()) {
    StepUses uses(call, symbols);
    if (copy) {
      hasChanged |= uses.writes(result);
      if (hasChanged && uses.reads(argument)) {
        ++numApart;
        LDBG() << "result " << result.getArgNumber() << " of "
               << entry.getName() << " cannot lie in argument "
               << argument.getArgNumber() << ", which the step at "
               << call.getLoc() << " reads after the result has changed";
        return {};
      }
      continue;
    }
    if (!uses.writes(result))
      continue;
    argument = uses.findCopied(result);
    if (!argument) {
      earlier.push_back(uses);
      continue;
    }
    copy = call;
  }
  bool isFirst = copy && llvm::all_of(earlier, [&](StepUses &step) {
                   return step.writesBehind(argument, result);
                 });
  return isFirst ? copy : func::CallOp();
}

namespace {
struct FindInPlaceResults
    : qcc::impl::FindInPlaceResultsBase<FindInPlaceResults> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto entry : getOperation().getOps<func::FuncOp>())
      if (entry.isPublic() && !entry.isDeclaration())
        visit(entry, symbols);
  }

  void visit(func::FuncOp entry, const SymbolTable &symbols) {
    Builder builder(&getContext());
    DenseSet<Value> taken;
    for (BlockArgument result : entry.getArguments()) {
      if (!entry.getArgAttr(result.getArgNumber(), kDestinationAttr))
        continue;
      BlockArgument argument;
      func::CallOp copy = findIdleCopy(entry, symbols, result, argument);
      if (!copy ||
          !cast<MemRefType>(result.getType()).getLayout().isIdentity() ||
          entry.getArgAttr(argument.getArgNumber(), kDestinationAttr) ||
          !taken.insert(argument).second)
        continue;
      ++numInPlace;
      entry.setArgAttr(result.getArgNumber(), kInPlaceAttr,
                       builder.getIndexAttr(argument.getArgNumber()));
      copy->setAttr(kIdleInPlaceAttr, builder.getUnitAttr());
    }
  }
};
} // namespace
