//===- Sparse.h - Sparse constants of a TFLite model ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_TFLITE_SPARSE_H
#define QCC_LIB_FRONTEND_TFLITE_SPARSE_H

#include "Model.h"

namespace qcc::tflite {

/// All elements of a sparse constant, row-major.
rt::Result<std::vector<char>> makeDense(const TensorInfo &tensor);

} // namespace qcc::tflite

#endif // QCC_LIB_FRONTEND_TFLITE_SPARSE_H
