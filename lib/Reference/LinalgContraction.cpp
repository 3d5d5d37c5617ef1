//===- LinalgContraction.cpp - Contractions written in linalg -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parallel loops of a contraction fall into those of the left factor alone
// (rows), of the right factor alone (columns) and of both (batches); a factor's
// elements for one row or column and all points of the reduction loops are
// gathered, which makes matrix products, convolutions and whatever else has
// this body one loop.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "LinalgNest.h"
#include "QuantMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace qcc::reference;

/// The other operand of `op` if one of the two is `value`.
static Value otherOperand(Operation *op, Value value) {
  if (op->getOperand(0) == value)
    return op->getOperand(1);
  return op->getOperand(1) == value ? op->getOperand(0) : Value();
}

std::optional<ContractionMatch>
qcc::reference::matchContraction(const LinalgNest &nest) {
  if (nest.results.size() != 1 || nest.reduction.empty() || !nest.init(0))
    return std::nullopt;
  Operation *sum = nest.yielded(0).getDefiningOp();
  if (!sum || !isa<arith::AddFOp, arith::AddIOp>(sum))
    return std::nullopt;
  Value product = otherOperand(sum, nest.init(0));
  Operation *mul = product ? product.getDefiningOp() : nullptr;
  if (!mul || mul->getBlock() != &nest.body())
    return std::nullopt;
  ContractionMatch match;
  match.isFloat = isa<arith::AddFOp>(sum);
  if (!(match.isFloat ? isa<arith::MulFOp>(mul) : isa<arith::MulIOp>(mul)))
    return std::nullopt;
  match.x = mul->getOperand(0);
  match.y = mul->getOperand(1);
  if (!match.isFloat) {
    // Any functions of the inputs: the products wrap alike.
    if (nest.dependsOnInit(match.x) || nest.dependsOnInit(match.y))
      return std::nullopt;
    return match;
  }
  if (nest.op.getNumDpsInputs() != 2)
    return std::nullopt;
  auto source = [](Value value) {
    if (auto extend = value.getDefiningOp<arith::ExtFOp>())
      return extend.getIn();
    return value;
  };
  Value left = nest.input(0), right = nest.input(1);
  Value x = source(match.x), y = source(match.y);
  if (x == left && y == right)
    return match;
  if (x == right && y == left) {
    std::swap(match.x, match.y);
    return match;
  }
  return std::nullopt;
}

namespace {

/// The loops as a batched matrix product.
struct Grouping {
  SmallVector<unsigned> batches, rows, columns;

  Grouping(ArrayRef<unsigned> parallel, ArrayRef<bool> usedByX,
           ArrayRef<bool> usedByY) {
    for (unsigned loop : parallel)
      if (usedByX[loop] && usedByY[loop])
        batches.push_back(loop);
      else if (usedByY[loop])
        columns.push_back(loop);
      else
        rows.push_back(loop);
  }
};

/// One factor: a program over the inputs that it needs, or the integers of a
/// dequantized value (N3).
struct Factor {
  std::unique_ptr<Program> program;
  SmallVector<LinalgNest::Port> ports;
  unsigned reg = 0;
  SmallVector<bool> uses;
  // The scales of a dequantized value: of each element, or of all.
  std::optional<Access> scale;
  float perTensorScale = 1.0f;

  /// Gathers the points of `walk` from `index` on into `to`.
  template <typename T>
  void gather(const LoopWalk &walk, SmallVector<int64_t> index, T *to,
              FailureSlot &failures) const {
    Program::State state(*program);
    int64_t count = walk.count();
    for (int64_t at = 0; at < count; at += kBatch) {
      int n = static_cast<int>(std::min<int64_t>(kBatch, count - at));
      walk.segments(at, n, index, [&](int position, int length) {
        for (const LinalgNest::Port &port : ports)
          if (!port.access.load(index, walk.innermost(), length,
                                state[port.reg], position))
            failures.report("reaches outside of an operand");
      });
      if (!program->run(state, n, failures))
        return;
      std::copy_n(state[reg].template lanes<T>(), n, to + at);
    }
  }

  float scaleAt(ArrayRef<int64_t> index) const {
    if (!scale)
      return perTensorScale;
    return reinterpret_cast<const float *>(scale->data)[scale->offset(index)];
  }
};

} // namespace

/// A factor of the body as it stands.
static llvm::Expected<Factor> literalFactor(const LinalgNest &nest, Value value,
                                            Evaluator &evaluator,
                                            const Env &env) {
  Factor factor;
  factor.program = std::make_unique<Program>(evaluator, env);
  llvm::Expected<SmallVector<LinalgNest::Port>> ports =
      nest.bindInputs(*factor.program);
  if (!ports)
    return ports.takeError();
  if (llvm::Error error = factor.program->compile(nest.body(), value))
    return error;
  factor.reg = factor.program->regOf(value);
  // The inputs that the factor needs decide over which loops it varies.
  factor.uses.assign(nest.sizes.size(), false);
  SmallVector<Value> worklist = {value};
  llvm::DenseSet<Value> needed;
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    if (!needed.insert(current).second)
      continue;
    Operation *def = current.getDefiningOp();
    if (def && def->getBlock() == &nest.body())
      def->walk([&](Operation *inner) {
        llvm::append_range(worklist, inner->getOperands());
      });
  }
  unsigned next = 0;
  for (unsigned i = 0; i < nest.op.getNumDpsInputs(); ++i) {
    BlockArgument arg = nest.input(i);
    if (!arg || arg.use_empty())
      continue;
    const LinalgNest::Port &port = (*ports)[next++];
    if (!needed.contains(arg))
      continue;
    factor.ports.push_back(port);
    for (unsigned d = 0; d < nest.sizes.size(); ++d)
      factor.uses[d] |= port.access.uses[d];
  }
  return factor;
}

/// A factor that is a dequantized input.
static llvm::Expected<Factor> integerFactor(const LinalgNest &nest,
                                            unsigned input,
                                            Evaluator &evaluator,
                                            const Env &env) {
  const Dequantized &value = *nest.inputValue(input).dequantized;
  AffineMap map = nest.inputMap(input);
  Factor factor;
  factor.program = std::make_unique<Program>(evaluator, env);
  factor.reg = factor.program->newReg();
  llvm::Expected<Access> access =
      Access::get(nest.op, map, value.difference, nest.sizes);
  if (!access)
    return access.takeError();
  factor.uses = access->uses;
  factor.ports.push_back({std::move(*access), factor.reg});
  if (value.isPerTensor()) {
    factor.perTensorScale = value.scale.get(0).f;
    return factor;
  }
  llvm::Expected<Access> scale =
      Access::get(nest.op, map, value.scale, nest.sizes);
  if (!scale)
    return scale.takeError();
  factor.scale = std::move(*scale);
  return factor;
}

/// The number of points of the reduction loops, if all sizes are static.
static std::optional<int64_t> staticReductionSize(const LinalgNest &nest) {
  int64_t count = 1;
  for (unsigned loop : nest.reduction) {
    bool isStatic = false;
    for (auto [operand, map] : llvm::zip(nest.op->getOperands(), nest.maps)) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type)
        continue;
      for (auto [expr, size] : llvm::zip(map.getResults(), type.getShape()))
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          isStatic |= dim.getPosition() == loop && !ShapedType::isDynamic(size);
    }
    if (!isStatic)
      return std::nullopt;
    count *= nest.sizes[loop];
  }
  return count;
}

/// Whether N3 defines this float contraction on integers; an error if they
/// could overflow for sizes that are known only now.
static llvm::Expected<bool> isIntegerByN3(const LinalgNest &nest) {
  Elem acc = nest.results[0].elem;
  if (!acc.isSingle())
    return false;
  int64_t largest[2];
  for (unsigned i = 0; i < 2; ++i) {
    const auto &value = nest.inputValue(i).dequantized;
    if (!value)
      return false;
    largest[i] = value->maxDifference;
    for (auto [expr, varies] :
         llvm::zip(nest.inputMap(i).getResults(), value->varies))
      for (unsigned loop : nest.reduction)
        if (varies && expr.isFunctionOfDim(loop))
          return false;
  }
  if (std::optional<int64_t> size = staticReductionSize(nest))
    return cannotOverflow(*size, largest[0], largest[1]);
  int64_t size = 1;
  for (unsigned loop : nest.reduction)
    size *= nest.sizes[loop];
  if (!cannotOverflow(size, largest[0], largest[1]))
    return failure(nest.op, "has a reduction of " + llvm::Twine(size) +
                                " products, whose sum could overflow i32");
  return true;
}

/// N3: an initial value that is the constant +0.0 is no bias.
static bool isConstantZero(Value init) {
  Attribute value;
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    if (!matchPattern(fill.value(), m_Constant(&value)))
      return false;
  } else if (!matchPattern(init, m_Constant(&value))) {
    return false;
  }
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = splat.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(value);
  return number && number.getValue().isPosZero();
}

/// Runs `body(batchIndex, threads)` for every batch.
static void
forBatches(unsigned threads, const LoopWalk &batches, size_t loops,
           llvm::function_ref<void(ArrayRef<int64_t>, unsigned)> body) {
  int64_t count = batches.count();
  auto range = [&](int64_t begin, int64_t end, unsigned inner) {
    SmallVector<int64_t> index(loops, 0);
    for (int64_t b = begin; b < end; ++b) {
      batches.seek(b, index);
      body(index, inner);
    }
  };
  if (count < 2 * static_cast<int64_t>(threads))
    return range(0, count, threads);
  parallelFor(threads, count, 1,
              [&](int64_t begin, int64_t end) { range(begin, end, 1); });
}

namespace {

/// A contraction whose factors are known, as batches of matrix products.
class BatchedProduct {
public:
  /// With `onIntegers`, the factors are dequantized values, and N3 says how the
  /// sums of their integers become floats.
  BatchedProduct(const LinalgNest &nest, Factor &x, Factor &y, Access &result,
                 bool onIntegers)
      : nest(nest), x(x), y(y), result(result), onIntegers(onIntegers),
        groups(nest.parallel, x.uses, y.uses),
        batches(nest.sizes, groups.batches), rows(nest.sizes, groups.rows),
        columns(nest.sizes, groups.columns), inner(nest.sizes, nest.reduction) {
    hasBias =
        onIntegers && !isConstantZero(nest.op.getDpsInitOperand(0)->get());
  }

  llvm::Error run(bool isFloat);

private:
  using Index = ArrayRef<int64_t>;

  void runIntegers(Index batch, unsigned threads);
  template <typename T> void runFloats(Index batch, unsigned threads);

  /// Gathers row `row` of a factor of type T.
  template <typename T>
  auto packer(const Factor &factor, const LoopWalk &walk, Index batch) {
    return [&factor, &walk, this, batch](int64_t row, T *to) {
      SmallVector<int64_t> index(batch);
      walk.seek(row, index);
      factor.gather(inner, index, to, failures);
    };
  }

  /// Calls move(index, loop, n, position) for a piece of a row of the result,
  /// in runs of at most a batch of lanes.
  template <typename Move>
  void transfer(Index batch, int64_t row, int64_t column, int64_t count,
                Move move) {
    SmallVector<int64_t> index(batch);
    rows.seek(row, index);
    int dim = columns.innermost();
    columns.segments(column, count, index, [&](int position, int n) {
      SmallVector<int64_t> run(index);
      for (int at = 0; at < n; at += kBatch) {
        int width = std::min(kBatch, n - at);
        move(run, dim, width, position + at);
        if (dim >= 0)
          run[dim] += width;
      }
    });
  }

  /// Adds the sums to `n` elements of the result, by N3 where that applies.
  void addSums(Index start, int dim, int n, const int64_t *sums);

  const LinalgNest &nest;
  Factor &x, &y;
  Access &result;
  bool onIntegers, hasBias;
  Grouping groups;
  LoopWalk batches, rows, columns, inner;
  FailureSlot failures;
};

} // namespace

void BatchedProduct::addSums(Index start, int dim, int n, const int64_t *sums) {
  SmallVector<int64_t> index(start);
  Reg reg;
  result.load(start, dim, n, reg, 0);
  for (int l = 0; l < n; ++l) {
    if (onIntegers) {
      float m = x.scaleAt(index) * y.scaleAt(index);
      reg.f[l] = hasBias ? fusedBias(sums[l], m, reg.f[l]) : scaled(sums[l], m);
    } else {
      reg.i[l] = wrapTo(static_cast<int64_t>(static_cast<uint64_t>(reg.i[l]) +
                                             static_cast<uint64_t>(sums[l])),
                        result.elem.width);
    }
    if (dim >= 0)
      ++index[dim];
  }
  result.store(start, dim, n, reg, 0);
}

void BatchedProduct::runIntegers(Index batch, unsigned threads) {
  IntContraction loop;
  loop.m = rows.count();
  loop.n = columns.count();
  loop.k = inner.count();
  loop.narrow = onIntegers || result.elem.width <= 32;
  loop.packX = packer<int64_t>(x, rows, batch);
  loop.packY = packer<int64_t>(y, columns, batch);
  loop.sink = [&](int64_t row, int64_t column, int64_t count,
                  const int64_t *sums) {
    transfer(batch, row, column, count,
             [&](Index index, int dim, int n, int position) {
               addSums(index, dim, n, sums + position);
             });
  };
  loop.run(threads);
}

template <typename T>
void BatchedProduct::runFloats(Index batch, unsigned threads) {
  FloatContraction<T> loop;
  loop.m = rows.count();
  loop.n = columns.count();
  loop.k = inner.count();
  loop.rounding = result.elem.cls == Elem::F16    ? ChainRounding::F16
                  : result.elem.cls == Elem::BF16 ? ChainRounding::BF16
                                                  : ChainRounding::None;
  loop.packX = packer<T>(x, rows, batch);
  loop.packY = packer<T>(y, columns, batch);
  loop.initial = [&](int64_t row, int64_t column, int64_t count, T *values) {
    transfer(batch, row, column, count,
             [&](Index index, int dim, int n, int position) {
               Reg reg;
               result.load(index, dim, n, reg, 0);
               std::copy_n(reg.lanes<T>(), n, values + position);
             });
  };
  loop.sink = [&](int64_t row, int64_t column, int64_t count, const T *values) {
    transfer(batch, row, column, count,
             [&](Index index, int dim, int n, int position) {
               Reg reg;
               std::copy_n(values + position, n, reg.lanes<T>());
               result.store(index, dim, n, reg, 0);
             });
  };
  loop.run(threads);
}

llvm::Error BatchedProduct::run(bool isFloat) {
  if (batches.count() == 0 || rows.count() == 0 || columns.count() == 0)
    return llvm::Error::success();
  unsigned threads = std::min(x.program->threads(), y.program->threads());
  forBatches(threads, batches, nest.sizes.size(),
             [&](Index batch, unsigned threads) {
               if (!isFloat || onIntegers)
                 runIntegers(batch, threads);
               else if (result.elem.isSingle())
                 runFloats<float>(batch, threads);
               else
                 runFloats<double>(batch, threads);
             });
  return nest.inThreads(failures);
}

llvm::Expected<bool> LinalgNest::runContraction(Evaluator &evaluator,
                                                const Env &env) {
  std::optional<ContractionMatch> match = matchContraction(*this);
  if (!match)
    return false;
  bool onIntegers = false;
  if (match->isFloat) {
    llvm::Expected<bool> isInteger = isIntegerByN3(*this);
    if (!isInteger)
      return isInteger.takeError();
    onIntegers = *isInteger;
  }
  llvm::Expected<Factor> x =
      onIntegers ? integerFactor(*this, 0, evaluator, env)
                 : literalFactor(*this, match->x, evaluator, env);
  if (!x)
    return x.takeError();
  llvm::Expected<Factor> y =
      onIntegers ? integerFactor(*this, 1, evaluator, env)
                 : literalFactor(*this, match->y, evaluator, env);
  if (!y)
    return y.takeError();
  // Factors that look at loop indices are left to the other ways.
  if (!x->program->indexRegs().empty() || !y->program->indexRegs().empty())
    return false;
  llvm::Expected<Access> result = resultAccess(0);
  if (!result)
    return result.takeError();
  if (llvm::Error error = BatchedProduct(*this, *x, *y, *result, onIntegers)
                              .run(match->isFloat))
    return std::move(error);
  return true;
}
