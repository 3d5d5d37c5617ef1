//===- Loops.cpp - Loop and Scan ------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop is scf.for if the values that it carries keep their shapes. Otherwise,
// and if it is short, each of its iterations is imported: it may have shapes of
// its own, and the integer evaluator knows its number.
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../Compose.h"
#include "../Ops.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include <functional>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Values = SmallVector<GraphValue>;

/// Loops of at most this many nodes in all iterations are not rolled.
static constexpr int64_t kShort = 64;
/// At most this many nodes come of a loop that cannot be rolled.
static constexpr int64_t kMaxUnrolled = 4096;

namespace {
/// The iterations of a graph.
struct GraphLoop {
  GraphLoop(NodeImporter &n, const Graph &body, OpFoldResult count)
      : n(n), body(body), count(count) {}

  NodeImporter &n;
  const Graph &body;
  /// How many iterations there are at most; null: no limit is given.
  OpFoldResult count;
  /// Whether the first output of the body says if there is another iteration.
  bool hasCondition = false;
  /// The carried values before the first iteration.
  Values start;
  /// For each result that has an element of each iteration: whether the last
  /// iteration comes first.
  SmallVector<bool> areReversed;
  /// The inputs of the body.
  std::function<FailureOr<Values>(OpFoldResult, ArrayRef<GraphValue>)>
      arguments;
  /// The carried values after the last iteration, and the results, with the
  /// iterations in the first dimension.
  Values ends, results;

  LogicalResult run();

private:
  FailureOr<Values> iterate(OpFoldResult i, ArrayRef<GraphValue> carried);
  FailureOr<bool> goesOn(ArrayRef<GraphValue> outputs);
  LogicalResult unroll(int64_t limit);
  LogicalResult roll();
  bool tryRoll();
  FailureOr<SmallVector<Shape>> findResults(SmallVector<Type> &elements);
  LogicalResult verifyCarried(ArrayRef<GraphValue> next);

  /// Why the loop cannot be rolled.
  std::string reason;
};
} // namespace

/// How many nodes a graph has, with those of its branches.
static int64_t countNodes(const Graph &graph) {
  int64_t count = 0;
  for (const Node &node : graph.nodes) {
    ++count;
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.graph)
        count += countNodes(*attribute.graph);
  }
  return count;
}

/// Makes tensors, before the loop, of all values that a graph may read from
/// outside of it.
static void makeTensors(NodeImporter &n, const Graph &graph) {
  auto make = [&](std::string_view name) {
    if (GraphValue *value = name.empty() ? nullptr : n.lookup(name))
      (void)n.tensor(*value);
  };
  for (const Node &node : graph.nodes) {
    for (std::string_view input : node.inputs)
      make(input);
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.graph)
        makeTensors(n, *attribute.graph);
  }
  for (const ValueInfo &output : graph.outputs)
    make(output.name);
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

FailureOr<Values> GraphLoop::iterate(OpFoldResult i,
                                     ArrayRef<GraphValue> carried) {
  FailureOr<Values> inputs = arguments(i, carried);
  if (failed(inputs))
    return failure();
  size_t needed = hasCondition + start.size() + areReversed.size();
  if (inputs->size() != body.inputs.size() || needed != body.outputs.size())
    return n.refuse() << "has a body of " << body.inputs.size()
                      << " inputs and " << body.outputs.size()
                      << " outputs where it needs " << inputs->size() << " and "
                      << needed << "; correct the model";
  // Whether there is an iteration may be known at run time only.
  return n.importBranch(body, *inputs, knownSize(i).has_value());
}

/// Whether there is an iteration after the one that gave `outputs`.
FailureOr<bool> GraphLoop::goesOn(ArrayRef<GraphValue> outputs) {
  if (!hasCondition)
    return true;
  if (std::optional<bool> known = Constants::readBool(outputs[0]))
    return *known;
  return n.refuse() << "ends when a condition does not hold that is known only "
                       "when the model runs, which is not supported; give it a "
                       "number of iterations, or cut the model before it";
}

LogicalResult GraphLoop::unroll(int64_t limit) {
  Values carried = start;
  SmallVector<Values> parts(areReversed.size());
  for (int64_t i = 0; i < limit; ++i) {
    FailureOr<Values> outputs = iterate(n.size(i), carried);
    if (failed(outputs))
      return failure();
    FailureOr<bool> next = goesOn(*outputs);
    if (failed(next))
      return failure();
    ArrayRef<GraphValue> rest = ArrayRef(*outputs).drop_front(hasCondition);
    carried = Values(rest.take_front(start.size()));
    for (auto [part, value] :
         llvm::zip_equal(parts, rest.drop_front(start.size())))
      part.push_back(value);
    if (!*next)
      break;
    if (i + 1 < limit || (count && knownSize(count) == limit))
      continue;
    if (!reason.empty())
      return emitError(n.loc) << reason;
    return n.refuse() << "does not end after " << limit
                      << " iterations, more than are supported; give it a "
                         "number of iterations";
  }
  ends = carried;
  Composer c(n);
  for (auto [part, isReversed] : llvm::zip_equal(parts, areReversed)) {
    if (part.empty())
      return n.refuse() << "has no iteration, and a result that would be "
                           "empty, which is not supported; remove the node";
    Composer::Refs rows;
    for (GraphValue &value : part)
      rows.push_back(c.hold(unsqueeze(n, value, {0})));
    if (isReversed)
      std::reverse(rows.begin(), rows.end());
    results.push_back(*c.op("Concat", rows, {attribute("axis", int64_t(0))}));
  }
  return failure(c.failed());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool areEqual(const Shape &x, const Shape &y) {
  return ArrayRef<OpFoldResult>(x) == ArrayRef<OpFoldResult>(y);
}

LogicalResult GraphLoop::verifyCarried(ArrayRef<GraphValue> next) {
  for (auto [i, before, after] : llvm::enumerate(start, next))
    if (before.element != after.element || !areEqual(before.shape, after.shape))
      return n.refuse()
             << "carries a value, number " << i
             << ", whose type or shape changes in an iteration, which is "
                "supported for few iterations of a constant number only; pad "
                "the value to its final size";
  return success();
}

/// The carried values of an iteration.
static Values toValues(ArrayRef<GraphValue> like, ValueRange carried) {
  Values values;
  for (auto [model, value] : llvm::zip(like, carried))
    values.push_back(toGraphValue(value, model.shape));
  return values;
}

/// The shapes of what an iteration adds to the results; the loop that shows
/// them is removed.
FailureOr<SmallVector<Shape>>
GraphLoop::findResults(SmallVector<Type> &elements) {
  SmallVector<Shape> shapes;
  SmallVector<Value> carried;
  for (GraphValue &value : start)
    carried.push_back(n.tensor(value));
  carried.push_back(filled(n, n.b.getI1Type(), {}, 0));
  SmallVector<Value> last =
      repeat(n, count, carried,
             [&](Value i, ValueRange values) -> FailureOr<SmallVector<Value>> {
               n.noteSizes({OpFoldResult(i)});
               FailureOr<Values> outputs = iterate(i, toValues(start, values));
               if (failed(outputs))
                 return failure();
               for (const GraphValue &value : ArrayRef(*outputs).drop_front(
                        hasCondition + start.size())) {
                 shapes.push_back(value.shape);
                 elements.push_back(value.element);
               }
               return SmallVector<Value>(values);
             });
  if (last.empty())
    return failure();
  Operation *loop = last[0].getDefiningOp();
  for (Shape &shape : shapes)
    for (OpFoldResult size : shape)
      if (auto value = dyn_cast<Value>(size);
          value && loop->isAncestor(value.getParentBlock()->getParentOp()))
        return n.refuse() << "has results whose sizes depend on the iteration, "
                             "which is not supported; give the sizes (--dim, "
                             "--shape)";
  loop->erase();
  return shapes;
}

LogicalResult GraphLoop::roll() {
  SmallVector<Type> elements;
  FailureOr<SmallVector<Shape>> shapes = findResults(elements);
  if (failed(shapes))
    return failure();
  SmallVector<Value> carried;
  for (GraphValue &value : start)
    carried.push_back(n.tensor(value));
  SmallVector<Shape> all;
  for (auto [shape, element] : llvm::zip_equal(*shapes, elements)) {
    all.push_back({count});
    all.back().append(shape);
    carried.push_back(filled(n, element, all.back(), 0));
  }
  // repeat() needs a value to carry.
  if (carried.empty())
    return success();
  Value last = n.index(n.sub(count, n.size(1)));
  auto step = [&](Value i, ValueRange values) -> FailureOr<SmallVector<Value>> {
    n.noteSizes({OpFoldResult(i)});
    FailureOr<Values> outputs = iterate(i, toValues(start, values));
    if (failed(outputs))
      return failure();
    FailureOr<bool> next = goesOn(*outputs);
    ArrayRef<GraphValue> rest = ArrayRef(*outputs).drop_front(hasCondition);
    if (failed(next) || failed(verifyCarried(rest.take_front(start.size()))))
      return failure();
    if (!*next)
      return n.refuse() << "ends after one iteration of a number that is known "
                           "only when the model runs, which is not supported; "
                           "give the sizes (--dim, --shape)";
    SmallVector<Value> results;
    for (const GraphValue &value : rest.take_front(start.size())) {
      GraphValue copy = value;
      results.push_back(n.tensor(copy));
    }
    for (auto [k, value] : llvm::enumerate(rest.drop_front(start.size()))) {
      GraphValue copy = value;
      Value place = areReversed[k] ? Scalars(n.b, n.loc).sub(last, i) : i;
      SmallVector<OpFoldResult> starts(all[k].size(), n.size(0)), sizes(all[k]),
          strides(all[k].size(), n.size(1));
      starts[0] = place;
      sizes[0] = n.size(1);
      results.push_back(tensor::InsertSliceOp::create(
          n.b, n.loc, n.tensor(copy), values[start.size() + k], starts, sizes,
          strides));
    }
    return results;
  };
  SmallVector<Value> after = repeat(n, count, carried, step);
  if (after.empty())
    return failure();
  ends = toValues(start, ArrayRef(after).take_front(start.size()));
  for (auto [shape, value] :
       llvm::zip_equal(all, ArrayRef(after).drop_front(start.size())))
    results.push_back(toGraphValue(value, shape));
  return success();
}

/// Rolls the loop; where that fails, removes what was made of it, and keeps
/// the reason.
bool GraphLoop::tryRoll() {
  Block &block = *n.b.getInsertionBlock();
  Operation *before = block.empty() ? nullptr : &block.back();
  NodeImporter::Region region(n);
  ScopedDiagnosticHandler keep(n.b.getContext(), [&](Diagnostic &diagnostic) {
    if (reason.empty())
      reason = diagnostic.str();
    return success();
  });
  if (succeeded(roll()))
    return true;
  while (!block.empty() && &block.back() != before)
    block.back().erase();
  results.clear();
  return false;
}

LogicalResult GraphLoop::run() {
  int64_t nodes = std::max<int64_t>(countNodes(body), 1),
          longest = std::max<int64_t>(kMaxUnrolled / nodes, 1);
  if (!count)
    return unroll(longest);
  std::optional<int64_t> known = knownSize(count);
  if (known && *known <= std::max<int64_t>(kShort / nodes, 1))
    return unroll(*known);
  makeTensors(n, body);
  for (GraphValue &value : start)
    (void)n.tensor(value);
  if (!known)
    return roll();
  return success(tryRoll() || succeeded(unroll(std::min(*known, longest))));
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// The shape of a scalar as an input of the body declares it: [] or [1].
static Shape scalarShape(NodeImporter &n, const Graph &body, size_t input) {
  bool isVector = input < body.inputs.size() && body.inputs[input].hasShape &&
                  body.inputs[input].shape.size() == 1;
  return isVector ? Shape{n.size(1)} : Shape{};
}

/// The number of iterations, null where it is not limited.
static FailureOr<OpFoldResult> readCount(NodeImporter &n) {
  if (!n.has(0))
    return OpFoldResult();
  FailureOr<SmallVector<OpFoldResult>> given =
      n.integers(0, "its number of iterations");
  if (failed(given))
    return failure();
  if (given->size() != 1)
    return n.refuse() << "has a number of iterations of " << given->size()
                      << " elements; it has to be one";
  OpFoldResult count = given->front();
  if (std::optional<int64_t> known = knownSize(count))
    return n.size(std::max<int64_t>(*known, 0));
  return n.isNeverNegative(count) ? count : n.max(count, n.size(0));
}

/// Sets the outputs: carried values, then results, whose iterations lie along
/// the dimensions `axes`, or along the first one.
static LogicalResult setOutputs(NodeImporter &n, GraphLoop &loop,
                                ArrayRef<int64_t> axes) {
  for (auto [i, value] : llvm::enumerate(loop.ends))
    (void)n.set(i, value);
  for (auto [i, value] : llvm::enumerate(loop.results)) {
    FailureOr<int64_t> axis =
        n.dimension(axes.empty() ? 0 : axes[i], value.rank());
    if (failed(axis))
      return failure();
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(1, value.rank()));
    order.insert(order.begin() + *axis, 0);
    (void)n.set(loop.ends.size() + i, transpose(n, value, order));
  }
  return success();
}

LogicalResult onnx::importLoop(NodeImporter &n) {
  const Graph &body = *n.find("body")->graph;
  FailureOr<OpFoldResult> count = readCount(n);
  if (failed(count))
    return failure();
  GraphLoop loop(n, body, *count);
  loop.hasCondition = true;
  if (n.has(1)) {
    std::optional<bool> begins = Constants::readBool(n.in(1));
    if (!begins)
      return n.refuse()
             << "begins if a condition holds that is known only when "
                "the model runs, which is not supported; give the "
                "condition (--constant), or cut the model before it";
    if (!*begins)
      loop.count = n.size(0);
  }
  for (unsigned i = 2; i < n.numInputs(); ++i)
    loop.start.push_back(n.in(i));
  size_t carried = loop.start.size();
  if (body.outputs.size() < 1 + carried)
    return n.refuse() << "carries " << carried << " values, more than its body "
                      << "gives; correct the model";
  loop.areReversed.assign(body.outputs.size() - 1 - carried, false);
  loop.arguments = [&](OpFoldResult i,
                       ArrayRef<GraphValue> values) -> FailureOr<Values> {
    GraphValue number;
    number.element = n.b.getI64Type();
    number.shape = scalarShape(n, body, 0);
    number.integers = SmallVector<OpFoldResult>{i};
    Values inputs{number,
                  Constants::makeBool(n.b, true, scalarShape(n, body, 1))};
    inputs.append(values.begin(), values.end());
    return inputs;
  };
  if (failed(loop.run()))
    return failure();
  return setOutputs(n, loop, {});
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

LogicalResult onnx::importScan(NodeImporter &n) {
  const Graph &body = *n.find("body")->graph;
  int64_t inputs = n.numInputs(), scanned = n.getInt("num_scan_inputs", 0),
          states = inputs - scanned,
          stacked = static_cast<int64_t>(body.outputs.size()) - states;
  if (scanned < 1 || states < 0 || stacked < 0)
    return n.refuse() << "has num_scan_inputs = " << scanned << " of " << inputs
                      << " inputs, which does not fit its body; correct it";
  auto inAxes = n.getInts("scan_input_axes", scanned, 0),
       inTurns = n.getInts("scan_input_directions", scanned, 0),
       outAxes = n.getInts("scan_output_axes", stacked, 0),
       outTurns = n.getInts("scan_output_directions", stacked, 0);
  if (failed(inAxes) || failed(inTurns) || failed(outAxes) || failed(outTurns))
    return failure();
  GraphLoop loop(n, body, OpFoldResult());
  for (int64_t i = 0; i < states; ++i)
    loop.start.push_back(n.in(i));
  for (int64_t turn : *outTurns)
    loop.areReversed.push_back(turn != 0);
  // The scanned dimension of each input is its first one.
  Values rows;
  for (int64_t i = 0; i < scanned; ++i) {
    GraphValue &x = n.in(states + i);
    FailureOr<int64_t> axis = n.dimension((*inAxes)[i], x.rank());
    if (failed(axis))
      return failure();
    SmallVector<int64_t> order{*axis};
    for (int64_t d = 0; d < x.rank(); ++d)
      if (d != *axis)
        order.push_back(d);
    rows.push_back(transpose(n, x, order));
    (void)n.tensor(rows.back());
    OpFoldResult size = rows.back().shape[0];
    if (loop.count && knownSize(loop.count) && knownSize(size) &&
        knownSize(loop.count) != knownSize(size))
      return n.refuse() << "scans dimensions of different sizes; correct the "
                           "shapes";
    loop.count = loop.count ? simpler(loop.count, size) : size;
  }
  Composer c(n);
  loop.arguments = [&](OpFoldResult i,
                       ArrayRef<GraphValue> values) -> FailureOr<Values> {
    Values inputs(values);
    for (auto [row, turn] : llvm::zip_equal(rows, *inTurns)) {
      OpFoldResult place = turn ? n.sub(n.sub(loop.count, n.size(1)), i) : i;
      inputs.push_back(*c.element(&row, place));
    }
    if (c.failed())
      return failure();
    return inputs;
  };
  if (failed(loop.run()))
    return failure();
  return setOutputs(n, loop, *outAxes);
}
