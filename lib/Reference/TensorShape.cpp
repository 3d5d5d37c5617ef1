//===- TensorShape.cpp - Tensor ops that move elements --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensor ops through which a value stays dequantized (N3): each is a
// function from tensor to tensor, applied to the value, to its integers and to
// its scales alike.
//
//===----------------------------------------------------------------------===//

#include "TensorShape.h"
#include "Program.h"
#include "Strided.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc::reference;

using Move = llvm::function_ref<llvm::Expected<Tensor>(const Tensor &, bool)>;

/// `value` moved by `move` (whose second argument tells a scale from a
/// difference or a value), with `varies` for the new dimensions.
static llvm::Expected<RtValue> moveValue(const RtValue &value, Move move,
                                         std::vector<bool> varies) {
  llvm::Expected<Tensor> tensor = move(value.tensor, false);
  if (!tensor)
    return tensor.takeError();
  RtValue result(std::move(*tensor));
  if (!value.dequantized)
    return result;
  auto moved = std::make_shared<Dequantized>();
  moved->maxDifference = value.dequantized->maxDifference;
  moved->varies = std::move(varies);
  llvm::Expected<Tensor> difference =
      move(value.dequantized->difference, false);
  if (!difference)
    return difference.takeError();
  moved->difference = std::move(*difference);
  moved->scale = value.dequantized->scale;
  if (!value.dequantized->isPerTensor()) {
    llvm::Expected<Tensor> scale = move(value.dequantized->scale, true);
    if (!scale)
      return scale.takeError();
    moved->scale = std::move(*scale);
  }
  result.dequantized = std::move(moved);
  return result;
}

static std::vector<bool> variesOf(const RtValue &value) {
  return value.dequantized ? value.dequantized->varies : std::vector<bool>();
}

bool qcc::reference::dependsOnData(Value index) {
  SmallVector<Value> worklist = {index};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *def = value.getDefiningOp();
    if (!def)
      return true;
    if (auto dim = dyn_cast<tensor::DimOp>(def)) {
      worklist.push_back(dim.getIndex());
      continue;
    }
    StringRef dialect = def->getName().getDialectNamespace();
    if (def->getNumRegions() || (dialect != "arith" && dialect != "affine"))
      return true;
    llvm::append_range(worklist, def->getOperands());
  }
  return false;
}

int64_t qcc::reference::clampIndex(int64_t index, int64_t last) {
  return std::min(std::max<int64_t>(index, 0), last);
}

/// Whether a slice stays inside of its tensor.
static llvm::Error checkSlice(Operation *op, const SliceShape &slice,
                              ArrayRef<int64_t> shape) {
  for (auto [d, size] : llvm::enumerate(slice.sizes)) {
    if (size < 0)
      return failure(op, "has a negative size: " + llvm::Twine(size));
    if (size == 0)
      continue;
    int64_t first = slice.offsets[d];
    int64_t last = first + (size - 1) * slice.strides[d];
    if (std::min(first, last) < 0 || std::max(first, last) >= shape[d])
      return failure(op, "reaches elements " + llvm::Twine(first) + " to " +
                             llvm::Twine(last) + " of dimension " +
                             llvm::Twine(d) + ", which has " +
                             llvm::Twine(shape[d]));
  }
  return llvm::Error::success();
}

llvm::Expected<SliceShape>
qcc::reference::sliceOf(OffsetSizeAndStrideOpInterface op,
                        ArrayRef<int64_t> shape, const Evaluator &evaluator,
                        const Env &env) {
  SliceShape slice{evaluator.indicesOf(op.getMixedOffsets(), env),
                   evaluator.indicesOf(op.getMixedSizes(), env),
                   evaluator.indicesOf(op.getMixedStrides(), env)};
  for (auto [d, offset] : llvm::enumerate(op.getMixedOffsets())) {
    auto value = dyn_cast<Value>(offset);
    int64_t size = slice.sizes[d], stride = slice.strides[d], reach;
    // What cannot fit at any offset is an error below.
    if (!value || !dependsOnData(value) || size < 1 || stride < 1 ||
        llvm::MulOverflow(size - 1, stride, reach) || reach >= shape[d])
      continue;
    slice.offsets[d] = clampIndex(slice.offsets[d], shape[d] - 1 - reach);
  }
  if (llvm::Error error = checkSlice(op, slice, shape))
    return std::move(error);
  return slice;
}

static llvm::Expected<RtValue> extractSlice(tensor::ExtractSliceOp op,
                                            const RtValue &source,
                                            const Evaluator &evaluator,
                                            const Env &env) {
  llvm::Expected<SliceShape> found =
      sliceOf(op, source.tensor.shape, evaluator, env);
  if (!found)
    return found.takeError();
  const SliceShape &slice = *found;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  std::vector<int64_t> shape;
  std::vector<bool> varies;
  for (unsigned d = 0; d < slice.sizes.size(); ++d) {
    if (dropped.test(d))
      continue;
    shape.push_back(slice.sizes[d]);
    if (source.dequantized)
      varies.push_back(source.dequantized->varies[d]);
  }
  if (llvm::Expected<Tensor> checked =
          evaluator.allocate(op, op.getType(), shape);
      !checked)
    return checked.takeError();
  auto move = [&](const Tensor &from, bool) -> llvm::Expected<Tensor> {
    Tensor to = Tensor::zeros(from.elem, shape);
    if (!to.data)
      return failure(op, "not enough memory for the result");
    slice.copy(to, from);
    return to;
  };
  return moveValue(source, move, std::move(varies));
}

void SliceShape::copy(Tensor &box, const Tensor &whole) const {
  std::vector<int64_t> wholeStrides = rowMajorStrides(whole.shape);
  int64_t offset = step(wholeStrides);
  std::vector<int64_t> boxStrides =
      rowMajorStrides(std::vector<int64_t>(sizes.begin(), sizes.end()));
  copyBox(sizes, box.elem.bytes(), {box.data.get(), 0, boxStrides},
          {whole.data.get(), offset, wholeStrides});
}

void SliceShape::insert(Tensor &whole, const Tensor &box) const {
  std::vector<int64_t> wholeStrides = rowMajorStrides(whole.shape);
  int64_t offset = step(wholeStrides);
  std::vector<int64_t> boxStrides =
      rowMajorStrides(std::vector<int64_t>(sizes.begin(), sizes.end()));
  copyBox(sizes, box.elem.bytes(), {whole.data.get(), offset, wholeStrides},
          {box.data.get(), 0, boxStrides});
}

int64_t SliceShape::step(std::vector<int64_t> &wholeStrides) const {
  int64_t offset = 0;
  for (size_t d = 0; d < wholeStrides.size(); ++d) {
    // An empty box may start anywhere.
    if (!llvm::is_contained(sizes, 0))
      offset += offsets[d] * wholeStrides[d];
    wholeStrides[d] *= strides[d];
  }
  return offset;
}

/// The same elements in `shape`.
static llvm::Expected<RtValue> reshaped(Operation *op, const RtValue &source,
                                        std::vector<int64_t> shape,
                                        std::vector<bool> varies) {
  auto move = [&](const Tensor &from, bool) -> llvm::Expected<Tensor> {
    Tensor to = from;
    to.shape = shape;
    if (to.count() != from.count())
      return failure(op, "changes the number of elements from " +
                             llvm::Twine(from.count()) + " to " +
                             llvm::Twine(to.count()));
    return to;
  };
  return moveValue(source, move, std::move(varies));
}

static llvm::Expected<RtValue> expandShape(tensor::ExpandShapeOp op,
                                           const RtValue &source,
                                           const Evaluator &evaluator,
                                           const Env &env) {
  SmallVector<int64_t> shape =
      evaluator.indicesOf(op.getMixedOutputShape(), env);
  std::vector<bool> varies(source.dequantized ? shape.size() : 0);
  for (auto [d, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t product = 1;
    for (int64_t result : group) {
      if (shape[result] < 0)
        return failure(op,
                       "has a negative size: " + llvm::Twine(shape[result]));
      product *= shape[result];
      if (source.dequantized)
        varies[result] = source.dequantized->varies[d] &&
                         op.getResultType().getDimSize(result) != 1;
    }
    if (product != source.tensor.shape[d])
      return failure(op, "expands dimension " + llvm::Twine(d) + " of " +
                             llvm::Twine(source.tensor.shape[d]) + " into " +
                             llvm::Twine(product) + " elements");
  }
  return reshaped(op, source, {shape.begin(), shape.end()}, std::move(varies));
}

static llvm::Expected<RtValue> collapseShape(tensor::CollapseShapeOp op,
                                             const RtValue &source) {
  std::vector<int64_t> shape;
  std::vector<bool> varies;
  for (const auto &group : op.getReassociationIndices()) {
    shape.push_back(1);
    varies.push_back(false);
    for (int64_t dim : group) {
      shape.back() *= source.tensor.shape[dim];
      if (source.dequantized && source.dequantized->varies[dim])
        varies.back() = true;
    }
  }
  return reshaped(op, source, std::move(shape), std::move(varies));
}

static llvm::Expected<RtValue> castTensor(tensor::CastOp op,
                                          const RtValue &source) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !isa<RankedTensorType>(op.getSource().getType()))
    return failure(op, "of unranked tensors is not supported");
  for (auto [size, declared] : llvm::zip(source.tensor.shape, type.getShape()))
    if (!ShapedType::isDynamic(declared) && declared != size)
      return failure(op, "has size " + llvm::Twine(size) +
                             " where its type says " + llvm::Twine(declared));
  return source;
}

/// N3: padding along a dimension along which the scale varies has the scale 1;
/// along others the scale is that of the rest.
static void padScales(Tensor &to, const Tensor &from, ArrayRef<int64_t> low,
                      const std::vector<bool> &varies) {
  std::fill_n(to.as<float>(), to.count(), 1.0f);
  if (from.count() == 0)
    return;
  std::vector<int64_t> strides = rowMajorStrides(from.shape);
  for (int64_t i = 0, e = to.count(); i < e; ++i) {
    int64_t source = 0, rest = i;
    bool isAdded = false;
    for (size_t d = to.shape.size(); d-- > 0;) {
      int64_t index = rest % to.shape[d] - low[d];
      rest /= to.shape[d];
      isAdded |= varies[d] && (index < 0 || index >= from.shape[d]);
      source += strides[d] * std::clamp<int64_t>(index, 0, from.shape[d] - 1);
    }
    if (!isAdded)
      to.as<float>()[i] = from.as<float>()[source];
  }
}

llvm::Expected<RtValue>
qcc::reference::padTensor(tensor::PadOp op, const RtValue &source,
                          llvm::function_ref<llvm::Error(Tensor &)> fill,
                          const Evaluator &evaluator, const Env &env) {
  SmallVector<int64_t> low = evaluator.indicesOf(op.getMixedLowPad(), env);
  SmallVector<int64_t> high = evaluator.indicesOf(op.getMixedHighPad(), env);
  SliceShape interior{low,
                      llvm::to_vector(ArrayRef<int64_t>(source.tensor.shape)),
                      SmallVector<int64_t>(low.size(), 1)};
  std::vector<int64_t> shape;
  for (unsigned d = 0; d < low.size(); ++d) {
    if (low[d] < 0 || high[d] < 0)
      return failure(op, "has a negative padding");
    shape.push_back(low[d] + source.tensor.shape[d] + high[d]);
  }
  llvm::Expected<Tensor> result = evaluator.allocate(op, op.getType(), shape);
  if (!result)
    return result.takeError();
  if (llvm::Error error = fill(*result))
    return std::move(error);
  interior.insert(*result, source.tensor);
  RtValue value(std::move(*result));
  // N3: only padding with the constant 0.0 stands for the difference 0.
  FloatAttr constant;
  Value padding = op.getConstantPaddingValue();
  if (!source.dequantized || !padding ||
      !matchPattern(padding, m_Constant(&constant)) ||
      !constant.getValue().isPosZero())
    return value;
  auto move = [&](const Tensor &from, bool isScale) -> llvm::Expected<Tensor> {
    Tensor to = Tensor::zeros(from.elem, shape);
    if (!to.data)
      return failure(op, "not enough memory for the result");
    if (isScale) {
      padScales(to, from, low, source.dequantized->varies);
      return to;
    }
    interior.insert(to, from);
    return to;
  };
  llvm::Expected<RtValue> moved = moveValue(source, move, variesOf(source));
  if (!moved)
    return moved.takeError();
  value.dequantized = moved->dequantized;
  return value;
}

llvm::Expected<RtValue> qcc::reference::moveTensor(Operation *op,
                                                   const Evaluator &evaluator,
                                                   const Env &env) {
  const RtValue &source = evaluator.valueOf(op->getOperand(0), env);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return extractSlice(slice, source, evaluator, env);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return expandShape(expand, source, evaluator, env);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return collapseShape(collapse, source);
  return castTensor(cast<tensor::CastOp>(op), source);
}
