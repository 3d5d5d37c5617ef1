//===- Convolutions.h - Contractions of images with windows -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_OPS_CONVOLUTIONS_H
#define QCC_LIB_FRONTEND_ONNX_OPS_CONVOLUTIONS_H

#include "../../Builder/Emit.h"
#include "../NodeImporter.h"

namespace qcc::onnx {

/// The sizes of a convolution: `c` and `m` are the channels and the results of
/// a group.
struct ConvolutionSizes {
  int64_t groups, c, m;
  SmallVector<int64_t> kernel;

  /// Whether each channel is a group and has one result: groups are the
  /// channels of results then, and a loop of their own is left out.
  bool isDepthwise() const { return groups > 1 && c == 1 && m == 1; }
  bool hasGroups() const { return groups > 1 && !isDepthwise(); }
};

/// Checks what both convolutions ask of their inputs. The weight is
/// [M, C / groups, ...], or [C, M / groups, ...] if it is `transposed`.
FailureOr<ConvolutionSizes> readConvolution(NodeImporter &n, bool transposed);

/// What `contractWindows` computes: a result for each window, of each of
/// `phases` weights; none of them is one weight, without a dimension.
struct Windowed {
  Shape counts; ///< of windows
  SmallVector<int64_t> phases;
  /// The place in the image of element `k` of window `o` along dimension `d`.
  llvm::function_ref<AffineExpr(size_t d, AffineExpr o, AffineExpr k)> place;
};

/// The shape of what `contractWindows` gives: [N, groups, phases, M, windows].
Shape resultShape(NodeImporter &n, const GraphValue &image,
                  const ConvolutionSizes &sizes, const Windowed &windowed);
/// The bias of the node, repeated to that shape; or zeros.
Value startOf(NodeImporter &n, const Shape &shape,
              const ConvolutionSizes &sizes, const Windowed &windowed);

/// The contraction of a padded image with windows. The weight is
/// [groups, phases, M, C, ...] without the dimensions of size 1 that depthwise
/// convolutions and those of one group leave out.
GraphValue contractWindows(NodeImporter &n, GraphValue &image,
                           GraphValue &weight, const ConvolutionSizes &sizes,
                           const Windowed &windowed);

/// The image as [N, groups, C, ...] where there are groups.
GraphValue splitChannels(NodeImporter &n, GraphValue &x,
                         const ConvolutionSizes &sizes);
/// [N, groups, M, ...] as [N, groups * M, ...].
GraphValue joinChannels(NodeImporter &n, GraphValue &y,
                        const ConvolutionSizes &sizes);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_CONVOLUTIONS_H
