//===- GlobalWeights.h - The constants of a module as weights ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_PROGRAM_GLOBALWEIGHTS_H
#define QCC_LIB_TRANSFORMS_PROGRAM_GLOBALWEIGHTS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "qcc/Transforms/Program/Weights.h"
#include "llvm/ADT/StringMap.h"

namespace qcc {

/// Lays out the constants of a module that its entries ask for.
class GlobalWeights {
public:
  explicit GlobalWeights(mlir::SymbolTable &symbols) : symbols(symbols) {}

  /// Where the constant begins; reports one without a value.
  llvm::FailureOr<int64_t> offsetOf(mlir::memref::GetGlobalOp op) {
    auto it = offsets.find(op.getName());
    if (it != offsets.end())
      return it->second;
    auto global = symbols.lookup<mlir::memref::GlobalOp>(op.getName());
    std::optional<int64_t> offset =
        weights.add(llvm::dyn_cast_or_null<mlir::ElementsAttr>(
            global ? global.getInitialValueAttr() : mlir::Attribute()));
    if (!offset)
      return op.emitError("has no constant value");
    return offsets[op.getName()] = *offset;
  }

  /// All that were asked for.
  Weights weights;

private:
  mlir::SymbolTable &symbols;
  llvm::StringMap<int64_t> offsets;
};

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_PROGRAM_GLOBALWEIGHTS_H
