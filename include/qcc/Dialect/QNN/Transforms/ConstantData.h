//===- ConstantData.h - Elements of constants -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants hold their elements inline or in a resource blob, in the same
// layout but for splats and i1. These functions see plain row-major bytes.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_TRANSFORMS_CONSTANTDATA_H
#define QCC_DIALECT_QNN_TRANSFORMS_CONSTANTDATA_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include <vector>

namespace qcc::qnn {

/// Bytes of one element; 0 for element types without a byte layout (i1, index).
unsigned getElementBytes(mlir::Type elementType);

/// The row-major bytes of a constant tensor; `owned` holds those of a splat.
struct ConstantData {
  llvm::ArrayRef<char> bytes;
  std::vector<char> owned;
  /// The name of the resource, where there is one.
  std::string name;

  static std::optional<ConstantData> get(mlir::Attribute value);
  static std::optional<ConstantData> get(mlir::Value value);
};

/// A constant of `type` from row-major bytes: inline where it is small and its
/// type allows, otherwise a resource named after `name`.
mlir::TypedAttr makeConstant(mlir::RankedTensorType type,
                             llvm::ArrayRef<char> bytes, llvm::StringRef name);
/// The same without a copy, of bytes that are aligned to 64.
mlir::TypedAttr makeConstant(mlir::RankedTensorType type,
                             mlir::AsmResourceBlob bytes, llvm::StringRef name);

/// The value of a constant of another type with the same bytes, without a copy
/// of a resource.
mlir::TypedAttr retypeConstant(mlir::Attribute value,
                               mlir::RankedTensorType type);

/// Evaluates tensor.expand_shape, collapse_shape, cast, bitcast, extract_slice
/// and pad with static parameters, quant.scast, and linalg.generic that takes
/// some of the elements, of constants; null otherwise.
mlir::TypedAttr foldMovement(mlir::Operation *op);

} // namespace qcc::qnn

#endif // QCC_DIALECT_QNN_TRANSFORMS_CONSTANTDATA_H
