//===- PackOp.cpp - Packing of right operands -----------------------------===//
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

void PackOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(cast<DestinationStyleOpInterface>(getOperation()), effects);
}

MutableOperandRange PackOp::getDpsInitsMutable() {
  return MutableOperandRange(getOperation(), 1 + getIns().size(),
                             getSums() ? 2 : 1);
}

int64_t PackOp::getReductionSize() { return product(getReductionSizes()); }

int64_t PackOp::getSegmentWords() {
  assert(getKR() > 0 && getKStep().value_or(getKR()) % getKR() == 0 &&
         "a step along K is whole words");
  return llvm::alignTo(getReductionSizes().back(),
                       getKStep().value_or(getKR())) /
         getKR();
}

int64_t PackOp::getWords() {
  return product(getReductionSizes().drop_back()) * getSegmentWords();
}

std::optional<unsigned> PackOp::getContiguousLoop() {
  AffineMap map = cast<AffineMapAttr>(getIndexingMaps()[0]).getValue();
  assert(map.getNumResults() > 0 && "the source has columns");
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (last && (last.getPosition() == getNumBatch() ||
               last.getPosition() == map.getNumDims() - 1))
    return last.getPosition();
  return std::nullopt;
}

/// Words of integers have sums, those of floats are one element each.
static LogicalResult verifyWords(PackOp op, Type word) {
  if (word.isF32()) {
    if (op.getSums() || op.getOffset() || op.getUnsignedSource() ||
        op.getKR() != 1)
      return op.emitOpError("of f32 must have KR 1, no sums, no offset and no "
                            "unsigned_source");
    return success();
  }
  if (!word.isInteger(32))
    return op.emitOpError("packed must be of i32 or f32");
  auto sums = dyn_cast_or_null<ShapedType>(op.getSums() ? op.getSums().getType()
                                                        : Type());
  if (!sums || !sums.getElementType().isInteger(32) ||
      sums.getRank() != (int64_t)op.getNumBatch() + 1)
    return op.emitOpError("of i32 must have sums of i32 and rank "
                          "num_batch + 1");
  return success();
}

LogicalResult PackOp::verify() {
  if (getIndexingMaps().size() != 1 + getIns().size())
    return emitOpError("must have an indexing map for source and for each of "
                       "ins");
  if (getReductionSizes().empty() ||
      llvm::any_of(getReductionSizes(), [](int64_t size) { return size <= 0; }))
    return emitOpError("must have at least one reduction dimension, and "
                       "reduction sizes must be positive");
  unsigned loops = getNumBatch() + 1 + getReductionSizes().size();
  if (!haveOneKind(*this))
    return emitOpError("operands must be all tensors or all memrefs");
  for (auto [attr, operand] :
       llvm::zip(getIndexingMaps(), getOperation()->getOperands())) {
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    if (map.getNumDims() != loops ||
        map.getNumResults() != cast<ShapedType>(operand.getType()).getRank())
      return emitOpError() << "map " << AffineMapAttr::get(map) << " must have "
                           << loops
                           << " dimensions and a result for each dimension of "
                              "its operand";
    if (!isProjection(map))
      return emitOpError() << "map " << AffineMapAttr::get(map)
                           << " must be a projected permutation";
  }
  if (!cast<AffineMapAttr>(getIndexingMaps()[0])
           .getValue()
           .isFunctionOfDim(getNumBatch()))
    return emitOpError("source must be indexed by the column dimension");
  if (getTile().size() != 2 || getNR() <= 0 ||
      (getKR() != 1 && getKR() != 2 && getKR() != 4))
    return emitOpError("tile must be [NR, KR] with KR 1, 2 or 4");
  if (getKStep() && (*getKStep() <= 0 || *getKStep() % getKR() != 0))
    return emitOpError("k_step must be a multiple of KR");
  auto packed = cast<ShapedType>(getPacked().getType());
  Type word = packed.getElementType();
  Type packedElement = word.isF32() ? word : IntegerType::get(getContext(), 8);
  Type element = getElementTypeOrSelf(getSource().getType());
  if (getPrologue().empty()) {
    if (element != packedElement || !getIns().empty())
      return emitOpError() << "without a prologue the source must be "
                           << packedElement << " and ins empty";
  } else {
    SmallVector<Type> types{element};
    llvm::append_range(types, elementTypes(getIns()));
    if (failed(verifyRegion(*this, getPrologue(), "prologue", types,
                            {packedElement})))
      return failure();
  }
  if (failed(verifyWords(*this, word)))
    return failure();
  if (packed.getRank() != (int64_t)getNumBatch() + 3)
    return emitOpError("packed must have rank num_batch + 3");
  int64_t words = getWords();
  if (packed.getShape()[getNumBatch() + 1] != words ||
      packed.getShape()[getNumBatch() + 2] != getNR())
    return emitOpError() << "packed must end in x" << words << "x" << getNR();
  return success();
}
