//===- LinalgRun.cpp - The body of a linalg op over its loops -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A batch holds neighbouring points of the parallel loops, or, in a reduction
// in lanes, neighbouring points of the reduction loops of one result.
//
//===----------------------------------------------------------------------===//

#include "LinalgNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace qcc::reference;

static const char *const outside = "reaches outside of an operand";

namespace {
/// Loads ports and loop indices for runs of a walk.
struct Loader {
  ArrayRef<LinalgNest::Port> ports;
  ArrayRef<std::pair<unsigned, unsigned>> indices;

  bool load(Program::State &state, ArrayRef<int64_t> index, int dim, int n,
            int position) const {
    for (const LinalgNest::Port &port : ports)
      if (!port.access.load(index, dim, n, state[port.reg], position))
        return false;
    for (auto [loop, reg] : indices)
      for (int l = 0; l < n; ++l)
        state[reg].i[position + l] =
            index[loop] + (static_cast<int>(loop) == dim ? l : 0);
    return true;
  }
};
} // namespace

llvm::Expected<SmallVector<LinalgNest::Port>>
LinalgNest::compileBody(Program &program, SmallVector<Port> &inputs) {
  SmallVector<Port> outputs;
  for (unsigned i = 0; i < results.size(); ++i) {
    llvm::Expected<Access> access = resultAccess(i);
    if (!access)
      return access.takeError();
    if (BlockArgument arg = init(i))
      if (!arg.use_empty())
        inputs.push_back({*access, program.bind(arg)});
    outputs.push_back({std::move(*access), 0});
  }
  if (llvm::Error error = program.compile(
          body(), llvm::to_vector(body().getTerminator()->getOperands())))
    return error;
  for (unsigned i = 0; i < results.size(); ++i)
    outputs[i].reg = program.regOf(yielded(i));
  return outputs;
}

llvm::Error LinalgNest::runParallel(Evaluator &evaluator, const Env &env) {
  Program program(evaluator, env);
  llvm::Expected<SmallVector<Port>> inputs = bindInputs(program);
  if (!inputs)
    return inputs.takeError();
  llvm::Expected<SmallVector<Port>> outputs = compileBody(program, *inputs);
  if (!outputs)
    return outputs.takeError();

  SmallVector<int64_t> loops(sizes);
  SmallVector<Access *> accesses;
  bool linear = program.indexRegs().empty();
  for (SmallVector<Port> *ports : {&*inputs, &*outputs})
    for (Port &port : *ports) {
      accesses.push_back(&port.access);
      linear &= port.access.linear;
    }
  if (linear)
    coalesce(loops, accesses);
  SmallVector<unsigned> dims =
      llvm::to_vector(llvm::seq<unsigned>(0, loops.size()));
  LoopWalk walk(loops, dims);
  Loader loader{*inputs, program.indexRegs()};
  FailureSlot failures;
  parallelFor(program.threads(), walk.count(), 4 * kBatch,
              [&](int64_t begin, int64_t end) {
                Program::State state(program);
                SmallVector<int64_t> index(loops.size(), 0);
                int inner = walk.innermost();
                for (int64_t at = begin; at < end && !failures.failed();
                     at += kBatch) {
                  int n = static_cast<int>(std::min<int64_t>(kBatch, end - at));
                  walk.segments(at, n, index, [&](int position, int count) {
                    if (!loader.load(state, index, inner, count, position))
                      failures.report(outside);
                  });
                  if (!program.run(state, n, failures))
                    return;
                  walk.segments(at, n, index, [&](int position, int count) {
                    for (const Port &port : *outputs)
                      if (!port.access.store(index, inner, count,
                                             state[port.reg], position))
                        failures.report(outside);
                  });
                }
              });
  return inThreads(failures);
}

llvm::Error LinalgNest::runPointByPoint(Evaluator &evaluator, const Env &env) {
  Program program(evaluator, env);
  llvm::Expected<SmallVector<Port>> inputs = bindInputs(program);
  if (!inputs)
    return inputs.takeError();
  llvm::Expected<SmallVector<Port>> outputs = compileBody(program, *inputs);
  if (!outputs)
    return outputs.takeError();
  SmallVector<unsigned> dims =
      llvm::to_vector(llvm::seq<unsigned>(0, sizes.size()));
  LoopWalk walk(sizes, dims);
  Loader loader{*inputs, program.indexRegs()};
  Program::State state(program);
  SmallVector<int64_t> index(sizes.size(), 0);
  FailureSlot failures;
  for (int64_t at = 0, end = walk.count(); at < end && !failures.failed();
       ++at) {
    walk.seek(at, index);
    if (!loader.load(state, index, -1, 1, 0))
      failures.report(outside);
    if (!program.run(state, 1, failures))
      break;
    for (const Port &port : *outputs)
      if (!port.access.store(index, -1, 1, state[port.reg], 0))
        failures.report(outside);
  }
  return inThreads(failures);
}

llvm::Error LinalgNest::runInOrder(Evaluator &evaluator, const Env &env) {
  Program program(evaluator, env);
  llvm::Expected<SmallVector<Port>> inputs = bindInputs(program);
  if (!inputs)
    return inputs.takeError();
  SmallVector<Port> accumulators;
  for (unsigned i = 0; i < results.size(); ++i) {
    llvm::Expected<Access> access = resultAccess(i);
    if (!access)
      return access.takeError();
    accumulators.push_back({std::move(*access), program.bind(init(i))});
  }
  SmallVector<unsigned> next;
  std::optional<ContractionMatch> contraction = matchContraction(*this);
  if (contraction && contraction->isFloat) {
    // N8: one fused multiply-add where the body has two operations.
    Value factors[] = {contraction->x, contraction->y};
    if (llvm::Error error = program.compile(body(), factors))
      return error;
    Inst inst;
    inst.opcode = Opcode::Fma;
    inst.in = inst.out = results[0].elem;
    inst.a = program.regOf(factors[0]);
    inst.b = program.regOf(factors[1]);
    inst.c = accumulators[0].reg;
    inst.dst = program.newReg();
    program.append(inst);
    next.push_back(inst.dst);
  } else {
    if (llvm::Error error = program.compile(
            body(), llvm::to_vector(body().getTerminator()->getOperands())))
      return error;
    for (unsigned i = 0; i < results.size(); ++i)
      next.push_back(program.regOf(yielded(i)));
  }

  LoopWalk outer(sizes, parallel), inner(sizes, reduction);
  Loader loader{*inputs, program.indexRegs()};
  FailureSlot failures;
  int64_t points = inner.count();
  parallelFor(
      program.threads(), outer.count(), kBatch,
      [&](int64_t begin, int64_t end) {
        Program::State state(program);
        SmallVector<int64_t> index(sizes.size(), 0);
        int dim = outer.innermost();
        std::vector<Reg> yields(results.size());
        for (int64_t at = begin; at < end; at += kBatch) {
          int n = static_cast<int>(std::min<int64_t>(kBatch, end - at));
          outer.segments(at, n, index, [&](int position, int count) {
            for (const Port &port : accumulators)
              port.access.load(index, dim, count, state[port.reg], position);
          });
          for (int64_t point = 0; point < points; ++point) {
            inner.seek(point, index);
            outer.segments(at, n, index, [&](int position, int count) {
              if (!loader.load(state, index, dim, count, position))
                failures.report(outside);
            });
            if (!program.run(state, n, failures))
              return;
            // Two steps: an accumulator may be yielded for another one.
            for (unsigned i = 0; i < results.size(); ++i)
              yields[i] = state[next[i]];
            for (unsigned i = 0; i < results.size(); ++i)
              state[accumulators[i].reg] = yields[i];
          }
          outer.segments(at, n, index, [&](int position, int count) {
            for (const Port &port : accumulators)
              port.access.store(index, dim, count, state[port.reg], position);
          });
        }
      });
  return inThreads(failures);
}

namespace {
/// One output of a reduction: accumulator := combine(accumulator, element).
struct Combine {
  Inst inst;
  Value element;
  Scalar neutral;
};
} // namespace

/// The neutral element of N8, or of an associative integer operation, whose
/// order does not matter.
static std::optional<Scalar> neutralOf(Opcode opcode, Elem elem) {
  Scalar result{};
  auto number = [&](double value) {
    if (elem.isSingle())
      result.f = static_cast<float>(value);
    else
      result.d = value;
    return result;
  };
  auto integer = [&](int64_t value) {
    result.i = wrapTo(value, elem.width);
    return result;
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  int64_t least = wrapTo(int64_t(1) << (elem.width - 1), elem.width);
  switch (opcode) {
  case Opcode::AddF:
    return number(-0.0);
  case Opcode::MulF:
    return number(1.0);
  case Opcode::MaximumF:
    return number(-infinity);
  case Opcode::MinimumF:
    return number(infinity);
  case Opcode::MaxNumF:
  case Opcode::MinNumF:
    return number(std::numeric_limits<double>::quiet_NaN());
  case Opcode::AddI:
  case Opcode::OrI:
  case Opcode::XOrI:
  case Opcode::MaxUI:
    return integer(0);
  case Opcode::MulI:
    return integer(1);
  case Opcode::AndI:
  case Opcode::MinUI:
    return integer(-1);
  case Opcode::MaxSI:
    return integer(least);
  case Opcode::MinSI:
    return integer(~least);
  default:
    return std::nullopt;
  }
}

/// The combinations of an op that is a reduction as N8 has it, all of floats or
/// all of integers.
static std::optional<SmallVector<Combine>>
matchReduction(const LinalgNest &nest) {
  SmallVector<Combine> combines;
  for (unsigned i = 0; i < nest.results.size(); ++i) {
    Operation *def = nest.yielded(i).getDefiningOp();
    if (!def || def->getBlock() != &nest.body() || def->getNumOperands() != 2)
      return std::nullopt;
    Combine combine;
    if (!selectInstruction(def, combine.inst))
      return std::nullopt;
    Value acc = nest.init(i);
    Value lhs = def->getOperand(0), rhs = def->getOperand(1);
    if (lhs == acc)
      combine.element = rhs;
    else if (rhs == acc)
      combine.element = lhs;
    else
      return std::nullopt;
    std::optional<Scalar> neutral =
        neutralOf(combine.inst.opcode, combine.inst.out);
    if (!neutral || nest.dependsOnInit(combine.element))
      return std::nullopt;
    combine.neutral = *neutral;
    combines.push_back(combine);
    if (combine.inst.in.isInt() != combines.front().inst.in.isInt())
      return std::nullopt;
  }
  return combines;
}

namespace {
/// Reduces in the lanes of N8: element number i goes to lane i modulo 32, and
/// the lanes are combined as a tree.
class LaneReduction {
public:
  LaneReduction(const LinalgNest &nest, ArrayRef<Combine> combines,
                ArrayRef<LinalgNest::Port> outputs, Loader loader)
      : combines(combines), outputs(outputs), loader(loader),
        inner(nest.sizes, nest.reduction) {}

  int64_t count() const { return inner.count(); }

  /// What one thread computes with.
  struct Scratch {
    explicit Scratch(size_t results) : operands(2), folded(results) {}
    std::vector<Reg> operands; ///< of a combination
    std::vector<Reg> folded;   ///< the lanes of each output
  };
  /// Fills the elements of all outputs at `index`; false if that fails.
  bool run(const Program &program, Program::State &state,
           MutableArrayRef<int64_t> index, Scratch &scratch,
           FailureSlot &failures) const;

private:
  static constexpr int kLanes = 32;

  /// acc := combine(acc, lanes [start, start + n) of `from`).
  static void apply(const Combine &combine, Reg &acc, const Reg &from,
                    int start, int n, Scratch &scratch);
  /// Combines the lanes of `acc` with each other and with the initial value.
  void finish(const Combine &combine, const Access &result, Reg &acc,
              ArrayRef<int64_t> index, Scratch &scratch) const;

  ArrayRef<Combine> combines;
  ArrayRef<LinalgNest::Port> outputs;
  Loader loader;
  LoopWalk inner;
};
} // namespace

void LaneReduction::apply(const Combine &combine, Reg &acc, const Reg &from,
                          int start, int n, Scratch &scratch) {
  std::vector<Reg> &operands = scratch.operands;
  for (int l = 0; l < n; ++l)
    operands[1].set(combine.inst.out, l, from.get(combine.inst.out, start + l));
  operands[0] = acc;
  Inst inst = combine.inst;
  inst.a = inst.dst = 0;
  inst.b = 1;
  execute(inst, operands.data(), n);
  acc = operands[0];
}

void LaneReduction::finish(const Combine &combine, const Access &result,
                           Reg &acc, ArrayRef<int64_t> index,
                           Scratch &scratch) const {
  for (int half = kLanes / 2; half > 0; half /= 2)
    apply(combine, acc, acc, half, half, scratch);
  // combine(initial value, lane 0).
  Reg initial;
  result.load(index, -1, 1, initial, 0);
  apply(combine, initial, acc, 0, 1, scratch);
  result.store(index, -1, 1, initial, 0);
}

bool LaneReduction::run(const Program &program, Program::State &state,
                        MutableArrayRef<int64_t> index, Scratch &scratch,
                        FailureSlot &failures) const {
  for (auto [combine, acc] : llvm::zip(combines, scratch.folded))
    for (int l = 0; l < kLanes; ++l)
      acc.set(combine.inst.out, l, combine.neutral);
  int64_t points = count();
  for (int64_t at = 0; at < points; at += kBatch) {
    int n = static_cast<int>(std::min<int64_t>(kBatch, points - at));
    inner.segments(at, n, index, [&](int position, int count) {
      if (!loader.load(state, index, inner.innermost(), count, position))
        failures.report(outside);
    });
    if (!program.run(state, n, failures))
      return false;
    for (auto [combine, acc, port] :
         llvm::zip(combines, scratch.folded, outputs))
      for (int start = 0; start < n; start += kLanes)
        apply(combine, acc, state[port.reg], start, std::min(kLanes, n - start),
              scratch);
  }
  inner.seek(0, index);
  for (auto [combine, acc, port] : llvm::zip(combines, scratch.folded, outputs))
    finish(combine, port.access, acc, index, scratch);
  return true;
}

llvm::Error LinalgNest::runInLanes(Evaluator &evaluator, const Env &env) {
  std::optional<SmallVector<Combine>> combines = matchReduction(*this);
  std::optional<ContractionMatch> contraction = matchContraction(*this);
  if (!combines || (contraction && contraction->isFloat))
    return runInOrder(evaluator, env);
  Program program(evaluator, env);
  llvm::Expected<SmallVector<Port>> inputs = bindInputs(program);
  if (!inputs)
    return inputs.takeError();
  SmallVector<Value> elements;
  for (const Combine &combine : *combines)
    elements.push_back(combine.element);
  if (llvm::Error error = program.compile(body(), elements))
    return error;
  SmallVector<Port> outputs;
  for (unsigned i = 0; i < results.size(); ++i) {
    llvm::Expected<Access> access = resultAccess(i);
    if (!access)
      return access.takeError();
    outputs.push_back({std::move(*access), program.regOf(elements[i])});
  }

  LaneReduction reduction(*this, *combines, outputs,
                          {*inputs, program.indexRegs()});
  LoopWalk outer(sizes, parallel);
  FailureSlot failures;
  int64_t points = std::max<int64_t>(1, reduction.count());
  parallelFor(program.threads(), outer.count(),
              std::max<int64_t>(1, 4 * kBatch / points),
              [&](int64_t begin, int64_t end) {
                Program::State state(program);
                SmallVector<int64_t> index(sizes.size(), 0);
                LaneReduction::Scratch scratch(results.size());
                for (int64_t at = begin; at < end; ++at) {
                  outer.seek(at, index);
                  if (!reduction.run(program, state, index, scratch, failures))
                    return;
                }
              });
  return inThreads(failures);
}
