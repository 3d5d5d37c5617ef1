//===- ValueInfo.h - Names and types of values in the source ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever looks at a compiled program step by step wants to know which layer's
// value a buffer holds, and what its integers mean. Neither may influence how
// the program is compiled. Both must outlive rewrites that know nothing of
// them. They therefore travel in the *location* of the op that computes the
// value. A rewrite that gives its result the location of what it replaces, as
// all do, keeps them.
//
// A layer is a name in a location, `loc("fc1")` in text; its value is that of
// its last op. What a name cannot say stands in the metadata of a fused
// location, a dictionary:
//
//   loc(fused<{type = !quant.uniform<i8:f32, 0.5>}>["fc1"])
//     the value is quantized so, although lowering made it a plain i8;
//   loc(fused<{layer = "relu1", type = ...}>["quantize1"])
//     it is that of layer relu1 in another form: what quantize does;
//   loc(fused<{part}>["fc1"])
//     only a part of fc1, such as sums to which no bias was added yet;
//   loc(fused<{order = array<i64: 0, 2, 3, 1>}>["conv1"])
//     the dimensions of conv1 lie in another order: the first in memory is
//     dimension 0, the second dimension 2, and so on.
//
// An op with several results, whose location can only tell of one, has the
// attribute `qcc.values`, an array of such dictionaries.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_VALUEINFO_H
#define QCC_DIALECT_QNN_IR_VALUEINFO_H

#include "mlir/IR/Operation.h"

namespace qcc {

struct ValueInfo {
  /// The layer whose value it is; empty if no layer computes it.
  llvm::StringRef layer;
  /// The quantized element type, or null.
  mlir::Type type;
  /// Which dimension is the first in memory, the second, and so on; empty where
  /// they lie in their order (channels-last).
  llvm::SmallVector<int64_t> order;
  /// What was added to each byte of the value as it is stored (store-unsigned).
  int64_t byteShift = 0;

  friend bool operator==(const ValueInfo &a, const ValueInfo &b) {
    return a.layer == b.layer && a.type == b.type && a.order == b.order &&
           a.byteShift == b.byteShift;
  }
};

/// The layer to which an op belongs: the innermost name of a location, or "".
llvm::StringRef layerName(mlir::Location loc);

/// What the location of an op says of its value.
ValueInfo valueInfo(mlir::Location loc);

/// The location, saying the element type of the value where it is quantized.
mlir::Location withType(mlir::Location loc, mlir::Type type);

/// The location of an op that stores its value in the order; that of the
/// value's dimensions where it is empty.
mlir::Location withOrder(mlir::Location loc, llvm::ArrayRef<int64_t> order);

/// The location of an op that gives the value of `layer` another form.
mlir::Location asFormOfLayer(mlir::Location loc, llvm::StringRef layer);
bool isFormOfLayer(mlir::Location loc);
/// Quantizing gives a layer's value another form, whatever the op is called:
/// marks all ops within `root` that do so.
void inheritLayers(mlir::Operation *root);

/// The location of an op that computes only a part of its layer.
mlir::Location asPartOfLayer(mlir::Location loc);

/// Of each result of an op (each output, where it works on memory), by its
/// attribute or else by its location.
llvm::SmallVector<ValueInfo> valueInfos(mlir::Operation *op, unsigned count);
/// Sets the attribute, where the location does not say the same.
void setValueInfos(mlir::Operation *op, llvm::ArrayRef<ValueInfo> infos);

} // namespace qcc

#endif // QCC_DIALECT_QNN_IR_VALUEINFO_H
