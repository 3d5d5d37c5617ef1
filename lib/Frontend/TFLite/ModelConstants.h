//===- ModelConstants.h - Constants of a TFLite model -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_TFLITE_MODELCONSTANTS_H
#define QCC_LIB_FRONTEND_TFLITE_MODELCONSTANTS_H

#include "../Builder/Constants.h"
#include "Model.h"

namespace qcc::tflite {

/// A constant tensor of a model. Its elements stay in the file where they are
/// aligned there and have their type; otherwise they are copied once.
rt::Result<frontend::GraphValue> makeConstantValue(mlir::OpBuilder &b,
                                                   const TensorInfo &tensor);

} // namespace qcc::tflite

#endif // QCC_LIB_FRONTEND_TFLITE_MODELCONSTANTS_H
