//===- RowGroup.cpp - Steps that hand rows to each other ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroup.h"
#include "StepValues.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

SmallVector<RowAccess> qcc::rowAccesses(Operation *op) {
  SmallVector<RowAccess> accesses;
  auto destination = cast<DestinationStyleOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    AffineMap map;
    if (auto contract = dyn_cast<kernel::ContractOp>(op)) {
      bool isPacked = contract.isPacked() && operand.get() == contract.getRhs();
      if (!isPacked && !contract.isRhsSums(operand.getOperandNumber()))
        map = contract.getIndexingMap(operand);
    } else {
      map = cast<linalg::LinalgOp>(op).getMatchingIndexingMap(&operand);
    }
    accesses.push_back({&operand, map, destination.isDpsInit(&operand)});
  }
  return accesses;
}

/// Whether the right operand is a constant of the program, packed or not.
static bool hasConstantRhs(kernel::ContractOp op) {
  return isa_and_nonnull<memref::GetGlobalOp>(
      baseOf(op.getRhs()).getDefiningOp());
}

std::optional<std::string> qcc::reasonAgainstRows(Operation *op) {
  if (auto contract = dyn_cast<kernel::ContractOp>(op)) {
    if (hasConstantRhs(contract))
      return "its right operand is a constant, which each block of rows would "
             "read again";
    if (contract.getRoles()->isDepthwise || contract.getLhsPadding() ||
        !kernel::isProjection(contract.getLhsMap()))
      return "it reads windows";
    return std::nullopt;
  }
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !generic.hasPureBufferSemantics())
    return "it is no loop nest with one index for each dimension";
  // An index would be that of the block.
  if (!generic.getBody()->getOps<linalg::IndexOp>().empty() ||
      generic.hasDynamicIndexingMaps())
    return "its elements depend on their position";
  return std::nullopt;
}

std::optional<int64_t> qcc::rowStep(AffineExpr expr, unsigned numLoops,
                                    unsigned loop) {
  SmallVector<int64_t> flat;
  if (!expr.isFunctionOfDim(loop))
    return 0;
  // Quotients and remainders have coefficients of their own.
  if (failed(getFlattenedAffineExpr(expr, numLoops, /*numSymbols=*/0, &flat)) ||
      flat.size() != numLoops + 1 || flat[loop] <= 0)
    return std::nullopt;
  return flat[loop];
}

/// Whether a loop of the op may run over rows: no iteration needs another, the
/// position in each operand moves with it by equal steps, and no packed operand
/// has its elements in another order.
static bool isRowLoop(Operation *op, unsigned loop) {
  auto contract = dyn_cast<kernel::ContractOp>(op);
  if (!contract) {
    auto structured = cast<linalg::LinalgOp>(op);
    return structured.getIteratorTypesArray()[loop] ==
               utils::IteratorType::parallel &&
           llvm::all_of(structured.getIndexingMapsArray(), [&](AffineMap map) {
             return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
               return rowStep(expr, map.getNumDims(), loop).has_value();
             });
           });
  }
  kernel::ContractOp::Roles roles = *contract.getRoles();
  return roles.m == loop || llvm::is_contained(roles.outer, loop);
}

/// Whether a reduction reads along the last dimension of an input as the loop
/// runs: along a row, not from row to row.
static bool isColumnLoop(Operation *op, unsigned loop) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumReductionLoops() > 0 &&
         llvm::any_of(generic.getDpsInputOperands(), [&](OpOperand *input) {
           AffineMap map = generic.getMatchingIndexingMap(input);
           return map.getNumResults() > 0 &&
                  map.getResults().back().isFunctionOfDim(loop);
         });
}

/// The dimension of an operand that is indexed by a loop alone.
static std::optional<unsigned> dimOf(AffineMap map, unsigned loop) {
  if (map)
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr);
          dim && dim.getPosition() == loop)
        return i;
  return std::nullopt;
}

/// Whether a loop indexes dimension `dim` alone, and no other one with it: rows
/// of a block are counted from its first, other dimensions are not.
static bool isOnlyDim(AffineMap map, unsigned dim, unsigned loop) {
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (i == dim ? expr != getAffineDimExpr(loop, map.getContext())
                 : expr.isFunctionOfDim(loop))
      return false;
  return true;
}

/// Whether two views are known to share no element: parts of one memref that
/// lie apart along a dimension.
static bool areDisjoint(Value a, Value b) {
  auto x = a.getDefiningOp<memref::SubViewOp>(),
       y = b.getDefiningOp<memref::SubViewOp>();
  if (!x || !y || x.getSource() != y.getSource())
    return false;
  auto endsBefore = [](memref::SubViewOp one, memref::SubViewOp other,
                       size_t d) {
    int64_t offset = one.getStaticOffsets()[d], size = one.getStaticSizes()[d],
            stride = one.getStaticStrides()[d],
            next = other.getStaticOffsets()[d];
    return !ShapedType::isDynamic(offset) && !ShapedType::isDynamic(size) &&
           !ShapedType::isDynamic(stride) && !ShapedType::isDynamic(next) &&
           offset + (size - 1) * stride < next;
  };
  for (size_t d = 0; d < x.getStaticOffsets().size(); ++d)
    if (endsBefore(x, y, d) || endsBefore(y, x, d))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

RowGroup::RowGroup(Operation *op) {
  SmallVector<RowAccess> accesses = rowAccesses(op);
  auto isRow = [&](unsigned loop) {
    return isRowLoop(op, loop) && !isColumnLoop(op, loop) &&
           llvm::all_of(accesses, [&](const RowAccess &access) {
             return !access.isWritten || dimOf(access.map, loop);
           });
  };
  Dims &loops = members[op];
  AffineMap first = llvm::find_if(accesses, [](auto &access) {
                      return access.isWritten;
                    })->map;
  for (unsigned loop = 0; loop < first.getNumDims(); ++loop)
    if (isRow(loop))
      loops.push_back(loop);
  numRows = loops.size();
  for (const RowAccess &access : accesses)
    if (access.isWritten)
      for (unsigned loop : loops)
        written[access.memref()].push_back(*dimOf(access.map, loop));
}

SmallVector<Operation *> RowGroup::getMembers() const {
  SmallVector<Operation *> ops =
      llvm::map_to_vector(members, [](auto &member) { return member.first; });
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

SmallVector<memref::AllocOp> RowGroup::getTemporaries() const {
  SmallVector<memref::AllocOp> temporaries;
  for (auto &[memref, dims] : written)
    if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
      if (llvm::all_of(alloc->getUsers(),
                       [&](Operation *op) { return members.contains(op); }))
        temporaries.push_back(alloc);
  return temporaries;
}

bool RowGroup::mustPrecede(Operation *op) const {
  llvm::DenseSet<Value> read, write;
  for (auto &[member, loops] : members)
    if (member->isBeforeInBlock(op))
      for (const RowAccess &access : rowAccesses(member))
        (access.isWritten ? write : read).insert(baseOf(access.memref()));
  WalkResult touches = op->walk([&](Operation *inner) {
    auto destination = dyn_cast<DestinationStyleOpInterface>(inner);
    for (OpOperand &operand : inner->getOpOperands()) {
      if (!isa<BaseMemRefType>(operand.get().getType()))
        continue;
      Value base = baseOf(operand.get());
      bool mayWrite = !destination || destination.isDpsInit(&operand);
      if (write.contains(base) || (mayWrite && read.contains(base)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return touches.wasInterrupted();
}

bool RowGroup::isConsistent() const {
  llvm::DenseSet<Value> bases;
  for (auto &buffer : written)
    bases.insert(baseOf(buffer.first));
  for (auto &[member, loops] : members) {
    // Bodies may load any row.
    WalkResult loads = member->walk([&](memref::LoadOp load) {
      return bases.contains(baseOf(load.getMemref())) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
    });
    if (loads.wasInterrupted())
      return false;
    for (const RowAccess &access : rowAccesses(member)) {
      if (!bases.contains(baseOf(access.memref())))
        continue;
      ArrayRef<unsigned> dims = getRowDims(access.memref());
      if (dims.empty() || !access.map)
        return false;
      for (auto [dim, loop] : llvm::zip_equal(dims, loops))
        if (!isOnlyDim(access.map, dim, loop))
          return false;
    }
  }
  return hasDisjointViews();
}

bool RowGroup::hasDisjointViews() const {
  for (auto &[a, rows] : written)
    for (auto &[b, others] : written) {
      if (a == b)
        break;
      if (baseOf(a) == baseOf(b) && !areDisjoint(a, b))
        return false;
    }
  return true;
}

std::optional<std::string> RowGroup::join(Operation *op) {
  if (isa<kernel::ContractOp>(op) &&
      !isa<kernel::ContractOp>(members.front().first))
    return "it is a contraction, and the group does not begin with one";
  SmallVector<RowAccess> accesses = rowAccesses(op);
  SmallVector<std::optional<unsigned>> loops(numRows);
  bool readsRows = false, hasRows = true;
  for (const RowAccess &access : accesses) {
    ArrayRef<unsigned> dims = getRowDims(access.memref());
    if (dims.empty())
      continue;
    readsRows = true;
    for (unsigned row = 0; row < numRows; ++row) {
      std::optional<unsigned> loop;
      if (access.map)
        if (auto dim = dyn_cast<AffineDimExpr>(access.map.getResult(dims[row])))
          loop = dim.getPosition();
      if (!loop || !isRowLoop(op, *loop) || loops[row].value_or(*loop) != *loop)
        hasRows = false;
      else
        loops[row] = loop;
    }
  }
  for (std::optional<unsigned> loop : loops)
    for (const RowAccess &access : accesses)
      if (access.isWritten && loop && !dimOf(access.map, *loop))
        hasRows = false;
  if (!readsRows)
    return "it reads no rows of the steps before it";
  if (!hasRows)
    return "its rows are not those of the steps before it";
  Dims &own = members[op];
  for (std::optional<unsigned> loop : loops)
    own.push_back(*loop);
  for (const RowAccess &access : accesses)
    if (access.isWritten && getRowDims(access.memref()).empty())
      for (unsigned loop : own)
        written[access.memref()].push_back(*dimOf(access.map, loop));
  return std::nullopt;
}

/// The op that last writes a temporary or a result before `op`, if an op of a
/// group may.
static Operation *writerBefore(Operation *op, Value memref) {
  Operation *writer = nullptr;
  if (!isa<BlockArgument>(memref) && !memref.getDefiningOp<memref::AllocOp>())
    return nullptr;
  for (OpOperand &use : memref.getUses()) {
    Operation *user = use.getOwner();
    auto destination = dyn_cast<DestinationStyleOpInterface>(user);
    if (user->getBlock() == op->getBlock() && user->isBeforeInBlock(op) &&
        destination && destination.isDpsInit(&use) &&
        (!writer || writer->isBeforeInBlock(user)))
      writer = user;
  }
  return writer && !reasonAgainstRows(writer) ? writer : nullptr;
}

void RowGroup::addWriters(Operation *op) {
  for (const RowAccess &access : rowAccesses(op)) {
    Operation *writer = writerBefore(op, access.memref());
    if (!writer || members.contains(writer))
      continue;
    Dims dims;
    for (unsigned loop : getLoops(op))
      if (auto dim = dimOf(access.map, loop))
        dims.push_back(*dim);
    if (dims.size() != numRows)
      continue;
    RowGroup grown = *this;
    grown.written[access.memref()] = dims;
    if (grown.join(writer) || grown.numRows != numRows || !grown.isConsistent())
      continue;
    *this = grown;
    addWriters(writer);
  }
}

std::optional<std::string> RowGroup::add(Operation *op) {
  RowGroup grown = *this;
  if (auto reason = grown.join(op))
    return reason;
  // What a member has read so far as a whole may have a writer in the group.
  if (!grown.isConsistent())
    return "it touches results of the steps before it by other rows than its "
           "own";
  *this = grown;
  addWriters(op);
  return std::nullopt;
}
