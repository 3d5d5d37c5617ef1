//===- Movement.cpp - Ops that move elements ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Codes.h"
#include "../Ops.h"
#include "../Quantized.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

static LogicalResult setOr(OpImporter &n, FailureOr<GraphValue> value) {
  return failed(value) ? failure() : n.set(*value);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult tflite::importReshape(OpImporter &n) {
  GraphValue &x = n.in(0);
  auto *options = n.options<fb::ReshapeOptions>(fb::OptionsType_Reshape);
  if (!options)
    return failure();
  SmallVector<OpFoldResult> wanted;
  if (n.has(1)) {
    auto sizes = n.integers(1, "its shape");
    if (failed(sizes))
      return failure();
    wanted = *sizes;
  } else if (auto *shape = options->new_shape()) {
    for (int32_t size : *shape)
      wanted.push_back(n.size(size));
  }
  Shape shape;
  std::optional<size_t> open;
  OpFoldResult product = n.size(1);
  for (auto [d, size] : llvm::enumerate(wanted)) {
    std::optional<int64_t> known = knownSize(size);
    shape.push_back(size);
    if (known && (*known < -1 || *known > kMostSize))
      return n.refuse() << "has a shape with the size " << *known
                        << "; correct the model";
    if (known == -1) {
      if (open)
        return n.refuse() << "has two sizes of -1 in its shape; at most one "
                             "can be left open";
      open = d;
      continue;
    }
    product = n.mul(product, size);
  }
  OpFoldResult elements = n.product(x.shape);
  std::optional<int64_t> all = knownSize(elements), given = knownSize(product);
  bool fits = !all || !given ||
              (open ? *given > 0 && *all % *given == 0 : *given == *all);
  if (!fits || (open && given == 0))
    return n.refuse() << "gives " << n.type(x.element, x.shape)
                      << " another number of elements; correct the model";
  if (open)
    shape[*open] = n.floorDiv(elements, product);
  return n.set(reshape(n, x, shape));
}

LogicalResult tflite::importSqueeze(OpImporter &n) {
  auto *options = n.options<fb::SqueezeOptions>(fb::OptionsType_Squeeze);
  GraphValue &x = n.in(0);
  if (!options)
    return failure();
  SmallVector<int64_t> dims;
  if (options->dims() && options->dims()->size() > 0) {
    for (int32_t number : *options->dims()) {
      auto d = n.axisOf(number, x.rank());
      if (failed(d))
        return failure();
      if (knownSize(x.shape[*d]).value_or(1) != 1)
        return n.refuse() << "removes dimension " << *d
                          << ", which has a size other than 1; correct the "
                             "model";
      if (!llvm::is_contained(dims, *d))
        dims.push_back(*d);
    }
  } else {
    for (int64_t d = 0; d < x.rank(); ++d)
      if (knownSize(x.shape[d]) == 1)
        dims.push_back(d);
  }
  return n.set(squeeze(n, x, dims));
}

LogicalResult tflite::importExpandDims(OpImporter &n) {
  auto axes = n.constants(1, "its dimension");
  if (failed(axes) || axes->size() != 1)
    return failed(axes)
               ? failure()
               : LogicalResult(n.refuse() << "needs one dimension; correct the "
                                             "model");
  auto axis = n.axisOf(axes->front(), n.in(0).rank() + 1);
  return failed(axis) ? failure() : n.set(unsqueeze(n, n.in(0), {*axis}));
}

LogicalResult tflite::importTranspose(OpImporter &n) {
  auto order = n.constants(1, "its permutation");
  if (failed(order))
    return failure();
  SmallVector<int64_t> sorted(*order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, n.in(0).rank())))
    return n.refuse() << "has a permutation that does not name each of "
                      << n.in(0).rank()
                      << " dimensions once; correct the "
                         "model";
  return n.set(transpose(n, n.in(0), *order));
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

/// An operand with the scale of the result, where it has another one: the value
/// in float, rounded half away from zero.
static FailureOr<GraphValue> rescale(OpImporter &n, unsigned i) {
  GraphValue &x = n.in(i);
  if (n.info(i).scales.empty() || n.result().scales.empty() ||
      !x.element.isInteger(8))
    return x;
  auto from = n.affine(i), to = n.resultAffine();
  if (failed(from) || failed(to))
    return failure();
  if (from->scale == to->scale && from->zeroPoint == to->zeroPoint)
    return x;
  // In the order of the kernel's float operations.
  float factor = from->scale * (1.0f / to->scale);
  float bias = static_cast<float>(-from->zeroPoint) * factor;
  return lookUp(n, x, [&](int64_t stored) {
    float real = std::round(static_cast<float>(stored) * factor + bias);
    return toStored(real) + to->zeroPoint;
  });
}

LogicalResult tflite::importConcatenation(OpImporter &n) {
  auto *options =
      n.options<fb::ConcatenationOptions>(fb::OptionsType_Concatenation);
  if (!options)
    return failure();
  auto axis = n.axisOf(options->axis(), n.in(0).rank());
  if (failed(axis))
    return failure();
  Values values;
  for (unsigned i = 0; i < n.numInputs(); ++i) {
    auto value = rescale(n, i);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  SmallVector<GraphValue *> pointers;
  for (GraphValue &value : values)
    pointers.push_back(&value);
  auto joined = concat(n, pointers, *axis);
  if (failed(joined))
    return failure();
  if (options->activation() != fb::Activation_None && !joined->isFloat())
    return n.refuse() << "has a fused activation of integers, which is not "
                         "supported; make it an op of its own";
  return setOr(n, activate(n, *joined, options->activation()));
}

LogicalResult tflite::importPack(OpImporter &n) {
  auto *options = n.options<fb::PackOptions>(fb::OptionsType_Pack);
  if (!options)
    return failure();
  auto axis = n.axisOf(options->axis(), n.in(0).rank() + 1);
  if (failed(axis))
    return failure();
  Values values;
  for (unsigned i = 0; i < n.numInputs(); ++i) {
    if (n.in(i).rank() != n.in(0).rank())
      return n.refuse() << "packs values of different ranks; correct the model";
    // Integers that are known stay known.
    GraphValue &x = n.in(i);
    if (x.rank() == 0 && n.knowsIntegers(x)) {
      GraphValue line = x;
      line.shape = {n.size(1)};
      line.value = nullptr;
      line.constant = nullptr;
      values.push_back(line);
    } else {
      values.push_back(unsqueeze(n, x, {*axis}));
    }
  }
  SmallVector<GraphValue *> pointers;
  for (GraphValue &value : values)
    pointers.push_back(&value);
  return setOr(n, concat(n, pointers, *axis));
}

LogicalResult tflite::importTile(OpImporter &n) {
  auto counts = n.integers(1, "its repetitions");
  if (failed(counts))
    return failure();
  GraphValue &x = n.in(0);
  if (static_cast<int64_t>(counts->size()) != x.rank())
    return n.refuse() << "has " << counts->size() << " repetitions for "
                      << x.rank() << " dimensions; correct the model";
  // Each dimension behind one of its repetitions.
  Shape wide, flat;
  SmallVector<AffineExpr> read;
  for (auto [d, count] : llvm::enumerate(*counts)) {
    if (int64_t known = knownSize(count).value_or(1);
        known < 0 || known > kMostSize)
      return n.refuse() << "repeats a dimension " << known
                        << " times; correct the model";
    wide.append({count, x.shape[d]});
    read.push_back(n.b.getAffineDimExpr(2 * d + 1));
    flat.push_back(n.mul(count, x.shape[d]));
  }
  GraphValue all = broadcastTo(
      n, x, wide, AffineMap::get(wide.size(), 0, read, n.b.getContext()));
  return n.set(reshape(n, all, flat));
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// PAD and PADV2.
LogicalResult tflite::importPad(OpImporter &n) {
  GraphValue &x = n.in(0);
  auto sizes = n.integers(1, "its padding");
  if (failed(sizes))
    return failure();
  if (static_cast<int64_t>(sizes->size()) != 2 * x.rank())
    return n.refuse() << "has " << sizes->size() << " sizes of padding for "
                      << x.rank() << " dimensions; correct the model";
  SmallVector<OpFoldResult> low, high;
  for (int64_t d = 0; d < x.rank(); ++d) {
    low.push_back((*sizes)[2 * d]);
    high.push_back((*sizes)[2 * d + 1]);
    for (OpFoldResult size : {low.back(), high.back()})
      if (int64_t known = knownSize(size).value_or(0);
          known < 0 || known > kMostSize)
        return n.refuse() << "has padding of " << known
                          << " elements; correct the model";
  }
  Value value;
  if (n.has(2)) {
    GraphValue scalar = n.in(2);
    if (scalar.element != x.element || knownSize(n.product(scalar.shape)) != 1)
      return n.refuse() << "pads by a value of another type, or by several; "
                           "correct the model";
    GraphValue one = reshape(n, scalar, {});
    value = scalarOf(n, one);
  } else {
    // What stands for the real number 0.
    double zero = n.info(0).type == fb::TensorType_UInt8 ? -128 : 0;
    if (n.isQuantized(0)) {
      auto affine = n.affine(0);
      if (failed(affine))
        return failure();
      zero = affine->zeroPoint;
    }
    value = Scalars(n.b, n.loc).constant(x.element, zero);
  }
  return n.set(pad(n, x, low, high, value));
}

/// REFLECT leaves out the border that it mirrors, SYMMETRIC repeats it.
LogicalResult tflite::importMirrorPad(OpImporter &n) {
  auto *options = n.options<fb::MirrorPadOptions>(fb::OptionsType_MirrorPad);
  auto sizes = n.constants(1, "its padding");
  GraphValue &x = n.in(0);
  if (!options || failed(sizes))
    return failure();
  auto known = knownSizes(x.shape);
  int64_t border = options->mode() == 0 ? 1 : 0;
  bool fits = known && static_cast<int64_t>(sizes->size()) == 2 * x.rank();
  for (int64_t d = 0; fits && d < 2 * x.rank(); ++d)
    fits = (*sizes)[d] >= 0 && (*sizes)[d] <= (*known)[d / 2] - border;
  if (!fits)
    return n.refuse() << "mirrors more elements than its operand has, or has "
                         "dynamic sizes, which is not supported; correct the "
                         "model";
  Shape shape;
  for (int64_t d = 0; d < x.rank(); ++d)
    shape.push_back(
        n.size((*known)[d] + (*sizes)[2 * d] + (*sizes)[2 * d + 1]));
  return n.set(gather(n, x, shape, [&](Scalars &s, ValueRange at) {
    SmallVector<Value> from;
    for (auto [d, i] : llvm::enumerate(at)) {
      auto index = [&](int64_t value) {
        return s.constant(i.getType(), static_cast<double>(value));
      };
      // Mirrored at the first element, and at the last one.
      Value moved = s.sub(i, index((*sizes)[2 * d]));
      Value low = s.select(s.less(moved, index(0)),
                           s.sub(index(border - 1), moved), moved);
      Value mirrored = s.sub(index(2 * (*known)[d] - 1 - border), low);
      from.push_back(s.min(low, mirrored));
    }
    return from;
  }));
}

LogicalResult tflite::importReverse(OpImporter &n) {
  auto axes = n.constants(1, "its dimensions");
  GraphValue &x = n.in(0);
  if (failed(axes))
    return failure();
  SmallVector<bool> turns(x.rank(), false);
  for (int64_t number : *axes) {
    auto axis = n.axisOf(number, x.rank());
    if (failed(axis))
      return failure();
    turns[*axis] = true;
  }
  SmallVector<Value> last;
  for (OpFoldResult size : x.shape)
    last.push_back(n.index(n.sub(size, n.size(1))));
  return n.set(gather(n, x, x.shape, [&](Scalars &s, ValueRange at) {
    SmallVector<Value> from(at);
    for (auto [d, i] : llvm::enumerate(from))
      if (turns[d])
        i = s.sub(last[d], i);
    return from;
  }));
}

/// Constants are dense as soon as an op reads them.
LogicalResult tflite::importDensify(OpImporter &n) { return n.set(n.in(0)); }
