//===- ConstantData.h - Elements of constants -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants hold their elements inline or in a resource blob. The layout is the
// same, except for splats and i1. These functions work on row-major bytes.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_UTILS_CONSTANTDATA_H
#define QCC_DIALECT_UTILS_CONSTANTDATA_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include <vector>

namespace qcc {

/// Bytes of one element; 0 for element types without a byte layout (i1, index).
unsigned getElementBytes(mlir::Type elementType);

/// The row-major bytes of a constant tensor; `owned` holds the bytes of a
/// splat.
struct ConstantData {
  llvm::ArrayRef<char> bytes;
  std::vector<char> owned;
  /// The name of the resource; empty for an inline constant.
  std::string name;

  static std::optional<ConstantData> get(mlir::Attribute value);
  static std::optional<ConstantData> get(mlir::Value value);
};

/// A constant of `type` from row-major bytes. It is inline if it is small and
/// its type allows this; otherwise it is a resource named after `name`.
mlir::TypedAttr makeConstant(mlir::RankedTensorType type,
                             llvm::ArrayRef<char> bytes, llvm::StringRef name);
/// The same without a copy, from bytes that are aligned to 64.
mlir::TypedAttr makeConstant(mlir::RankedTensorType type,
                             mlir::AsmResourceBlob bytes, llvm::StringRef name);

/// The constant with the bytes of `value` and another type. It shares the data
/// of a resource.
mlir::TypedAttr retypeConstant(mlir::Attribute value,
                               mlir::RankedTensorType type);

/// Evaluates an op that moves elements of constants: tensor.expand_shape,
/// collapse_shape, cast, bitcast, extract_slice and pad with static parameters;
/// quant.scast; linalg.generic that takes some of the elements. Null for other
/// ops.
mlir::TypedAttr foldMovement(mlir::Operation *op);

/// The constant with its dimensions in another order; null if it has no bytes.
mlir::TypedAttr transposeConstant(mlir::Attribute value,
                                  llvm::ArrayRef<int64_t> permutation);

} // namespace qcc

#endif // QCC_DIALECT_UTILS_CONSTANTDATA_H
