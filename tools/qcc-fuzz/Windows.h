//===- Windows.h - Convolutions and poolings ------------------ -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows of linalg in every layout, by name or as linalg.generic, with strides
// and dilations, over inputs that are padded or not.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_FUZZ_WINDOWS_H
#define QCC_TOOLS_FUZZ_WINDOWS_H

#include "Structured.h"

namespace qcc::fuzz {

/// The letters are those of Structured.h: n, d, h, w, c, f, g for groups and m
/// for how many results a channel has.
struct Layout {
  const char *name;
  const char *input, *kernel, *output;
  bool hasZeroPoints = false; // there is a form `_q`
};

const Layout &someConvolution(Random &random);
const Layout &someConvolution(Random &random, const std::string &input);
bool isSpatial(char letter);

/// Dimensions of an input in a layout.
Dims someInput(Builder &builder, const std::string &layout);
/// Around the spatial dimensions at random, and so much around a dynamic one
/// that windows fit; returns x itself now and then.
ValueId padded(Builder &builder, ValueId x, const std::string &layout,
               double value);
/// What a window that fits the input computes, without a convolution's channels
/// of the result being more than the time allows.
Structured windowOver(Builder &builder, const Layout &layout,
                      const Dims &input);

/// What the accumulators of a convolution begin with: zeros, a bias for each
/// channel of the result, or anything.
ValueId accumulators(Builder &builder, const Structured &window,
                     Element element);
/// A value for each letter `channel` of the result's dimensions, broadcast.
ValueId broadcastChannels(Builder &builder, ValueId perChannel,
                          const Structured &window, char channel,
                          const Dims &dims);
/// Of plain integers x, by name with zero points now and then.
ValueId integerConvolution(Builder &builder, ValueId x, const Layout &layout);
/// Of real x, the weights being dequantized mostly.
ValueId realConvolution(Builder &builder, ValueId x, const Layout &layout);
/// Of any plain x whose dimensions are those of the layout `input`.
ValueId pooling(Builder &builder, ValueId x, const std::string &input);
/// Any window, of an input of its own.
ValueId freeWindow(Builder &builder);

} // namespace qcc::fuzz

#endif // QCC_TOOLS_FUZZ_WINDOWS_H
