//===- Uniform.h - Tensors of one value -------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_CONTRACTION_UNIFORM_H
#define QCC_LIB_TRANSFORMS_CONTRACTION_UNIFORM_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace qcc {

/// What all elements of a tensor are: a constant, or a scalar of the function.
struct Uniform {
  mlir::TypedAttr constant;
  mlir::Value scalar;
  explicit operator bool() const { return constant || scalar; }
};

/// Splats and fills; neither is worth a buffer.
Uniform uniformOf(mlir::Value tensor);

/// Something of the sizes of a uniform tensor that exists without it.
mlir::Value sizeSource(mlir::Value tensor);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_CONTRACTION_UNIFORM_H
