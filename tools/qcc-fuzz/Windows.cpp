//===- Windows.cpp - Convolutions and poolings ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Windows.h.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace qcc::fuzz {

/// Larger windows cost more time than they are worth.
static constexpr int64_t kMostSteps = 60000;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static const std::vector<Layout> &convolutions() {
  static const std::vector<Layout> layouts = {
      {"conv_1d", "w", "w", "w"},
      {"conv_2d", "hw", "hw", "hw"},
      {"conv_3d", "dhw", "dhw", "dhw"},
      {"conv_1d_nwc_wcf", "nwc", "wcf", "nwf"},
      {"conv_1d_ncw_fcw", "ncw", "fcw", "nfw"},
      {"conv_2d_nhwc_hwcf", "nhwc", "hwcf", "nhwf", true},
      {"conv_2d_nhwc_fhwc", "nhwc", "fhwc", "nhwf", true},
      {"conv_2d_nchw_fchw", "nchw", "fchw", "nfhw", true},
      {"conv_2d_ngchw_fgchw", "ngchw", "fgchw", "ngfhw"},
      {"conv_2d_ngchw_gfchw", "ngchw", "gfchw", "ngfhw", true},
      {"conv_2d_nhwgc_gfhwc", "nhwgc", "gfhwc", "nhwgf", true},
      {"conv_3d_ndhwc_dhwcf", "ndhwc", "dhwcf", "ndhwf", true},
      {"conv_3d_ncdhw_fcdhw", "ncdhw", "fcdhw", "nfdhw"},
      {"depthwise_conv_1d_nwc_wc", "nwc", "wc", "nwc"},
      {"depthwise_conv_1d_ncw_cw", "ncw", "cw", "ncw"},
      {"depthwise_conv_1d_nwc_wcm", "nwc", "wcm", "nwcm"},
      {"depthwise_conv_2d_nhwc_hwc", "nhwc", "hwc", "nhwc", true},
      {"depthwise_conv_2d_nchw_chw", "nchw", "chw", "nchw"},
      {"depthwise_conv_2d_nhwc_hwcm", "nhwc", "hwcm", "nhwcm", true},
      {"depthwise_conv_3d_ndhwc_dhwc", "ndhwc", "dhwc", "ndhwc"},
      {"depthwise_conv_3d_ncdhw_cdhw", "ncdhw", "cdhw", "ncdhw"},
      {"depthwise_conv_3d_ndhwc_dhwcm", "ndhwc", "dhwcm", "ndhwcm"},
  };
  return layouts;
}

bool isSpatial(char letter) { return strchr("dhw", letter) != nullptr; }

static size_t spatialCount(const std::string &letters) {
  return std::count_if(letters.begin(), letters.end(), isSpatial);
}

const Layout &someConvolution(Random &random) {
  return random.pick(convolutions());
}

const Layout &someConvolution(Random &random, const std::string &input) {
  std::vector<const Layout *> found;
  for (const Layout &layout : convolutions())
    // A multiplier of channels would be one more dimension.
    if (input == layout.input && !strchr(layout.kernel, 'm'))
      found.push_back(&layout);
  return *random.pick(found);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static DimId someChannels(Builder &b) {
  return b.fixed(b.random.pick<int64_t>(
      {1, 2, 3, 3, 4, 4, 5, 7, 8, 8, 12, 16, 16, 17, 20, 32, 33}));
}

Dims someInput(Builder &b, const std::string &layout) {
  Random &random = b.random;
  Dims dims;
  size_t spatial = spatialCount(layout);
  int64_t most = spatial == 1 ? 24 : spatial == 2 ? 11 : 6;
  bool anyDynamic = false;
  for (char letter : layout) {
    if (letter == 'n') {
      anyDynamic = random.chance(35);
      dims.push_back(anyDynamic ? b.graph.dim({Dim::Dynamic, 0})
                                : b.fixed(random.between(1, 3)));
    } else if (letter == 'c') {
      dims.push_back(someChannels(b));
    } else if (letter == 'g') {
      dims.push_back(b.fixed(random.between(1, 4)));
    } else if (!anyDynamic && random.chance(10)) {
      anyDynamic = true;
      dims.push_back(b.graph.dim({Dim::Dynamic, 1}));
    } else {
      dims.push_back(b.fixed(random.between(2, most)));
    }
  }
  return dims;
}

ValueId padded(Builder &b, ValueId x, const std::string &layout, double value) {
  Random &random = b.random;
  Dims dims = b.dimsOf(x);
  std::vector<int64_t> low(dims.size()), high(dims.size());
  bool any = false, always = random.chance(60);
  for (size_t i = 0; i < dims.size(); ++i) {
    bool isDynamic = !b.isStatic(dims[i]);
    if (!isSpatial(layout[i]) || !(always || isDynamic))
      continue;
    low[i] = random.between(isDynamic ? 1 : 0, 2);
    high[i] = random.between(isDynamic ? 1 : 0, 2);
    dims[i] = b.scaled(dims[i], 1, low[i] + high[i]);
    any = true;
  }
  return any ? b.pad(x, low, high, dims, value) : x;
}

static Window someWindow(Builder &b, DimId input, bool hasStrides) {
  Random &random = b.random;
  Window window;
  window.input = input;
  // As many as there are places: of a dynamic size, when it is 0. A static one
  // is to leave one result.
  int64_t places = b.graph.sizeOf(input, {0, 0, 0}) + !b.isStatic(input);
  if (hasStrides) {
    window.stride = random.pick<int64_t>({1, 1, 1, 2, 2, 3});
    window.dilation = random.pick<int64_t>({1, 1, 1, 1, 2, 3});
  }
  int64_t wanted = random.pick<int64_t>({1, 2, 3, 3, 3, 4, 5});
  int64_t most = std::max<int64_t>(1, (places - 1) / window.dilation + 1);
  window.kernel = b.fixed(std::min(wanted, most));
  return window;
}

Structured windowOver(Builder &b, const Layout &layout, const Dims &input) {
  Structured op;
  op.name = layout.name;
  op.operands = {layout.input, layout.kernel};
  op.result = layout.output;
  // The ones without batches have no strides.
  bool hasStrides = op.operands[0].find('n') != std::string::npos;
  std::string strides, dilations;
  size_t spatial = spatialCount(op.operands[0]);
  for (size_t i = 0; i < input.size(); ++i) {
    char letter = layout.input[i];
    if (!isSpatial(letter)) {
      op.sizes[letter] = input[i];
      continue;
    }
    Window window = someWindow(b, input[i], hasStrides);
    int64_t reach = window.dilation * (b.staticSize(window.kernel) - 1);
    op.sizes[letter] = b.scaled(input[i], 1, -reach, window.stride);
    op.windows[letter] = window;
    strides += (strides.empty() ? "" : ", ") + std::to_string(window.stride);
    dilations +=
        (dilations.empty() ? "" : ", ") + std::to_string(window.dilation);
  }
  std::string type = " : tensor<" + std::to_string(spatial) + "xi64>";
  if (hasStrides)
    op.attributes = " {dilations = dense<[" + dilations + "]>" + type +
                    ", strides = dense<[" + strides + "]>" + type + "}";
  for (char letter : {'f', 'm'}) {
    if (op.result.find(letter) == std::string::npos)
      continue;
    op.sizes[letter] =
        letter == 'm' ? b.fixed(b.random.between(1, 3)) : someChannels(b);
    if (op.steps(b) > kMostSteps)
      op.sizes[letter] = b.fixed(b.random.between(1, 2));
  }
  return op;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

ValueId broadcastChannels(Builder &b, ValueId perChannel,
                          const Structured &window, char channel,
                          const Dims &dims) {
  std::string others;
  for (size_t i = 0; i < window.result.size(); ++i)
    if (window.result[i] != channel)
      others += (others.empty() ? "" : ", ") + std::to_string(i);
  return b.op("linalg.broadcast",
              {"linalg.broadcast ins($0 : $t0) outs($e0 : $r0) dimensions = [" +
                   others + "]",
               {perChannel}},
              Builder::tensor(b.elementOf(perChannel), dims));
}

ValueId accumulators(Builder &b, const Structured &window, Element element) {
  Type type = Builder::tensor(element, window.resultDims());
  char channel = window.result.find('f') != std::string::npos ? 'f' : 'c';
  switch (b.random.weighted({60, 25, 15})) {
  case 0:
    return b.zeros(type);
  case 1:
    if (window.sizes.count(channel) && b.isStatic(window.sizes.at(channel))) {
      Data data;
      data.scale = 0.01;
      data.role = isFloat(element) ? Data::Values : Data::Integer;
      data.low = -9000;
      data.high = 9000;
      ValueId bias = b.leaf(
          Builder::tensor(element, {window.sizes.at(channel)}), data, 70);
      return broadcastChannels(b, bias, window, channel, type.dims);
    }
    break;
  default:
    break;
  }
  return b.another(type, 0.01);
}

/// A zero point as an operand, of the storage's range.
static ValueId zeroPoint(Builder &b) {
  Data data;
  data.role = Data::ZeroPoint;
  data.low = -128;
  data.high = 127;
  return b.leaf(Builder::scalar(Element::I32), data, 70);
}

ValueId integerConvolution(Builder &b, ValueId x, const Layout &layout) {
  Random &random = b.random;
  Element left = b.elementOf(x), right = left, out = left;
  if (left == Element::I8) {
    out = Element::I32;
  } else if (left == Element::I16 && random.chance(50)) {
    right = Element::I8;
    out = random.pick({Element::I32, Element::I64});
  }
  Structured op = windowOver(b, layout, b.dimsOf(x));
  ValueId w = b.moved(
      op.operandDims(1),
      [&](const Dims &from) {
        return b.leaf(Builder::tensor(right, from), b.anyData(), 70);
      },
      12);
  std::vector<ValueId> operands = {x, w};
  ValueId init = accumulators(b, op, out);
  bool byName = random.chance(65), isUnsignedLeft = false;
  if (layout.hasZeroPoints && out == Element::I32 && random.chance(45)) {
    op.name += "_q";
    op.operands.insert(op.operands.end(), {"", ""});
    operands.push_back(zeroPoint(b));
    operands.push_back(zeroPoint(b));
  }
  if (!byName && left != out)
    isUnsignedLeft = random.chance(45);
  std::vector<Element> elements;
  for (ValueId operand : operands)
    elements.push_back(b.elementOf(operand));
  bool isUnsignedRight = isUnsignedLeft && right != out && random.chance(30);
  return addStructured(
      b, op, operands, init,
      contractionBody(elements, out, isUnsignedLeft, isUnsignedRight), byName);
}

ValueId realConvolution(Builder &b, ValueId x, const Layout &layout) {
  Random &random = b.random;
  Element left = b.elementOf(x), right = left;
  Element out = left == Element::F64 || random.chance(20) ? left : Element::F32;
  Structured op = windowOver(b, layout, b.dimsOf(x));
  std::string letters = op.operands[1];
  size_t channel = letters.find('f') != std::string::npos ? letters.find('f')
                                                          : letters.find('c');
  ValueId w = b.moved(
      op.operandDims(1),
      [&](const Dims &from) {
        if (right != Element::F32 || random.chance(15))
          return b.leaf(Builder::tensor(right, from), b.anyData(0.02), 70);
        int axis = random.chance(50) && channel < from.size()
                       ? static_cast<int>(channel)
                       : -1;
        return b.convert(b.dequantize(b.quantizedLeaf(from, 70, 0.02, axis)),
                         right);
      },
      12);
  ValueId init = accumulators(b, op, out);
  return addStructured(b, op, {x, w}, init, contractionBody({left, right}, out),
                       random.chance(65));
}

//===----------------------------------------------------------------------===//
// Poolings
//===----------------------------------------------------------------------===//

/// What a pooling is called, and how it combines.
static Layout somePooling(Builder &b, const std::string &input, Element element,
                          std::string &name, std::string &combine) {
  // Which ones linalg has.
  std::string what = b.random.pick({"max", "max", "min", "sum", "sum"});
  bool isUnsigned = !isFloat(element) && what != "sum" && b.random.chance(40);
  bool isLast = input.back() == 'c';
  if (!isLast && what == "min")
    what = "max";
  if (!isLast || input == "ndhwc")
    isUnsigned = false;
  name = "pooling_" + input + "_" + what + (isUnsigned ? "_unsigned" : "");
  if (isFloat(element))
    combine = what == "sum"   ? "arith.addf"
              : what == "max" ? "arith.maximumf"
                              : "arith.minimumf";
  else
    combine = what == "sum" ? "arith.addi"
                            : "arith." + what + (isUnsigned ? "ui" : "si");
  static const std::map<std::string, Layout> layouts = {
      {"nwc", {"", "nwc", "w", "nwc"}},
      {"ncw", {"", "ncw", "w", "ncw"}},
      {"nhwc", {"", "nhwc", "hw", "nhwc"}},
      {"nchw", {"", "nchw", "hw", "nchw"}},
      {"ndhwc", {"", "ndhwc", "dhw", "ndhwc"}}};
  return layouts.at(input);
}

/// What changes nothing when it is combined.
static double neutralOf(const std::string &combine, Element element) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool isMax = combine.compare(0, 9, "arith.max") == 0;
  bool isMin = combine.compare(0, 9, "arith.min") == 0;
  if (!isMax && !isMin)
    return 0;
  if (isFloat(element))
    return isMax ? -infinity : infinity;
  if (combine.substr(combine.size() - 2) == "ui")
    return isMax ? 0 : -1;
  double limit = static_cast<double>(int64_t(1) << (bitsOf(element) - 1));
  return isMax ? -limit : limit - 1;
}

ValueId pooling(Builder &b, ValueId x, const std::string &input) {
  Random &random = b.random;
  Element element = b.elementOf(x);
  std::string name, combine;
  Layout layout = somePooling(b, input, element, name, combine);
  Structured op = windowOver(b, layout, b.dimsOf(x));
  op.name = name;
  bool isUnsigned = combine.substr(combine.size() - 2) == "ui";
  // Sums are wider than what they are of.
  Element out = element;
  if (element == Element::I8 || element == Element::I16)
    out = combine == "arith.addi" || random.chance(15) ? Element::I32 : element;
  if (element == Element::F16 || element == Element::BF16)
    out = random.chance(50) ? Element::F32 : element;
  Type type = Builder::tensor(out, op.resultDims());
  ValueId init =
      b.random.chance(80)
          ? b.filled(type, out == Element::I64 ? 0 : neutralOf(combine, out))
          : b.another(type);
  // It stands for the sizes of the window; nothing reads it.
  Type shape = Builder::tensor(element, op.operandDims(1));
  ValueId window = b.op("tensor.empty", {"tensor.empty() : $r0", {}}, shape);
  Body body;
  body.arguments = {element, element, out};
  int value = 0;
  if (element != out)
    value = addToBody(body,
                      isFloat(out) ? "arith.extf"
                      : isUnsigned ? "arith.extui"
                                   : "arith.extsi",
                      {0}, out);
  body.yields = {addToBody(body, combine, {2, value}, out)};
  return addStructured(b, op, {x, window}, init, std::move(body),
                       random.chance(80));
}

ValueId freeWindow(Builder &b) {
  Random &random = b.random;
  if (random.chance(25)) {
    std::string input =
        random.pick({"nwc", "ncw", "nhwc", "nhwc", "nchw", "ndhwc"});
    Element element =
        random.pick({Element::I8, Element::I8, Element::F32, Element::F32,
                     Element::I32, Element::I16, Element::F16, Element::BF16});
    ValueId x =
        b.leaf(Builder::tensor(element, someInput(b, input)), b.anyData(), 5);
    return pooling(b, padded(b, x, input, 0), input);
  }
  const Layout &layout = someConvolution(random);
  Dims dims = someInput(b, layout.input);
  switch (random.weighted({45, 40, 15})) {
  case 0: {
    ValueId x = b.leaf(Builder::tensor(Element::I8, dims), b.anyData(), 5);
    double value = random.pick({0.0, 0.0, -128.0, 127.0, 3.0});
    return integerConvolution(b, padded(b, x, layout.input, value), layout);
  }
  case 1: {
    ValueId x =
        random.chance(80)
            ? b.convert(b.dequantize(b.quantizedLeaf(dims, 5, 0.03)),
                        Element::F32)
            : b.leaf(Builder::tensor(Element::F32, dims), b.anyData(), 5);
    double value = random.chance(90) ? 0.0 : 3.0;
    return realConvolution(b, padded(b, x, layout.input, value), layout);
  }
  default: {
    Element element = random.pick({Element::I16, Element::I32, Element::F16,
                                   Element::BF16, Element::F64});
    ValueId x = b.leaf(Builder::tensor(element, dims), b.anyData(), 5);
    x = padded(b, x, layout.input, 0);
    return isFloat(element) ? realConvolution(b, x, layout)
                            : integerConvolution(b, x, layout);
  }
  }
}

} // namespace qcc::fuzz
