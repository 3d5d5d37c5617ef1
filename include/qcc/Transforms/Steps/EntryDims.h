//===- EntryDims.h - Dynamic dimensions of entries --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After outline-steps, the index arithmetic of an entry depends only on the
// dynamic dimensions of its arguments.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_STEPS_ENTRYDIMS_H
#define QCC_TRANSFORMS_STEPS_ENTRYDIMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace qcc {

/// A dynamic dimension of an argument of an entry, or of the destination of a
/// result. Dimensions of arguments are numbered in the order in which they
/// appear. Dimensions of results have numbers of their own, in the order in
/// which the entry returns them.
struct EntryDim {
  bool isResult;
  unsigned number;
};

/// The dynamic dimension of an entry that `dim` reads; nothing if it reads
/// another.
std::optional<EntryDim> entryDimOf(mlir::memref::DimOp dim);

/// The number of dynamic dimensions of the arguments of an entry.
unsigned countEntryDims(mlir::func::FuncOp entry);

/// Computes indices of an entry for given dimensions of its arguments.
class IndexEvaluator {
public:
  /// `dims` are the values of the dynamic dimensions of the arguments.
  explicit IndexEvaluator(llvm::ArrayRef<int64_t> dims) : dims(dims) {}

  /// Nothing if the value depends on anything else, or does not fit 64 bits.
  std::optional<int64_t> evaluate(mlir::Value value);

private:
  mlir::Attribute evaluateAttr(mlir::Value value);

  llvm::ArrayRef<int64_t> dims;
  llvm::DenseMap<mlir::Value, mlir::Attribute> known;
};

} // namespace qcc

#endif // QCC_TRANSFORMS_STEPS_ENTRYDIMS_H
