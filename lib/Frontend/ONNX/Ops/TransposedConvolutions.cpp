//===- TransposedConvolutions.cpp - ConvTranspose -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transposed convolution is a convolution for each phase of its result: the
// pixels whose places are equal modulo the strides (qnn::TransposedPhases).
// Each phase is a contraction (Convolutions.h). How their results are put
// together depends on what computes them:
//
//   bytes   each phase is concatenated where it belongs, [N, M, H, sh, W, sw],
//           so that its kernel stores pixels there
//   floats  phases are stored one after the other, [N, sh, sw, M, H, W], with a
//           line of pixels in the lanes of vectors, and interleaved by one op
//
//===----------------------------------------------------------------------===//

#include "../Ops.h"
#include "Convolutions.h"
#include "Windows.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/QNN/IR/Windows.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

namespace {
/// What a transposed convolution cuts off and adds.
struct Transposed {
  int64_t kernel, stride, dilation, outputPadding;
  int64_t before = 0, after = 0;

  int64_t extent() const { return dilation * (kernel - 1) + 1; }
  /// The elements at the start and at the end of the image, with the zeros
  /// between them, that no window reaches.
  int64_t cutBefore() const { return std::max<int64_t>(-slackBefore(), 0); }
  int64_t cutAfter() const { return std::max<int64_t>(-slackAfter(), 0); }

private:
  int64_t slackBefore() const { return extent() - 1 - before; }
  int64_t slackAfter() const { return extent() - 1 - after + outputPadding; }
};
} // namespace

/// Sets the padding so that `total` elements are cut off. An odd one is cut off
/// at the end with SAME_UPPER, and at the start otherwise.
static void cutOff(Transposed &dim, int64_t total, AutoPad automatic) {
  // Elements that are missing are added at the end.
  if (total < 0) {
    dim.outputPadding -= total;
    total = 0;
  }
  int64_t less = total / 2, more = total - less;
  dim.before = automatic == AutoPad::SameUpper ? less : more;
  dim.after = total - dim.before;
}

/// Warns where the result of a SAME mode needs elements that no window has:
/// ONNX Runtime leaves them out.
static void warnOfShortWindows(NodeImporter &n, const Transposed &dim) {
  n.warn() << "has auto_pad, a stride of " << dim.stride << " and windows of "
           << dim.extent()
           << ": its result has the size that ONNX defines, input times "
              "stride, with zeros at the end; ONNX Runtime gives a smaller "
              "one; use pads for that";
}

/// Strides are at most this: each has a phase for each of its elements.
constexpr int64_t kMostStride = 1 << 16;

static FailureOr<SmallVector<Transposed>>
readTransposed(NodeImporter &n, const GraphValue &x, ArrayRef<int64_t> kernel) {
  size_t count = kernel.size();
  auto strides = n.getInts("strides", count, 1);
  auto dilations = n.getInts("dilations", count, 1);
  auto pads = n.getInts("pads", 2 * count, 0);
  auto added = n.getInts("output_padding", count, 0);
  auto wanted = n.getInts("output_shape", count, -1);
  FailureOr<AutoPad> automatic = readAutoPad(n);
  if (failed(strides) || failed(dilations) || failed(pads) || failed(added) ||
      failed(wanted) || failed(automatic))
    return failure();
  bool isSame =
      *automatic == AutoPad::SameLower || *automatic == AutoPad::SameUpper;
  SmallVector<Transposed> dims;
  for (size_t d = 0; d < count; ++d) {
    Transposed &dim = dims.emplace_back(
        Transposed{kernel[d], (*strides)[d], (*dilations)[d], (*added)[d]});
    std::optional<int64_t> size = knownSize(x.shape[2 + d]);
    if (n.find("output_shape") && !size)
      return n.refuse() << "has output_shape for a dynamic size; give pads";
    int64_t rest = dim.outputPadding + dim.extent();
    if (n.find("output_shape")) {
      cutOff(dim, (*size - 1) * dim.stride + rest - (*wanted)[d], *automatic);
    } else if (isSame) {
      if (rest < dim.stride)
        warnOfShortWindows(n, dim);
      // The result has size * stride elements; windows reach over
      // (size - 1) * stride + rest.
      cutOff(dim, rest - dim.stride, *automatic);
    } else if (*automatic == AutoPad::NotSet) {
      dim.before = (*pads)[d];
      dim.after = (*pads)[count + d];
    }
    bool fits = dim.stride >= 1 && dim.dilation >= 1 && dim.outputPadding >= 0;
    if (!fits || dim.before < 0 || dim.after < 0)
      return n.refuse() << "has strides, dilations, padding or output_padding "
                           "that are negative or 0; correct the attributes";
    if (dim.stride > kMostStride)
      return n.refuse() << "has a stride of " << dim.stride
                        << ", which is more than " << kMostStride
                        << "; use a smaller one";
    // At least one element of the image remains.
    if (size && dim.cutBefore() + dim.cutAfter() > (*size - 1) * dim.stride)
      return n.refuse() << "has padding by which no element of the image is "
                           "left; correct the padding";
  }
  return dims;
}

//===----------------------------------------------------------------------===//
// Phases of a transposed convolution
//===----------------------------------------------------------------------===//

namespace {
/// Phases along one dimension that one contraction computes: those from `first`
/// on have windows at the same places, and `count` parts of the kernel that
/// begin side by side.
struct PhaseRange {
  qnn::TransposedPhase phase; ///< the first one
  int64_t count = 1;
};

/// A transposed convolution as convolutions, one for each part of its phases.
class PhasedConvolution {
public:
  PhasedConvolution(NodeImporter &n, const ConvolutionSizes &sizes,
                    ArrayRef<Transposed> dims);

  /// How many contractions there are.
  int64_t countParts() const;
  GraphValue build();

private:
  using Ranges = SmallVector<PhaseRange>;

  Ranges rangesOf(const qnn::TransposedPhases &along) const;
  /// The elements of the weight that `ranges` multiply, as `contractWindows`
  /// takes them.
  GraphValue weightOf(ArrayRef<PhaseRange> ranges);
  GraphValue convolve(GraphValue &image, ArrayRef<PhaseRange> ranges);
  /// The results of all ranges of the dimensions from `chosen` on, side by side
  /// along the dimension of their phases.
  GraphValue joinRanges(GraphValue &image, SmallVectorImpl<PhaseRange> &chosen);
  GraphValue interleave(GraphValue &joined);

  NodeImporter &n;
  const ConvolutionSizes &sizes;
  ArrayRef<Transposed> dims;
  SmallVector<qnn::TransposedPhases> all; ///< of each dimension
  SmallVector<Ranges> ranges;
  /// The number of results of each phase along each dimension.
  Shape counts;
  /// Whether results of phases are put where they belong as they are computed;
  /// otherwise they are computed side by side, and moved by one op.
  bool isPlaced = false;
};
} // namespace

/// Whether a value is a dequantized one, perhaps moved. Contractions of such
/// values are those of bytes (N3).
static bool isDequantized(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                         tensor::ExtractSliceOp, tensor::CastOp, tensor::PadOp,
                         linalg::TransposeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<qnn::DequantizeOp>(op);
}

/// Kernels of bytes compute one phase each, and store pixels of it where they
/// belong. More phases than this are computed by generic loops, all at once.
constexpr int64_t kMostPlacedPhases = 64;

/// Contractions that one node may become. Without dilations it has at most four
/// for each dimension.
constexpr int64_t kMostParts = 256;

PhasedConvolution::PhasedConvolution(NodeImporter &n,
                                     const ConvolutionSizes &sizes,
                                     ArrayRef<Transposed> dims)
    : n(n), sizes(sizes), dims(dims) {
  int64_t number = 1;
  for (const Transposed &dim : dims) {
    all.push_back(qnn::TransposedPhases::get(
        {dim.kernel, dim.stride, dim.dilation, dim.before, dim.after},
        dim.outputPadding));
    counts.push_back(
        n.add(n.in(0).shape[1 + all.size()], n.size(all.back().more)));
    number = llvm::SaturatingMultiply<uint64_t>(number, dim.stride);
  }
  isPlaced =
      number == 1 || (number <= kMostPlacedPhases &&
                      isDequantized(n.value(0)) && isDequantized(n.value(1)));
  for (const qnn::TransposedPhases &along : all)
    ranges.push_back(rangesOf(along));
}

int64_t PhasedConvolution::countParts() const {
  int64_t number = 1;
  for (const Ranges &along : ranges)
    number = llvm::SaturatingMultiply<uint64_t>(number, along.size());
  return number;
}

PhasedConvolution::Ranges
PhasedConvolution::rangesOf(const qnn::TransposedPhases &along) const {
  Ranges result;
  for (const qnn::TransposedPhase &phase : along.phases) {
    if (!isPlaced && !result.empty()) {
      PhaseRange &last = result.back();
      bool isNext = phase.taps == 0 || phase.tap == last.phase.tap + last.count;
      if (isNext && phase.taps == last.phase.taps &&
          phase.offset == last.phase.offset) {
        ++last.count;
        continue;
      }
    }
    result.push_back({phase});
  }
  return result;
}

GraphValue PhasedConvolution::weightOf(ArrayRef<PhaseRange> ranges) {
  // [groups, C, M, ...] is read, without what `splitWeight` leaves out.
  GraphValue &given = n.in(1);
  Shape split;
  if (sizes.groups > 1)
    split.push_back(n.size(sizes.groups));
  if (!sizes.isDepthwise())
    split.append({n.size(sizes.c), n.size(sizes.m)});
  split.append(given.shape.begin() + 2, given.shape.end());
  GraphValue weight = reshape(n, given, split);
  Shape shape;
  auto add = [&](int64_t size) {
    shape.push_back(n.size(size));
    return n.b.getAffineDimExpr(shape.size() - 1);
  };
  SmallVector<AffineExpr> reads, phases;
  if (sizes.hasGroups())
    reads.push_back(add(sizes.groups));
  for (const PhaseRange &range : ranges)
    phases.push_back(isPlaced ? n.b.getAffineConstantExpr(0)
                              : add(range.count));
  AffineExpr m = add(sizes.isDepthwise() ? sizes.groups : sizes.m);
  if (!sizes.isDepthwise())
    reads.push_back(add(sizes.c));
  reads.push_back(m);
  for (auto [range, along, phase] : llvm::zip_equal(ranges, all, phases)) {
    AffineExpr j = add(range.phase.taps);
    reads.push_back((range.phase.taps - 1 - j) * along.tapStep +
                    (phase + range.phase.tap));
  }
  unsigned rank = shape.size();
  return broadcastTo(n, weight, shape,
                     AffineMap::get(rank, 0, reads, n.b.getContext()));
}

GraphValue PhasedConvolution::convolve(GraphValue &image,
                                       ArrayRef<PhaseRange> ranges) {
  Windowed windowed{counts, {}, {}};
  if (!isPlaced)
    for (const PhaseRange &range : ranges)
      windowed.phases.push_back(range.count);
  bool isEmpty = llvm::any_of(
      ranges, [](const PhaseRange &range) { return range.phase.taps == 0; });
  GraphValue y;
  if (isEmpty) {
    // 0 + bias, as that of a sum of no products (N3).
    Shape shape = resultShape(n, image, sizes, windowed);
    GraphValue start = toGraphValue(startOf(n, shape, sizes, windowed), shape);
    Type element = n.in(0).element;
    y = !n.has(2) ? start
                  : *elementwise(
                        n, {&start}, element, [&](Scalars &s, ValueRange args) {
                          return s.add(s.constant(element, 0.0), args[0]);
                        });
  } else {
    Shape windows(image.shape);
    SmallVector<OpFoldResult> starts(image.rank(), n.size(0));
    SmallVector<int64_t> steps(image.rank(), 1);
    for (auto [d, range] : llvm::enumerate(ranges)) {
      size_t at = image.rank() - ranges.size() + d;
      starts[at] = n.size(all[d].before + range.phase.offset);
      windows[at] =
          n.add(counts[d], n.size((range.phase.taps - 1) * all[d].dilation));
    }
    GraphValue read = slice(n, image, starts, windows, steps);
    GraphValue weight = weightOf(ranges);
    auto place = [&](size_t d, AffineExpr o, AffineExpr k) {
      return o + k * all[d].dilation;
    };
    windowed.place = place;
    y = contractWindows(n, read, weight, sizes, windowed);
  }
  if (!isPlaced)
    return y;
  // A dimension for the phases behind each dimension of the image.
  GraphValue joined = joinChannels(n, y, sizes);
  Shape shape{joined.shape[0], joined.shape[1]};
  for (OpFoldResult count : counts)
    shape.append({count, n.size(1)});
  return reshape(n, joined, shape);
}

GraphValue PhasedConvolution::joinRanges(GraphValue &image,
                                         SmallVectorImpl<PhaseRange> &chosen) {
  size_t d = chosen.size();
  if (d == dims.size())
    return convolve(image, chosen);
  int64_t axis = isPlaced ? 3 + 2 * d : 1 + sizes.hasGroups() + d;
  SmallVector<Value> parts;
  Shape shape;
  for (const PhaseRange &range : ranges[d]) {
    chosen.push_back(range);
    GraphValue part = joinRanges(image, chosen);
    chosen.pop_back();
    parts.push_back(n.tensor(part));
    shape = part.shape;
  }
  shape[axis] = n.size(dims[d].stride);
  if (parts.size() == 1)
    return toGraphValue(parts.front(), shape);
  return toGraphValue(tensor::ConcatOp::create(n.b, n.loc,
                                               n.type(n.in(0).element, shape),
                                               axis, parts),
                      shape);
}

/// What lies side by side, [N, groups, phases, M, counts], as
/// [N, groups * M, counts and phases in turn].
GraphValue PhasedConvolution::interleave(GraphValue &joined) {
  int64_t first = 1 + sizes.hasGroups(), rank = dims.size();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, first));
  order.push_back(first + rank);
  for (int64_t d = 0; d < rank; ++d)
    order.append({first + rank + 1 + d, first + d});
  GraphValue turned = transpose(n, joined, order);
  return joinChannels(n, turned, sizes);
}

GraphValue PhasedConvolution::build() {
  SmallVector<OpFoldResult> before(2, n.size(0)), after(before);
  for (const qnn::TransposedPhases &along : all) {
    before.push_back(n.size(along.before));
    after.push_back(n.size(along.after));
  }
  Value zero = Scalars(n.b, n.loc).constant(n.in(0).element, 0.0);
  GraphValue padded = pad(n, n.in(0), before, after, zero);
  GraphValue image = splitChannels(n, padded, sizes);
  SmallVector<PhaseRange> chosen;
  GraphValue joined = joinRanges(image, chosen);
  GraphValue split = isPlaced ? joined : interleave(joined);
  Shape whole{split.shape[0], split.shape[1]}, shape(whole);
  for (auto [d, dim] : llvm::enumerate(dims)) {
    whole.push_back(n.mul(counts[d], n.size(dim.stride)));
    shape.push_back(all[d].rest == 0
                        ? whole.back()
                        : n.sub(whole.back(), n.size(all[d].rest)));
  }
  GraphValue y = reshape(n, split, whole);
  SmallVector<OpFoldResult> starts(whole.size(), n.size(0));
  SmallVector<int64_t> steps(whole.size(), 1);
  return slice(n, y, starts, shape, steps);
}

LogicalResult onnx::importConvTranspose(NodeImporter &n) {
  FailureOr<ConvolutionSizes> sizes = readConvolution(n, /*transposed=*/true);
  if (failed(sizes))
    return failure();
  auto dims = readTransposed(n, n.in(0), sizes->kernel);
  if (failed(dims))
    return failure();
  PhasedConvolution convolution(n, *sizes, *dims);
  if (convolution.countParts() > kMostParts)
    return n.refuse() << "has strides and dilations by which parts of its "
                         "window differ in "
                      << convolution.countParts()
                      << " ways, which is more than " << kMostParts
                      << "; use smaller strides, or no dilations";
  return n.set(0, convolution.build());
}
