//===- RunOperands.h - Operands at runs of columns --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operands that a thread reads for its results, but for those that are
// multiplied: the same for all of them, for each row, for each column, or for
// each result.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_RUNOPERANDS_H
#define QCC_LIB_TARGET_NVPTX_EMIT_RUNOPERANDS_H

#include "FragmentEpilogue.h"
#include "StridedOperand.h"

namespace qcc::nvptx {

/// An operand or a result at runs of columns.
struct RunOperand {
  RunOperand(ScalarCode &code, kernel::ContractOp op,
             const kernel::ContractOp::Roles &roles, mlir::Value memref,
             mlir::AffineMap map);

  mlir::Value memref;
  mlir::AffineMap map;
  StridedOperand lies;
  bool byColumn, byRow = false;
};

class RunOperands {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  RunOperands(ScalarCode &code, kernel::ContractOp op,
              const FragmentTile &tile);

  /// Adds an operand, and returns its number.
  unsigned add(mlir::Value memref, mlir::AffineMap map);
  /// Adds the zero points and the sums of columns, for `accumulator`.
  void addZeroPoints();

  /// Calls `body` for each row of each run of columns, with the elements of
  /// each operand: one for each column of the run, or one for all.
  void forEachRow(llvm::function_ref<void(unsigned run, unsigned row,
                                          llvm::ArrayRef<Values>)>
                      body);
  /// An operand at a column of a run.
  static mlir::Value at(llvm::ArrayRef<Values> values, unsigned operand,
                        int64_t element);
  /// The sum of `size` products of elements less their zero points.
  mlir::Value accumulator(unsigned run, unsigned row, int64_t element,
                          int64_t size, llvm::ArrayRef<Values> values);
  /// Elements of an access: 1 where the operand is not accessed in vectors.
  int64_t lanesOf(const RunOperand &operand);

  const kernel::ContractOp::Roles &getRoles() const { return roles; }

private:
  /// An operand at the columns of a run; one value where it is the same at all.
  Values load(RunOperand &operand, Point at, mlir::Value column);
  /// Loads the operands for which `isWanted` holds.
  void loadAll(llvm::SmallVectorImpl<Values> &into, const Point &at,
               mlir::Value column,
               llvm::function_ref<bool(const RunOperand &)> isWanted);
  /// Registers for an operand at the columns of a run.
  int64_t registersOf(const RunOperand &operand);
  /// Rows whose operands that differ in rows and columns are loaded together.
  int64_t rowsAtOnce();

  ScalarCode &code;
  kernel::ContractOp op;
  kernel::ContractOp::Roles roles;
  const FragmentTile &tile;
  std::vector<RunOperand> operands;
  std::optional<unsigned> lhsZero, rhsZero, rhsSums;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_RUNOPERANDS_H
