//===- GraphValue.h - Values of a graph -------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_BUILDER_GRAPHVALUE_H
#define QCC_LIB_FRONTEND_BUILDER_GRAPHVALUE_H

#include "Sizes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace qcc::frontend {

/// The sizes of a value: an index attribute, or a value of type index where a
/// size is known only at run time. Equal sizes that come from one symbol are
/// one value, so that sizes can be compared.
using Shape = llvm::SmallVector<mlir::OpFoldResult>;

/// The value that a name of the graph stands for. uint8 is `ui8`, int8 is `i8`,
/// bool is `i1`; other integers are signless.
struct GraphValue {
  mlir::Type element;
  Shape shape;
  /// Null until a node reads the constant or the integers as a tensor.
  mlir::Value value;
  /// Null unless it is a constant.
  mlir::TypedAttr constant;
  /// The bits of an element if the value is a constant of int4, uint4, int2 or
  /// uint2, otherwise 0. It has elements of int8 or uint8 here, and only
  /// DequantizeLinear takes it.
  unsigned packedBits = 0;
  /// Whether the value has elements of uint16. They are int32 here, and only
  /// ops that quantize, dequantize or move elements take the value.
  bool isUInt16 = false;
  /// Whether the value is an image in blocks of channels (ChannelBlocks.h). It
  /// has the order of other images here.
  bool isBlocked = false;
  /// The elements in row-major order, if the integer evaluator knows them: each
  /// is a constant, or a size that is known at run time. Elements of bool are
  /// conditions on sizes (Sizes.h). All sizes of the value are constants then.
  std::optional<llvm::SmallVector<mlir::OpFoldResult>> integers;
  /// Whether all elements are one constant other than 0.
  bool isFilled = false;
  /// The size s of a bool that is the comparison s == 1; otherwise null.
  mlir::OpFoldResult isOne;
  /// The condition on sizes (Sizes.h) that a bool of one element is; otherwise
  /// null.
  mlir::OpFoldResult condition;
  /// The integer from which a float of one element was cast, if the integer
  /// evaluator knows it; otherwise null.
  mlir::OpFoldResult whole;
  /// The integers of a Cast from int8 or uint8 to float32; otherwise null. Cast
  /// and Mul by a scale together are a DequantizeLinear.
  mlir::Value stored;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(element); }
  bool isBool() const { return element.isInteger(1); }
  bool isUnsigned() const { return element.isUnsignedInteger(); }
  /// An integer that is not uint8 and not bool.
  bool isSigned() const {
    return element.isSignlessInteger() && !element.isInteger(1);
  }
  /// int8 or uint8.
  bool isByte() const {
    auto integer = llvm::dyn_cast<mlir::IntegerType>(element);
    return integer && integer.getWidth() == 8;
  }
};

/// All sizes, or nothing if one is not known.
std::optional<llvm::SmallVector<int64_t>>
knownSizes(llvm::ArrayRef<mlir::OpFoldResult> shape);

} // namespace qcc::frontend

#endif // QCC_LIB_FRONTEND_BUILDER_GRAPHVALUE_H
