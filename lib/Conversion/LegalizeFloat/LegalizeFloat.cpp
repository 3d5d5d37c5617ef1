//===- LegalizeFloat.cpp - One IEEE operation at a time -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the module and replaces each float operation by its form from N4, N7
// and N8. The combine of a float reduction stays as it is and is marked, so
// that the pass that orders the reduction can still see it; that pass emits it
// with emitCombine.
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "qcc/Conversion/LegalizeFloat/FloatOps.h"
#include "qcc/Conversion/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace qcc {
#define GEN_PASS_DEF_LEGALIZEFLOAT
#include "qcc/Conversion/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

static bool isSmallFloat(Type type) {
  type = getElementTypeOrSelf(type);
  return type.isF16() || type.isBF16();
}

static bool hasSmallFloat(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isSmallFloat) ||
         llvm::any_of(op->getResultTypes(), isSmallFloat);
}

static bool isFloat(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

static bool isFloatOp(Operation *op) {
  Dialect *dialect = op->getDialect();
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(dialect) &&
         (llvm::any_of(op->getOperandTypes(), isFloat) ||
          llvm::any_of(op->getResultTypes(), isFloat));
}

/// The math ops that have an exact form on every target.
static bool isExactMath(Operation *op) {
  return isa<math::SqrtOp, math::FmaOp, math::AbsFOp, math::FloorOp,
             math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp,
             math::CopySignOp>(op);
}

static bool isSequence(Operation *op) {
  return isa<math::ExpOp, math::TanhOp, math::ErfOp, math::RsqrtOp,
             math::LogOp>(op) ||
         isWideSequence(op);
}

static bool isConversion(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp,
             arith::FPToSIOp, arith::FPToUIOp>(op);
}

static void removeFastMath(Operation *op) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!fast || !fast.getFastMathFlagsAttr())
    return;
  StringRef name = fast.getFastMathAttrName();
  // The flags of casts are optional, and an attribute that says none is kept
  // all the way to LLVM.
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    op->removeAttr(name);
  else
    op->setAttr(name, arith::FastMathFlagsAttr::get(
                          op->getContext(), arith::FastMathFlags::none));
}

/// Reports an op that has no fixed form; success if the op can be legalized.
static LogicalResult checkOp(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes()))) {
    Type element = getElementTypeOrSelf(type);
    if (isa<FloatType>(element) && !element.isF16() && !element.isBF16() &&
        !element.isF32() && !element.isF64())
      return op->emitOpError()
             << "has the element type " << element
             << ", for which no arithmetic is defined (N4); use f16, bf16, f32 "
                "or f64";
    if (isConversion(op) && isa<IntegerType>(element) &&
        element.getIntOrFloatBitWidth() > 64)
      return op->emitOpError()
             << "converts " << element
             << ", which no target does without a library; use at most i64";
  }
  if (isSequence(op) && getElementTypeOrSelf(op->getResult(0)).isF64())
    return op->emitOpError("on f64 has no fixed sequence of operations (N8); "
                           "truncate the operand to f32");
  if (isa<math::MathDialect>(op->getDialect()) && !isSequence(op) &&
      !isExactMath(op))
    return op->emitOpError(
        "has no fixed sequence of operations (N8); write it with functions "
        "that have one, such as exp, log and sqrt, and arithmetic, or as a "
        "qnn.lookup table");
  if (isa<arith::RemFOp>(op))
    return op->emitOpError(
        "has no fixed sequence of operations (N8); write x - trunc(x / y) * y");
  if (isa<arith::ScalingExtFOp, arith::ScalingTruncFOp>(op))
    return op->emitOpError("is not defined (N4); multiply by the scale and use "
                           "arith.extf or arith.truncf");
  if (auto mode = op->getAttrOfType<arith::RoundingModeAttr>("roundingmode"))
    if (mode.getValue() != arith::RoundingMode::to_nearest_even)
      return op->emitOpError("rounds otherwise than to nearest even (N4); drop "
                             "the rounding mode");
  return success();
}

/// Whether the op, which passed checkOp, must be replaced.
static bool mustRewrite(Operation *op, BF16Conversions bf16) {
  if (isSequence(op) || isa<math::RoundOp, arith::FPToSIOp, arith::FPToUIOp,
                            arith::MaxNumFOp, arith::MinNumFOp>(op))
    return true;
  bool isOnIntegers = bf16 == BF16Conversions::OnIntegers;
  if (isa<arith::TruncFOp>(op))
    return (isOnIntegers && getElementTypeOrSelf(op->getResult(0)).isBF16()) ||
           (isSmallFloat(op->getResult(0).getType()) &&
            getElementTypeOrSelf(op->getOperand(0)).isF64());
  if (isa<arith::ExtFOp>(op))
    return getElementTypeOrSelf(op->getOperand(0)).isBF16() &&
           (isOnIntegers || !getElementTypeOrSelf(op->getResult(0)).isF32());
  return hasSmallFloat(op) &&
         !isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op);
}

/// Emits the op on f32 operands and rounds its result back: one operation, one
/// rounding.
static Value emitWidened(OpBuilder &builder, Operation *op,
                         BF16Conversions bf16) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isSmallFloat(operand.getType()))
      mapping.map(operand, emitExtend(builder, op->getLoc(), operand,
                                      builder.getF32Type(), bf16));
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(mapping.lookupOrDefault(operand));
  state.addAttributes(op->getAttrs());
  Type result = op->getResult(0).getType();
  bool rounds = isSmallFloat(result);
  FloatBuilder s(builder, op->getLoc(), op->getResult(0));
  state.addTypes(rounds ? s.typeLike(builder.getF32Type()) : result);
  Operation *wide = builder.create(state);
  if (!rounds)
    return wide->getResult(0);
  return emitRound(builder, op->getLoc(), wide->getResult(0),
                   cast<FloatType>(getElementTypeOrSelf(result)), bf16);
}

/// The form of a math function on f32 (or f64 for math.round).
static Value emitMath(OpBuilder &builder, Operation *op, BF16Conversions bf16) {
  auto type = cast<FloatType>(getElementTypeOrSelf(op->getOperand(0)));
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isSmallFloat(type)
                           ? emitExtend(builder, op->getLoc(), operand,
                                        builder.getF32Type(), bf16)
                           : operand);
  Value x = operands.front();
  FloatBuilder s(builder, op->getLoc(), x);
  Value y = TypeSwitch<Operation *, Value>(op)
                .Case([&](math::ExpOp) { return emitExp(s, x); })
                .Case([&](math::TanhOp) { return emitTanh(s, x); })
                .Case([&](math::ErfOp) { return emitErf(s, x); })
                .Case([&](math::RsqrtOp) { return emitRsqrt(s, x); })
                .Case([&](math::LogOp) { return emitLog(s, x); })
                .Case([&](math::RoundOp) { return emitRoundHalfAway(s, x); })
                .Default([&](Operation *) {
                  return emitWideSequence(s, op, operands);
                });
  return emitRound(builder, op->getLoc(), y, type, bf16);
}

static Value emitLegal(OpBuilder &builder, Operation *op,
                       BF16Conversions bf16) {
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  Type resultType = getElementTypeOrSelf(op->getResult(0));
  if (isSequence(op) || isa<math::RoundOp>(op))
    return emitMath(builder, op, bf16);
  if (isa<arith::ExtFOp>(op))
    return emitExtend(builder, loc, x, cast<FloatType>(resultType), bf16);
  if (isa<arith::TruncFOp>(op))
    return emitRound(builder, loc, x, cast<FloatType>(resultType), bf16);
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    if (isSmallFloat(x.getType()))
      x = emitExtend(builder, loc, x, builder.getF32Type(), bf16);
    FloatBuilder s(builder, loc, x);
    return emitSaturatingConversion(s, x, cast<IntegerType>(resultType),
                                    isa<arith::FPToSIOp>(op));
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    FloatBuilder s(builder, loc, x);
    return emitIntegerToSmallFloat(s, x, cast<FloatType>(resultType),
                                   isa<arith::SIToFPOp>(op), bf16);
  }
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
    return emitCombine(builder, loc, *getFloatCombine(op), x, op->getOperand(1),
                       bf16);
  return emitWidened(builder, op, bf16);
}

namespace {
struct LegalizeFloat : qcc::impl::LegalizeFloatBase<LegalizeFloat> {
  using LegalizeFloatBase::LegalizeFloatBase;

  void runOnOperation() override {
    bf16 = hasBF16Instructions ? BF16Conversions::ByInstructions
                               : BF16Conversions::OnIntegers;
    IRRewriter rewriter(&getContext());
    if (failed(checkModule()))
      return signalPassFailure();
    rewriteStructuredOps(rewriter);

    SmallVector<Operation *> conversions, others;
    getOperation()->walk([&](Operation *op) {
      if (!isFloatOp(op) || !mustRewrite(op, bf16) || isInNamedOp(op) ||
          op->hasAttr(kCombineAttr))
        return;
      bool readsRange = isa<arith::FPToSIOp, arith::FPToUIOp>(op);
      (readsRange ? conversions : others).push_back(op);
    });
    // Conversions to integers look at the clamps before these are rewritten.
    for (Operation *op : llvm::concat<Operation *>(conversions, others)) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, emitLegal(rewriter, op, bf16));
    }
  }

private:
  BF16Conversions bf16 = BF16Conversions::OnIntegers;

  /// Rejects what cannot be legalized and removes fast-math flags.
  LogicalResult checkModule() {
    LogicalResult result = success();
    getOperation()->walk([&](Operation *op) {
      removeFastMath(op);
      op->removeAttr(kCombineAttr);
      if (!isFloatOp(op))
        return;
      if (failed(checkOp(op))) {
        result = failure();
        return;
      }
      if (mustRewrite(op, bf16) &&
          isa<TensorType>(op->getResult(0).getType())) {
        op->emitOpError("computes on whole tensors here; run "
                        "generalize-elementwise before this pass");
        result = failure();
      }
    });
    return result;
  }

  /// Ops with an implied body become generic where the body changes;
  /// contractions become chains of fma, combines of reductions are marked.
  void rewriteStructuredOps(IRRewriter &rewriter) {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      bool isContraction = isFloatContraction(op);
      bool changes = isContraction;
      for (Operation &nested : *op.getBlock())
        changes |= isFloatOp(&nested) && mustRewrite(&nested, bf16);
      if (changes && isInNamedOp(&op.getBlock()->front())) {
        rewriter.setInsertionPoint(op);
        FailureOr<linalg::GenericOp> generic =
            linalg::generalizeNamedOp(rewriter, op);
        if (failed(generic))
          continue;
        op = *generic;
      }
      if (isContraction)
        rewriteFloatContraction(rewriter, op);
      else
        markFloatReduction(op);
    }
  }

  /// Whether the op is in a body that its linalg op implies.
  static bool isInNamedOp(Operation *op) {
    Operation *parent = op->getParentOp();
    return isa<linalg::LinalgOp>(parent) &&
           !isa<linalg::GenericOp, linalg::MapOp, linalg::ReduceOp>(parent);
  }
};
} // namespace
