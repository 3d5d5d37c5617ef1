//===- DivideContractions.cpp - Several kernels for a contraction ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/Passes.h"
#include "qcc/Transforms/Contraction/ContractParts.h"
#include "qcc/Transforms/Refusal.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "divide-contractions"

namespace qcc {
#define GEN_PASS_DEF_DIVIDECONTRACTIONS
#include "qcc/Target/NVPTX/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using kernel::ContractOp;
using nvptx::ConfigAttr;

ALWAYS_ENABLED_STATISTIC(numByRows,
                         "Contractions divided by the number of rows");
ALWAYS_ENABLED_STATISTIC(numByParts, "Contractions divided into parts of K");

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// Replaces a contraction by one for each of its configs.
static void divideByRows(RewriterBase &rewriter, ContractOp op,
                         ConfigAttr config) {
  rewriter.setInsertionPoint(op);
  for (ConfigAttr guarded : nvptx::guardedConfigs(config)) {
    auto clone = cast<ContractOp>(rewriter.clone(*op));
    clone.setLoweringConfigAttr(guarded);
  }
  rewriter.eraseOp(op);
}

//===----------------------------------------------------------------------===//
// Parts of K
//===----------------------------------------------------------------------===//

namespace {
class PartsOfK {
public:
  PartsOfK(RewriterBase &rewriter, ContractOp op, ConfigAttr config)
      : rewriter(rewriter), op(op), loc(op.getLoc()), config(config),
        parts(ContractParts::of(op)), count(config.getParts()) {}

  void divide();

private:
  /// The temporary for the sums: that of each part has the dimensions of the
  /// first result.
  void allocateSums();
  /// The packed operand with a dimension of parts behind those of batches.
  Value viewOfRhs();
  /// The sums of its columns with such a dimension, of size 1: nobody reads
  /// them without a zero point.
  Value viewOfRhsSums();
  void emitProducts();
  void emitSum();
  /// The sum of a column of elements less their zero point, of that of the
  /// elements.
  Value lessZeroPoint(OpBuilder &builder, Location at, Value sumOfColumn,
                      Value zeroPoint);
  /// The sums of a part.
  Value sumsOf(int64_t part);
  /// The map of an operand of the contraction without loops over K.
  AffineMap withoutReductions(AffineMap map);

  RewriterBase &rewriter;
  ContractOp op;
  Location loc;
  ConfigAttr config;
  const ContractParts parts;
  int64_t count;
  memref::AllocOp sums;
};
} // namespace

void PartsOfK::allocateSums() {
  Value out = op.getOuts().front();
  auto type = cast<MemRefType>(out.getType());
  SmallVector<int64_t> shape{count};
  llvm::append_range(shape, type.getShape());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(rewriter, loc, out, dim));
  sums = memref::AllocOp::create(
      rewriter, loc, MemRefType::get(shape, rewriter.getI32Type()), sizes);
}

Value PartsOfK::viewOfRhs() {
  // [batch..., n, words, 1]
  auto type = cast<MemRefType>(op.getRhs().getType());
  int64_t batch = type.getRank() - 3;
  assert(batch >= 0 && type.getShape().back() == 1 &&
         "parts of K are of operands packed for single columns");
  assert(type.getDimSize(batch + 1) % count == 0 &&
         "parts of K have the same number of words");
  SmallVector<ReassociationIndices> dims;
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    ReassociationIndices &indices = dims.emplace_back();
    OpFoldResult size = memref::getMixedSize(rewriter, loc, op.getRhs(), dim);
    if (dim == batch + 1) {
      indices.push_back(shape.size());
      shape.push_back(count);
      sizes.push_back(rewriter.getIndexAttr(count));
      size = rewriter.getIndexAttr(type.getDimSize(dim) / count);
    }
    indices.push_back(shape.size());
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    sizes.push_back(size);
  }
  Value expanded = memref::ExpandShapeOp::create(rewriter, loc, shape,
                                                 op.getRhs(), dims, sizes);
  SmallVector<unsigned> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[batch], order[batch + 1]);
  return memref::TransposeOp::create(
      rewriter, loc, expanded,
      AffineMapAttr::get(AffineMap::getPermutationMap(order, op.getContext())));
}

Value PartsOfK::viewOfRhsSums() {
  auto type = cast<MemRefType>(op.getRhsSums().getType());
  SmallVector<ReassociationIndices> dims;
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    ReassociationIndices &indices = dims.emplace_back();
    if (dim + 1 == type.getRank()) {
      indices.push_back(shape.size());
      shape.push_back(1);
      sizes.push_back(rewriter.getIndexAttr(1));
    }
    indices.push_back(shape.size());
    shape.push_back(type.getDimSize(dim));
    sizes.push_back(memref::getMixedSize(rewriter, loc, op.getRhsSums(), dim));
  }
  return memref::ExpandShapeOp::create(rewriter, loc, shape, op.getRhsSums(),
                                       dims, sizes);
}

void PartsOfK::emitProducts() {
  MLIRContext *context = op.getContext();
  ContractParts products = parts;
  unsigned loops = op.getNumLoops(), divided = op.getReductionDims().front();
  AffineExpr part = getAffineDimExpr(loops, context);
  assert(count > 1 && products.reductionSizes.front() % count == 0 &&
         "parts of K have the same size");
  products.reductionSizes.front() /= count;
  for (MappedOperand *operand : products.operands())
    operand->map =
        AffineMap::get(loops + 1, 0, operand->map.getResults(), context);
  products.lhs.map =
      products.lhs.map.replace(getAffineDimExpr(divided, context),
                               part * products.reductionSizes.front() +
                                   getAffineDimExpr(divided, context),
                               loops + 1, 0);
  products.rhs = {viewOfRhs(), products.rhs.map.insertResult(part, 0)};
  products.rhsSums.value = viewOfRhsSums();
  products.init = products.lhsZeroPoint = {};
  products.epilogueOperands.clear();
  products.updateFacts([](kernel::Facts &facts) { facts.epilogueRanges = {}; });
  products.outs.resize(1);
  products.outs.front() = {sums,
                           products.outs.front().map.insertResult(part, 0)};
  products.values.clear();
  products.values.resize(1);
  products.attributes.lowering_config = config.withParts(1);
  products.fused.push_back(std::to_string(count) + " parts of K");
  ContractOp created = products.create(rewriter, asPartOfLayer(loc));
  IRMapping mapping;
  op.getLhsPrologue().cloneInto(&created.getLhsPrologue(), mapping);
  Block *body = rewriter.createBlock(&created.getEpilogue(), {},
                                     {rewriter.getI32Type()}, {loc});
  kernel::YieldOp::create(rewriter, loc, ValueRange(body->getArguments()));
  rewriter.setInsertionPointAfter(created);
}

Value PartsOfK::sumsOf(int64_t part) {
  auto type = sums.getType();
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0)),
      strides(type.getRank(), rewriter.getIndexAttr(1)),
      sizes = memref::getMixedSizes(rewriter, loc, sums);
  offsets.front() = rewriter.getIndexAttr(part);
  sizes.front() = rewriter.getIndexAttr(1);
  MemRefType reduced = memref::SubViewOp::inferRankReducedResultType(
      type.getShape().drop_front(), type, offsets, sizes, strides);
  return memref::SubViewOp::create(rewriter, loc, reduced, sums, offsets, sizes,
                                   strides);
}

AffineMap PartsOfK::withoutReductions(AffineMap map) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> dims;
  unsigned kept = 0;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    dims.push_back(op.isReduction(loop) ? getAffineConstantExpr(0, context)
                                        : getAffineDimExpr(kept++, context));
  return map.replaceDimsAndSymbols(dims, {}, kept, 0);
}

Value PartsOfK::lessZeroPoint(OpBuilder &builder, Location at,
                              Value sumOfColumn, Value zeroPoint) {
  auto type = cast<IntegerType>(sumOfColumn.getType());
  Value elements =
      arith::ConstantIntOp::create(builder, at, type, op.getReductionSize());
  return arith::SubIOp::create(
      builder, at, sumOfColumn,
      arith::MulIOp::create(builder, at, elements, zeroPoint));
}

void PartsOfK::emitSum() {
  SmallVector<Value> ins;
  SmallVector<AffineMap> maps;
  auto add = [&](Value value, AffineMap map) {
    ins.push_back(value);
    maps.push_back(withoutReductions(map));
    return ins.size() - 1;
  };
  for (int64_t part = 0; part < count; ++part)
    add(sumsOf(part), parts.outs.front().map);
  std::optional<size_t> init, zeroPoint, rhsSums, rhsZeroPoint;
  if (parts.init)
    init = add(parts.init.value, parts.init.map);
  if (parts.lhsZeroPoint) {
    ContractOp::Roles roles = *op.getRoles();
    SmallVector<AffineExpr> columns;
    for (unsigned loop : roles.batch)
      columns.push_back(rewriter.getAffineDimExpr(loop));
    columns.push_back(rewriter.getAffineDimExpr(roles.n));
    zeroPoint = add(parts.lhsZeroPoint.value, parts.lhsZeroPoint.map);
    rhsSums =
        add(parts.rhsSums.value,
            AffineMap::get(op.getNumLoops(), 0, columns, op.getContext()));
    if (parts.rhsZeroPoint)
      rhsZeroPoint = add(parts.rhsZeroPoint.value, parts.rhsZeroPoint.map);
  }
  size_t firstOperand = ins.size();
  for (const MappedOperand &operand : parts.epilogueOperands)
    add(operand.value, operand.map);
  SmallVector<Value> outs;
  for (const MappedOperand &out : parts.outs) {
    outs.push_back(out.value);
    maps.push_back(withoutReductions(out.map));
  }
  SmallVector<utils::IteratorType> iterators(maps.front().getNumDims(),
                                             utils::IteratorType::parallel);
  auto build = [&](OpBuilder &builder, Location at, ValueRange arguments) {
    Value total = arguments.front();
    for (Value sum : arguments.take_front(count).drop_front())
      total = arith::AddIOp::create(builder, at, total, sum);
    if (zeroPoint) {
      Value sumOfColumn = arguments[*rhsSums];
      if (rhsZeroPoint)
        sumOfColumn =
            lessZeroPoint(builder, at, sumOfColumn, arguments[*rhsZeroPoint]);
      Value product = arith::MulIOp::create(builder, at, arguments[*zeroPoint],
                                            sumOfColumn);
      total = arith::SubIOp::create(builder, at, total, product);
    }
    if (init)
      total = arith::AddIOp::create(builder, at, total, arguments[*init]);
    IRMapping mapping;
    Block &epilogue = op.getEpilogue().front();
    mapping.map(epilogue.getArgument(0), total);
    mapping.map(epilogue.getArguments().drop_front(),
                arguments.slice(firstOperand, parts.epilogueOperands.size()));
    for (Operation &inner : epilogue.without_terminator())
      builder.clone(inner, mapping);
    linalg::YieldOp::create(
        builder, at,
        llvm::map_to_vector(
            epilogue.getTerminator()->getOperands(),
            [&](Value value) { return mapping.lookupOrDefault(value); }));
  };
  auto sum = linalg::GenericOp::create(rewriter, loc, ins, outs, maps,
                                       iterators, build);
  sum->setAttr(kOriginAttr, rewriter.getStringAttr("sum of parts of K"));
  refuse(sum, "it adds the sums of the parts of K that the kernel before has");
  setValueInfos(sum, parts.values);
}

void PartsOfK::divide() {
  rewriter.setInsertionPoint(op);
  allocateSums();
  emitProducts();
  emitSum();
  rewriter.eraseOp(op);
}

namespace {
struct DivideContractions
    : qcc::impl::DivideContractionsBase<DivideContractions> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<ContractOp> ops;
    getOperation().walk([&](ContractOp op) { ops.push_back(op); });
    for (ContractOp op : ops) {
      auto config = dyn_cast_or_null<ConfigAttr>(op.getLoweringConfigAttr());
      if (!config || (!config.getFewRows() && config.getParts() == 1))
        continue;
      if (!isa<MemRefType>(op.getLhs().getType())) {
        op->emitError("is not bufferized; run one-shot-bufferize first");
        return signalPassFailure();
      }
      ++(config.getFewRows() ? numByRows : numByParts);
      LDBG() << "divides the contraction at " << op.getLoc() << " by "
             << (config.getFewRows()
                     ? "its number of rows"
                     : std::to_string(config.getParts()) + " parts of K");
      if (config.getFewRows())
        divideByRows(rewriter, op, config);
      else
        PartsOfK(rewriter, op, config).divide();
    }
  }
};
} // namespace
