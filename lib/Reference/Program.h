//===- Program.h - A region as a list of instructions -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scalar body of an operation compiled to batch instructions. Operations
// that have no instruction (nested control flow, tensor.extract) are walked
// lane by lane.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_PROGRAM_H
#define QCC_LIB_REFERENCE_PROGRAM_H

#include "BatchOps.h"
#include "Evaluator.h"
#include "Threads.h"

namespace qcc::reference {

/// Fills opcode, predicate and element kinds for an operation on scalars or on
/// tensors element by element; false where there is no instruction for it.
bool selectInstruction(mlir::Operation *op, Inst &inst);

/// Why the program cannot be interpreted; empty for an unknown operation.
std::string unsupportedReason(mlir::Operation *op);

class Program {
public:
  Program(Evaluator &evaluator, const Env &env)
      : evaluator(evaluator), env(&env) {}

  /// A new register for `value`, such as an argument of the body.
  unsigned bind(mlir::Value value);
  unsigned newReg() { return numRegs++; }
  unsigned constantReg(Elem elem, Scalar value);
  void append(const Inst &inst) { steps.push_back({inst, -1}); }

  /// Compiles what `wanted` needs of the operations of `block`. Values from
  /// outside of the block are constants.
  llvm::Error compile(mlir::Block &block, llvm::ArrayRef<mlir::Value> wanted);
  unsigned regOf(mlir::Value value);

  /// Registers that want the index of a loop, in the order of appearance.
  llvm::ArrayRef<std::pair<unsigned, unsigned>> indexRegs() const {
    return indices;
  }

  /// How many threads may run it: walking creates attributes, which a context
  /// without multithreading allows from one thread only.
  unsigned threads() const;

  /// The registers of one thread.
  class State {
  public:
    explicit State(const Program &program);
    Reg &operator[](unsigned reg) { return regs[reg]; }
    Reg *data() { return regs.get(); }
    Env &environment() { return env; }

  private:
    std::unique_ptr<Reg[]> regs;
    Env env;
  };

  /// Runs the first `n` lanes; false once `failures` has an entry.
  bool run(State &state, int n, FailureSlot &failures) const;

private:
  struct Step {
    Inst inst;
    int walk; ///< index into `walks` for Opcode::Walk
  };
  struct Walk {
    mlir::Operation *op;
    llvm::SmallVector<std::pair<mlir::Value, unsigned>> inputs;
    llvm::SmallVector<std::pair<mlir::Value, unsigned>> outputs;
  };
  struct Constant {
    unsigned reg;
    Elem elem;
    Scalar value;
  };

  llvm::Error appendWalk(mlir::Operation *op);
  unsigned indexReg(unsigned dim);
  bool walkLanes(const Walk &walk, State &state, int n,
                 FailureSlot &failures) const;

  Evaluator &evaluator;
  Env env; ///< what is outside, and constant tensors of the body
  unsigned numRegs = 0;
  llvm::DenseMap<mlir::Value, unsigned> regs;
  llvm::SmallVector<Constant> constants;
  llvm::SmallVector<std::pair<unsigned, unsigned>> indices; ///< dim, register
  std::vector<Step> steps;
  std::vector<Walk> walks;
};

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_PROGRAM_H
