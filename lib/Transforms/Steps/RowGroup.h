//===- RowGroup.h - Steps that hand rows to each other ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *group* is a list of ops on memrefs, such as the products and the softmax
// of an attention. Each op has one loop for each *row dimension* of the group.
// Ops read of the buffers that the group writes only the rows that they compute
// themselves. So the group may run block of rows by block of rows. Contractions
// belong to groups that begin with one.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_STEPS_ROWGROUP_H
#define QCC_LIB_TRANSFORMS_STEPS_ROWGROUP_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "llvm/ADT/MapVector.h"
#include <optional>
#include <string>

namespace qcc {

/// A memref operand of an op that may belong to a group. The map is null for
/// the packed operand of a contraction and for its sums.
struct RowAccess {
  mlir::OpOperand *operand;
  mlir::AffineMap map;
  bool isWritten;

  mlir::Value memref() const { return operand->get(); }
};

/// The memref operands of a linalg.generic or a kernel.contract.
llvm::SmallVector<RowAccess> rowAccesses(mlir::Operation *op);

/// How far an index moves from a row to the next one, which a loop runs over: 0
/// if not at all. Nothing if that depends on the row.
std::optional<int64_t> rowStep(mlir::AffineExpr expr, unsigned numLoops,
                               unsigned loop);

/// Why no group has the op, for people; nothing if a group may have it.
std::optional<std::string> reasonAgainstRows(mlir::Operation *op);

class RowGroup {
public:
  /// The group of `op` alone. `op` may belong to a group.
  explicit RowGroup(mlir::Operation *op);

  /// Adds `op`, which may belong to a group, and ops before it that compute
  /// other operands of it. Returns why not, for people, if its rows are not
  /// those of the group; the group then stays as it is.
  std::optional<std::string> add(mlir::Operation *op);

  /// Adds the ops that compute other operands of `op`, a member, by its rows,
  /// such as the fill of a sum.
  void addWriters(mlir::Operation *op);

  /// Whether members before `op`, which is not a member, may not run after it:
  /// `op` touches a buffer that they write, or writes one that they read.
  bool mustPrecede(mlir::Operation *op) const;

  unsigned getNumRows() const { return numRows; }
  /// The members in the order of the program.
  llvm::SmallVector<mlir::Operation *> getMembers() const;
  /// The loop of a member for each row dimension.
  llvm::ArrayRef<unsigned> getLoops(mlir::Operation *member) const {
    return members.find(member)->second;
  }
  /// The dimension of a buffer that members write, for each row dimension.
  /// Empty for other memrefs.
  llvm::ArrayRef<unsigned> getRowDims(mlir::Value memref) const {
    auto it = written.find(memref);
    return it == written.end() ? llvm::ArrayRef<unsigned>() : it->second;
  }
  /// The temporaries that only members use.
  llvm::SmallVector<mlir::memref::AllocOp> getTemporaries() const;

private:
  using Dims = llvm::SmallVector<unsigned>;

  /// Adds `op` alone. The group may be inconsistent then.
  std::optional<std::string> join(mlir::Operation *op);
  /// Whether members touch the buffers that members write by their own rows
  /// alone.
  bool isConsistent() const;
  /// Whether views of one buffer that members write share no element.
  bool hasDisjointViews() const;

  unsigned numRows = 0;
  llvm::MapVector<mlir::Operation *, Dims> members;
  llvm::MapVector<mlir::Value, Dims> written;
};

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_STEPS_ROWGROUP_H
