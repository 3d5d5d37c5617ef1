//===- ResizePlaces.h - Source positions of Resize --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_OPS_RESIZEPLACES_H
#define QCC_LIB_FRONTEND_ONNX_OPS_RESIZEPLACES_H

#include "../NodeImporter.h"

namespace qcc::onnx {

/// A number of binary64, or a value of f64 where it is known only at run time.
struct ResizeNumber {
  double known = 0;
  mlir::Value emitted;
};

/// The new size of a dimension, and how many times the old one it is; no
/// scale where it is the quotient of sizes that are known at run time.
struct ResizeAxis {
  int64_t dim;
  mlir::OpFoldResult from, to;
  std::optional<double> scale;
  /// The part of the image that `tf_crop_and_resize` takes, in units of the
  /// distance between its first and its last element.
  ResizeNumber start = {}, end = {1, {}};

  bool isWhole() const {
    return !start.emitted && !end.emitted && start.known == 0 && end.known == 1;
  }
  bool isKnown() const {
    return knownSize(from) && knownSize(to) && !start.emitted && !end.emitted;
  }
};

enum class Interpolation { Nearest, Linear, Cubic };

/// How a node resizes.
struct ResizeModes {
  Interpolation interpolation;
  /// Attributes coordinate_transformation_mode and nearest_mode.
  llvm::StringRef coordinates, rounding;
  /// Attributes cubic_coeff_a and exclude_outside.
  double coefficient;
  bool excludesOutside;
  /// The attribute antialias: where the image gets smaller, the elements that
  /// are weighted get more in the same ratio.
  bool antialiases;

  bool isNearest() const { return interpolation == Interpolation::Nearest; }
  bool crops() const { return coordinates == "tf_crop_and_resize"; }
};

/// For each place of the result along a dimension, as tensors: the elements
/// that it is made of, and their weights. `Nearest` has one element without a
/// weight; `Linear` has two, and the weight of the second, that of the first
/// being the rest; `Cubic` has four of each. With `antialias` there is one
/// table of elements and one of weights, [places, window].
struct ResizeTables {
  llvm::SmallVector<mlir::Value> elements, weights;
  /// How many elements are weighted with `antialias`.
  mlir::OpFoldResult window;
  /// Whether each place lies outside of the image, or null where none does.
  mlir::Value outside;
};

/// The tables: constants where the sizes are known and no more than a million,
/// else computed at run time by the same formulas.
ResizeTables makeResizeTables(NodeImporter &n, const ResizeAxis &axis,
                              const ResizeModes &modes);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_RESIZEPLACES_H
