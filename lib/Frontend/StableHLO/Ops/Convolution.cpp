//===- Convolution.cpp - convolution --------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The image is padded, the weight is turned around where its window is
// reversed, and both groups (of features and of batches) become a dimension of
// their own. What remains is a contraction, whose operands keep the order of
// their dimensions.
//
//===----------------------------------------------------------------------===//

#include "../Ops.h"
#include "Contractions.h"
#include "Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

using Iterator = utils::IteratorType;

namespace {
/// Which dimension of a tensor is which: `first` and `second` are batch and
/// feature of an image, input and output features of a weight.
struct Layout {
  int64_t first = 0, second = 0;
  SmallVector<int64_t> spatial;
};

struct Convolution {
  Layout image, weight, result;
  SmallVector<int64_t> strides, imageDilation, weightDilation;
  Shape low, high;
  SmallVector<int64_t> reversed; ///< spatial dimensions of the weight
  int64_t featureGroups = 1, batchGroups = 1;
  int64_t groups() const { return featureGroups * batchGroups; }
};
} // namespace

/// `[b, 0, 1, f]`: `first` and `second` are letters.
static std::optional<Layout> parseLayout(StringRef text, char first,
                                         char second, int64_t rank) {
  text = text.trim();
  if (!text.consume_front("[") || !text.consume_back("]") || rank < 2)
    return std::nullopt;
  SmallVector<StringRef> names;
  text.split(names, ',');
  if (static_cast<int64_t>(names.size()) != rank)
    return std::nullopt;
  Layout layout;
  layout.spatial.assign(rank - 2, -1);
  int64_t firstAt = -1, secondAt = -1;
  for (auto [d, name] : llvm::enumerate(names)) {
    name = name.trim();
    int64_t number = 0;
    int64_t *place =
        name == StringRef(&first, 1)    ? &firstAt
        : name == StringRef(&second, 1) ? &secondAt
        : !name.getAsInteger(10, number) && number >= 0 && number < rank - 2
            ? &layout.spatial[number]
            : nullptr;
    if (!place || *place >= 0)
      return std::nullopt;
    *place = d;
  }
  layout.first = firstAt;
  layout.second = secondAt;
  return layout;
}

/// `conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>`
static LogicalResult readLayouts(OpImporter &n, Convolution &c) {
  auto attr = dyn_cast_or_null<OpaqueAttr>(n.op->getAttr("dimension_numbers"));
  StringRef text = attr ? attr.getAttrData() : StringRef();
  text = text.substr(text.find('<') + 1).rtrim();
  text.consume_back(">");
  auto [operands, result] = text.split("->");
  auto [image, weight] = operands.split('x');
  int64_t rank = n.in(0).rank();
  auto a = parseLayout(image, 'b', 'f', rank);
  auto b = parseLayout(weight, 'i', 'o', n.in(1).rank());
  auto r = parseLayout(result, 'b', 'f', rank);
  if (!a || !b || !r || n.in(1).rank() != rank)
    return n.refuse() << "has dimension numbers that do not fit its operands: "
                      << text << "; correct the program";
  c.image = *a;
  c.weight = *b;
  c.result = *r;
  return success();
}

static LogicalResult readWindows(OpImporter &n, Convolution &c) {
  size_t spatial = c.image.spatial.size();
  auto strides = n.ints("window_strides", spatial, 1),
       imageDilation = n.ints("lhs_dilation", spatial, 1),
       weightDilation = n.ints("rhs_dilation", spatial, 1),
       reversal = n.ints("window_reversal", spatial, 0);
  auto padding = readSizes(n, "padding", /*operand=*/2, 2 * spatial, 0);
  auto featureGroups = n.integer("feature_group_count", 1),
       batchGroups = n.integer("batch_group_count", 1);
  if (failed(strides) || failed(imageDilation) || failed(weightDilation) ||
      failed(reversal) || failed(padding) || failed(featureGroups) ||
      failed(batchGroups))
    return failure();
  for (auto *list : {&*strides, &*imageDilation, &*weightDilation})
    for (int64_t number : *list)
      if (number < 1 || number > (int64_t(1) << 31))
        return n.refuse() << "has a stride or dilation of " << number
                          << "; correct the attribute";
  if (*featureGroups < 1 || *batchGroups < 1 ||
      (*featureGroups > 1 && *batchGroups > 1))
    return n.refuse() << "has " << *featureGroups << " groups of features and "
                      << *batchGroups
                      << " of batches; at most one number may be more than 1";
  c.strides = *strides;
  c.imageDilation = *imageDilation;
  c.weightDilation = *weightDilation;
  c.featureGroups = *featureGroups;
  c.batchGroups = *batchGroups;
  for (size_t d = 0; d < spatial; ++d) {
    c.low.push_back((*padding)[2 * d]);
    c.high.push_back((*padding)[2 * d + 1]);
    if ((*reversal)[d])
      c.reversed.push_back(c.weight.spatial[d]);
  }
  return success();
}

/// Refuses sizes that do not agree.
static LogicalResult verifySizes(OpImporter &n, const Convolution &c) {
  GraphValue &x = n.in(0), &w = n.in(1);
  auto weight = knownSizes(w.shape);
  std::optional<int64_t> features = knownSize(x.shape[c.image.second]),
                         batch = knownSize(x.shape[c.image.first]);
  if (!weight || !features || (c.batchGroups > 1 && !batch))
    return n.refuse() << "needs a weight of known sizes, and an image of known "
                         "features; give the program constant sizes";
  int64_t input = (*weight)[c.weight.first],
          output = (*weight)[c.weight.second];
  bool fits = *features == input * c.featureGroups &&
              output % c.groups() == 0 &&
              (c.batchGroups == 1 || *batch % c.batchGroups == 0);
  if (!fits)
    return n.refuse() << "has " << *features << " features, " << c.groups()
                      << " groups and a weight of " << input << " by " << output
                      << "; correct the program";
  return success();
}

/// `x` with dimension `d` as two: `groups`, and the rest behind it. Dimensions
/// behind `d` move by one.
static GraphValue split(OpImporter &n, GraphValue &x, int64_t d,
                        int64_t groups) {
  Shape shape = x.shape;
  OpFoldResult size = shape[d];
  shape[d] = n.size(groups);
  shape.insert(shape.begin() + d + 1, n.floorDiv(size, n.size(groups)));
  return reshape(n, x, shape);
}

/// The image with its padding, and zeros between its elements where it is
/// dilated.
static FailureOr<GraphValue> padImage(OpImporter &n, const Convolution &c) {
  int64_t rank = n.in(0).rank();
  Shape low(rank, n.size(0)), high = low;
  SmallVector<int64_t> interior(rank, 0);
  for (auto [d, at] : llvm::enumerate(c.image.spatial)) {
    low[at] = c.low[d];
    high[at] = c.high[d];
    interior[at] = c.imageDilation[d] - 1;
    std::optional<int64_t> size = knownSize(n.in(0).shape[at]);
    int64_t cut = std::max<int64_t>(-knownSize(low[at]).value_or(0), 0) +
                  std::max<int64_t>(-knownSize(high[at]).value_or(0), 0);
    if (size && cut > std::max<int64_t>(*size + (*size - 1) * interior[at], 0))
      return n.refuse() << "has negative padding of " << cut
                        << " elements, more than the image has; correct the "
                           "program";
  }
  Value zero = Scalars(n.b, n.loc).constant(n.in(0).element, 0.0);
  return padAll(n, n.in(0), low, high, interior, zero);
}

/// The sizes of the result for a padded image.
static Shape resultSizes(OpImporter &n, const Convolution &c,
                         const GraphValue &image, const GraphValue &weight) {
  Shape sizes(image.rank());
  sizes[c.result.first] =
      n.floorDiv(image.shape[c.image.first], n.size(c.batchGroups));
  sizes[c.result.second] = weight.shape[c.weight.second];
  for (auto [s, d] : llvm::enumerate(c.result.spatial))
    sizes[d] = countWindows(n, image.shape[c.image.spatial[s]],
                            weight.shape[c.weight.spatial[s]], c.strides[s],
                            c.weightDilation[s]);
  return sizes;
}

LogicalResult stablehlo::importConvolution(OpImporter &n) {
  Convolution c;
  if (failed(readLayouts(n, c)) || failed(readWindows(n, c)) ||
      failed(verifySizes(n, c)))
    return failure();
  if (isa<FloatType>(n.elementOf(0)) != isa<FloatType>(n.elementOf(1)) ||
      (isa<FloatType>(n.elementOf(0)) && !isa<FloatType>(n.resultElement())))
    return n.refuse() << "convolves " << n.elementOf(0) << " by "
                      << n.elementOf(1) << " to " << n.resultElement()
                      << ", which is not supported; convert the operands";
  FailureOr<GraphValue> padded = padImage(n, c);
  if (failed(padded))
    return failure();
  GraphValue image = *padded;
  GraphValue weight =
      c.reversed.empty() ? n.in(1) : reverse(n, n.in(1), c.reversed);

  FailureOr<Shape> declared = n.declared(0, resultSizes(n, c, image, weight));
  if (failed(declared))
    return failure();
  // No window fits.
  if (llvm::is_contained(llvm::map_range(*declared, knownSize), 0))
    return n.set(toGraphValue(
        filled(n, signless(n.resultElement()), *declared, 0.0), *declared));

  // What each dimension is.
  int64_t rank = image.rank(), groups = c.groups();
  int64_t kernelInput = *knownSize(weight.shape[c.weight.first]);
  int64_t groupOutput = *knownSize(weight.shape[c.weight.second]) / groups;
  bool isDepthwise =
      groups > 1 && kernelInput == 1 && groupOutput == 1 && c.batchGroups == 1;
  bool hasGroups = groups > 1 && !isDepthwise;

  // Loops in the order of the result, then those that are summed.
  ContractionLoops loops(n);
  SmallVector<AffineExpr> writes(rank);
  AffineExpr group;
  for (int64_t d = 0; d < rank; ++d) {
    if (d == c.result.second && hasGroups)
      group = loops.add(Iterator::parallel);
    writes[d] = loops.add(Iterator::parallel);
  }
  AffineExpr output = writes[c.result.second];
  std::optional<int64_t> depth = kernelInput;
  SmallVector<AffineExpr> readX(rank), readW(rank);
  readX[c.image.first] = writes[c.result.first];
  readW[c.weight.second] = output;
  if (isDepthwise) {
    readX[c.image.second] = output;
  } else {
    AffineExpr input = loops.add(Iterator::reduction);
    readX[c.image.second] = readW[c.weight.first] = input;
  }
  for (size_t d = 0; d < c.image.spatial.size(); ++d) {
    AffineExpr k = loops.add(Iterator::reduction);
    readX[c.image.spatial[d]] =
        writes[c.result.spatial[d]] * c.strides[d] + k * c.weightDilation[d];
    readW[c.weight.spatial[d]] = k;
    depth = *depth * *knownSize(weight.shape[c.weight.spatial[d]]);
  }
  Shape shape = *declared;
  if (isDepthwise) {
    weight = squeeze(n, weight, {c.weight.first});
    readW.erase(readW.begin() + c.weight.first);
  } else if (hasGroups) {
    int64_t d = c.featureGroups > 1 ? c.image.second : c.image.first;
    image = split(n, image, d, groups);
    readX.insert(readX.begin() + d, group);
    weight = split(n, weight, c.weight.second, groups);
    readW.insert(readW.begin() + c.weight.second, group);
    writes.insert(writes.begin() + c.result.second, group);
    shape[c.result.second] = n.size(groups);
    shape.insert(shape.begin() + c.result.second + 1, n.size(groupOutput));
  }
  GraphValue result = contract(
      n, image, weight, loops,
      {loops.map(readX), loops.map(readW), loops.map(writes)}, shape, depth);
  return n.set(reshape(n, result, *declared));
}
