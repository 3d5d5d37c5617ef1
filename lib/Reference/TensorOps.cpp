//===- TensorOps.cpp - Evaluation of tensor ops ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "Program.h"
#include "TensorShape.h"

using namespace mlir;
using namespace qcc::reference;

/// Runs `body`, whose arguments are the indices of an element, for every
/// element of `result`.
llvm::Error Evaluator::evaluateIndexed(Operation *op, Region &body,
                                       Tensor &result, Env &env) {
  Block &block = body.front();
  Program program(*this, env);
  SmallVector<unsigned> indexRegs;
  for (BlockArgument argument : block.getArguments())
    indexRegs.push_back(program.bind(argument));
  Value yielded = block.getTerminator()->getOperand(0);
  if (llvm::Error error = program.compile(block, yielded))
    return error;
  unsigned reg = program.regOf(yielded);
  SmallVector<unsigned> dims =
      llvm::to_vector(llvm::seq<unsigned>(0, result.shape.size()));
  LoopWalk walk(result.shape, dims);
  FailureSlot failures;
  parallelFor(program.threads(), walk.count(), 4 * kBatch,
              [&](int64_t begin, int64_t end) {
                Program::State state(program);
                SmallVector<int64_t> index(dims.size(), 0);
                for (int64_t at = begin; at < end; at += kBatch) {
                  int n = static_cast<int>(std::min<int64_t>(kBatch, end - at));
                  walk.segments(at, n, index, [&](int position, int count) {
                    for (auto [d, indexReg] : llvm::enumerate(indexRegs))
                      for (int l = 0; l < count; ++l)
                        state[indexReg].i[position + l] =
                            index[d] +
                            (static_cast<int>(d) == walk.innermost() ? l : 0);
                  });
                  if (!program.run(state, n, failures))
                    return;
                  storeLanes(result.elem, result.data.get(), at, 1, n,
                             state[reg], 0);
                }
              });
  return failures.failed() ? failure(op, failures.text())
                           : llvm::Error::success();
}

/// The position of an element in row-major order. An index that depends on data
/// or is used in a body is clamped, any other is checked (N11).
static llvm::Expected<int64_t> position(Operation *op, const Tensor &tensor,
                                        ValueRange indices,
                                        const Evaluator &evaluator,
                                        const Env &env) {
  bool inBody = !isa<func::FuncOp>(op->getParentOp());
  int64_t result = 0;
  for (auto [d, name] : llvm::enumerate(indices)) {
    int64_t index = evaluator.indexOf(name, env);
    if (tensor.shape[d] == 0)
      return failure(op, "accesses an element of a tensor that has none");
    if (inBody || dependsOnData(name))
      index = clampIndex(index, tensor.shape[d] - 1);
    if (index < 0 || index >= tensor.shape[d])
      return failure(op, "index " + llvm::Twine(index) + " of dimension " +
                             llvm::Twine(d) + " is outside of its " +
                             llvm::Twine(tensor.shape[d]) + " elements");
    result = result * tensor.shape[d] + index;
  }
  return result;
}

static llvm::Expected<Tensor> clone(Operation *op, const Tensor &from) {
  Tensor to = Tensor::zeros(from.elem, from.shape);
  if (!to.data)
    return failure(op, "not enough memory for the result");
  std::memcpy(to.data.get(), from.data.get(), from.byteSize());
  return to;
}

static llvm::Expected<RtValue> insertSlice(tensor::InsertSliceOp op,
                                           const Evaluator &evaluator,
                                           const Env &env) {
  const Tensor &source = evaluator.valueOf(op.getSource(), env).tensor;
  const Tensor &target = evaluator.valueOf(op.getDest(), env).tensor;
  llvm::Expected<SliceShape> found = sliceOf(op, target.shape, evaluator, env);
  if (!found)
    return found.takeError();
  const SliceShape &slice = *found;
  int64_t count = 1;
  for (int64_t size : slice.sizes)
    count *= size;
  if (count != source.count())
    return failure(op, "inserts " + llvm::Twine(source.count()) +
                           " elements into a slice of " + llvm::Twine(count));
  llvm::Expected<Tensor> result = clone(op, target);
  if (!result)
    return result.takeError();
  slice.insert(*result, source);
  return RtValue(std::move(*result));
}

static llvm::Expected<RtValue>
concat(tensor::ConcatOp op, const Evaluator &evaluator, const Env &env) {
  int64_t dim = op.getDim();
  std::vector<int64_t> shape =
      evaluator.valueOf(op.getInputs().front(), env).tensor.shape;
  shape[dim] = 0;
  for (Value input : op.getInputs()) {
    std::vector<int64_t> own = evaluator.valueOf(input, env).tensor.shape;
    shape[dim] += own[dim];
    own[dim] = shape[dim];
    if (own != shape)
      return failure(op, "operands have different shapes");
  }
  llvm::Expected<Tensor> result = evaluator.allocate(op, op.getType(), shape);
  if (!result)
    return result.takeError();
  SmallVector<int64_t> offsets(shape.size(), 0);
  for (Value input : op.getInputs()) {
    const Tensor &tensor = evaluator.valueOf(input, env).tensor;
    SliceShape slice{offsets, llvm::to_vector(ArrayRef<int64_t>(tensor.shape)),
                     SmallVector<int64_t>(shape.size(), 1)};
    slice.insert(*result, tensor);
    offsets[dim] += tensor.shape[dim];
  }
  return RtValue(std::move(*result));
}

static llvm::Expected<RtValue>
gather(tensor::GatherOp op, const Evaluator &evaluator, const Env &env) {
  const Tensor &source = evaluator.valueOf(op.getSource(), env).tensor;
  const Tensor &indices = evaluator.valueOf(op.getIndices(), env).tensor;
  ArrayRef<int64_t> gathered = op.getGatherDims();
  std::vector<int64_t> shape(indices.shape.begin(), indices.shape.end() - 1);
  SliceShape slice{SmallVector<int64_t>(source.rank(), 0),
                   llvm::to_vector(ArrayRef<int64_t>(source.shape)),
                   SmallVector<int64_t>(source.rank(), 1)};
  for (int64_t dim : gathered)
    slice.sizes[dim] = 1;
  bool keepsRank = op.getResultType().getRank() ==
                   static_cast<int64_t>(shape.size()) + source.rank();
  int64_t length = 1;
  for (int64_t d = 0; d < source.rank(); ++d) {
    length *= slice.sizes[d];
    if (keepsRank || !llvm::is_contained(gathered, d))
      shape.push_back(slice.sizes[d]);
  }
  llvm::Expected<Tensor> result = evaluator.allocate(op, op.getType(), shape);
  if (!result)
    return result.takeError();
  int64_t width = gathered.size();
  int64_t tuples = width ? indices.count() / width : 0;
  for (int64_t t = 0; t < tuples; ++t) {
    for (auto [i, dim] : llvm::enumerate(gathered)) {
      if (source.shape[dim] == 0)
        return failure(op, "accesses an element of a tensor that has none");
      slice.offsets[dim] =
          clampIndex(indices.get(t * width + i).i, source.shape[dim] - 1);
    }
    // One slice of the result, as a tensor of its own over the same bytes.
    Tensor part = *result;
    part.data = std::shared_ptr<uint8_t>(
        result->data, result->data.get() + t * length * source.elem.bytes());
    slice.copy(part, source);
  }
  return RtValue(std::move(*result));
}

static llvm::Expected<RtValue>
reshape(tensor::ReshapeOp op, const Evaluator &evaluator, const Env &env) {
  Tensor result = evaluator.valueOf(op.getSource(), env).tensor;
  const Tensor &sizes = evaluator.valueOf(op.getShape(), env).tensor;
  std::vector<int64_t> shape;
  for (int64_t i = 0; i < sizes.count(); ++i)
    shape.push_back(sizes.get(i).i);
  llvm::Expected<Tensor> checked = evaluator.allocate(op, op.getType(), shape);
  if (!checked)
    return checked.takeError();
  if (checked->count() != result.count())
    return failure(op, "changes the number of elements from " +
                           llvm::Twine(result.count()) + " to " +
                           llvm::Twine(checked->count()));
  result.shape = shape;
  return RtValue(std::move(result));
}

/// The shape of a new tensor whose dynamic sizes are operands.
static std::vector<int64_t> shapeOf(RankedTensorType type, ValueRange dynamic,
                                    const Evaluator &evaluator,
                                    const Env &env) {
  std::vector<int64_t> shape = type.getShape().vec();
  unsigned next = 0;
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = evaluator.indexOf(dynamic[next++], env);
  return shape;
}

static llvm::Expected<RtValue>
extract(tensor::ExtractOp op, const Evaluator &evaluator, const Env &env) {
  const Tensor &tensor = evaluator.valueOf(op.getTensor(), env).tensor;
  llvm::Expected<int64_t> at =
      position(op, tensor, op.getIndices(), evaluator, env);
  if (!at)
    return at.takeError();
  return RtValue(tensor.get(*at));
}

static llvm::Expected<RtValue>
insert(tensor::InsertOp op, const Evaluator &evaluator, const Env &env) {
  llvm::Expected<Tensor> result =
      clone(op, evaluator.valueOf(op.getDest(), env).tensor);
  if (!result)
    return result.takeError();
  llvm::Expected<int64_t> at =
      position(op, *result, op.getIndices(), evaluator, env);
  if (!at)
    return at.takeError();
  result->set(*at, evaluator.valueOf(op.getScalar(), env).scalar);
  return RtValue(std::move(*result));
}

static llvm::Expected<RtValue>
dimension(tensor::DimOp op, const Evaluator &evaluator, const Env &env) {
  const Tensor &tensor = evaluator.valueOf(op.getSource(), env).tensor;
  int64_t index = evaluator.indexOf(op.getIndex(), env);
  if (dependsOnData(op.getIndex()) && tensor.rank() > 0)
    index = clampIndex(index, tensor.rank() - 1);
  if (index < 0 || index >= tensor.rank())
    return failure(op, "dimension " + llvm::Twine(index) +
                           " of a tensor of rank " +
                           llvm::Twine(tensor.rank()));
  return RtValue::index(tensor.shape[index]);
}

llvm::Expected<RtValue>
Evaluator::createTensor(Operation *op, ValueRange dynamicSizes, Env &env) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  llvm::Expected<Tensor> result =
      allocate(op, type, shapeOf(type, dynamicSizes, *this, env));
  if (!result)
    return result.takeError();
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    for (int64_t i = 0, e = result->count(); i < e; ++i)
      result->set(i, valueOf(splat.getInput(), env).scalar);
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op))
    for (auto [i, element] : llvm::enumerate(elements.getElements()))
      result->set(i, valueOf(element, env).scalar);
  if (auto generate = dyn_cast<tensor::GenerateOp>(op))
    if (llvm::Error error =
            evaluateIndexed(op, generate.getBody(), *result, env))
      return std::move(error);
  return RtValue(std::move(*result));
}

llvm::Error Evaluator::evaluateTensor(Operation *op, Env &env, bool &known) {
  known = true;
  auto bind = [&](llvm::Expected<RtValue> value) -> llvm::Error {
    if (!value)
      return value.takeError();
    env.set(op->getResult(0), std::move(*value));
    return llvm::Error::success();
  };
  if (isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp, tensor::CastOp>(op))
    return bind(moveTensor(op, *this, env));
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return bind(padTensor(
        pad, valueOf(pad.getSource(), env),
        [&](Tensor &all) {
          return evaluateIndexed(op, pad.getRegion(), all, env);
        },
        *this, env));
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return bind(insertSlice(slice, *this, env));
  if (auto join = dyn_cast<tensor::ConcatOp>(op))
    return bind(concat(join, *this, env));
  if (auto gatherOp = dyn_cast<tensor::GatherOp>(op))
    return bind(gather(gatherOp, *this, env));
  if (auto reshapeOp = dyn_cast<tensor::ReshapeOp>(op))
    return isa<RankedTensorType>(op->getResult(0).getType())
               ? bind(reshape(reshapeOp, *this, env))
               : failure(op, "of unranked tensors is not supported");
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return bind(createTensor(op, empty.getDynamicSizes(), env));
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return bind(createTensor(op, splat.getDynamicSizes(), env));
  if (auto generate = dyn_cast<tensor::GenerateOp>(op))
    return bind(createTensor(op, generate.getDynamicExtents(), env));
  if (isa<tensor::FromElementsOp>(op))
    return bind(createTensor(op, {}, env));
  if (auto extractOp = dyn_cast<tensor::ExtractOp>(op))
    return bind(extract(extractOp, *this, env));
  if (auto insertOp = dyn_cast<tensor::InsertOp>(op))
    return bind(insert(insertOp, *this, env));
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return bind(dimension(dim, *this, env));
  if (auto rank = dyn_cast<tensor::RankOp>(op))
    return bind(RtValue::index(valueOf(rank.getTensor(), env).tensor.rank()));
  known = false;
  return llvm::Error::success();
}
