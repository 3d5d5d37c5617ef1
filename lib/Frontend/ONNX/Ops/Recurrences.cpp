//===- Recurrences.cpp - LSTM, GRU and RNN --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product of all inputs with their weights does not depend on the steps, so
// that it is computed before the loop over the steps. The sums of a step begin
// with its part of the product, and a cell computes the next state from them.
//
//===----------------------------------------------------------------------===//

#include "../Compose.h"
#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Ref = Composer::Ref;
using Refs = Composer::Refs;

namespace {
/// Computes the next states from the inputs' part of the sums and the states.
using Cell = llvm::function_ref<Refs(Ref, ArrayRef<Ref>)>;

/// The common parts of RNN, GRU and LSTM.
struct Recurrence {
  NodeImporter &n;
  Composer c;
  int64_t hidden = 0, directions = 1;
  bool isBatchFirst = false;
  /// The input, [steps, batch, size].
  Ref x = nullptr;
  OpFoldResult steps, batch;
  /// Number of steps of each sequence, [batch, 1]; null if each has all steps.
  Ref lengths = nullptr;
  SmallVector<StringRef> activations;
  float clip = 0;
  /// For each direction, the values after each step; then the last states.
  Refs values;
  SmallVector<Refs> states;

  explicit Recurrence(NodeImporter &n) : n(n), c(n) {}
  /// `weightsAreTransposed`: [size, gates] instead of [gates, size].
  LogicalResult read(ArrayRef<StringRef> absent, int64_t gates,
                     bool weightsAreTransposed = false);
  LogicalResult verifySizes(int64_t gates, bool weightsAreTransposed);
  /// The value with the batch as size of dimension `dim`, if that is known.
  Ref withBatch(Ref value, int64_t dim);
  bool isReverse(int64_t direction) {
    return direction == 1 || n.getString("direction", "forward") == "reverse";
  }
  /// Input `i` of one direction, or null.
  Ref param(unsigned i, int64_t direction);
  /// The state that input `i` gives, or zeros.
  Ref start(unsigned i, int64_t direction);
  Ref activate(int64_t direction, unsigned i, Ref x);
  /// Columns `i` * hidden on of a value.
  Ref columns(Ref x, int64_t i, int64_t count = 1) {
    return c.part(x, x->rank() - 1, n.size(i * hidden), n.size(count * hidden));
  }
  /// [steps, batch, ...] of the input times [rows, size] plus a bias.
  Ref project(Ref weight, Ref bias);
  /// Runs all steps of a direction.
  LogicalResult run(int64_t direction, Ref fromInput, ArrayRef<Ref> start,
                    Cell cell);
  LogicalResult finish();
};
} // namespace

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Refuses parameters whose sizes do not fit hidden_size, the directions or the
/// batch.
LogicalResult Recurrence::verifySizes(int64_t gates,
                                      bool weightsAreTransposed) {
  // More than any model has; products of such numbers do not overflow.
  bool fits = hidden >= 1 && hidden < (1 << 24);
  auto check = [&](unsigned i, int64_t rank, int64_t dim, int64_t size) {
    if (!fits || !n.has(i))
      return;
    const Shape &shape = n.in(i).shape;
    fits = static_cast<int64_t>(shape.size()) == rank &&
           knownSize(shape[dim]) == size;
  };
  int64_t wide = weightsAreTransposed ? 2 : 1, narrow = 3 - wide;
  for (unsigned i : {1, 2}) {
    check(i, 3, 0, directions);
    check(i, 3, wide, gates * hidden);
  }
  check(2, 3, narrow, hidden);
  check(3, 2, 0, directions);
  check(3, 2, 1, 2 * gates * hidden);
  // The initial states; an LSTM has two.
  for (unsigned i : {5, 6}) {
    check(i, 3, 2, hidden);
    check(i, 3, isBatchFirst ? 1 : 0, directions);
    if (fits && n.has(i)) {
      std::optional<int64_t> have =
          knownSize(n.in(i).shape[isBatchFirst ? 0 : 1]);
      fits = !have || !knownSize(batch) || have == knownSize(batch);
    }
  }
  if (gates == 4) {
    check(7, 2, 0, directions);
    check(7, 2, 1, 3 * hidden);
  }
  if (fits)
    return success();
  return n.refuse() << "has weights, biases or states that do not fit its "
                       "hidden_size of "
                    << hidden << ", its direction or its batch; correct them";
}

LogicalResult Recurrence::read(ArrayRef<StringRef> absent, int64_t gates,
                               bool weightsAreTransposed) {
  if (!n.in(0).element.isF32() || n.in(0).rank() != 3 || n.in(2).rank() != 3)
    return n.refuse() << "needs an input [steps, batch, size] of float32 and "
                         "weights in three dimensions; cast or reshape them";
  isBatchFirst = n.getInt("layout", 0) != 0;
  batch = n.in(0).shape[isBatchFirst ? 0 : 1];
  directions = n.getString("direction", "forward") == "bidirectional" ? 2 : 1;
  hidden = n.getInt("hidden_size", 0);
  if (hidden == 0)
    hidden = knownSize(n.in(2).shape[2]).value_or(0);
  if (failed(verifySizes(gates, weightsAreTransposed)))
    return failure();
  for (StringRef name : {"activation_alpha", "activation_beta"})
    if (const NodeAttribute *found = n.find(name);
        found && !found->reals.empty())
      return n.refuse() << "has " << name
                        << ", which is not supported; remove the attribute";
  for (int64_t d = 0; d < directions; ++d)
    llvm::append_range(activations, absent);
  if (const NodeAttribute *given = n.find("activations")) {
    if (given->strings.size() != activations.size())
      return n.refuse() << "has " << given->strings.size()
                        << " activations where it needs " << activations.size()
                        << "; correct the attribute";
    for (auto [to, from] : llvm::zip_equal(activations, given->strings))
      to = {from.data(), from.size()};
  }
  for (StringRef name : activations)
    if (!llvm::is_contained({"Sigmoid", "Tanh", "Relu", "LeakyRelu", "Elu",
                             "HardSigmoid", "Softsign", "Softplus",
                             "ThresholdedRelu"},
                            name))
      return n.refuse() << "has the activation " << name
                        << ", which is not supported; use Sigmoid, Tanh or "
                           "Relu";
  clip = n.getFloat("clip", 0);
  // Constants are tensors before the loops that read them.
  for (unsigned i = 0; i < n.numInputs(); ++i)
    if (n.has(i))
      (void)n.value(i);
  // A batch that only an initial state knows is a requirement of the entry.
  for (unsigned i : {5, 6})
    if (!knownSize(batch) && n.has(i) &&
        knownSize(n.in(i).shape[isBatchFirst ? 0 : 1]))
      batch = n.in(i).shape[isBatchFirst ? 0 : 1];
  x = isBatchFirst ? c.transpose(c.in(0), {1, 0, 2}) : c.in(0);
  steps = x->shape[0];
  x = withBatch(x, 1);
  if (n.has(4)) {
    lengths = c.reshape(c.in(4), {batch, n.size(1)});
    (void)n.tensor(*lengths);
  }
  return success();
}

Ref Recurrence::withBatch(Ref value, int64_t dim) {
  if (c.failed() || !knownSize(batch))
    return value;
  Shape shape = value->shape;
  shape[dim] = batch;
  return c.hold(assumeSizes(n, *value, shape));
}

Ref Recurrence::param(unsigned i, int64_t direction) {
  if (!n.has(i))
    return nullptr;
  Ref one = c.element(c.in(i), n.size(direction));
  (void)n.tensor(*one);
  return one;
}

Ref Recurrence::start(unsigned i, int64_t direction) {
  if (!n.has(i))
    return c.hold(
        toGraphValue(filled(n, n.b.getF32Type(), {batch, n.size(hidden)}, 0.0),
                     {batch, n.size(hidden)}));
  Ref all = isBatchFirst ? c.transpose(c.in(i), {1, 0, 2}) : c.in(i);
  Ref one = withBatch(c.element(all, n.size(direction)), 0);
  (void)n.tensor(*one);
  return one;
}

Ref Recurrence::activate(int64_t direction, unsigned i, Ref x) {
  if (clip > 0)
    x = c.op("Clip", {x, c.number(x, -clip), c.number(x, clip)});
  return c.op(activations[direction * activations.size() / directions + i],
              {x});
}

Ref Recurrence::project(Ref weight, Ref bias) {
  Ref y = c.op("MatMul", {x, c.transpose(weight, {1, 0})});
  return bias ? c.op("Add", {y, bias}) : y;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Whether each sequence has the step `place`, [batch, 1].
static Ref hasStep(NodeImporter &n, Composer &c, Ref lengths, Value place) {
  return c.map(
      {lengths}, n.b.getI1Type(), [&](Scalars &s, ValueRange args) -> Value {
        Value step =
            arith::IndexCastOp::create(s.b, s.loc, args[0].getType(), place);
        return s.less(step, args[0]);
      });
}

LogicalResult Recurrence::run(int64_t direction, Ref fromInput,
                              ArrayRef<Ref> start, Cell cell) {
  if (c.failed())
    return failure();
  Shape one{n.size(1), batch, n.size(hidden)},
      all{steps, batch, n.size(hidden)};
  SmallVector<Value> carried;
  for (Ref state : start)
    carried.push_back(n.tensor(*state));
  carried.push_back(filled(n, n.b.getF32Type(), all, 0.0));
  Value last = n.index(n.sub(steps, n.size(1)));
  (void)n.tensor(*fromInput);
  auto step = [&](Value i,
                  ValueRange carried) -> FailureOr<SmallVector<Value>> {
    Value place = isReverse(direction) ? Scalars(n.b, n.loc).sub(last, i) : i;
    Refs old;
    for (Value state : carried.drop_back())
      old.push_back(c.hold(toGraphValue(state, start[0]->shape)));
    Refs next = cell(c.element(fromInput, place), old);
    Ref shown = next[0];
    if (lengths) {
      Ref isThere = hasStep(n, c, lengths, place);
      for (auto [value, before] : llvm::zip_equal(next, old))
        value = c.op("Where", {isThere, value, before});
      shown = c.op("Where", {isThere, shown, c.number(shown, 0)});
    }
    if (c.failed())
      return failure();
    SmallVector<Value> results;
    for (Ref value : next)
      results.push_back(n.tensor(*value));
    SmallVector<OpFoldResult> starts{place, n.size(0), n.size(0)},
        strides(3, n.size(1));
    results.push_back(tensor::InsertSliceOp::create(
        n.b, n.loc, n.tensor(*shown), carried.back(), starts, one, strides));
    return results;
  };
  SmallVector<Value> results = repeat(n, steps, carried, step);
  if (results.empty())
    return failure();
  values.push_back(c.hold(toGraphValue(results.pop_back_val(), all)));
  Refs &ends = states.emplace_back();
  for (Value state : results)
    ends.push_back(c.hold(toGraphValue(state, start[0]->shape)));
  return success();
}

/// Y [steps, directions, batch, hidden], then the last states [directions,
/// batch, hidden]; with the batch first in layout 1.
LogicalResult Recurrence::finish() {
  auto join = [&](ArrayRef<Ref> parts, int64_t axis) {
    Refs ready;
    for (Ref part : parts)
      ready.push_back(c.hold(unsqueeze(n, *part, {axis})));
    return ready.size() == 1 ? ready[0]
                             : c.op("Concat", ready, {attribute("axis", axis)});
  };
  Ref all = join(values, 1);
  if (isBatchFirst)
    all = c.transpose(all, {2, 0, 1, 3});
  (void)c.set(0, all);
  for (size_t i = 0; i < states[0].size(); ++i) {
    Refs ends;
    for (Refs &state : states)
      ends.push_back(state[i]);
    Ref joined = join(ends, 0);
    if (isBatchFirst)
      joined = c.transpose(joined, {1, 0, 2});
    (void)c.set(1 + i, joined);
  }
  return failure(c.failed());
}

//===----------------------------------------------------------------------===//
// RNN and GRU
//===----------------------------------------------------------------------===//

/// The biases of the input and of the state, of `count` parts each, as one;
/// null without.
static Ref joinBiases(Recurrence &r, Ref biases, int64_t count) {
  if (!biases)
    return nullptr;
  return r.c.op("Add",
                {r.columns(biases, 0, count), r.columns(biases, count, count)});
}

/// A weight [gates, size] as steps read it, [size, gates], before the loop.
static Ref turned(Recurrence &r, Ref weight) {
  Ref columns = r.c.transpose(weight, {1, 0});
  (void)r.n.tensor(*columns);
  return columns;
}

/// start + state * weight
static Ref advance(Composer &c, Ref state, Ref weight, Ref start) {
  return c.op("Gemm", {state, weight, start});
}

LogicalResult onnx::importRNN(NodeImporter &n) {
  Recurrence r(n);
  if (failed(r.read({"Tanh"}, 1)))
    return failure();
  for (int64_t d = 0; d < r.directions; ++d) {
    Ref w = r.param(1, d), s = turned(r, r.param(2, d)), b = r.param(3, d);
    Ref fromInput = r.project(w, joinBiases(r, b, 1));
    if (failed(r.run(d, fromInput, {r.start(5, d)},
                     [&](Ref x, ArrayRef<Ref> state) -> Refs {
                       return {r.activate(d, 0, advance(r.c, state[0], s, x))};
                     })))
      return failure();
  }
  return r.finish();
}

/// Columns `i` * hidden on of a weight, as a tensor.
static Ref part(Recurrence &r, Ref weight, int64_t i, int64_t count) {
  Ref columns = r.columns(weight, i, count);
  (void)r.n.tensor(*columns);
  return columns;
}

/// The gates are z (update), r (reset) and h (new).
LogicalResult onnx::importGRU(NodeImporter &n) {
  Recurrence r(n);
  if (failed(r.read({"Sigmoid", "Tanh"}, 3)))
    return failure();
  Composer &c = r.c;
  bool isReset = n.getInt("linear_before_reset", 0) != 0;
  for (int64_t d = 0; d < r.directions; ++d) {
    Ref w = r.param(1, d), s = turned(r, r.param(2, d)), b = r.param(3, d);
    Ref gates = part(r, s, 0, 2), fresh = part(r, s, 2, 1);
    Ref bias = joinBiases(r, b, 3), freshBias = nullptr;
    if (isReset && b) {
      // The reset gate scales the bias, too.
      freshBias = r.columns(b, 5);
      (void)n.tensor(*freshBias);
      bias = c.op("Concat", {r.columns(bias, 0, 2), r.columns(b, 2)},
                  {attribute("axis", int64_t(0))});
    }
    auto cell = [&](Ref x, ArrayRef<Ref> state) -> Refs {
      Ref h = state[0];
      Ref zr = advance(c, h, gates, r.columns(x, 0, 2));
      Ref z = r.activate(d, 0, r.columns(zr, 0)),
          reset = r.activate(d, 0, r.columns(zr, 1));
      Ref own = r.columns(x, 2);
      Ref sum =
          isReset ? c.op("Add", {own, c.op("Mul", {reset, advance(c, h, fresh,
                                                                  freshBias)})})
                  : advance(c, c.op("Mul", {reset, h}), fresh, own);
      Ref next = r.activate(d, 1, sum);
      Ref rest = c.op("Sub", {c.number(z, 1), z});
      return {c.op("Add", {c.op("Mul", {rest, next}), c.op("Mul", {z, h})})};
    };
    if (failed(r.run(d, r.project(w, bias), {r.start(5, d)}, cell)))
      return failure();
  }
  return r.finish();
}

//===----------------------------------------------------------------------===//
// LSTM
//===----------------------------------------------------------------------===//

/// The next h and c of the sums of the gates i, o, f and c; `peephole` is null
/// or has what i, o and f see of c.
static Refs lstmCell(Recurrence &r, int64_t d, Ref gates, Ref old,
                     Ref peephole) {
  Composer &c = r.c;
  auto gate = [&](int64_t i, int64_t function, Ref cell) {
    Ref sum = r.columns(gates, i);
    if (peephole && cell)
      sum = c.op("Add", {sum, c.op("Mul", {r.columns(peephole, i), cell})});
    return r.activate(d, function, sum);
  };
  Ref in = gate(0, 0, old),
      forget = r.n.getInt("input_forget", 0)
                   ? c.op("Sub", {c.number(in, 1), in})
                   : gate(2, 0, old),
      fresh = gate(3, 1, nullptr);
  Ref cell =
      c.op("Add", {c.op("Mul", {forget, old}), c.op("Mul", {in, fresh})});
  Ref out = gate(1, 0, cell);
  // The last function is not clipped.
  Ref seen = c.op(r.activations[d * 3 + 2], {cell});
  return {c.op("Mul", {out, seen}), cell};
}

LogicalResult onnx::importLSTM(NodeImporter &n) {
  Recurrence r(n);
  if (failed(r.read({"Sigmoid", "Tanh", "Tanh"}, 4)))
    return failure();
  for (int64_t d = 0; d < r.directions; ++d) {
    Ref w = r.param(1, d), s = turned(r, r.param(2, d)), b = r.param(3, d),
        peephole = r.param(7, d);
    Ref fromInput = r.project(w, joinBiases(r, b, 4));
    auto cell = [&](Ref x, ArrayRef<Ref> state) {
      return lstmCell(r, d, advance(r.c, state[0], s, x), state[1], peephole);
    };
    if (failed(r.run(d, fromInput, {r.start(5, d), r.start(6, d)}, cell)))
      return failure();
  }
  return r.finish();
}

/// An LSTM of ONNX Runtime whose weights, [size, gates], are quantized; inputs
/// and states are quantized as DynamicQuantizeLinear does it.
LogicalResult onnx::importDynamicQuantizeLSTM(NodeImporter &n) {
  if (n.getInt("hidden_size", 0) < 1)
    return n.refuse() << "has no hidden_size; add it";
  Recurrence r(n);
  if (failed(r.read({"Sigmoid", "Tanh", "Tanh"}, 4,
                    /*weightsAreTransposed=*/true)))
    return failure();
  Composer &c = r.c;
  auto product = [&](Ref x, Ref w, Ref scale, Ref zero, Ref bias) {
    Refs quantized = c.ops("DynamicQuantizeLinear", {x}, 3);
    Ref both = c.op("Mul", {quantized[1], scale});
    return dequantizedProduct(c, quantized[0], w, both, quantized[2], zero,
                              bias);
  };
  for (int64_t d = 0; d < r.directions; ++d) {
    Ref w = r.param(1, d), s = r.param(2, d), b = r.param(3, d),
        peephole = r.param(7, d), wScale = r.param(8, d), wZero = r.param(9, d),
        sScale = r.param(10, d), sZero = r.param(11, d);
    Ref fromInput = product(r.x, w, wScale, wZero, joinBiases(r, b, 4));
    auto cell = [&](Ref x, ArrayRef<Ref> state) {
      Ref gates = product(state[0], s, sScale, sZero, x);
      return lstmCell(r, d, gates, state[1], peephole);
    };
    if (failed(r.run(d, fromInput, {r.start(5, d), r.start(6, d)}, cell)))
      return failure();
  }
  return r.finish();
}
