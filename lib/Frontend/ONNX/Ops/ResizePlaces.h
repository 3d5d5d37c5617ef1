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

/// The new size of a dimension, and how many times the old one it is; no
/// scale where it is the quotient of sizes that are known at run time.
struct ResizeAxis {
  int64_t dim;
  mlir::OpFoldResult from, to;
  std::optional<double> scale;

  bool isKnown() const { return knownSize(from) && knownSize(to); }
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

  bool isNearest() const { return interpolation == Interpolation::Nearest; }
};

/// For each place of the result along a dimension, as tensors: the elements
/// that it is made of, and their weights. `Nearest` has one element without a
/// weight; `Linear` has two, and the weight of the second, that of the first
/// being the rest; `Cubic` has four of each.
struct ResizeTables {
  llvm::SmallVector<mlir::Value> elements, weights;
};

/// The tables: constants where the sizes are known and no more than a million,
/// else computed at run time by the same formulas.
ResizeTables makeResizeTables(NodeImporter &n, const ResizeAxis &axis,
                              const ResizeModes &modes);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_RESIZEPLACES_H
