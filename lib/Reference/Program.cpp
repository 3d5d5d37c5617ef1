//===- Program.cpp - A region as a list of instructions -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace qcc::reference;

unsigned Program::bind(Value value) {
  unsigned reg = newReg();
  regs[value] = reg;
  return reg;
}

unsigned Program::constantReg(Elem elem, Scalar value) {
  unsigned reg = newReg();
  constants.push_back({reg, elem, value});
  return reg;
}

unsigned Program::indexReg(unsigned dim) {
  for (auto [known, reg] : indices)
    if (known == dim)
      return reg;
  indices.emplace_back(dim, newReg());
  return indices.back().second;
}

unsigned Program::regOf(Value value) {
  auto it = regs.find(value);
  if (it != regs.end())
    return it->second;
  unsigned reg = constantReg(*elemOf(value.getType()),
                             evaluator.valueOf(value, env).scalar);
  regs[value] = reg;
  return reg;
}

llvm::Error Program::appendWalk(Operation *op) {
  for (Type type : op->getResultTypes())
    if (isa<ShapedType>(type))
      return failure(op, "is not supported in the body of another operation: "
                         "its result is not a scalar");
  Walk walk;
  walk.op = op;
  Block *block = op->getBlock();
  llvm::SmallPtrSet<Value, 8> seen;
  op->walk([&](Operation *inner) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      // Of this body, unless a linalg op in between has indices of its own.
      if (inner->getParentOfType<linalg::LinalgOp>() == block->getParentOp())
        walk.inputs.emplace_back(index.getResult(), indexReg(index.getDim()));
    for (Value operand : inner->getOperands())
      if (operand.getParentBlock() == block &&
          !isa<ShapedType>(operand.getType()) && seen.insert(operand).second)
        walk.inputs.emplace_back(operand, regOf(operand));
  });
  for (Value result : op->getResults())
    walk.outputs.emplace_back(result, bind(result));
  Inst inst;
  inst.opcode = Opcode::Walk;
  steps.push_back({inst, static_cast<int>(walks.size())});
  walks.push_back(std::move(walk));
  return llvm::Error::success();
}

llvm::Error Program::compile(Block &block, ArrayRef<Value> wanted) {
  // What is needed, backwards from `wanted`.
  llvm::SmallPtrSet<Operation *, 16> needed;
  auto need = [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (def && def->getBlock() == &block && !regs.contains(value))
      needed.insert(def);
  };
  llvm::for_each(wanted, need);
  for (Operation &op : llvm::reverse(block))
    if (needed.contains(&op))
      op.walk([&](Operation *inner) {
        llvm::for_each(inner->getOperands(), need);
      });

  for (Operation &op : block) {
    if (!needed.contains(&op))
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      regs[index.getResult()] = indexReg(index.getDim());
      continue;
    }
    if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
      if (llvm::Error error = evaluator.evaluate(&op, env))
        return error;
      if (!isa<ShapedType>(constantOp.getType()))
        regOf(constantOp.getResult());
      continue;
    }
    bool onScalars =
        llvm::none_of(op.getOperandTypes(), llvm::IsaPred<ShapedType>);
    Inst inst;
    if (!onScalars || !selectInstruction(&op, inst)) {
      if (std::string reason = unsupportedReason(&op);
          onScalars && !reason.empty())
        return failure(&op, reason);
      if (llvm::Error error = appendWalk(&op))
        return error;
      continue;
    }
    unsigned operands[3] = {0, 0, 0};
    for (auto [i, operand] : llvm::enumerate(op.getOperands()))
      operands[i] = regOf(operand);
    inst.a = operands[0];
    inst.b = operands[1];
    inst.c = operands[2];
    inst.dst = bind(op.getResult(0));
    if (op.getNumResults() > 1)
      inst.dst2 = bind(op.getResult(1));
    append(inst);
  }
  return llvm::Error::success();
}

unsigned Program::threads() const {
  bool one = !walks.empty() &&
             !walks.front().op->getContext()->isMultithreadingEnabled();
  return one ? 1 : evaluator.threads;
}

Program::State::State(const Program &program)
    : regs(new Reg[program.numRegs ? program.numRegs : 1]), env(&program.env) {
  for (const Constant &constant : program.constants)
    regs[constant.reg].fill(constant.elem, constant.value);
}

bool Program::walkLanes(const Walk &walk, State &state, int n,
                        FailureSlot &failures) const {
  for (int lane = 0; lane < n; ++lane) {
    Env &local = state.environment();
    for (auto [value, reg] : walk.inputs)
      local.set(value, RtValue(state[reg].get(*elemOf(value.getType()), lane)));
    if (llvm::Error error = evaluator.evaluate(walk.op, local)) {
      failures.report(llvm::toString(std::move(error)));
      return false;
    }
    for (auto [value, reg] : walk.outputs)
      state[reg].set(*elemOf(value.getType()), lane,
                     local.lookup(value)->scalar);
  }
  return true;
}

bool Program::run(State &state, int n, FailureSlot &failures) const {
  for (const Step &step : steps) {
    if (step.inst.opcode == Opcode::Walk) {
      if (!walkLanes(walks[step.walk], state, n, failures))
        return false;
    } else {
      execute(step.inst, state.data(), n);
    }
  }
  return !failures.failed();
}
