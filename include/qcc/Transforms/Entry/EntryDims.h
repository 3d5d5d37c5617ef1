//===- EntryDims.h - Indices of entries and what they depend on -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The index arithmetic of an entry after outline-steps depends on the dynamic
// dimensions of its arguments alone.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_ENTRY_ENTRYDIMS_H
#define QCC_TRANSFORMS_ENTRY_ENTRYDIMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace qcc {

/// A dynamic dimension of an argument of an entry, or of the destination of a
/// result. The dimensions of arguments are numbered in the order in which they
/// appear, and so are those of results, which the entry returns first.
struct EntryDim {
  bool isResult;
  unsigned number;
};

/// The dynamic dimension of its entry that `dim` asks for; nothing for others.
std::optional<EntryDim> entryDimOf(mlir::memref::DimOp dim);

/// How many dynamic dimensions the arguments of an entry have.
unsigned countEntryDims(mlir::func::FuncOp entry);

/// Computes indices of an entry for given dimensions of its arguments.
class IndexEvaluator {
public:
  /// `dims` are the dynamic dimensions of the arguments.
  explicit IndexEvaluator(llvm::ArrayRef<int64_t> dims) : dims(dims) {}

  /// Nothing where the value depends on more, or does not fit 64 bits.
  std::optional<int64_t> evaluate(mlir::Value value);

private:
  mlir::Attribute evaluateAttr(mlir::Value value);

  llvm::ArrayRef<int64_t> dims;
  llvm::DenseMap<mlir::Value, mlir::Attribute> known;
};

} // namespace qcc

#endif // QCC_TRANSFORMS_ENTRY_ENTRYDIMS_H
