//===- QuantParams.h - Parameters of a quantized tensor ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of `real = scale * (stored - zero_point)` (N1). A type or
// operands carry them; the structures here are the same for both. Verifiers,
// lowerings and the reference interpreter read parameters through them.
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
  enum class Kind { PerTensor, PerChannel, PerRow, PerGroup };

  // The stored integers: their width (8 or 32), and the range to which results
  // saturate. A type may make this range narrower than its storage
  // (i8<-127:127>).
  bool isSigned = true;
  unsigned width = 8;
  int64_t qmin = -128;
  int64_t qmax = 127;

  Kind scaleKind = Kind::PerTensor;
  Kind zeroPointKind = Kind::PerTensor;
  /// The channel dimension, if a kind is PerChannel.
  int64_t axis = -1;
  /// If a kind is PerGroup, the number of elements of a group of K: consecutive
  /// elements of the last dimension. Otherwise 0.
  int64_t groupSize = 0;

  /// Whether the values are known at compile time, from the type or from a
  /// constant operand. If so, the vectors hold one value for the tensor, one
  /// per channel, or one per row, or per group, in row-major order. Otherwise
  /// they are empty.
  bool isScaleConstant = false;
  bool isZeroPointConstant = false;
  llvm::SmallVector<float> scales;
  llvm::SmallVector<int32_t> zeroPoints;

  /// The operands; null if the type carries the parameters. `zeroPoint` is also
  /// null if the tensor has no zero point; then `zeroPoints` is {0}.
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
  /// Operands of shape [..., K / G], for groups of G elements along the last
  /// dimension, whose size is K.
  bool perGroup = false;
  /// Per channel; operands of shape [C] belong to this dimension.
  std::optional<int64_t> channelAxis;
  /// Whether a type may have another axis than `channelAxis`.
  bool anyTypeAxis = false;
  /// Whether the scale operand may be absent; it then counts as 1.
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
  /// The operands of the op; null if the op has no such operand.
  mlir::Value scale = {}, zeroPoint = {};
  /// The forms that the op allows; nothing if the tensor is not quantized.
  std::optional<QuantForms> forms = std::nullopt;

  bool isQuantized() const { return forms.has_value(); }
  mlir::RankedTensorType getType() const {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }
  /// The parameters of a quantized tensor; errors are reported at `op`.
  mlir::FailureOr<QuantParams> verify(mlir::Operation *op) const;
  /// The parameters, or a failure without a report.
  mlir::FailureOr<QuantParams> tryGetParams() const;
  /// The parameters in an op that was verified.
  QuantParams getParams() const;
};

/// The parameters of a tensor of type `type`. The type carries them, or the
/// operands `scale` and `zeroPoint`, each of which may be null. Reports
/// parameters that are not valid (N1, N9, `forms`) with `emitError`; `what`
/// names the tensor.
mlir::FailureOr<QuantParams>
getQuantParams(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
               llvm::StringRef what, mlir::Type type, mlir::Value scale,
               mlir::Value zeroPoint, const QuantForms &forms);

/// The same, without a report, for every form. `axis` is the channel dimension
/// of operands; the default is the last one.
mlir::FailureOr<QuantParams>
getQuantParams(mlir::Type type, mlir::Value scale = {},
               mlir::Value zeroPoint = {},
               std::optional<int64_t> axis = std::nullopt);

/// Reads the elements of a constant f32 or tensor of f32, in order. Returns
/// false if `value` is not a constant, or is a resource without bytes.
bool readConstantFloats(mlir::Value value,
                        llvm::SmallVectorImpl<float> &result);

/// Checks a type of a program: a tensor of a quantized element type must have
/// valid parameters that fit its shape. Other types pass.
mlir::LogicalResult
verifyQuantType(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                mlir::Type type);

} // namespace qcc::qnn

#endif // QCC_DIALECT_QNN_IR_QUANTPARAMS_H
