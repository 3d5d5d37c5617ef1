//===- Constants.h - Constants of a graph -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_BUILDER_CONSTANTS_H
#define QCC_LIB_FRONTEND_BUILDER_CONSTANTS_H

#include "GraphValue.h"
#include "mlir/IR/Builders.h"
#include <map>
#include <string>
#include <vector>

namespace qcc::frontend {

/// The name of an element type in ONNX and numpy: "float32", "uint8", "bool".
std::string elementName(mlir::Type type);

/// Makes constants of constants, and reads them.
class Constants {
public:
  virtual ~Constants() = default;

  /// The constant with its dimensions in another order, made once however often
  /// it is asked for; null if the constant has no bytes.
  mlir::TypedAttr transposed(mlir::TypedAttr constant,
                             llvm::ArrayRef<int64_t> permutation);
  /// Takes a constant that will not be read soon out of memory, if it lies in a
  /// file beside the program.
  virtual void evict(mlir::Attribute constant) const {}

  static GraphValue toValue(mlir::OpBuilder &b, mlir::TypedAttr attr);
  /// The elements of a short constant of int64 or int32.
  static std::optional<llvm::SmallVector<mlir::OpFoldResult>>
  readIntegers(mlir::OpBuilder &b, const GraphValue &value);
  /// One truth value that is known when the program is imported.
  static std::optional<bool> readBool(const GraphValue &value);
  static GraphValue makeBool(mlir::OpBuilder &b, bool value,
                             const Shape &shape);
  /// The elements of a constant of float32.
  static std::optional<llvm::SmallVector<float>>
  readFloats(const GraphValue &value);

private:
  /// By constant and permutation.
  std::map<std::pair<const void *, std::vector<int64_t>>, mlir::TypedAttr>
      transposes;
};

} // namespace qcc::frontend

#endif // QCC_LIB_FRONTEND_BUILDER_CONSTANTS_H
