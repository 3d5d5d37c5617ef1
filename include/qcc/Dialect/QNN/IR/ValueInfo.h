//===- ValueInfo.h - Names and types of values in the source ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tools show a compiled program step by step. They need to know which layer's
// value a buffer holds, and what its integers mean. This information must not
// influence how the program is compiled, and must outlive rewrites that do not
// know of it. So it is in the *location* of the op that computes the value.
// Every rewrite gives its result the location of the op that it replaces, and
// so keeps the information.
//
// A layer is a name in a location, `loc("fc1")` in text. The value of a layer
// is the value of its last op. A second name within the location says which op
// of a model the layer is, and a third one which value of the model it
// computes: `loc("fc1"("onnx:Gemm"("value:y"("model.onnx":0:0))))`. Models that
// were made from one another keep the names of values better than those of ops.
// The metadata of a fused location, a dictionary, say what a name cannot say:
//
//   loc(fused<{type = !quant.uniform<i8:f32, 0.5>}>["fc1"])
//     the value is quantized so, although lowering made it a plain i8;
//   loc(fused<{layer = "relu1", type = ...}>["quantize1"])
//     it is that of layer relu1 in another form: what quantize does (`name` is
//     its name in the model);
//   loc(fused<{part}>["fc1"])
//     only a part of fc1, such as sums to which no bias was added yet;
//   loc(fused<{order = array<i64: 0, 2, 3, 1>}>["conv1"])
//     the dimensions of conv1 lie in another order: the first in memory is
//     dimension 0, the second dimension 2, and so on.
//
// A location describes only one value. So an op with several results has the
// attribute `qcc.values`, an array of such dictionaries.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_VALUEINFO_H
#define QCC_DIALECT_QNN_IR_VALUEINFO_H

#include "mlir/IR/Operation.h"

namespace qcc {

/// ArrayAttr: layer and type of each result, if the location does not say them.
/// Written by setValueInfos.
inline constexpr llvm::StringLiteral kValuesAttr = "qcc.values";

struct ValueInfo {
  /// The layer whose value it is; empty if no layer computes it.
  llvm::StringRef layer;
  /// Its name in the model; empty if it has none.
  llvm::StringRef name;
  /// The quantized element type, or null.
  mlir::Type type;
  /// The dimensions in the order in which they lie in memory (channels-last);
  /// empty if this is their own order.
  llvm::SmallVector<int64_t> order;
  /// The number that was added to each byte of the value when it was stored
  /// (store-unsigned).
  int64_t byteShift = 0;

  friend bool operator==(const ValueInfo &a, const ValueInfo &b) {
    return a.layer == b.layer && a.name == b.name && a.type == b.type &&
           a.order == b.order && a.byteShift == b.byteShift;
  }
};

/// The layer to which an op belongs: the innermost name of a location, or "".
llvm::StringRef layerName(mlir::Location loc);

/// What stands before the type of a node of a model in a location.
inline constexpr llvm::StringLiteral kModelOpPrefix = "onnx:";

/// The type of the node of a model that `loc` is of, such as "Gemm", or "".
llvm::StringRef modelOp(mlir::Location loc);

/// What stands before the name of a value of a model in a location.
inline constexpr llvm::StringLiteral kModelValuePrefix = "value:";

/// The description of a value in the location of its op.
ValueInfo valueInfo(mlir::Location loc);

/// The location, with the element type of `type` if it is quantized.
mlir::Location withType(mlir::Location loc, mlir::Type type);

/// The location of an op that stores the dimensions of its value in the order
/// `order`; empty stands for their own order.
mlir::Location withOrder(mlir::Location loc, llvm::ArrayRef<int64_t> order);

/// The location of an op that gives the value that `source` describes another
/// form; the value has a layer.
mlir::Location asFormOfLayer(mlir::Location loc, const ValueInfo &source);
bool isFormOfLayer(mlir::Location loc);
/// Marks all ops within `root` that only quantize, and those that dequantize in
/// a model, where such ops come in pairs: they give the value of a layer
/// another form, even if they have a name of their own.
void inheritLayers(mlir::Operation *root);

/// The location of an op that computes only a part of its layer.
mlir::Location asPartOfLayer(mlir::Location loc);

/// The description of each result of an op, or of each output if the op works
/// on memory. It comes from the attribute of the op, or else from its location.
llvm::SmallVector<ValueInfo> valueInfos(mlir::Operation *op, unsigned count);
/// Sets the attribute, unless the location says the same.
void setValueInfos(mlir::Operation *op, llvm::ArrayRef<ValueInfo> infos);

} // namespace qcc

#endif // QCC_DIALECT_QNN_IR_VALUEINFO_H
