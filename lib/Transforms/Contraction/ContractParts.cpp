//===- ContractParts.cpp - Taking a kernel.contract apart -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Contraction/ContractParts.h"

using namespace mlir;
using namespace qcc;

/// The operand segments of the op, in its order: first those of one operand.
template <typename Parts> static auto singles(Parts &parts) {
  return std::array{&parts.lhs,  &parts.rhs,          &parts.rhsSums,
                    &parts.init, &parts.lhsZeroPoint, &parts.rhsZeroPoint};
}
template <typename Parts> static auto lists(Parts &parts) {
  return std::array{&parts.lhsOperands, &parts.rhsOperands,
                    &parts.groupOperands, &parts.epilogueOperands, &parts.outs};
}

/// All operands of parts, const or not, in the order of the op's operands.
template <typename Parts> static auto operandsOf(Parts &parts) {
  SmallVector<decltype(&parts.lhs)> all;
  for (auto *operand : singles(parts))
    if (*operand)
      all.push_back(operand);
  for (auto *list : lists(parts))
    for (auto &operand : *list)
      all.push_back(&operand);
  return all;
}

ContractParts ContractParts::of(kernel::ContractOp op) {
  ContractParts parts;
  MutableArrayRef<OpOperand> left = op->getOpOperands();
  unsigned segment = 0;
  auto readSegment = [&] {
    SmallVector<MappedOperand> read;
    size_t size = op.getODSOperands(segment++).size();
    for (OpOperand &operand : left.take_front(size))
      read.push_back({operand.get(), op.getIndexingMap(operand)});
    left = left.drop_front(size);
    return read;
  };
  for (MappedOperand *operand : singles(parts))
    if (SmallVector<MappedOperand> read = readSegment(); !read.empty())
      *operand = read.front();
  for (SmallVector<MappedOperand> *list : lists(parts))
    *list = readSegment();
  parts.reductionDims = llvm::to_vector(op.getReductionDims());
  parts.reductionSizes = llvm::to_vector(op.getReductionSizes());
  if (op.getFused())
    for (auto name : op.getFusedAttr().getAsValueRange<StringAttr>())
      parts.fused.push_back(name.str());
  parts.values = valueInfos(op, parts.outs.size());
  parts.attributes = op.getProperties();
  return parts;
}

SmallVector<MappedOperand *> ContractParts::operands() {
  SmallVector<MappedOperand *> all = operandsOf(*this);
  llvm::erase(all, &rhsSums);
  return all;
}

void ContractParts::updateFacts(
    llvm::function_ref<void(kernel::Facts &)> change) {
  kernel::Facts facts = kernel::Facts::of(attributes.facts);
  change(facts);
  attributes.facts = facts.toAttr(lhs.map.getContext());
}

void ContractParts::dropLoops(const llvm::SmallBitVector &loops) {
  assert(loops.size() == lhs.map.getNumDims() && "a bit for each loop");
  MLIRContext *context = lhs.map.getContext();
  SmallVector<AffineExpr> replacement;
  unsigned kept = 0;
  for (unsigned d = 0; d < loops.size(); ++d)
    replacement.push_back(loops.test(d) ? getAffineConstantExpr(0, context)
                                        : getAffineDimExpr(kept++, context));
  for (MappedOperand *operand : operands())
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
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (const MappedOperand *operand : operandsOf(*this)) {
    operands.push_back(operand->value);
    if (operand == &rhsSums)
      continue;
    assert(operand->map.getNumDims() == lhs.map.getNumDims() &&
           "all maps are of the same loops");
    maps.push_back(operand->map);
  }
  SmallVector<int32_t> sizes;
  for (const MappedOperand *operand : singles(*this))
    sizes.push_back(*operand ? 1 : 0);
  for (const SmallVector<MappedOperand> *list : lists(*this))
    sizes.push_back(list->size());
  SmallVector<Type> results;
  for (const MappedOperand &out : outs)
    if (isa<TensorType>(out.value.getType()))
      results.push_back(out.value.getType());
  SmallVector<StringRef> names(fused.begin(), fused.end());
  kernel::ContractOp::Properties properties = attributes;
  llvm::copy(sizes, properties.operandSegmentSizes.begin());
  properties.indexing_maps = builder.getAffineMapArrayAttr(maps);
  properties.reduction_dims = builder.getDenseI64ArrayAttr(reductionDims);
  properties.reduction_sizes = builder.getDenseI64ArrayAttr(reductionSizes);
  properties.fused =
      names.empty() ? ArrayAttr() : builder.getStrArrayAttr(names);
  auto op =
      kernel::ContractOp::create(builder, loc, results, operands, properties);
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
  op.getGroupEpilogue().takeBody(old.getGroupEpilogue());
  op.getEpilogue().takeBody(old.getEpilogue());
  return op;
}
