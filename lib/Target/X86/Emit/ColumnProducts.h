//===- ColumnProducts.h - Surplus products of column pairs ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_COLUMNPRODUCTS_H
#define QCC_LIB_TARGET_X86_EMIT_COLUMNPRODUCTS_H

#include "Contraction.h"

namespace qcc::x86 {

/// For atoms with pairs (Atoms/Dot.h): the products of the right operand's
/// words among themselves, b0 b2 + b1 b3 summed over K, negative.
class ColumnProducts {
public:
  /// Allocates memory for a block of NC columns; none if the atom needs none.
  ColumnProducts(KernelBuilder &builder, Contraction &contraction);

  /// Emits what is done once for the tiles of columns [first, last), at most NC
  /// columns, before tiles are computed.
  void prepare(llvm::ArrayRef<mlir::Value> batch, mlir::Value first,
               mlir::Value last);
  bool areNeeded() const { return products != nullptr; }
  /// Loads the products of vector j of a tile in the prepared columns.
  mlir::Value load(const Tile &tile, int64_t j);

private:
  mlir::Value position(mlir::Value column, int64_t j);

  KernelBuilder &builder;
  Contraction &contraction;
  mlir::Value firstColumn; // tile of columns
  mlir::Value products;    // [NC] of i32, or null
};

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_COLUMNPRODUCTS_H
