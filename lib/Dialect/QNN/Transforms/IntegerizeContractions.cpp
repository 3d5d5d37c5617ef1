//===- IntegerizeContractions.cpp - Contractions of real values -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// N3: the only place where a float program is read as an integer one. What the
// rule asks is checked before anything is built.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qcc/Dialect/QNN/IR/ReductionLimit.h"
#include "qcc/Dialect/QNN/IR/WeightNote.h"
#include "qcc/Dialect/QNN/Transforms/Passes.h"
#include "qcc/Dialect/Utils/Notes.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "qnn-integerize-contractions"

namespace qcc {
#define GEN_PASS_DEF_QNNINTEGERIZECONTRACTIONS
#include "qcc/Dialect/QNN/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using namespace qcc::qnn;

ALWAYS_ENABLED_STATISTIC(numDirect, "qnn ops that take the quantized operands");
ALWAYS_ENABLED_STATISTIC(numIntegerized,
                         "Contractions that became integer contractions");
ALWAYS_ENABLED_STATISTIC(numRefused,
                         "Contractions of dequantized values that stay");

//===----------------------------------------------------------------------===//
// qnn ops that take the quantized operands
//===----------------------------------------------------------------------===//

/// Whether a qnn op can take the operand as it was before its dequantize.
static bool isDirect(const DequantizedSource &source, bool perRow,
                     bool perChannel) {
  auto allowed = [&](QuantParams::Kind kind) {
    return kind == QuantParams::Kind::PerTensor ||
           (perRow && kind == QuantParams::Kind::PerRow) ||
           (perChannel && kind == QuantParams::Kind::PerChannel &&
            source.params.axis == 0);
  };
  return source.movement.empty() && allowed(source.params.scaleKind) &&
         allowed(source.params.zeroPointKind);
}

static void assign(MutableOperandRange operand, Value value) {
  if (value)
    operand.assign(value);
}

static bool takeQuantizedOperands(Operation *op, DequantizedSource &lhs,
                                  DequantizedSource &rhs) {
  if (auto linear = dyn_cast<LinearOp>(op)) {
    if (!isDirect(lhs, true, false) || !isDirect(rhs, false, true))
      return false;
    linear.getInputMutable().assign(lhs.op.getInput());
    linear.getWeightMutable().assign(rhs.op.getInput());
    assign(linear.getInputScaleMutable(), lhs.op.getScale());
    assign(linear.getInputZeroPointMutable(), lhs.op.getZeroPoint());
    assign(linear.getWeightScaleMutable(), rhs.op.getScale());
    assign(linear.getWeightZeroPointMutable(), rhs.op.getZeroPoint());
    return true;
  }
  auto matmul = dyn_cast<MatmulOp>(op);
  if (!matmul || !isDirect(lhs, true, false) || !isDirect(rhs, false, false))
    return false;
  matmul.getLhsMutable().assign(lhs.op.getInput());
  matmul.getRhsMutable().assign(rhs.op.getInput());
  assign(matmul.getLhsScaleMutable(), lhs.op.getScale());
  assign(matmul.getLhsZeroPointMutable(), lhs.op.getZeroPoint());
  assign(matmul.getRhsScaleMutable(), rhs.op.getScale());
  assign(matmul.getRhsZeroPointMutable(), rhs.op.getZeroPoint());
  return true;
}

//===----------------------------------------------------------------------===//
// The integer contraction
//===----------------------------------------------------------------------===//

static Value makeI32(OpBuilder &builder, Location loc, int32_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

/// The inputs and maps of a linalg.generic, and where its body finds them.
namespace {
struct GenericInputs {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  unsigned add(Value value, AffineMap map) {
    values.push_back(value);
    maps.push_back(map);
    return values.size() - 1;
  }
};

/// A scalar of the body: a constant, or an input.
template <typename T> struct BodyScalar {
  std::optional<T> constant;
  unsigned input = 0;
};
} // namespace

static AffineMap mapOfParam(const ParamTensor &param, AffineMap operandMap) {
  SmallVector<AffineExpr> exprs;
  for (int64_t d : param.dims) {
    assert(d >= 0 && d < int64_t(operandMap.getNumResults()) &&
           "parameters vary along dimensions of the operand");
    exprs.push_back(operandMap.getResult(d));
  }
  return AffineMap::get(operandMap.getNumDims(), 0, exprs,
                        operandMap.getContext());
}

static Value createSum(OpBuilder &builder, const Contraction &c,
                       const IntegerOperand *operands,
                       ArrayRef<OpFoldResult> sizes) {
  Location loc = c.op->getLoc();
  GenericInputs inputs;
  std::optional<BodyScalar<int32_t>> zeros[2];
  for (unsigned i = 0; i < 2; ++i)
    inputs.add(operands[i].storage, c.maps[i]);
  for (unsigned i = 0; i < 2; ++i) {
    const ParamTensor &zero = operands[i].zeroPoint;
    if (!zero.value)
      continue;
    zeros[i].emplace();
    APInt constant;
    if (zero.dims.empty() && matchPattern(zero.value, m_ConstantInt(&constant)))
      zeros[i]->constant = constant.getSExtValue();
    else
      zeros[i]->input = inputs.add(zero.value, mapOfParam(zero, c.maps[i]));
  }

  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getI32Type());
  Value init =
      linalg::FillOp::create(builder, loc, makeI32(builder, loc, 0), empty)
          .getResult(0);
  inputs.maps.push_back(c.resultMap);
  auto generic = linalg::GenericOp::create(
      builder, loc, init.getType(), inputs.values, init, inputs.maps,
      c.iterators, [&](OpBuilder &b, Location l, ValueRange args) {
        Value factors[2];
        for (unsigned i = 0; i < 2; ++i) {
          Value x = args[i];
          if (!x.getType().isInteger(32))
            x = operands[i].isUnsigned
                    ? Value(arith::ExtUIOp::create(b, l, b.getI32Type(), x))
                    : Value(arith::ExtSIOp::create(b, l, b.getI32Type(), x));
          if (zeros[i]) {
            Value zero = zeros[i]->constant ? makeI32(b, l, *zeros[i]->constant)
                                            : args[zeros[i]->input];
            x = arith::SubIOp::create(b, l, x, zero);
          }
          factors[i] = x;
        }
        Value product = arith::MulIOp::create(b, l, factors[0], factors[1]);
        Value sum = arith::AddIOp::create(b, l, args.back(), product);
        linalg::YieldOp::create(b, l, sum);
      });
  generic->setAttr(kOriginAttr,
                   builder.getStringAttr(c.op->getName().getStringRef()));
  return generic.getResult(0);
}

//===----------------------------------------------------------------------===//
// Back to real values
//===----------------------------------------------------------------------===//

/// The product of the scales, folded where both are known and one of them is a
/// scalar or both vary alike; otherwise two factors for the body.
static SmallVector<BodyScalar<float>> addScales(OpBuilder &builder,
                                                const Contraction &c,
                                                const IntegerOperand *operands,
                                                GenericInputs &inputs) {
  SmallVector<float> known[2]; // empty: at run time
  AffineMap maps[2];
  for (unsigned i = 0; i < 2; ++i) {
    readConstantFloats(operands[i].scale.value, known[i]);
    maps[i] = c.onResult(mapOfParam(operands[i].scale, c.maps[i]));
  }
  auto isScalar = [&](unsigned i) { return operands[i].scale.dims.empty(); };
  if (!known[0].empty() && !known[1].empty() &&
      (isScalar(0) || isScalar(1) || maps[0] == maps[1])) {
    unsigned wide = isScalar(0) ? 1 : 0;
    assert((isScalar(1 - wide) || known[0].size() == known[1].size()) &&
           "scales that vary alike are as many");
    SmallVector<float> product(known[wide]);
    for (auto [i, p] : llvm::enumerate(product))
      p *= known[1 - wide][isScalar(1 - wide) ? 0 : i];
    if (isScalar(wide))
      return {{product[0], 0}};
    auto type = cast<RankedTensorType>(operands[wide].scale.value.getType());
    Value constant = arith::ConstantOp::create(
        builder, c.op->getLoc(),
        DenseElementsAttr::get(type, ArrayRef<float>(product)));
    return {{std::nullopt, inputs.add(constant, maps[wide])}};
  }
  SmallVector<BodyScalar<float>> factors(2);
  for (unsigned i = 0; i < 2; ++i) {
    if (!known[i].empty() && isScalar(i))
      factors[i].constant = known[i].front();
    else
      factors[i].input = inputs.add(operands[i].scale.value, maps[i]);
  }
  return factors;
}

static Value widen(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isF32())
    return value;
  return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
}

static Value createReal(OpBuilder &builder, const Contraction &c, Value sum,
                        const IntegerOperand *operands,
                        ArrayRef<OpFoldResult> sizes) {
  GenericInputs inputs;
  inputs.add(sum, builder.getMultiDimIdentityMap(sizes.size()));
  SmallVector<BodyScalar<float>> scales =
      addScales(builder, c, operands, inputs);
  if (c.bias)
    inputs.add(c.bias, c.biasMap); // the last one
  Type f32 = builder.getF32Type();
  Type element = c.resultType().getElementType();
  auto constant = [&](OpBuilder &b, Location l, FloatAttr value) -> Value {
    return arith::ConstantOp::create(b, l, value);
  };
  Value result = createElementwise(
      builder, c.op->getLoc(), inputs.values, inputs.maps, sizes, element,
      [&](OpBuilder &b, Location l, ValueRange args) -> Value {
        Value scale;
        for (const BodyScalar<float> &factor : scales) {
          Value next = factor.constant
                           ? constant(b, l, b.getF32FloatAttr(*factor.constant))
                           : args[factor.input];
          scale =
              scale ? Value(arith::MulFOp::create(b, l, scale, next)) : next;
        }
        Value v = arith::SIToFPOp::create(b, l, f32, args[0]);
        if (c.bias)
          v = math::FmaOp::create(b, l, v, scale, widen(b, l, args.back()));
        else
          v = arith::MulFOp::create(b, l, v, scale);
        if (c.clampMin)
          v = arith::MaximumFOp::create(b, l, v, constant(b, l, c.clampMin));
        if (c.clampMax)
          v = arith::MinimumFOp::create(b, l, v, constant(b, l, c.clampMax));
        if (!element.isF32())
          v = arith::TruncFOp::create(b, l, element, v);
        return v;
      });
  result.getDefiningOp()->setAttr(kOriginAttr,
                                  builder.getStringAttr("qnn.dequantize"));
  return result;
}

static void integerize(RewriterBase &rewriter, const Contraction &c,
                       std::optional<DequantizedSource> *sources) {
  Location loc = c.op->getLoc();
  rewriter.setInsertionPoint(c.op);
  SmallVector<OpFoldResult> sizes;
  for (auto [d, expr] : llvm::enumerate(c.resultMap.getResults())) {
    if (!c.resultType().isDynamicDim(d)) {
      sizes.push_back(rewriter.getIndexAttr(c.resultType().getDimSize(d)));
    } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(c.op)) {
      sizes.push_back(
          tensor::getMixedSize(rewriter, loc, linalgOp.getDpsInits()[0], d));
    } else {
      auto dim = c.findLoop(cast<AffineDimExpr>(expr).getPosition());
      sizes.push_back(
          tensor::getMixedSize(rewriter, loc, dim->first, dim->second));
    }
  }
  IntegerOperand operands[] = {
      IntegerOperand::materialize(rewriter, loc, *sources[0]),
      IntegerOperand::materialize(rewriter, loc, *sources[1])};
  Value sum = createSum(rewriter, c, operands, sizes);
  for (unsigned i : {1, 0})
    if (Attribute weight =
            noteOfWeight(sources[i]->op.getInput(), &sources[i]->params)) {
      sum.getDefiningOp()->setAttr(kWeightAttr, weight);
      break;
    }
  if (!c.getReductionSize())
    sum.getDefiningOp()->setAttr(kMostProductsAttr,
                                 rewriter.getIndexAttr(getMostProducts(
                                     sources[0]->params, sources[1]->params)));
  Value real = createReal(rewriter, c, sum, operands, sizes);
  if (real.getType() != c.resultType())
    real = tensor::CastOp::create(rewriter, loc, c.resultType(), real);
  rewriter.replaceOp(c.op, real);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Sizes are asked of what a dequantize reads, so that they do not keep it.
static void redirectSizes(func::FuncOp function) {
  function.walk([](tensor::DimOp op) {
    Operation *source = op.getSource().getDefiningOp();
    while (isa_and_nonnull<QuantizeOp, DequantizeOp, quant::StorageCastOp,
                           tensor::BitcastOp>(source)) {
      op.getSourceMutable().assign(source->getOperand(0));
      source = op.getSource().getDefiningOp();
    }
  });
}

/// Erases what only fed the float contractions.
static void eraseDead(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (op != function)
      ops.push_back(op);
  });
  // Users come after what they use; regions come before the op that has them.
  llvm::SetVector<Operation *> work(ops.begin(), ops.end());
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    op->walk([&](Operation *inner) {
      if (inner != op)
        work.remove(inner);
    });
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        work.insert(producer);
    op->erase();
  }
}

namespace {
struct QNNIntegerizeContractions
    : qcc::impl::QNNIntegerizeContractionsBase<QNNIntegerizeContractions> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    bool changed = false;
    for (Operation *op : ops) {
      std::optional<Contraction> c = Contraction::match(op);
      if (!c)
        continue;
      std::optional<DequantizedSource> sources[] = {
          DequantizedSource::trace(c->inputs[0]),
          DequantizedSource::trace(c->inputs[1])};
      if (!sources[0] && !sources[1])
        continue;
      std::string reason = findReasonToRefuse(*c, sources);
      if (!reason.empty()) {
        ++numRefused;
        LDBG() << "leaves " << op->getName() << " at " << op->getLoc() << ": "
               << reason;
        op->setAttr(kRefusedAttr, rewriter.getStringAttr(reason));
        continue;
      }
      changed = true;
      bool isDirect = takeQuantizedOperands(op, *sources[0], *sources[1]);
      ++(isDirect ? numDirect : numIntegerized);
      LDBG() << (isDirect ? "gives the quantized operands to "
                          : "makes an integer contraction of ")
             << op->getName() << " at " << op->getLoc();
      if (!isDirect)
        integerize(rewriter, *c, sources);
    }
    if (!changed)
      return;
    redirectSizes(getOperation());
    eraseDead(getOperation());
  }
};
} // namespace
