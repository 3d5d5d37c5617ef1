//===- WeightsBlob.h - The bytes of all constants ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_ENTRY_WEIGHTSBLOB_H
#define QCC_LIB_TRANSFORMS_ENTRY_WEIGHTSBLOB_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace qcc {

/// Lays out the constants of a module one after the other, each at a multiple
/// of 64 bytes.
class WeightsBlob {
public:
  explicit WeightsBlob(mlir::SymbolTable &symbols) : symbols(symbols) {}

  /// Where the constant begins; reports one without a value.
  llvm::FailureOr<int64_t> offsetOf(mlir::memref::GetGlobalOp op);
  /// The bytes of all constants that were asked for; null if there are none.
  mlir::DenseResourceElementsAttr finish(mlir::MLIRContext *context);

private:
  mlir::SymbolTable &symbols;
  llvm::StringMap<int64_t> offsets;
  /// Each constant with where it begins.
  std::vector<std::pair<int64_t, mlir::ElementsAttr>> constants;
  int64_t size = 0;
};

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_ENTRY_WEIGHTSBLOB_H
