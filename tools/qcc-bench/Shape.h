//===- Shape.h - Shapes of benchmarks ---------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kinds of contractions and what qcc-bench asks of both. This header knows
// neither LLVM nor oneDNN, like Peer.h.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_BENCH_SHAPE_H
#define QCC_TOOLS_QCC_BENCH_SHAPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace qcc::bench {

/// The type of activations and results. Weights are s8, or f32 beside f32.
enum class DataType { S8, U8, F32 };

/// "s8", "u8" or "f32".
const char *nameOfType(DataType type);
/// Nothing for another name.
std::optional<DataType> dataTypeOf(std::string_view name);
/// The bytes of an element of the right operand.
inline int64_t rhsBytesOf(DataType type) {
  return type == DataType::F32 ? 4 : 1;
}

/// A matrix product [m, k] x [k, n]. Without a batch the right operand is a
/// constant weight; with one both operands are activations, and there are that
/// many products.
struct MatrixShape {
  int64_t batch = 0;
  int64_t m = 1, n = 1, k = 1;
  /// The right operand of a batched product lies as [n, k].
  bool transposeRhs = false;
};

/// A convolution of [n, h, w, c] by constant weights [f, kh, kw, c / groups]:
/// each group of output channels is computed of one group of input channels.
struct ConvolutionShape {
  int64_t n = 1, h = 1, w = 1, c = 1;
  int64_t f = 1, kh = 1, kw = 1;
  int64_t stride = 1, dilation = 1, groups = 1;
  /// The rows and columns of zeros around each image.
  int64_t top = 0, bottom = 0, left = 0, right = 0;

  int64_t paddedHeight() const { return top + h + bottom; }
  int64_t paddedWidth() const { return left + w + right; }
  int64_t windowHeight() const { return dilation * (kh - 1) + 1; }
  int64_t windowWidth() const { return dilation * (kw - 1) + 1; }
  int64_t resultHeight() const {
    return (paddedHeight() - windowHeight()) / stride + 1;
  }
  int64_t resultWidth() const {
    return (paddedWidth() - windowWidth()) / stride + 1;
  }
};

class Shape {
public:
  Shape() = default;
  Shape(const MatrixShape &matrix) : kind(matrix) {}
  Shape(const ConvolutionShape &convolution) : kind(convolution) {}

  /// The shape as one of its kind; null if it is of the other.
  const MatrixShape *matrix() const { return std::get_if<MatrixShape>(&kind); }
  const ConvolutionShape *convolution() const {
    return std::get_if<ConvolutionShape>(&kind);
  }

  /// Of a matrix product, "128x768x3072" is MxNxK, "12x128x64x128" BxMxNxK,
  /// with "t" if transposed. "56x56x64-128k3s2p1" is a convolution of HxWxC to
  /// F channels, then window, stride, dilation, padding and groups.
  std::string name() const;
  /// Multiplications and additions of what is in the operands or in padding.
  double operations() const;

  /// Whether the right operand is constant; it then comes with a bias and with
  /// a scale for each of its columns().
  bool hasWeights() const;
  /// Of the right operand.
  int64_t columns() const;
  /// The products that are added for one element of the result.
  int64_t reduction() const;

  /// Products that are computed side by side: 1 without a batch.
  int64_t batches() const;
  /// The parts of the result that do not depend on each other and have the same
  /// form: a row of each product of the batch, or a row of an image.
  int64_t rows() const;
  /// The shape of which `count` rows are the result.
  Shape withRows(int64_t count) const;
  /// The shape with sizes that are multiples of these: M, N and F of the first,
  /// K and C of the second.
  Shape roundedUp(int64_t outer, int64_t inner) const;

  std::vector<int64_t> lhsShape() const;
  /// Weights are [columns(), ..].
  std::vector<int64_t> rhsShape() const;
  std::vector<int64_t> resultShape() const;

private:
  std::variant<MatrixShape, ConvolutionShape> kind;
};

} // namespace qcc::bench

#endif // QCC_TOOLS_QCC_BENCH_SHAPE_H
