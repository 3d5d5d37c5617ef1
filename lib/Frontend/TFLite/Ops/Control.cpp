//===- Control.cpp - Variables, branches and loops ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

using Role = GraphImporter::Role;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

LogicalResult tflite::importVarHandle(OpImporter &n) {
  auto *options = n.options<fb::VarHandleOptions>(fb::OptionsType_VarHandle);
  if (!options)
    return failure();
  auto *name = options->shared_name();
  if (!name || name->size() == 0)
    return n.refuse() << "has no name for its variable; give it one";
  StringRef text(name->c_str(), name->size());
  if (!llvm::json::isUTF8(text))
    return n.refuse() << "has a name for its variable that is not UTF-8; "
                         "correct the model";
  n.importer.setVariable(n.op.outputs[0], text);
  return success();
}

/// The variable of operand 0, whose type a tensor has.
static FailureOr<Variable *> findVariable(OpImporter &n,
                                          const TensorInfo &tensor) {
  Role role = n.importer.role();
  if (role == Role::Loop || role == Role::Branch)
    return n.refuse() << "is in a branch or a loop, which is not supported for "
                         "variables; move it out";
  StringRef name = n.importer.variableOf(n.op.inputs[0]);
  if (name.empty())
    return n.refuse() << "takes a variable that no VAR_HANDLE makes; correct "
                         "the model";
  return n.importer.findVariable(name, tensor, n);
}

LogicalResult tflite::importReadVariable(OpImporter &n) {
  auto variable = findVariable(n, n.result());
  if (failed(variable))
    return failure();
  return n.set(n.importer.role() == Role::Initializer ? (*variable)->initial
                                                      : (*variable)->value);
}

LogicalResult tflite::importAssignVariable(OpImporter &n) {
  if (!n.has(1))
    return n.refuse() << "has no value; correct the model";
  auto variable = findVariable(n, n.info(1));
  if (failed(variable))
    return failure();
  GraphValue &old = (*variable)->value, &next = n.in(1);
  if (old.element != next.element || old.rank() != next.rank() ||
      knownSizes(old.shape) != knownSizes(next.shape))
    return n.refuse() << "gives a variable of "
                      << n.type(old.element, old.shape) << " a value of "
                      << n.type(next.element, next.shape)
                      << ", which is not supported; keep its type";
  if (n.importer.role() != Role::Initializer) {
    old = next;
    return success();
  }
  if (!next.constant)
    return n.refuse() << "gives a variable an initial value that is no "
                         "constant, which is not supported; make it one";
  (*variable)->initial = next;
  return success();
}

LogicalResult tflite::importCallOnce(OpImporter &n) {
  auto *options = n.options<fb::CallOnceOptions>(fb::OptionsType_CallOnce);
  if (!options)
    return failure();
  return n.importer.importGraph(options->subgraph(), {}, Role::Initializer, n);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static Values operandsFrom(OpImporter &n, unsigned first) {
  Values values;
  for (unsigned i = first; i < n.numInputs(); ++i)
    values.push_back(n.in(i));
  return values;
}

static LogicalResult setAll(OpImporter &n, ArrayRef<GraphValue> values) {
  if (values.size() != n.numResults())
    return n.refuse() << "has " << n.numResults() << " results but its graph "
                      << values.size() << "; correct the model";
  for (auto [i, value] : llvm::enumerate(values))
    if (failed(n.set(i, value)))
      return failure();
  return success();
}

/// Gives the results of both branches one shape. The entry checks sizes that
/// are not known.
static LogicalResult agree(OpImporter &n, GraphValue &x, GraphValue &y) {
  if (x.element != y.element || x.rank() != y.rank())
    return n.refuse() << "has branches of different results; correct the model";
  Shape shape;
  for (auto [a, b] : llvm::zip_equal(x.shape, y.shape)) {
    if (knownSize(a) && knownSize(b) && a != b)
      return n.refuse() << "has branches that give "
                        << n.type(x.element, x.shape) << " and "
                        << n.type(y.element, y.shape)
                        << ", which is not supported; give both one shape";
    shape.push_back(simpler(a, b));
  }
  x = assumeSizes(n, x, shape);
  y = assumeSizes(n, y, shape);
  return success();
}

/// Computes both branches and selects, unless the condition is known.
LogicalResult tflite::importIf(OpImporter &n) {
  auto *options = n.options<fb::IfOptions>(fb::OptionsType_If);
  if (!options)
    return failure();
  GraphValue &condition = n.in(0);
  if (!condition.isBool() || knownSize(n.product(condition.shape)) != 1)
    return n.refuse() << "needs one truth value; correct the model";
  Values operands = operandsFrom(n, 1);
  auto import = [&](int64_t graph) {
    return n.importer.importGraph(graph, operands, Role::Branch, n);
  };
  if (std::optional<bool> known = Constants::readBool(condition)) {
    auto values =
        import(*known ? options->then_subgraph() : options->else_subgraph());
    return failed(values) ? failure() : setAll(n, *values);
  }
  auto then = import(options->then_subgraph());
  auto otherwise = import(options->else_subgraph());
  if (failed(then) || failed(otherwise))
    return failure();
  if (then->size() != otherwise->size())
    return n.refuse() << "has branches of different results; correct the model";
  Values chosen;
  GraphValue scalar = reshape(n, condition, {});
  for (auto [x, y] : llvm::zip_equal(*then, *otherwise)) {
    if (failed(agree(n, x, y)))
      return failure();
    auto either = elementwise(
        n, {&scalar, &x, &y}, x.element,
        [](Scalars &s, ValueRange v) { return s.select(v[0], v[1], v[2]); });
    if (failed(either))
      return failure();
    chosen.push_back(*either);
  }
  return setAll(n, chosen);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The outputs of a graph, as tensors of these types.
static FailureOr<SmallVector<Value>> importTo(OpImporter &n, int64_t graph,
                                              ArrayRef<GraphValue> inputs,
                                              ArrayRef<Type> types) {
  GraphBuilder::Region region(n);
  auto values = n.importer.importGraph(graph, inputs, Role::Loop, n);
  if (failed(values))
    return failure();
  if (values->size() != types.size())
    return n.refuse() << "has a graph of " << values->size()
                      << " outputs where " << types.size()
                      << " are needed; correct the model";
  SmallVector<Value> tensors;
  for (auto [value, type] : llvm::zip_equal(*values, types)) {
    Value tensor = n.tensor(value);
    if (tensor.getType() != type) {
      if (!tensor::CastOp::areCastCompatible(tensor.getType(), type))
        return n.refuse() << "has a graph that gives " << tensor.getType()
                          << " where " << type
                          << " is needed; keep the type in the loop";
      tensor = tensor::CastOp::create(n.b, n.loc, type, tensor);
    }
    tensors.push_back(tensor);
  }
  return tensors;
}

LogicalResult tflite::importWhile(OpImporter &n) {
  auto *options = n.options<fb::WhileOptions>(fb::OptionsType_While);
  if (!options)
    return failure();
  if (n.importer.role() == Role::Branch)
    return n.refuse() << "is a loop in a branch that data choose, which is not "
                         "supported; run the loop in front of it";
  SmallVector<Value> starts;
  SmallVector<Shape> shapes;
  SmallVector<Type> types;
  for (unsigned i = 0; i < n.numInputs(); ++i) {
    starts.push_back(n.value(i));
    types.push_back(starts.back().getType());
    shapes.push_back(n.in(i).shape);
  }
  auto toValues = [&](ValueRange carried) {
    Values values;
    for (auto [value, shape] : llvm::zip_equal(carried, shapes))
      values.push_back(toGraphValue(value, shape));
    return values;
  };
  bool ok = true;
  auto loop = scf::WhileOp::create(
      n.b, n.loc, types, starts,
      [&](OpBuilder &b, Location loc, ValueRange carried) {
        Value goesOn = Scalars(b, loc).constant(b.getI1Type(), 0);
        GraphBuilder::Region region(n);
        auto values = n.importer.importGraph(options->condition(),
                                             toValues(carried), Role::Loop, n);
        ok = succeeded(values) && values->size() == 1 &&
             values->front().isBool() &&
             knownSize(n.product(values->front().shape)) == 1;
        if (succeeded(values) && !ok)
          (void)(n.refuse() << "has a condition that is not one truth value; "
                               "correct the model");
        if (ok) {
          GraphValue scalar = reshape(n, values->front(), {});
          goesOn = scalarOf(n, scalar);
        }
        scf::ConditionOp::create(b, loc, goesOn, carried);
      },
      [&](OpBuilder &b, Location loc, ValueRange carried) {
        FailureOr<SmallVector<Value>> next = failure();
        if (ok)
          next = importTo(n, options->body(), toValues(carried), types);
        ok &= succeeded(next);
        scf::YieldOp::create(b, loc, ok ? *next : SmallVector<Value>(carried));
      });
  if (!ok)
    return failure();
  Values results;
  for (auto [result, shape] : llvm::zip_equal(loop.getResults(), shapes))
    results.push_back(toGraphValue(result, shape));
  return setAll(n, results);
}
