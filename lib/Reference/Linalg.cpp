//===- Linalg.cpp - Evaluation of linalg ops ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the way to run a linalg op by N3 and N8: a contraction, a reduction
// in 32 lanes, or its body literally in row-major order.
//
//===----------------------------------------------------------------------===//

#include "LinalgNest.h"

using namespace mlir;
using namespace qcc::reference;

llvm::Expected<LinalgNest> LinalgNest::get(linalg::LinalgOp op,
                                           const Evaluator &evaluator,
                                           const Env &env) {
  LinalgNest nest;
  nest.op = op;
  nest.maps = op.getIndexingMapsArray();
  if (!op.hasPureTensorSemantics())
    return failure(op, "is supported on tensors only");
  for (auto [d, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator == utils::IteratorType::parallel)
      nest.parallel.push_back(d);
    else if (iterator == utils::IteratorType::reduction)
      nest.reduction.push_back(d);
    else
      return failure(op, "has an iterator that is neither parallel nor a "
                         "reduction");
  }
  nest.sizes.assign(op.getNumLoops(), -1);
  for (auto [operand, map] : llvm::zip(op->getOperands(), nest.maps)) {
    nest.values.push_back(&evaluator.valueOf(operand, env));
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    const Tensor &tensor = nest.values.back()->tensor;
    for (auto [expr, size] : llvm::zip(map.getResults(), tensor.shape)) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      int64_t &loop = nest.sizes[dim.getPosition()];
      if (loop < 0)
        loop = size;
      else if (loop != size)
        return failure(op, "operands disagree about the size of loop " +
                               llvm::Twine(dim.getPosition()) + ": " +
                               llvm::Twine(loop) + " and " + llvm::Twine(size));
    }
  }
  for (auto [d, size] : llvm::enumerate(nest.sizes))
    if (size < 0)
      return failure(op, "no operand gives the size of loop " + llvm::Twine(d));
  return nest;
}

bool LinalgNest::resultsAreIndependent() const {
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    AffineMap map = resultMap(i);
    SmallVector<bool> moves(sizes.size(), false);
    for (AffineExpr expr : map.getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        if (moves[dim.getPosition()])
          return false;
        moves[dim.getPosition()] = true;
      } else if (!isa<AffineConstantExpr>(expr)) {
        return false;
      }
    }
    for (unsigned d : parallel)
      if (!moves[d] && sizes[d] > 1)
        return false;
    for (unsigned d : reduction)
      if (moves[d])
        return false;
  }
  return true;
}

bool LinalgNest::dependsOnInit(Value value) const {
  SmallVector<Value> worklist = {value};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    if (auto arg = dyn_cast<BlockArgument>(current)) {
      for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
        if (arg == init(i))
          return true;
      continue;
    }
    Operation *def = current.getDefiningOp();
    if (op->isProperAncestor(def))
      def->walk([&](Operation *inner) {
        llvm::append_range(worklist, inner->getOperands());
      });
  }
  return false;
}

llvm::Expected<SmallVector<LinalgNest::Port>>
LinalgNest::bindInputs(Program &program) const {
  SmallVector<Port> ports;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i) {
    BlockArgument arg = input(i);
    if (!arg || arg.use_empty())
      continue;
    unsigned reg = program.bind(arg);
    OpOperand *operand = op.getDpsInputOperand(i);
    if (!isa<RankedTensorType>(operand->get().getType())) {
      Tensor scalar = Tensor::zeros(*elemOf(operand->get().getType()), {});
      scalar.set(0, inputValue(i).scalar);
      llvm::Expected<Access> access = Access::get(
          op, AffineMap::get(sizes.size(), 0, op->getContext()), scalar, sizes);
      if (!access)
        return access.takeError();
      scalars.push_back(scalar.data);
      ports.push_back({std::move(*access), reg});
      continue;
    }
    llvm::Expected<Access> access =
        Access::get(op, inputMap(i), inputValue(i).tensor, sizes);
    if (!access)
      return access.takeError();
    ports.push_back({std::move(*access), reg});
  }
  return ports;
}

llvm::Expected<Access> LinalgNest::resultAccess(unsigned i) {
  return Access::get(op, resultMap(i), results[i], sizes);
}

llvm::Error LinalgNest::inThreads(const FailureSlot &failures) const {
  if (!failures.failed())
    return llvm::Error::success();
  return failure(op, failures.text());
}

llvm::Error qcc::reference::moveElements(Operation *op, const Tensor &from,
                                         AffineMap fromMap, Tensor &to,
                                         AffineMap toMap,
                                         ArrayRef<int64_t> sizes,
                                         unsigned threads) {
  llvm::Expected<Access> source = Access::get(op, fromMap, from, sizes);
  if (!source)
    return source.takeError();
  llvm::Expected<Access> target = Access::get(op, toMap, to, sizes);
  if (!target)
    return target.takeError();
  SmallVector<int64_t> loops(sizes);
  Access *both[] = {&*source, &*target};
  if (source->linear && target->linear)
    coalesce(loops, both);
  SmallVector<unsigned> dims =
      llvm::to_vector(llvm::seq<unsigned>(0, loops.size()));
  LoopWalk walk(loops, dims);
  FailureSlot failures;
  parallelFor(
      threads, walk.count(), 16 * kBatch, [&](int64_t begin, int64_t end) {
        SmallVector<int64_t> index(loops.size(), 0);
        Reg reg;
        for (int64_t at = begin; at < end; at += kBatch)
          walk.segments(at, std::min<int64_t>(kBatch, end - at), index,
                        [&](int position, int n) {
                          int inner = walk.innermost();
                          if (!source->load(index, inner, n, reg, position) ||
                              !target->store(index, inner, n, reg, position))
                            failures.report("reaches outside of an operand");
                        });
      });
  return failures.failed() ? failure(op, failures.text())
                           : llvm::Error::success();
}

/// The input of an op whose body only yields it (transpose, broadcast, or a
/// generic), or none.
static bool onlyMoves(const LinalgNest &nest) {
  if (nest.op.getNumDpsInputs() != 1 || nest.op.getNumDpsInits() != 1 ||
      !nest.reduction.empty())
    return false;
  return nest.yielded(0) == nest.input(0) &&
         isa<RankedTensorType>(nest.op.getDpsInputOperand(0)->get().getType());
}

/// N3: what becomes of the parts of a dequantized value in such an op.
static llvm::Expected<std::shared_ptr<const Dequantized>>
moveDequantized(const LinalgNest &nest, const Dequantized &from,
                unsigned threads) {
  AffineMap in = nest.inputMap(0), out = nest.resultMap(0);
  auto moved = std::make_shared<Dequantized>();
  moved->maxDifference = from.maxDifference;
  auto move = [&](const Tensor &source, Tensor &target) -> llvm::Error {
    target = Tensor::zeros(source.elem, nest.results[0].shape);
    if (!target.data)
      return failure(nest.op, "not enough memory");
    return moveElements(nest.op, source, in, target, out, nest.sizes, threads);
  };
  if (llvm::Error error = move(from.difference, moved->difference))
    return error;
  if (from.isPerTensor())
    moved->scale = from.scale;
  else if (llvm::Error error = move(from.scale, moved->scale))
    return error;
  for (AffineExpr target : out.getResults()) {
    unsigned loop = cast<AffineDimExpr>(target).getPosition();
    bool varies = false;
    for (auto [source, sourceVaries] : llvm::zip(in.getResults(), from.varies))
      varies |= sourceVaries && source.isFunctionOfDim(loop);
    moved->varies.push_back(varies);
  }
  return moved;
}

llvm::Error Evaluator::evaluateLinalg(linalg::LinalgOp op, Env &env) {
  llvm::Expected<LinalgNest> created = LinalgNest::get(op, *this, env);
  if (!created)
    return created.takeError();
  LinalgNest &nest = *created;
  bool independent = nest.resultsAreIndependent();
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    const Tensor &init =
        nest.values[op.getDpsInitOperand(i)->getOperandNumber()]->tensor;
    Tensor result = Tensor::zeros(init.elem, init.shape);
    if (!result.data)
      return failure(op, "not enough memory for the result");
    BlockArgument arg = nest.init(i);
    bool overwritten = independent && nest.reduction.empty() &&
                       nest.resultMap(i).isPermutation() &&
                       (!arg || arg.use_empty());
    if (!overwritten)
      std::memcpy(result.data.get(), init.data.get(), init.byteSize());
    nest.results.push_back(std::move(result));
  }

  std::shared_ptr<const Dequantized> dequantized;
  if (onlyMoves(nest) && independent) {
    const RtValue &input = nest.inputValue(0);
    if (llvm::Error error =
            moveElements(op, input.tensor, nest.inputMap(0), nest.results[0],
                         nest.resultMap(0), nest.sizes, threads))
      return error;
    if (input.dequantized && nest.resultMap(0).isPermutation() &&
        isa<linalg::TransposeOp, linalg::BroadcastOp, linalg::GenericOp>(
            op.getOperation())) {
      llvm::Expected<std::shared_ptr<const Dequantized>> moved =
          moveDequantized(nest, *input.dequantized, threads);
      if (!moved)
        return moved.takeError();
      dequantized = *moved;
    }
  } else if (!independent) {
    if (llvm::Error error = nest.runPointByPoint(*this, env))
      return error;
  } else if (nest.reduction.empty()) {
    if (llvm::Error error = nest.runParallel(*this, env))
      return error;
  } else {
    llvm::Expected<bool> done = nest.runContraction(*this, env);
    if (!done)
      return done.takeError();
    if (!*done)
      if (llvm::Error error = nest.runInLanes(*this, env))
        return error;
  }
  for (auto [result, tensor] : llvm::zip(op->getResults(), nest.results)) {
    RtValue value(tensor);
    value.dequantized = dequantized;
    env.set(result, std::move(value));
  }
  return llvm::Error::success();
}
