//===- ContractParts.cpp - Taking a kernel.contract apart -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Contraction/ContractParts.h"

using namespace mlir;
using namespace qcc;

static SmallVector<MappedOperand> mapped(OperandRange values,
                                         ArrayRef<AffineMap> maps) {
  SmallVector<MappedOperand> result;
  for (auto [value, map] : llvm::zip_equal(values, maps))
    result.push_back({value, map});
  return result;
}

static SmallVector<Value> valuesOf(ArrayRef<MappedOperand> operands) {
  return llvm::map_to_vector(operands,
                             [](const MappedOperand &o) { return o.value; });
}

ContractParts ContractParts::of(kernel::ContractOp op) {
  ContractParts parts;
  parts.lhs = {op.getLhs(), op.getLhsMap()};
  parts.rhs = {op.getRhs(), op.getRhsMap()};
  parts.rhsSums = op.getRhsSums();
  if (op.getInit())
    parts.init = {op.getInit(), op.getInitMap()};
  if (op.getLhsZeroPoint())
    parts.lhsZeroPoint = {op.getLhsZeroPoint(), op.getLhsZeroPointMap()};
  if (op.getRhsZeroPoint())
    parts.rhsZeroPoint = {op.getRhsZeroPoint(), op.getRhsZeroPointMap()};
  parts.lhsOperands = mapped(op.getLhsOperands(), op.getLhsOperandMaps());
  parts.rhsOperands = mapped(op.getRhsOperands(), op.getRhsOperandMaps());
  parts.epilogueOperands =
      mapped(op.getEpilogueOperands(), op.getEpilogueMaps());
  parts.outs = mapped(op.getOuts(), op.getOutMaps());
  parts.reductionDims = llvm::to_vector(op.getReductionDims());
  parts.reductionSizes = llvm::to_vector(op.getReductionSizes());
  parts.lhsUnsigned = op.getLhsUnsigned();
  parts.rhsUnsigned = op.getRhsUnsigned();
  if (op.getFused())
    for (Attribute name : op.getFusedAttr())
      parts.fused.push_back(cast<StringAttr>(name).getValue().str());
  parts.values = valueInfos(op, parts.outs.size());
  parts.facts = op.getKnownFacts();
  parts.lhsPadding = op.getLhsPaddingAttr();
  parts.config = op.getLoweringConfigAttr();
  return parts;
}

/// All operands of parts, const or not, in the order of the op's maps.
template <typename Parts> static auto operandsOf(Parts &parts) {
  SmallVector<decltype(&parts.lhs)> all{&parts.lhs, &parts.rhs};
  for (auto *operand : {&parts.init, &parts.lhsZeroPoint, &parts.rhsZeroPoint})
    if (*operand)
      all.push_back(operand);
  for (auto *list : {&parts.lhsOperands, &parts.rhsOperands,
                     &parts.epilogueOperands, &parts.outs})
    for (auto &operand : *list)
      all.push_back(&operand);
  return all;
}

SmallVector<MappedOperand *> ContractParts::operands() {
  return operandsOf(*this);
}

void ContractParts::dropLoops(const llvm::SmallBitVector &loops) {
  assert(loops.size() == lhs.map.getNumDims() && "a bit for each loop");
  MLIRContext *context = lhs.map.getContext();
  SmallVector<AffineExpr> replacement;
  unsigned kept = 0;
  for (unsigned d = 0; d < loops.size(); ++d)
    replacement.push_back(loops.test(d) ? getAffineConstantExpr(0, context)
                                        : getAffineDimExpr(kept++, context));
  for (MappedOperand *operand : operandsOf(*this))
    operand->map = operand->map.replaceDimsAndSymbols(replacement, {}, kept, 0);
  SmallVector<int64_t> dims, sizes;
  for (auto [dim, size] : llvm::zip_equal(reductionDims, reductionSizes))
    if (!loops.test(dim)) {
      dims.push_back(cast<AffineDimExpr>(replacement[dim]).getPosition());
      sizes.push_back(size);
    }
  assert(!dims.empty() && "a contraction keeps a dimension of K");
  reductionDims = std::move(dims);
  reductionSizes = std::move(sizes);
}

kernel::ContractOp ContractParts::create(OpBuilder &builder,
                                         Location loc) const {
  assert(reductionDims.size() == reductionSizes.size() &&
         "a size for each dimension of K");
  assert(values.size() == outs.size() && "a description of each result");
  SmallVector<AffineMap> maps;
  for (const MappedOperand *operand : operandsOf(*this)) {
    assert(operand->map.getNumDims() == lhs.map.getNumDims() &&
           "all maps are of the same loops");
    maps.push_back(operand->map);
  }
  SmallVector<Type> results;
  for (const MappedOperand &out : outs)
    if (isa<TensorType>(out.value.getType()))
      results.push_back(out.value.getType());
  SmallVector<StringRef> names(fused.begin(), fused.end());
  auto op = kernel::ContractOp::create(
      builder, loc, results, lhs.value, rhs.value, rhsSums, init.value,
      lhsZeroPoint.value, rhsZeroPoint.value, valuesOf(lhsOperands),
      valuesOf(rhsOperands), valuesOf(epilogueOperands), valuesOf(outs),
      builder.getAffineMapArrayAttr(maps),
      builder.getDenseI64ArrayAttr(reductionDims),
      builder.getDenseI64ArrayAttr(reductionSizes),
      lhsUnsigned ? builder.getUnitAttr() : UnitAttr(),
      rhsUnsigned ? builder.getUnitAttr() : UnitAttr(),
      names.empty() ? ArrayAttr() : builder.getStrArrayAttr(names),
      facts.toAttr(builder.getContext()), lhsPadding, config);
  setValueInfos(op, values);
  return op;
}

kernel::ContractOp ContractParts::createFrom(RewriterBase &rewriter,
                                             kernel::ContractOp old) const {
  kernel::ContractOp op = create(rewriter, old.getLoc());
  op->setDiscardableAttrs(llvm::to_vector(old->getDiscardableAttrs()));
  setValueInfos(op, values);
  op.getLhsPrologue().takeBody(old.getLhsPrologue());
  op.getRhsPrologue().takeBody(old.getRhsPrologue());
  op.getEpilogue().takeBody(old.getEpilogue());
  return op;
}
