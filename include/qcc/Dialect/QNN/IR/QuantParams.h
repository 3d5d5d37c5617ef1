//===- QuantParams.h - Parameters of a quantized tensor ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description of what stands in `real = scale * (stored - zero_point)`
// (N1), whether a type or operands carry it. Verifiers, lowerings and the
// reference interpreter read parameters through it.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_QUANTPARAMS_H
#define QCC_DIALECT_QNN_IR_QUANTPARAMS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace qcc::qnn {

struct QuantParams {
  /// How a scale or zero point varies over its tensor.
  enum class Kind { PerTensor, PerChannel, PerRow };

  // The stored integers: their width (8 or 32), and the range to which results
  // saturate, which a type may make narrower than its storage (i8<-127:127>).
  bool isSigned = true;
  unsigned width = 8;
  int64_t qmin = -128;
  int64_t qmax = 127;

  Kind scaleKind = Kind::PerTensor;
  Kind zeroPointKind = Kind::PerTensor;
  /// The channel dimension, where a kind is PerChannel.
  int64_t axis = -1;

  /// Whether the values are known at compile time, from the type or from a
  /// constant operand. The vectors then hold one value for the tensor, one per
  /// channel, or one per row in row-major order; otherwise they are empty.
  bool isScaleConstant = false;
  bool isZeroPointConstant = false;
  llvm::SmallVector<float> scales;
  llvm::SmallVector<int32_t> zeroPoints;

  /// The operands; null where the type carries the parameters, or where there
  /// is no zero point (zeroPoints is then {0}).
  mlir::Value scale;
  mlir::Value zeroPoint;

  /// True if all zero points are known to be 0.
  bool hasNoZeroPoint() const;
  /// The largest |q - z| that can occur, as N2 counts it.
  int64_t getMaxDifference() const;
};

/// The forms that an op allows for one of its operands or results.
struct QuantForms {
  /// i32 storage with zero point 0.
  bool int32 = false;
  /// Operands of shape [..., 1].
  bool perRow = false;
  /// Per channel; operands of shape [C] belong to this dimension.
  std::optional<int64_t> channelAxis;
  /// Whether a type may have another axis than `channelAxis`.
  bool anyTypeAxis = false;
  /// The scale operand may be absent (and then counts as 1).
  bool scaleOptional = false;

  static QuantForms perTensorOrRow();
  /// All forms of int8 and uint8; operands per channel belong to `axis`, or
  /// else to the last dimension of `tensor`.
  static QuantForms any(mlir::Value tensor, std::optional<uint64_t> axis);
  /// These forms, and i32 storage as well.
  QuantForms orInt32() const;
  /// Stored integers: any parameters that are valid, or none.
  static QuantForms stored();
  /// `stored()` for a tensor of a quantized type, nothing for others.
  static std::optional<QuantForms> ofType(mlir::Value tensor);
};

/// A tensor of a qnn op, an operand or the result, and where its parameters
/// are: in its type, or in operands of the op.
struct QuantTensor {
  llvm::StringRef name; ///< in messages
  mlir::Value value;
  /// Null where there is no such operand.
  mlir::Value scale = {}, zeroPoint = {};
  /// What the op allows; nothing where the tensor is not quantized.
  std::optional<QuantForms> forms = std::nullopt;

  bool isQuantized() const { return forms.has_value(); }
  mlir::RankedTensorType getType() const {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }
  /// The parameters of a quantized tensor; errors are reported at `op`.
  mlir::FailureOr<QuantParams> verify(mlir::Operation *op) const;
  /// The parameters, or a failure that is not reported.
  mlir::FailureOr<QuantParams> tryGetParams() const;
  /// The parameters in an op that was verified.
  QuantParams getParams() const;
};

/// The parameters of a tensor of type `type`, carried by that type or by the
/// operands `scale` and `zeroPoint` (each may be null). Where they are not
/// valid (N1, N9, `forms`) this is reported with `emitError`, `what` naming the
/// tensor.
mlir::FailureOr<QuantParams>
getQuantParams(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
               llvm::StringRef what, mlir::Type type, mlir::Value scale,
               mlir::Value zeroPoint, const QuantForms &forms);

/// The same without a report and in every form; `axis` is the channel dimension
/// of operands, by default the last.
mlir::FailureOr<QuantParams>
getQuantParams(mlir::Type type, mlir::Value scale = {},
               mlir::Value zeroPoint = {},
               std::optional<int64_t> axis = std::nullopt);

/// The elements of a constant f32 or tensor of f32, in order. False if `value`
/// is no constant, or a resource whose bytes are not there.
bool readConstantFloats(mlir::Value value,
                        llvm::SmallVectorImpl<float> &result);

/// Checks a type of a program: a tensor of a quantized element type must have
/// valid parameters that fit its shape. Other types pass.
mlir::LogicalResult
verifyQuantType(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                mlir::Type type);

} // namespace qcc::qnn

#endif // QCC_DIALECT_QNN_IR_QUANTPARAMS_H
