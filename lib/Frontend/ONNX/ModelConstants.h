//===- ModelConstants.h - Constants of an ONNX model ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_MODELCONSTANTS_H
#define QCC_LIB_FRONTEND_ONNX_MODELCONSTANTS_H

#include "../Builder/Constants.h"
#include "qcc/ONNXModel/ExternalFiles.h"

namespace qcc::onnx {

using namespace frontend;

/// The element type of a value; null for one that is not supported.
mlir::Type elementType(int32_t type, mlir::MLIRContext *context);

class ModelConstants : public Constants {
public:
  explicit ModelConstants(std::string folder) : files(std::move(folder)) {}

  /// A tensor of the model. Its elements stay in the file where they are
  /// aligned there; otherwise they are copied once.
  rt::Result<GraphValue> make(mlir::OpBuilder &b, const Tensor &tensor);
  void evict(mlir::Attribute constant) const override;

private:
  rt::Result<mlir::TypedAttr> read(const Tensor &tensor,
                                   mlir::MLIRContext *context);

  ExternalFiles files;
};

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_MODELCONSTANTS_H
