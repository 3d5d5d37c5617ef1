//===- Contraction.cpp - State shared by the parts of a kernel ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "../Atoms/Dot.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

Contraction::Contraction(KernelBuilder &builder, kernel::ContractOp op,
                         const Atom &atom, const OperandLayout &layout)
    : op(op), config(configOf(op)), atom(atom), roles(*op.getRoles()),
      layout(layout) {
  mr = config.getMr();
  nr = config.getNr();
  kr = config.getKr();
  mc = config.getMc();
  nc = config.getNc();
  k = op.getReductionSize();
  segmentSize = op.getReductionSizes().back();
  segments = k / segmentSize;
  int64_t step = layout.lanesAlongK                         ? atom.lanes * kr
                 : config.hasNibbles() && !atom.hasFloats() ? kStepOfNibbles
                                                            : atom.kStep;
  segmentWords = llvm::alignTo(segmentSize, step) / kr;
  words = segments * segmentWords;
  assert(kr == int64_t(atom.kr) && "the atom multiplies words of this size");
  assert((!op.isPacked() || cast<ShapedType>(op.getRhs().getType())
                                    .getDimSize(roles.batch.size() + 1) >=
                                words / (config.hasNibbles() ? 2 : 1)) &&
         "the packed operand has the words that the kernel multiplies");
  m = roles.m ? loopSize(builder, *roles.m) : builder.index(1);
  n = loopSize(builder, roles.n);
}

int64_t Contraction::stepWords() const {
  if (!config.hasNibbles() || atom.hasFloats())
    return atom.hasPairs() ? 2 : 1;
  int64_t pairs = mostPairsOfNibbles(atom);
  while (segmentWords / 2 % pairs != 0)
    --pairs;
  return 2 * pairs;
}

Value Contraction::loopSize(KernelBuilder &builder, unsigned dim) {
  AffineMap map = op.getOutMaps().front();
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr == getAffineDimExpr(dim, op.getContext()))
      return builder.rewriter.createOrFold<memref::DimOp>(
          builder.loc, op.getOuts().front(), i);
  llvm_unreachable("every parallel dimension is one of the results'");
}

Value Contraction::allocate(KernelBuilder &builder, ArrayRef<int64_t> shape,
                            Type element) {
  OpBuilder::InsertionGuard guard(builder.rewriter);
  builder.rewriter.setInsertionPointToStart(
      &op->getParentOfType<func::FuncOp>().getBody().front());
  return memref::AllocaOp::create(builder.rewriter, builder.loc,
                                  MemRefType::get(shape, element),
                                  builder.rewriter.getI64IntegerAttr(64));
}

Value Contraction::flattenK(KernelBuilder &builder) {
  AffineMap map = op.getLhsMap();
  ArrayRef<int64_t> dims = op.getReductionDims();
  if (map.getNumResults() < dims.size())
    return {};
  unsigned first = map.getNumResults() - dims.size();
  for (auto [expr, dim] : llvm::zip(map.getResults().drop_front(first), dims))
    if (expr != getAffineDimExpr(dim, op.getContext()))
      return {};
  SmallVector<ReassociationIndices> groups;
  for (unsigned i = 0; i < first; ++i)
    groups.push_back({i});
  groups.push_back(
      llvm::to_vector(llvm::seq<int64_t>(first, map.getNumResults())));
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(
          cast<MemRefType>(op.getLhs().getType()), groups))
    return {};
  return memref::CollapseShapeOp::create(builder.rewriter, builder.loc,
                                         op.getLhs(), groups);
}

VectorPosition Tile::at(KernelBuilder &builder, const Contraction &contraction,
                        int64_t i, int64_t j) const {
  VectorPosition position;
  position.index = loops;
  if (contraction.roles.m)
    position.index[*contraction.roles.m] = builder.add(row, i);
  position.index[contraction.roles.n] =
      builder.add(builder.mul(column, contraction.nr), j * builder.lanes);
  if (group)
    position.index[contraction.groupLoop()] = group;
  position.vectorDim = contraction.roles.n;
  position.lanes = builder.lanes;
  position.inBounds =
      !masked || (columns && (j + 1) * builder.lanes <= *columns);
  return position;
}
