//===- ControlFlow.cpp - Functions, loops and conditions ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "LoopNest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace qcc::reference;

std::string qcc::reference::locationText(Location location) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    stream << file.getFilename().getValue() << ":" << file.getLine() << ":"
           << file.getColumn();
  else
    location.print(stream);
  return text;
}

llvm::Error qcc::reference::failure(Operation *op, const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 llvm::Twine(locationText(op->getLoc())) +
                                     ": '" + op->getName().getStringRef() +
                                     "': " + message);
}

const RtValue &Evaluator::valueOf(Value name, const Env &env) const {
  const RtValue *value = env.lookup(name);
  assert(value && "evaluation follows dominance");
  return *value;
}

SmallVector<int64_t> Evaluator::indicesOf(ArrayRef<OpFoldResult> values,
                                          const Env &env) const {
  SmallVector<int64_t> result;
  for (OpFoldResult value : values)
    if (auto attribute = dyn_cast<Attribute>(value))
      result.push_back(cast<IntegerAttr>(attribute).getInt());
    else
      result.push_back(indexOf(cast<Value>(value), env));
  return result;
}

llvm::Expected<Tensor> Evaluator::allocate(Operation *op, Type type,
                                           std::vector<int64_t> shape) const {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  std::optional<Elem> elem = elemOf(type);
  if (!tensorType || !elem)
    return failure(op, "results of this type are not supported");
  for (int64_t size : shape)
    if (size < 0)
      return failure(op, "has a negative size: " + llvm::Twine(size));
  for (auto [size, declared] : llvm::zip(shape, tensorType.getShape()))
    if (!ShapedType::isDynamic(declared) && declared != size)
      return failure(op, "has size " + llvm::Twine(size) +
                             " where its type says " + llvm::Twine(declared));
  Tensor result = Tensor::zeros(*elem, std::move(shape));
  if (!result.data)
    return failure(op, "not enough memory for the result");
  return result;
}

/// A value that leaves or enters a region is not known to be dequantized (N3).
static RtValue plain(RtValue value) {
  value.dequantized = nullptr;
  return value;
}

llvm::Error Evaluator::evaluateBlock(Block &block, Env &env,
                                     SmallVectorImpl<RtValue> &yielded) {
  for (Operation &op : block.without_terminator())
    if (llvm::Error error = evaluate(&op, env))
      return error;
  for (Value operand : block.getTerminator()->getOperands())
    yielded.push_back(plain(valueOf(operand, env)));
  return llvm::Error::success();
}

llvm::Error Evaluator::call(func::FuncOp function, ArrayRef<RtValue> inputs,
                            SmallVectorImpl<RtValue> &results, unsigned depth) {
  constexpr unsigned deepest = 128;
  if (depth > deepest)
    return failure(function, "calls are nested more than " +
                                 llvm::Twine(deepest) + " deep");
  if (function.isDeclaration())
    return failure(function, "has no body");
  if (!function.getBody().hasOneBlock())
    return failure(function, "has more than one block");
  Block &body = function.getBody().front();
  Env env;
  env.depth = depth;
  for (auto [argument, input] : llvm::zip(body.getArguments(), inputs))
    env.set(argument, plain(input));

  // Tensors are freed as soon as no operation needs them.
  llvm::DenseMap<Operation *, SmallVector<Value>> lastUses;
  auto findLastUse = [&](Value value) {
    Operation *last = value.getDefiningOp();
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = body.findAncestorOpInBlock(*user);
      if (!last || last->isBeforeInBlock(ancestor))
        last = ancestor;
    }
    if (last)
      lastUses[last].push_back(value);
  };
  llvm::for_each(body.getArguments(), findLastUse);
  for (Operation &op : body.without_terminator())
    llvm::for_each(op.getResults(), findLastUse);

  for (Operation &op : body.without_terminator()) {
    if (llvm::Error error = evaluate(&op, env))
      return error;
    if (observer)
      for (OpResult result : op.getResults())
        if (isa<RankedTensorType>(result.getType()))
          observer(result, valueOf(result, env).tensor);
    if (auto it = lastUses.find(&op); it != lastUses.end())
      for (Value value : it->second)
        env.erase(value);
  }
  for (Value operand : body.getTerminator()->getOperands())
    results.push_back(plain(valueOf(operand, env)));
  return llvm::Error::success();
}

llvm::Error Evaluator::evaluateFor(scf::ForOp op, Env &env) {
  int64_t step = indexOf(op.getStep(), env);
  if (step <= 0)
    return failure(op, "has a step that is not positive");
  int64_t lower = indexOf(op.getLowerBound(), env);
  int64_t upper = indexOf(op.getUpperBound(), env);
  if (op.getUnsignedCmp() && (lower < 0 || upper < 0))
    return failure(op, "has an unsigned bound beyond the signed range");
  SmallVector<RtValue> carried;
  for (Value init : op.getInitArgs())
    carried.push_back(plain(valueOf(init, env)));
  for (int64_t i = lower; i < upper;) {
    env.set(op.getInductionVar(), RtValue::index(i));
    for (auto [argument, value] : llvm::zip(op.getRegionIterArgs(), carried))
      env.set(argument, value);
    carried.clear();
    if (llvm::Error error = evaluateBlock(*op.getBody(), env, carried))
      return error;
    if (__builtin_add_overflow(i, step, &i))
      break;
  }
  for (auto [result, value] : llvm::zip(op.getResults(), carried))
    env.set(result, value);
  return llvm::Error::success();
}

llvm::Error Evaluator::evaluateWhile(scf::WhileOp op, Env &env) {
  SmallVector<RtValue> carried;
  for (Value init : op.getInits())
    carried.push_back(plain(valueOf(init, env)));
  for (;;) {
    for (auto [argument, value] : llvm::zip(op.getBeforeArguments(), carried))
      env.set(argument, value);
    SmallVector<RtValue> condition;
    if (llvm::Error error = evaluateBlock(*op.getBeforeBody(), env, condition))
      return error;
    ArrayRef<RtValue> passed = ArrayRef<RtValue>(condition).drop_front();
    if (!condition.front().scalar.i) {
      for (auto [result, value] : llvm::zip(op.getResults(), passed))
        env.set(result, value);
      return llvm::Error::success();
    }
    for (auto [argument, value] : llvm::zip(op.getAfterArguments(), passed))
      env.set(argument, value);
    carried.clear();
    if (llvm::Error error = evaluateBlock(*op.getAfterBody(), env, carried))
      return error;
  }
}

/// affine.apply, affine.min and affine.max.
template <typename Op>
static llvm::Error evaluateAffineOp(Op op, const Evaluator &evaluator,
                                    Env &env) {
  AffineMap map = op.getAffineMap();
  SmallVector<int64_t> operands;
  for (Value operand : op->getOperands())
    operands.push_back(evaluator.indexOf(operand, env));
  ArrayRef<int64_t> all(operands);
  std::optional<int64_t> chosen;
  for (AffineExpr expr : map.getResults()) {
    std::optional<int64_t> value =
        evaluateAffine(expr, all.take_front(map.getNumDims()),
                       all.drop_front(map.getNumDims()));
    if (!value)
      return failure(op, "divides by a number that is not positive");
    if (!chosen)
      chosen = value;
    else if constexpr (std::is_same_v<Op, affine::AffineMinOp>)
      chosen = std::min(*chosen, *value);
    else
      chosen = std::max(*chosen, *value);
  }
  env.set(op.getResult(), RtValue::index(chosen.value_or(0)));
  return llvm::Error::success();
}

llvm::Error Evaluator::evaluateControlFlow(Operation *op, Env &env,
                                           bool &known) {
  known = true;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return evaluateFor(loop, env);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return evaluateWhile(loop, env);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool taken = indexOf(branch.getCondition(), env) != 0;
    Region &region = taken ? branch.getThenRegion() : branch.getElseRegion();
    if (region.empty())
      return llvm::Error::success();
    SmallVector<RtValue> yielded;
    if (llvm::Error error = evaluateBlock(region.front(), env, yielded))
      return error;
    for (auto [result, value] : llvm::zip(op->getResults(), yielded))
      env.set(result, value);
    return llvm::Error::success();
  }
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        op, call.getCalleeAttr());
    if (!callee)
      return failure(op, "calls '" + call.getCallee() +
                             "', which is not a function of the program");
    SmallVector<RtValue> inputs, results;
    for (Value operand : op->getOperands())
      inputs.push_back(valueOf(operand, env));
    if (llvm::Error error = this->call(callee, inputs, results, env.depth + 1))
      return error;
    for (auto [result, value] : llvm::zip(op->getResults(), results))
      env.set(result, value);
    return llvm::Error::success();
  }
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return indexOf(assertion.getArg(), env) != 0
               ? llvm::Error::success()
               : failure(op, assertion.getMsg());
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return evaluateAffineOp(apply, *this, env);
  if (auto minimum = dyn_cast<affine::AffineMinOp>(op))
    return evaluateAffineOp(minimum, *this, env);
  if (auto maximum = dyn_cast<affine::AffineMaxOp>(op))
    return evaluateAffineOp(maximum, *this, env);
  known = false;
  return llvm::Error::success();
}

llvm::Error Evaluator::evaluate(Operation *op, Env &env) {
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    llvm::Expected<RtValue> value =
        constant(op, constantOp.getValue(), constantOp.getType());
    if (!value)
      return value.takeError();
    env.set(constantOp.getResult(), std::move(*value));
    return llvm::Error::success();
  }
  // Bound by the body that is being walked.
  if (isa<linalg::IndexOp>(op) && env.lookup(op->getResult(0)))
    return llvm::Error::success();
  bool known = false;
  if (llvm::Error error = evaluateScalar(op, env, known); error || known)
    return error;
  if (llvm::Error error = evaluateControlFlow(op, env, known); error || known)
    return error;
  if (llvm::Error error = evaluateTensor(op, env, known); error || known)
    return error;
  if (llvm::Error error = evaluateQNN(op, env, known); error || known)
    return error;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return evaluateLinalg(structured, env);
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return evaluateSoftmax(softmax, env);
  return failure(op, "is not supported by the reference interpreter");
}
