//===- Control.cpp - Branches, loops and calls ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OpTable.h"
#include "../Ops.h"
#include "Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

/// Makes tensors, in front of the op, of all values that a region reads from
/// outside.
static void makeTensors(OpImporter &n) {
  for (Region &region : n.op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!n.op->isAncestor(operand.getParentBlock()->getParentOp()))
          if (GraphValue *value = n.lookup(operand))
            (void)n.tensor(*value);
    });
}

/// What a region returns, as tensors of these types.
static FailureOr<SmallVector<Value>> importTo(OpImporter &n, Region &region,
                                              ArrayRef<GraphValue> arguments,
                                              ArrayRef<Type> types) {
  GraphBuilder::Region scope(n);
  FailureOr<Values> values = n.importRegion(region, arguments);
  if (failed(values))
    return failure();
  if (values->size() != types.size())
    return n.refuse() << "has a region that returns " << values->size()
                      << " values where " << types.size()
                      << " are needed; correct the program";
  SmallVector<Value> tensors;
  for (auto [value, type] : llvm::zip_equal(*values, types)) {
    Value tensor = n.tensor(value);
    if (tensor.getType() != type) {
      if (!tensor::CastOp::areCastCompatible(tensor.getType(), type))
        return n.refuse() << "has a region that returns " << tensor.getType()
                          << " where " << type
                          << " is needed; correct the program";
      tensor = tensor::CastOp::create(n.b, n.loc, type, tensor);
    }
    tensors.push_back(tensor);
  }
  return tensors;
}

/// The types of the op's results, as tensors here.
static FailureOr<SmallVector<Type>> resultTypes(OpImporter &n) {
  SmallVector<Type> types;
  for (Type type : n.op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return n.refuse() << "has a result of type " << type
                        << ", which is not supported; use tensors";
    types.push_back(tensor.clone(signless(tensor.getElementType())));
  }
  return types;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static LogicalResult setAll(OpImporter &n, ArrayRef<GraphValue> values) {
  if (values.size() != n.op->getNumResults())
    return n.refuse() << "has " << n.op->getNumResults() << " results for "
                      << values.size() << " values; correct the program";
  for (auto [i, value] : llvm::enumerate(values))
    if (failed(n.set(i, value)))
      return failure();
  return success();
}

/// Whether an op contains a loop, or calls a function that does.
static bool hasLoop(Operation *op, llvm::SmallPtrSet<Operation *, 8> &seen) {
  auto visit = [&](Operation *inner) {
    if (inner->getName().getStringRef() == "stablehlo.while")
      return WalkResult::interrupt();
    auto call = dyn_cast<func::CallOp>(inner);
    Operation *callee =
        call ? SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr())
             : nullptr;
    return callee && seen.insert(callee).second && hasLoop(callee, seen)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return op->walk(visit).wasInterrupted();
}

/// Computes all branches and selects. A branch with a loop is refused: it might
/// not end where it is not the chosen one.
static LogicalResult selectBranch(OpImporter &n, Value index) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  if (hasLoop(n.op, seen))
    return n.refuse() << "has a loop in a branch that data choose, which is "
                         "not supported; run the loop in front of it";
  Values chosen;
  for (unsigned i = n.op->getNumRegions(); i-- > 0;) {
    FailureOr<Values> values = n.importRegion(n.op->getRegion(i), {});
    if (failed(values))
      return failure();
    if (chosen.empty()) {
      chosen = *values;
      continue;
    }
    if (values->size() != chosen.size())
      return n.refuse() << "has branches of different results; correct the "
                           "program";
    Value isThis =
        arith::CmpIOp::create(n.b, n.loc, arith::CmpIPredicate::eq, index,
                              Scalars(n.b, n.loc).constant(index.getType(), i));
    for (auto [result, value] : llvm::zip_equal(chosen, *values)) {
      if (result.element != value.element || result.rank() != value.rank())
        return n.refuse() << "has branches of different results; correct the "
                             "program";
      auto either = elementwise(n, {&value, &result}, value.element,
                                [&](Scalars &s, ValueRange x) {
                                  return s.select(isThis, x[0], x[1]);
                                });
      if (failed(either))
        return failure();
      result = *either;
    }
  }
  return setAll(n, chosen);
}

LogicalResult stablehlo::importIf(OpImporter &n) {
  if (n.op->getNumRegions() != 2 || n.in(0).rank() != 0)
    return n.refuse() << "needs a truth value and two regions; correct the "
                         "program";
  std::optional<bool> known = Constants::readBool(n.in(0));
  if (!known && n.knowsIntegers(n.in(0)))
    if (std::optional<int64_t> truth = knownSize(n.in(0).integers->front()))
      known = *truth != 0;
  if (known) {
    auto values = n.importRegion(n.op->getRegion(*known ? 0 : 1), {});
    return failed(values) ? failure() : setAll(n, *values);
  }
  // The first region is that of a true condition: number 0.
  Scalars s(n.b, n.loc);
  Value isFalse = arith::XOrIOp::create(n.b, n.loc, s.extract(n.value(0), {}),
                                        s.constant(n.b.getI1Type(), 1));
  return selectBranch(n, isFalse);
}

LogicalResult stablehlo::importCase(OpImporter &n) {
  unsigned count = n.op->getNumRegions();
  if (count == 0 || n.in(0).rank() != 0)
    return n.refuse() << "needs a number and a region; correct the program";
  if (n.knowsIntegers(n.in(0)))
    if (std::optional<int64_t> i = knownSize(n.in(0).integers->front())) {
      bool isOne = *i >= 0 && *i < count;
      auto values = n.importRegion(n.op->getRegion(isOne ? *i : count - 1), {});
      return failed(values) ? failure() : setAll(n, *values);
    }
  return selectBranch(n, Scalars(n.b, n.loc).extract(n.value(0), {}));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult stablehlo::importWhile(OpImporter &n) {
  auto types = resultTypes(n);
  if (failed(types))
    return failure();
  if (n.op->getNumRegions() != 2 || types->size() != n.numOperands())
    return n.refuse() << "needs two regions, and as many operands as results; "
                         "correct the program";
  makeTensors(n);
  SmallVector<Value> starts;
  SmallVector<Shape> shapes;
  for (auto [i, type] : llvm::enumerate(*types)) {
    starts.push_back(n.value(i));
    shapes.push_back(n.in(i).shape);
    if (starts.back().getType() != type)
      starts.back() = tensor::CastOp::create(n.b, n.loc, type, starts.back());
  }
  auto toValues = [&](ValueRange carried) {
    Values values;
    for (auto [value, shape] : llvm::zip_equal(carried, shapes))
      values.push_back(toGraphValue(value, shape));
    return values;
  };
  bool ok = true;
  Type truth = RankedTensorType::get({}, n.b.getI1Type());
  auto loop = scf::WhileOp::create(
      n.b, n.loc, *types, starts,
      [&](OpBuilder &b, Location loc, ValueRange carried) {
        auto condition =
            importTo(n, n.op->getRegion(0), toValues(carried), {truth});
        ok &= succeeded(condition);
        Value goesOn = ok ? Scalars(b, loc).extract(condition->front(), {})
                          : Scalars(b, loc).constant(b.getI1Type(), 0);
        scf::ConditionOp::create(b, loc, goesOn, carried);
      },
      [&](OpBuilder &b, Location loc, ValueRange carried) {
        auto next =
            ok ? importTo(n, n.op->getRegion(1), toValues(carried), *types)
               : FailureOr<SmallVector<Value>>();
        ok &= succeeded(next);
        scf::YieldOp::create(b, loc, ok ? *next : SmallVector<Value>(carried));
      });
  if (!ok)
    return failure();
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    if (failed(n.set(i, toGraphValue(result, shapes[i]))))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static LogicalResult callFunction(OpImporter &n, StringRef name) {
  Values arguments;
  for (unsigned i = 0; i < n.numOperands(); ++i)
    arguments.push_back(n.in(i));
  FailureOr<Values> results = n.importCall(name, arguments);
  return failed(results) ? failure() : setAll(n, *results);
}

LogicalResult stablehlo::importCall(OpImporter &n) {
  auto callee = n.op->getAttrOfType<FlatSymbolRefAttr>("callee");
  if (!callee)
    return n.refuse() << "calls no function; correct the program";
  return callFunction(n, callee.getValue());
}

LogicalResult stablehlo::importComposite(OpImporter &n) {
  auto callee = n.op->getAttrOfType<FlatSymbolRefAttr>("decomposition");
  if (!callee)
    return n.refuse() << "has no decomposition; correct the program";
  return callFunction(n, callee.getValue());
}

/// Why code of a framework is not called, and what to do.
static StringRef reasonOfCustomCall(StringRef name) {
  if (name.starts_with("lapack_"))
    return "a solver, which is not supported; compute its result outside";
  if (name.starts_with("xla_ffi_python") || name.starts_with("xla_python"))
    return "which runs Python; leave out jax.pure_callback, "
           "jax.experimental.io_callback and jax.debug";
  if (name == "ApproxTopK")
    return "an approximation, which is not supported; use jax.lax.top_k";
  return "code of the framework that is not in the program; write the function "
         "in terms of other ops";
}

LogicalResult stablehlo::importCustomCall(OpImporter &n) {
  auto target = n.op->getAttrOfType<StringAttr>("call_target_name");
  StringRef name = target ? target.getValue() : StringRef();
  // What says nothing about values.
  if (name == "Sharding" || name == "SPMDFullToShardShape" ||
      name == "SPMDShardToFullShape" || name == "annotate_device_placement")
    return importIdentity(n);
  if (name == "shape_assertion" && n.op->getNumResults() == 0)
    return importShapeAssertion(n);
  // How JAX writes a reduce_window of computed sizes.
  if (name == "stablehlo.dynamic_reduce_window")
    return importReduceWindow(n);
  const OpInfo *info = nullptr;
  if (StringRef op = name; op.consume_front("mhlo."))
    info = findOp(("chlo." + op).str());
  if (info && info->scalar && n.numOperands() > 0) {
    SmallVector<GraphValue *> operands;
    for (unsigned i = 0; i < n.numOperands(); ++i)
      operands.push_back(&n.in(i));
    auto result = elementwise(
        n, operands, signless(n.resultElement()),
        [&](Scalars &s, ValueRange x) { return info->scalar(s, n.op, x); });
    return failed(result) ? failure() : n.set(*result);
  }
  return n.refuse() << "calls '" << name << "', " << reasonOfCustomCall(name);
}
