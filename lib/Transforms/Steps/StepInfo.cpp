//===- StepInfo.cpp - Kind and work of a step -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Steps/StepInfo.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Dialect/QNN/IR/WeightNote.h"
#include "qcc/Dialect/Utils/Notes.h"
#include "qcc/Transforms/Contraction/ContractParts.h"
#include "qcc/Transforms/Contraction/TunedConfigs.h"
#include "qcc/Transforms/Refusal.h"
#include "qcc/Transforms/Steps/WorkKind.h"

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

std::string qcc::sourcePosition(Location loc) {
  std::string position;
  loc->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      position = file.getFilename().str();
      // A node of a model has none.
      if (file.getLine() > 0)
        position +=
            (":" + Twine(file.getLine()) + ":" + Twine(file.getColumn())).str();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return position;
}

//===----------------------------------------------------------------------===//
// Description
//===----------------------------------------------------------------------===//

/// What the members of a group are made of, in order, without fills.
static SmallVector<std::string> originsOf(ArrayRef<Operation *> members) {
  SmallVector<std::string> origins;
  for (Operation *member : members) {
    if (auto contract = dyn_cast<kernel::ContractOp>(member)) {
      if (ArrayAttr fused = contract.getFusedAttr())
        for (auto name : fused.getAsRange<StringAttr>())
          origins.push_back(name.str());
      continue;
    }
    if (workKindOf(member) == WorkKind::DataMovement)
      continue;
    std::string all = originOf(member);
    for (StringRef name : llvm::split(all, ", "))
      origins.push_back(name.str());
  }
  return origins;
}

/// Why work is not faster, as a pass noted on it; of a loop over blocks of rows
/// without contractions, on the first member that has a note.
static Attribute refusedOf(Operation *work) {
  Attribute refused = work->getAttr(kRefusedAttr);
  SmallVector<Operation *> members = membersOf(work);
  if (refused || llvm::any_of(members, llvm::IsaPred<kernel::ContractOp>))
    return refused;
  for (Operation *member : members)
    if (Attribute note = member->getAttr(kRefusedAttr))
      return note;
  return {};
}

DictionaryAttr qcc::describeWork(Operation *work) {
  Builder builder(work->getContext());
  NamedAttrList info;
  auto setString = [&](StringRef key, const Twine &value) {
    std::string text = value.str();
    if (!text.empty())
      info.set(key, builder.getStringAttr(text));
  };
  Location loc = work->getLoc();
  setString("layer",
            isFormOfLayer(loc) ? valueInfo(loc).layer : layerName(loc));
  setString("model_op", modelOp(loc));
  setString("location", sourcePosition(loc));
  setString("work", toString(workKindOf(work)));
  if (SmallVector<Operation *> members = membersOf(work); !members.empty()) {
    setString("kind", "rows");
    info.set("fused", builder.getStrArrayAttr(
                          llvm::to_vector_of<StringRef>(originsOf(members))));
  } else if (auto contract = dyn_cast<kernel::ContractOp>(work)) {
    setString("kind", "contract");
    if (contract.getFused())
      info.set("fused", contract.getFusedAttr());
    info.set("config", contract.getLoweringConfigAttr());
    if (Attribute reason = contract->getAttr(kNotTunedAttr))
      info.set("not_tuned", reason);
  } else {
    setString("kind", isa<kernel::PackOp>(work) ? "pack" : "generic");
    std::string origin = originOf(work);
    info.set("fused", builder.getStrArrayAttr(
                          llvm::to_vector(llvm::split(origin, ", "))));
  }
  if (Attribute weight = work->getAttr(kWeightAttr))
    info.set("weight", weight);
  if (!isa<kernel::PackOp, kernel::ContractOp, scf::ForallOp>(work))
    setString("refused", whyGeneric(work));
  else if (Attribute refused = refusedOf(work))
    info.set("refused", refused);
  return info.getDictionary(work->getContext());
}

//===----------------------------------------------------------------------===//
// Sizes and cost
//===----------------------------------------------------------------------===//

static OpFoldResult multiply(OpBuilder &builder, Location loc,
                             ArrayRef<OpFoldResult> factors) {
  int64_t constant = 1;
  SmallVector<OpFoldResult> dynamic;
  for (OpFoldResult factor : factors) {
    if (std::optional<int64_t> value = getConstantIntValue(factor))
      constant *= *value;
    else
      dynamic.push_back(factor);
  }
  // Products of symbols are not affine: multiply step by step.
  Value product;
  for (OpFoldResult factor : dynamic) {
    Value value = cast<Value>(factor);
    product =
        product
            ? arith::MulIOp::create(builder, loc, product, value).getResult()
            : value;
  }
  if (!product)
    return builder.getIndexAttr(constant);
  if (constant == 1)
    return product;
  Value scale = arith::ConstantIndexOp::create(builder, loc, constant);
  return arith::MulIOp::create(builder, loc, product, scale).getResult();
}

SmallVector<OpFoldResult> qcc::sizesOf(OpBuilder &builder, Location loc,
                                       Value memref) {
  if (auto cast = memref.getDefiningOp<memref::CastOp>())
    return sizesOf(builder, loc, cast.getSource());
  if (auto view = memref.getDefiningOp<memref::SubViewOp>()) {
    SmallVector<OpFoldResult> sizes;
    llvm::SmallBitVector dropped = view.getDroppedDims();
    for (auto [i, size] : llvm::enumerate(view.getMixedSizes()))
      if (!dropped.test(i))
        sizes.push_back(size);
    return sizes;
  }
  if (auto expand = memref.getDefiningOp<memref::ExpandShapeOp>())
    return expand.getMixedOutputShape();
  if (auto collapse = memref.getDefiningOp<memref::CollapseShapeOp>()) {
    SmallVector<OpFoldResult> source = sizesOf(builder, loc, collapse.getSrc());
    SmallVector<OpFoldResult> sizes;
    for (ArrayRef<int64_t> group : collapse.getReassociationIndices()) {
      SmallVector<OpFoldResult> factors;
      for (int64_t i : group)
        factors.push_back(source[i]);
      sizes.push_back(multiply(builder, loc, factors));
    }
    return sizes;
  }
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return alloc.getMixedSizes();
  SmallVector<OpFoldResult> sizes;
  auto type = cast<MemRefType>(memref.getType());
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (ShapedType::isDynamic(size))
      sizes.push_back(
          memref::DimOp::create(builder, loc, memref, i).getResult());
    else
      sizes.push_back(builder.getIndexAttr(size));
  }
  return sizes;
}

void qcc::resolveViewSizes(func::FuncOp entry) {
  SmallVector<memref::DimOp> dims;
  entry.walk([&](memref::DimOp dim) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    if (index && type && *index < type.getRank() &&
        dim.getSource().getDefiningOp<ViewLikeOpInterface>())
      dims.push_back(dim);
  });
  for (memref::DimOp dim : dims) {
    OpBuilder builder(dim);
    Location loc = dim.getLoc();
    OpFoldResult size =
        sizesOf(builder, loc, dim.getSource())[*dim.getConstantIndex()];
    dim.replaceAllUsesWith(getValueOrCreateConstantIndexOp(builder, loc, size));
    dim.erase();
  }
}

/// The sizes of the loops of a structured op, read off its operands.
static SmallVector<OpFoldResult> loopSizes(OpBuilder &builder, Location loc,
                                           ArrayRef<Value> operands,
                                           ArrayRef<AffineMap> maps) {
  unsigned loops = maps.front().getNumDims();
  SmallVector<OpFoldResult> extent(loops);
  for (auto [operand, map] : llvm::zip(operands, maps)) {
    if (!isa<MemRefType>(operand.getType()))
      continue;
    SmallVector<OpFoldResult> sizes = sizesOf(builder, loc, operand);
    for (auto [size, expr] : llvm::zip(sizes, map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        extent[dim.getPosition()] = size;
  }
  SmallVector<OpFoldResult> known;
  for (OpFoldResult size : extent)
    if (size)
      known.push_back(size);
  return known;
}

int64_t qcc::operationsOfIteration(Operation *op) {
  if (isa<kernel::ContractOp>(op))
    return 2;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured
             ? llvm::count_if(structured.getBlock()->without_terminator(),
                              [](Operation &inner) {
                                return !isa<arith::ConstantOp>(inner);
                              })
             : 0;
}

/// The operations of an op, as factors; none for an op without arithmetic.
static SmallVector<OpFoldResult> operationsOf(OpBuilder &builder,
                                              Operation *op) {
  Location loc = op->getLoc();
  SmallVector<OpFoldResult> factors;
  int64_t each = 0;
  if (auto contract = dyn_cast<kernel::ContractOp>(op)) {
    factors = loopSizes(builder, loc, llvm::to_vector(contract.getOuts()),
                        contract.getOutMaps());
    each = operationsOfIteration(op) * contract.getReductionSize();
    if (auto merged = contract->getAttrOfType<IntegerAttr>(kMergedGroupsAttr))
      each /= merged.getInt();
  } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    factors = loopSizes(builder, loc, llvm::to_vector(op->getOperands()),
                        structured.getIndexingMapsArray());
    each = operationsOfIteration(op);
  }
  factors.push_back(builder.getIndexAttr(each));
  return factors;
}

/// The operations of all iterations of `loop` for an op in it.
static OpFoldResult operationsInLoop(OpBuilder &builder, scf::ForallOp loop,
                                     Operation *member) {
  SmallVector<OpFoldResult> factors = operationsOf(builder, member);
  // The rows of a block are a constant, or the fewer rows of the last block.
  int64_t rows = 1;
  for (OpFoldResult step : loop.getMixedStep())
    rows = std::max(rows, *getConstantIntValue(step));
  auto isInLoop = [&](Value value) {
    return loop->isAncestor(value.getParentRegion()->getParentOp());
  };
  // Sizes of views of a block may be read outside of the loop: by an op that
  // nobody needs.
  bool isFound = false;
  SmallVector<OpFoldResult> known;
  for (OpFoldResult size : factors) {
    auto value = dyn_cast<Value>(size);
    Operation *reader = value ? value.getDefiningOp() : nullptr;
    bool readsBlock = reader && !isInLoop(value) &&
                      llvm::any_of(reader->getOperands(), isInLoop);
    bool isOfBlock = value ? isInLoop(value) || readsBlock
                           : !isFound && getConstantIntValue(size) == rows;
    isFound |= isOfBlock;
    if (!isOfBlock)
      known.push_back(size);
    else if (readsBlock && reader->use_empty())
      reader->erase();
  }
  factors = known;
  llvm::append_range(factors, loop.getMixedUpperBound());
  return multiply(builder, loop.getLoc(), factors);
}

SmallVector<Operation *> qcc::membersOf(Operation *work) {
  SmallVector<Operation *> members;
  if (auto loop = dyn_cast<scf::ForallOp>(work))
    for (Operation &op : loop.getBody()->without_terminator())
      if (isa<DestinationStyleOpInterface>(op))
        members.push_back(&op);
  return members;
}

std::optional<int64_t> qcc::rowsOfBlock(func::FuncOp step) {
  std::optional<int64_t> rows;
  for (auto loop : step.getOps<scf::ForallOp>())
    for (int64_t size : loop.getStaticStep())
      rows = std::max(rows.value_or(1), size);
  return rows;
}

static Value bytesOf(OpBuilder &builder, Location loc,
                     SmallVector<OpFoldResult> sizes, Type element) {
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  sizes.push_back(builder.getIndexAttr(std::max(1u, bits / 8)));
  return getValueOrCreateConstantIndexOp(builder, loc,
                                         multiply(builder, loc, sizes));
}

/// The bytes of a buffer that work uses. One of which each iteration loads some
/// elements, as of a table of embeddings, is not read as a whole.
static Value bytesUsed(OpBuilder &builder, Operation *work, Value buffer) {
  Location loc = work->getLoc();
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value all = bytesOf(builder, loc, sizesOf(builder, loc, buffer), element);
  auto structured = dyn_cast<linalg::LinalgOp>(work);
  if (!structured || llvm::is_contained(work->getOperands(), buffer))
    return all;
  auto loads = llvm::count_if(buffer.getUsers(), [&](Operation *user) {
    return isa<memref::LoadOp>(user) &&
           user->getBlock() == structured.getBlock();
  });
  auto uses = llvm::count_if(buffer.getUsers(), [&](Operation *user) {
    return work->isProperAncestor(user);
  });
  if (loads != uses)
    return all;
  SmallVector<OpFoldResult> factors =
      loopSizes(builder, loc, llvm::to_vector(work->getOperands()),
                structured.getIndexingMapsArray());
  factors.push_back(builder.getIndexAttr(loads));
  return builder.createOrFold<arith::MinSIOp>(
      loc, all, bytesOf(builder, loc, factors, element));
}

WorkCounts qcc::emitWorkCounts(OpBuilder &builder, Operation *work) {
  Location loc = work->getLoc();
  llvm::SetVector<Value> used(work->operand_begin(), work->operand_end());
  getUsedValuesDefinedAbove(work->getRegions(), used);
  Value operations = getValueOrCreateConstantIndexOp(
      builder, loc, multiply(builder, loc, operationsOf(builder, work)));
  for (Operation *member : membersOf(work))
    operations = builder.createOrFold<arith::AddIOp>(
        loc, operations,
        getValueOrCreateConstantIndexOp(
            builder, loc,
            operationsInLoop(builder, cast<scf::ForallOp>(work), member)));
  Value bytes = arith::ConstantIndexOp::create(builder, loc, 0);
  for (Value operand : used)
    if (isa<MemRefType>(operand.getType()))
      bytes = builder.createOrFold<arith::AddIOp>(
          loc, bytes, bytesUsed(builder, work, operand));
  return {operations, bytes};
}
