//===- Constants.h - Constants of an ONNX model -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_CONSTANTS_H
#define QCC_LIB_FRONTEND_ONNX_CONSTANTS_H

#include "GraphValue.h"
#include "mlir/IR/Builders.h"
#include "qcc/ONNXModel/ExternalFiles.h"
#include <map>
#include <vector>

namespace qcc::onnx {

/// The element type of a value; null for one that is not supported.
mlir::Type elementType(int32_t type, mlir::MLIRContext *context);
/// The ONNX name of an element type.
llvm::StringRef elementName(mlir::Type type);

class Constants {
public:
  explicit Constants(std::string folder) : files(std::move(folder)) {}

  /// A tensor of the model. Its elements stay in the file where they are
  /// aligned there; otherwise they are copied once.
  rt::Result<GraphValue> make(mlir::OpBuilder &b, const Tensor &tensor);
  /// The constant with its dimensions in another order, made once however often
  /// it is asked for; null if the constant has no bytes.
  mlir::TypedAttr transposed(mlir::TypedAttr constant,
                             llvm::ArrayRef<int64_t> permutation);
  /// Takes a constant that will not be read soon out of memory, if it lies in a
  /// file beside the model.
  void evict(mlir::Attribute constant) const;

  static GraphValue toValue(mlir::OpBuilder &b, mlir::TypedAttr attr);
  /// The elements of a short constant of int64 or int32.
  static std::optional<llvm::SmallVector<mlir::OpFoldResult>>
  readIntegers(mlir::OpBuilder &b, const GraphValue &value);
  /// One truth value that is known when the model is imported.
  static std::optional<bool> readBool(const GraphValue &value);
  static GraphValue makeBool(mlir::OpBuilder &b, bool value,
                             const Shape &shape);
  /// The elements of a constant of float32.
  static std::optional<llvm::SmallVector<float>>
  readFloats(const GraphValue &value);

private:
  rt::Result<mlir::TypedAttr> read(const Tensor &tensor,
                                   mlir::MLIRContext *context);

  ExternalFiles files;
  /// By constant and permutation.
  std::map<std::pair<const void *, std::vector<int64_t>>, mlir::TypedAttr>
      transposes;
};

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_CONSTANTS_H
