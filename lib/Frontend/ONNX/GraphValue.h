//===- GraphValue.h - Values of an ONNX graph -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_GRAPHVALUE_H
#define QCC_LIB_FRONTEND_ONNX_GRAPHVALUE_H

#include "Sizes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace qcc::onnx {

/// The sizes of a value: an index attribute, or a value of type index where a
/// size is known only at run time. Equal sizes that come from one symbol are
/// one value, so that sizes can be compared.
using Shape = llvm::SmallVector<mlir::OpFoldResult>;

/// What a name of the graph stands for. uint8 is `ui8`, int8 is `i8`, bool is
/// `i1`; other integers are signless.
struct GraphValue {
  mlir::Type element;
  Shape shape;
  /// Null for a constant, or for integers, that nothing has asked for as a
  /// tensor.
  mlir::Value value;
  /// Null unless it is a constant.
  mlir::TypedAttr constant;
  /// Of a constant of int4 or uint4: its elements are those of int8 or uint8
  /// here, which DequantizeLinear alone takes for what they are.
  bool isFourBits = false;
  /// Of uint16: its elements are those of int32 here. Only ops that quantize,
  /// dequantize or move elements take it.
  bool isUInt16 = false;
  /// Of an image in blocks of channels (ChannelBlocks.h). Here it has the order
  /// of other images.
  bool isBlocked = false;
  /// Of integers that the integer evaluator knows, in the order of elements:
  /// constants, and sizes that are known at run time. All sizes of the value
  /// are constants.
  std::optional<llvm::SmallVector<mlir::OpFoldResult>> integers;
  /// Whether all elements are one constant other than 0.
  bool isFilled = false;
  /// The size of which a bool of one element says whether it is 1, or null.
  mlir::OpFoldResult isOne;
  /// The integer that a float of one element was cast from, if the integer
  /// evaluator knows it; or null.
  mlir::OpFoldResult whole;
  /// Of a Cast of int8 or uint8 to float32: the integers. A product of these
  /// with a scale is a DequantizeLinear that is written as two nodes.
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

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_GRAPHVALUE_H
