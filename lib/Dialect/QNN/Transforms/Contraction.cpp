//===- Contraction.cpp - Contractions of real values ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads linalg and qnn ops as contractions, and checks the conditions of N3.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/QNN/IR/ReductionLimit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc::qnn;
using utils::IteratorType;

std::optional<std::pair<Value, int64_t>>
Contraction::findLoop(unsigned loop) const {
  std::optional<std::pair<Value, int64_t>> result;
  for (unsigned i = 0; i < 2; ++i) {
    auto type = cast<RankedTensorType>(inputs[i].getType());
    for (auto [d, expr] : llvm::enumerate(maps[i].getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || dim.getPosition() != loop)
        continue;
      if (!type.isDynamicDim(d))
        return std::pair(inputs[i], static_cast<int64_t>(d));
      result = {inputs[i], d};
    }
  }
  return result;
}

std::optional<int64_t> Contraction::getReductionSize() const {
  uint64_t size = 1;
  for (auto [loop, iterator] : llvm::enumerate(iterators)) {
    if (iterator != IteratorType::reduction)
      continue;
    auto dim = findLoop(loop);
    if (!dim)
      return std::nullopt;
    auto type = cast<RankedTensorType>(dim->first.getType());
    if (type.isDynamicDim(dim->second))
      return std::nullopt;
    size =
        llvm::SaturatingMultiply<uint64_t>(size, type.getDimSize(dim->second));
  }
  return std::min<uint64_t>(size, std::numeric_limits<int64_t>::max());
}

AffineMap Contraction::onResult(AffineMap map) const {
  MLIRContext *context = op->getContext();
  SmallVector<AffineExpr> dims(map.getNumDims(),
                               getAffineConstantExpr(0, context));
  for (auto [d, expr] : llvm::enumerate(resultMap.getResults()))
    dims[cast<AffineDimExpr>(expr).getPosition()] =
        getAffineDimExpr(d, context);
  return map.replaceDimsAndSymbols(dims, {}, resultMap.getNumResults(), 0);
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// The input whose element `value` is, directly or extended, or -1.
static int inputIndex(linalg::LinalgOp op, Value value) {
  if (auto extend = value.getDefiningOp<arith::ExtFOp>())
    value = extend.getIn();
  for (int i = 0; i < 2; ++i)
    if (value == op.getMatchingBlockArgument(op.getDpsInputOperand(i)))
      return i;
  return -1;
}

/// Whether the body yields acc + x * y.
static bool isMultiplyAdd(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  // linalg.map does not see its initial value.
  OpOperand *init = op.getDpsInitOperand(0);
  if (!add || init->getOperandNumber() >= body->getNumArguments())
    return false;
  Value acc = op.getMatchingBlockArgument(init);
  Value product = add.getLhs() == acc   ? add.getRhs()
                  : add.getRhs() == acc ? add.getLhs()
                                        : Value();
  auto mul = product ? product.getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!mul)
    return false;
  int x = inputIndex(op, mul.getLhs()), y = inputIndex(op, mul.getRhs());
  return x >= 0 && y >= 0 && x != y;
}

/// Whether the initial value is the constant +0.0, which is no bias.
static bool isConstantZero(Value init) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.value(), m_PosZeroFloat());
  return isa_and_nonnull<arith::ConstantOp>(init.getDefiningOp()) &&
         matchPattern(init, m_PosZeroFloat());
}

static std::optional<Contraction> matchLinalg(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      !isMultiplyAdd(op))
    return std::nullopt;
  Contraction c;
  c.op = op;
  for (unsigned i = 0; i < 2; ++i) {
    OpOperand *input = op.getDpsInputOperand(i);
    if (!isa<RankedTensorType>(input->get().getType()))
      return std::nullopt;
    c.inputs[i] = input->get();
    c.maps[i] = op.getMatchingIndexingMap(input);
  }
  OpOperand *init = op.getDpsInitOperand(0);
  c.resultMap = op.getMatchingIndexingMap(init);
  c.iterators = op.getIteratorTypesArray();
  if (!isConstantZero(init->get())) {
    c.bias = init->get();
    c.biasMap = AffineMap::getMultiDimIdentityMap(c.resultMap.getNumResults(),
                                                  op.getContext());
  }
  return c;
}

static bool isFloatTensor(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

/// Fills in the loops of a batched product: batch dimensions, m (absent for a
/// single row), n and k.
static std::optional<Contraction> matchLinear(LinearOp op) {
  if (!isFloatTensor(op.getInput()) || !isFloatTensor(op.getWeight()))
    return std::nullopt;
  MLIRContext *context = op.getContext();
  unsigned rank = cast<RankedTensorType>(op.getInput().getType()).getRank();
  unsigned loops = rank + 1;
  SmallVector<AffineExpr> lead;
  for (unsigned d = 0; d + 1 < rank; ++d)
    lead.push_back(getAffineDimExpr(d, context));
  AffineExpr n = getAffineDimExpr(rank - 1, context),
             k = getAffineDimExpr(rank, context);
  auto mapOf = [&](AffineExpr last) {
    SmallVector<AffineExpr> exprs(lead);
    exprs.push_back(last);
    return AffineMap::get(loops, 0, exprs, context);
  };
  Contraction c;
  c.op = op;
  c.inputs[0] = op.getInput();
  c.inputs[1] = op.getWeight();
  c.maps[0] = mapOf(k);
  c.maps[1] = AffineMap::get(loops, 0, {n, k}, context);
  c.resultMap = mapOf(n);
  c.iterators.assign(rank, IteratorType::parallel);
  c.iterators.push_back(IteratorType::reduction);
  if (op.getBias()) {
    c.bias = op.getBias();
    c.biasMap =
        AffineMap::get(rank, 0, getAffineDimExpr(rank - 1, context), context);
  }
  c.clampMin = op.getClampMinAttr();
  c.clampMax = op.getClampMaxAttr();
  return c;
}

static std::optional<Contraction> matchMatmul(MatmulOp op) {
  if (!isFloatTensor(op.getLhs()) || !isFloatTensor(op.getRhs()))
    return std::nullopt;
  MLIRContext *context = op.getContext();
  unsigned rank = cast<RankedTensorType>(op.getLhs().getType()).getRank();
  unsigned loops = rank + 1;
  AffineExpr m = getAffineDimExpr(rank - 2, context),
             n = getAffineDimExpr(rank - 1, context),
             k = getAffineDimExpr(rank, context);
  auto mapOf = [&](AffineExpr first, AffineExpr second) {
    SmallVector<AffineExpr> exprs;
    for (unsigned d = 0; d + 2 < rank; ++d)
      exprs.push_back(getAffineDimExpr(d, context));
    exprs.append({first, second});
    return AffineMap::get(loops, 0, exprs, context);
  };
  Contraction c;
  c.op = op;
  c.inputs[0] = op.getLhs();
  c.inputs[1] = op.getRhs();
  c.maps[0] = mapOf(m, k);
  c.maps[1] = op.getTransposeRhs() ? mapOf(n, k) : mapOf(k, n);
  c.resultMap = mapOf(m, n);
  c.iterators.assign(rank, IteratorType::parallel);
  c.iterators.push_back(IteratorType::reduction);
  c.clampMin = op.getClampMinAttr();
  c.clampMax = op.getClampMaxAttr();
  return c;
}

std::optional<Contraction> Contraction::match(Operation *op) {
  if (auto linear = dyn_cast<LinearOp>(op))
    return matchLinear(linear);
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return matchMatmul(matmul);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return matchLinalg(linalgOp);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

std::string
qcc::qnn::findReasonToRefuse(const Contraction &c,
                             const std::optional<DequantizedSource> *sources) {
  static constexpr StringLiteral names[] = {"left", "right"};
  for (unsigned i = 0; i < 2; ++i)
    if (!sources[i])
      return ("the " + names[i] + " operand is not a dequantized value").str();
  if (c.resultType().getElementType().isF64())
    return "its result is f64";
  SmallVector<bool> stored(c.iterators.size(), false);
  for (AffineExpr expr : c.resultMap.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || c.iterators[dim.getPosition()] != IteratorType::parallel)
      return "its result is not indexed by single parallel dimensions";
    stored[dim.getPosition()] = true;
  }
  for (auto [iterator, isStored] : llvm::zip_equal(c.iterators, stored))
    if (iterator == IteratorType::parallel && !isStored)
      return "a parallel dimension is missing from its result";
  for (unsigned i = 0; i < 2; ++i)
    for (auto [expr, varies] :
         llvm::zip_equal(c.maps[i].getResults(), sources[i]->scaleVaries))
      for (auto [loop, iterator] : llvm::enumerate(c.iterators))
        if (varies && iterator == IteratorType::reduction &&
            expr.isFunctionOfDim(loop))
          return ("the scale of the " + names[i] +
                  " operand varies along a reduction dimension")
              .str();
  std::optional<int64_t> size = c.getReductionSize();
  if (size && *size > getMostProducts(sources[0]->params, sources[1]->params))
    return "K = " + std::to_string(*size) +
           " could overflow the i32 accumulator";
  return "";
}
