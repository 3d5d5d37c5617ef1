//===- Emit.h - Emission of the formulas of qnn ops -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the patterns of all op families share: scales and zero points as a
// linalg.generic reads them, the building of that generic, and the quantizing
// tail.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CONVERSION_QNNTOLINALG_EMIT_H
#define QCC_LIB_CONVERSION_QNNTOLINALG_EMIT_H

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "qcc/Dialect/QNN/IR/QuantParams.h"
#include <functional>
#include <vector>

namespace qcc {

/// A real parameter: a scale, a bound, a bias, or a formula of such. What is
/// known at compile time is computed here, in the f32 operations of the
/// formula. What is not becomes operations on a small tensor, or, where rows
/// and channels meet, operations in the body that reads it.
struct Param {
  using Kind = qnn::QuantParams::Kind;
  enum class Op { Leaf, Mul, Div };

  Op op = Op::Leaf;
  Kind kind = Kind::PerTensor;
  /// The loop of channels, if `kind` is PerChannel, or PerGroup of a weight.
  int64_t axis = -1;
  /// Of a leaf: the values known at compile time, or an f32 tensor.
  llvm::SmallVector<float> values;
  mlir::Value tensor;
  /// Of a product or quotient.
  std::vector<Param> args;

  static Param constant(float value);
  /// The scale of `params`.
  static Param scale(mlir::ConversionPatternRewriter &rewriter,
                     mlir::Location loc, const qnn::QuantParams &params);
  /// One value per channel, from a tensor that may be a constant.
  static Param perChannel(mlir::Value tensor, int64_t axis);

  bool isConstant() const { return op == Op::Leaf && !tensor; }
  /// True if every value is known and finite.
  bool isFinite() const;
};

/// The operation `op` on two f32.
mlir::Value emitOp(mlir::OpBuilder &builder, mlir::Location loc, Param::Op op,
                   mlir::Value a, mlir::Value b);
Param mul(mlir::OpBuilder &builder, mlir::Location loc, const Param &a,
          const Param &b);
Param div(mlir::OpBuilder &builder, mlir::Location loc, const Param &a,
          const Param &b);

/// A zero point: one that is known, or an i32 tensor.
struct ZeroPoint {
  qnn::QuantParams::Kind kind = qnn::QuantParams::Kind::PerTensor;
  int64_t axis = -1;
  std::optional<int32_t> constant = 0;
  mlir::Value tensor;

  static ZeroPoint get(mlir::ConversionPatternRewriter &rewriter,
                       mlir::Location loc, const qnn::QuantParams &params);
  bool isZero() const { return constant && *constant == 0; }
};

/// Collects the inputs of a linalg.generic and builds it. The iteration space
/// has `loops` dimensions, of which the first `rank - 1` are those of rows.
/// Loop `rank` is that of groups of K, if a parameter varies along them. With
/// `groups`, channels are two loops, the axis of a parameter and the next: the
/// groups, and the channels of each.
class GenericEmitter {
public:
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>;
  /// Gives a parameter inside the body, from the body's arguments.
  using Reader = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                           mlir::ValueRange)>;

  GenericEmitter(mlir::OpBuilder &builder, mlir::Location loc, int64_t loops,
                 int64_t rank, int64_t groups = 1)
      : builder(builder), loc(loc), loops(loops), rank(rank), groups(groups) {}

  /// The number of the body's argument.
  unsigned addInput(mlir::Value tensor, mlir::AffineMap map);
  /// An input with one element per iteration.
  unsigned addInput(mlir::Value tensor);
  Reader add(const Param &param);
  Reader add(const ZeroPoint &zeroPoint);
  /// A tensor with one element per channel, whose loop is `axis`.
  Reader addChannels(mlir::Value tensor, int64_t axis);

  /// `reductions` innermost loops are reductions; the result has a dimension
  /// for each other loop, in the order of `resultMap` if there is one.
  mlir::Value build(mlir::Value init, unsigned reductions,
                    llvm::StringRef origin, Body body,
                    mlir::AffineMap resultMap = {});

private:
  Reader addTensor(qnn::QuantParams::Kind kind, int64_t axis,
                   mlir::Value tensor);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  int64_t loops, rank, groups;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::AffineMap> maps;
};

/// Replaces a qnn op by `value`, whose location then says what the op's result
/// was (ValueInfo.h). `value` comes from an op that was made for it.
void replaceValue(mlir::ConversionPatternRewriter &rewriter,
                  mlir::Operation *op, mlir::Value value);

/// Leaves a requirement for insert-shape-checks: a <= b, sizes of what `op` was
/// given; `what` says it in words. Nothing is emitted for sizes that are
/// static, which the verifier has checked.
void emitRequirement(mlir::OpBuilder &builder, mlir::Operation *op,
                     mlir::OpFoldResult a, mlir::OpFoldResult b,
                     const llvm::Twine &what);

/// Such a requirement: that a reduction of `size` products is not longer than
/// `most`, so that their sum fits in i32 (N2).
void requireReduction(mlir::OpBuilder &builder, mlir::Operation *op,
                      mlir::OpFoldResult size, int64_t most);

/// Such a requirement: that the input of `op`, an image, has enough elements
/// along H, dimension 1, or W.
void requireSize(mlir::OpBuilder &builder, mlir::Operation *op,
                 mlir::Value input, unsigned dim, int64_t least);

/// A tensor.empty of the shape of `like`.
mlir::Value emptyLike(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value like, mlir::Type elementType);

/// `tensor` with `value` before and behind it.
mlir::Value emitPad(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value tensor, llvm::ArrayRef<mlir::OpFoldResult> low,
                    llvm::ArrayRef<mlir::OpFoldResult> high, mlir::Value value);

/// A constant number in a body.
mlir::Value floatConstant(mlir::OpBuilder &builder, mlir::Location loc,
                          float value);
mlir::Value intConstant(mlir::OpBuilder &builder, mlir::Location loc,
                        int32_t value);

/// f32(q - z) without the conversion: `stored` extended to i32, less its zero
/// point.
mlir::Value emitDifference(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value stored, bool isSigned,
                           const ZeroPoint &zeroPoint,
                           const GenericEmitter::Reader &read,
                           mlir::ValueRange args);

/// x widened to f32, and an f32 rounded to `type`.
mlir::Value emitWiden(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value x);
mlir::Value emitRound(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value x, mlir::Type type);

/// The end of every formula with a quantized result.
struct QuantizeTail {
  int64_t qmin = -128, qmax = 127;
  unsigned width = 8;
  ZeroPoint zeroPoint;
  GenericEmitter::Reader readZeroPoint;
  /// Whether the value can be NaN, which gives the zero point.
  bool mayBeNaN = true;
  /// Bounds of the value, known at compile time; used only together with a
  /// constant zero point.
  std::optional<float> low, high;

  /// saturate(rint(v) + z) as signless storage.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value v,
                   mlir::ValueRange args) const;
  /// saturate(rint(v + f32(z))): the form of zero_point_before_rounding.
  mlir::Value emitBeforeRounding(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::Value v, mlir::ValueRange args) const;
};

/// The tail for results of parameters `params`, which `emitter` reads.
QuantizeTail makeTail(mlir::ConversionPatternRewriter &rewriter,
                      mlir::Location loc, GenericEmitter &emitter,
                      const qnn::QuantParams &params, bool mayBeNaN);

} // namespace qcc

#endif // QCC_LIB_CONVERSION_QNNTOLINALG_EMIT_H
