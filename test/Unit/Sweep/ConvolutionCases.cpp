//===- ConvolutionCases.cpp - Convolutions of the sweep -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case's number of rows is the height of the image, in turn also its width or
// the number of images.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "Contraction.h"

namespace qcc::sweep {

namespace {
/// Windows along H or W.
struct Windows {
  int64_t kernel, stride, dilation, before, after;

  static Windows choose(Builder &b, int64_t kernel) {
    Windows windows;
    windows.kernel = kernel;
    windows.stride = b.pick<int64_t>({1, 1, 2, 3});
    windows.dilation = b.pick<int64_t>({1, 1, 1, 2, 3});
    // A window reaches into the image.
    windows.before = b.choose(windows.extent());
    windows.after = b.choose(windows.extent());
    return windows;
  }
  int64_t extent() const { return (kernel - 1) * dilation + 1; }
  int64_t resultSize(int64_t size) const {
    return (size + before + after - extent()) / stride + 1;
  }
};
} // namespace

static std::string pairOf(const char *name, int64_t h, int64_t w) {
  return std::string(name) + " = array<i64: " + std::to_string(h) + ", " +
         std::to_string(w) + ">";
}

/// `c` channels become `f`.
static Program convolution(Builder &b, int64_t c, int64_t f, int64_t groups,
                           int64_t kh, int64_t kw) {
  Windows h = Windows::choose(b, kh), w = Windows::choose(b, kw);
  int64_t k = kh * kw * c / groups;
  bool isWide = b.choose(3) == 0, areMany = b.choose(4) == 0;
  int64_t images = areMany ? kRows : 1 + b.choose(2);
  int64_t width = w.extent() + b.choose(14);
  Shape xShape{images, kRows, isWide ? kRows : width, c};
  Shape yShape{images, kRows, isWide ? kRows : w.resultSize(width), f};
  Quant x = b.quant(b.scale(0.01, 0.05)),
        weight = b.quant(b.scale(0.001, 0.01));
  if (b.choose(2))
    for (int64_t i = 1; i < f; ++i)
      weight.scales.push_back(b.scale(0.001, 0.01));
  double typical = typicalSum(k, x.scales[0] * weight.scales[0]);
  Builder::Operand xo = b.quantized("input_", xShape, x, false);
  Builder::Operand wo = b.quantized("weight_", {f, kh, kw, c / groups}, weight,
                                    b.choose(4) != 0, /*isSmall=*/b.choose(2));
  Result result = chooseResult(b, yShape, typical);
  std::string bias = chooseBias(b, result, f, typical);
  std::string attributes =
      pairOf("strides", h.stride, w.stride) + ", " +
      pairOf("dilations", h.dilation, w.dilation) +
      ", padding = array<i64: " + std::to_string(h.before) + ", " +
      std::to_string(h.after) + ", " + std::to_string(w.before) + ", " +
      std::to_string(w.after) + ">, groups = " + std::to_string(groups) +
      " : i64";
  std::string clamp = clampAttributes(b, result, typical);
  if (!clamp.empty())
    attributes += ", " + clamp;
  b.result(b.op("qnn.conv2d " + xo.value + ", " + wo.value + bias +
                xo.parameters + wo.parameters + result.parameters + " {" +
                attributes + "} : " + xo.type + ", " + wo.type + " -> " +
                result.type),
           result.type);
  Program program = b.finish();
  // Heights that the windows need, and more.
  int64_t least = h.extent();
  if (isWide)
    least = std::max(least, w.extent());
  program.rows = {least, least + 1, least + 1 + b.choose(5),
                  least + 4 + b.choose(9)};
  return program;
}

std::vector<Program> makeConvolution() {
  std::vector<Program> programs;
  for (unsigned i = 0; i < 60; ++i) {
    Builder b("convolution", i);
    int64_t c = 1 + i * 29 % 70, f = 1 + b.choose(i % 4 ? 24 : 70);
    programs.push_back(convolution(b, c, f, /*groups=*/1, 1 + i % 7,
                                   b.choose(3) ? 1 + i % 7 : 1 + b.choose(7)));
  }
  return programs;
}

std::vector<Program> makeGrouped() {
  std::vector<Program> programs;
  for (unsigned i = 0; i < 60; ++i) {
    Builder b("grouped", i);
    // Depthwise more often than not, now and then with several results.
    int64_t groups = 1 + i * 29 % 70, c = groups;
    if (i % 3 == 0) {
      groups = 2 + b.choose(2);
      c = groups * (1 + b.choose(20));
    }
    int64_t perGroup =
        c == groups ? b.pick<int64_t>({1, 1, 1, 2, 3}) : 1 + b.choose(20);
    programs.push_back(convolution(b, c, groups * perGroup, groups,
                                   1 + b.choose(7), 1 + i % 7));
  }
  return programs;
}

} // namespace qcc::sweep
