//===- RowPlan.cpp - Blocks of rows, or steps apart -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPlan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace qcc;

/// Temporaries of a block fill at most one part of so many of the cache.
/// Operands of the contractions need the rest.
constexpr int64_t kCacheParts = 2;
/// The rows of a block without contractions have at most so many bytes, as many
/// as the L1 cache of most cores.
constexpr int64_t kBytesOfReductions = 32768;

/// The rows along a row dimension of a group; dynamic if they are not known.
static int64_t countRows(const RowGroup &group, unsigned row) {
  for (const RowAccess &access : rowAccesses(group.getMembers().back()))
    if (access.isWritten)
      return cast<MemRefType>(access.memref().getType())
          .getDimSize(group.getRowDims(access.memref())[row]);
  llvm_unreachable("a member writes rows");
}

/// The row dimension that is cut in blocks: the rows of the last contraction,
/// or the last ones if there are several.
static unsigned blockedRowOf(const RowGroup &group) {
  SmallVector<Operation *> members = group.getMembers();
  for (Operation *member : llvm::reverse(members))
    if (auto contract = dyn_cast<kernel::ContractOp>(member))
      for (auto [row, loop] : llvm::enumerate(group.getLoops(member)))
        if (contract.getRoles()->m == loop)
          return row;
  unsigned last = group.getNumRows() - 1;
  while (last > 0 && countRows(group, last) == 1)
    --last;
  return last;
}

/// The bytes of a row of a temporary; nothing if they are not known.
static std::optional<int64_t> bytesOfRow(const RowGroup &group,
                                         memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (llvm::is_contained(group.getRowDims(alloc), dim))
      continue;
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    bytes *= size;
  }
  return bytes;
}

/// How many rows a block has, multiples of the tiles of the contractions.
static int64_t sizeOfBlock(const RowGroup &group, int64_t most, int64_t rows,
                           const Target &target) {
  int64_t tile = 1;
  for (Operation *member : group.getMembers())
    if (auto contract = dyn_cast<kernel::ContractOp>(member))
      if (auto config = contract.getLoweringConfigAttr())
        tile = std::lcm(tile, target.strategyOf(config)->rowsOfTile(config));
  int64_t size = std::max<int64_t>(most / tile * tile, tile);
  if (ShapedType::isDynamic(rows))
    return size;
  // Blocks of equal size.
  int64_t blocks = llvm::divideCeil(rows, size);
  return std::min<int64_t>(rows,
                           llvm::alignTo(llvm::divideCeil(rows, blocks), tile));
}

int64_t qcc::bytesOf(memref::AllocOp alloc, int64_t unknown) {
  MemRefType type = alloc.getType();
  return type.hasStaticShape()
             ? type.getNumElements() *
                   llvm::divideCeil(type.getElementTypeBitWidth(), 8)
             : unknown;
}

/// How far an index moves from row to row, of the row loop that it follows; 0
/// if it follows none.
static int64_t stepOfRows(AffineExpr expr, unsigned numLoops,
                          ArrayRef<unsigned> rows) {
  for (unsigned loop : rows)
    if (expr.isFunctionOfDim(loop))
      return *rowStep(expr, numLoops, loop);
  return 0;
}

/// The bytes of all rows with the same index that the members of a group
/// without contractions read and write. Nothing if a block of rows would not
/// save to read them again: no two members touch the same row, or its elements
/// lie apart, or are combined with other rows, or their number is not known.
static std::optional<int64_t> bytesOfSharedRows(const RowGroup &group) {
  int64_t bytes = 0;
  bool hasWindows = false;
  DenseMap<Value, Operation *> seen;
  llvm::SmallDenseSet<Value> shared;
  for (Operation *member : group.getMembers()) {
    auto generic = dyn_cast<linalg::GenericOp>(member);
    ArrayRef<unsigned> rows = group.getLoops(member);
    if (!generic)
      return std::nullopt;
    bool isProductOrWindow = generic.getNumReductionLoops() != 0 &&
                             generic.getNumParallelLoops() != rows.size();
    hasWindows |= isProductOrWindow;
    for (const RowAccess &access : rowAccesses(member)) {
      auto type = cast<MemRefType>(access.memref().getType());
      int64_t row = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      bool hasRows = false, hasColumns = false;
      for (auto [expr, size] :
           llvm::zip_equal(access.map.getResults(), type.getShape())) {
        int64_t step = stepOfRows(expr, access.map.getNumDims(), rows);
        if (step > 0) {
          if (hasColumns)
            return std::nullopt;
          hasRows = true;
          row *= step;
          continue;
        }
        if (ShapedType::isDynamic(size))
          return std::nullopt;
        row *= size;
        hasColumns |= size != 1;
      }
      // Each block would read such an operand again, as that of a contraction.
      if (isProductOrWindow && !hasRows && hasColumns &&
          generic.payloadUsesValueFromOperand(access.operand))
        return std::nullopt;
      if (!hasRows || !hasColumns)
        continue;
      Operation *&reader = seen[access.memref()];
      if (!reader)
        bytes += row;
      // A fill of windows costs less than loops over their blocks.
      if (reader && reader != member &&
          cast<linalg::GenericOp>(reader).getNumDpsInputs() > 0)
        shared.insert(access.memref());
      reader = member;
    }
  }
  // Blocks of windows read lines twice; only memory that they save makes up for
  // that.
  bool isShared =
      hasWindows ? llvm::any_of(group.getTemporaries(),
                                [&](memref::AllocOp alloc) {
                                  return shared.contains(alloc.getResult());
                                })
                 : !shared.empty();
  return isShared ? std::optional(bytes) : std::nullopt;
}

std::optional<RowPlan> qcc::planReductions(const RowGroup &group,
                                           const Target &target) {
  std::optional<int64_t> bytes = bytesOfSharedRows(group);
  unsigned row = blockedRowOf(group);
  if (!bytes || *bytes == 0 || countRows(group, row) == 0 ||
      *bytes > target.coreCacheBytes() / kCacheParts)
    return std::nullopt;
  int64_t most = std::max<int64_t>(kBytesOfReductions / *bytes, 1);
  return RowPlan{row, sizeOfBlock(group, most, countRows(group, row), target)};
}

std::variant<RowPlan, std::string> qcc::planContractions(const RowGroup &group,
                                                         const Target &target) {
  int64_t cache = target.coreCacheBytes(), bytesOfAll = 0, bytes = 0, rows = 0;
  RowPlan plan{blockedRowOf(group), 0};
  for (memref::AllocOp alloc : group.getTemporaries()) {
    std::optional<int64_t> row = bytesOfRow(group, alloc);
    if (!row)
      return "the size of a row of a temporary is not known before the program "
             "runs";
    bytes += *row;
    rows = alloc.getType().getDimSize(group.getRowDims(alloc)[plan.blockedRow]);
    bytesOfAll += bytesOf(alloc, /*unknown=*/cache + 1);
  }
  if (bytesOfAll <= cache)
    return "";
  int64_t most = cache / kCacheParts / bytes;
  if (most == 0)
    return "one row of the temporaries does not fit the cache";
  plan.size = sizeOfBlock(group, most, rows, target);
  return plan;
}
