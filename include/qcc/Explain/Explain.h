//===- Explain.h - Explanations of steps ------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program after stage buffer is a list of calls to steps. This gathers what
// the compiler decided for each of them, for `qcc explain`.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EXPLAIN_EXPLAIN_H
#define QCC_EXPLAIN_EXPLAIN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "qcc/Target/Target.h"
#include "qcc/Transforms/Steps/WorkKind.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace qcc {

/// The kernel of a device that runs a step.
struct KernelExplanation {
  std::string name;
  int64_t threads = 0, sharedBytes = 0; ///< of a block
  /// Registers of a thread, once they are known, and who counted them: "ptxas",
  /// or "estimate".
  std::optional<int64_t> registers;
  std::string registersBy;
  int64_t spilledBytes = 0; ///< as ptxas says
};

/// The constant operand of a contraction, as the source has it.
struct WeightExplanation {
  /// How many scales or zero points there are, and their range.
  template <typename T> struct Values {
    int64_t count;
    T least, greatest;
  };

  std::vector<int64_t> shape;
  std::string type; ///< of stored elements: "i8", "u8", "f32"
  /// The dimension along which scales or zero points vary, if they do.
  std::optional<int64_t> axis;
  /// Only quantized operands have these, if the values are constants.
  std::optional<Values<double>> scales;
  std::optional<Values<int64_t>> zeroPoints;
};

/// Threads share tiles of a contraction by rows and columns, and iterations of
/// other loops as rows of one column.
struct SharedGrid {
  int64_t rows, columns;

  bool isKnown() const { return rows > 0; }
  /// The share of the grid that the busiest of `threads` threads has, of 1.
  double largestShare(int64_t threads) const;
};

struct StepExplanation {
  /// "NAME.KIND": what the artifact calls it, as profiles and dumps do.
  std::string step() const { return name + "." + kind; }

  std::string name;
  std::string kind; ///< "contract", "pack", ...
  WorkKind work = WorkKind::DataMovement;
  std::string layer;              ///< of the model; may be empty
  std::string modelOp;            ///< the type of its node; may be empty
  std::string location;           ///< "FILE:LINE:COLUMN"; may be empty
  std::vector<std::string> fused; ///< the ops that it is made of
  std::string notTuned;           ///< why it has no config that was measured
  std::string refused;            ///< why it is not fast
  /// Arithmetic operations (a multiply-accumulate counts two) and bytes read
  /// and written, in terms of the dynamic dimensions d0, d1, ... of the
  /// arguments: "2097152*d0 + 960", or "unknown".
  std::string operations, bytes;
  /// The same as numbers, for the dimensions that are given.
  std::optional<int64_t> numOperations, numBytes;
  /// The bytes of constants among these, and the seconds in which one thread
  /// reads them, where the speed of the processor is known.
  std::optional<int64_t> numConstantBytes;
  std::optional<double> constantSeconds;
  /// What one thread is expected to take for it (ExpectedTime.h), and what it
  /// would be expected to take if its operands were bytes that a kernel
  /// multiplies. The latter is known of contractions alone.
  std::optional<double> expectedSeconds, expectedSecondsOfBytes;
  /// What it took in a run that was measured.
  std::optional<double> measuredSeconds;
  /// What it reads besides constants: steps and "argument 0".
  std::vector<std::string> reads;
  /// The types of what it writes, and which of it are "result 0".
  std::vector<std::string> outputs, results;

  /// Only contractions with a constant operand have it.
  std::optional<WeightExplanation> weight;

  /// What threads of a processor share: a grid, {0, 0} where sizes decide.
  /// Nothing if one thread computes the step. Known once the program is past
  /// stage llvm.
  std::optional<SharedGrid> grid;

  // Only contractions have what follows.
  std::string atom, config, source;
  double shareOfPeak = 0;                ///< as the cost model expects it
  std::vector<Alternative> alternatives; ///< better atoms, and why not

  /// Only steps of devices have it, once the program is past stage target.
  std::optional<KernelExplanation> kernel;

  /// Whether a kernel computes a contraction. `work` also says what generic
  /// loops compute.
  bool isContraction() const { return !atom.empty(); }
};

/// Explains the step that `call` runs, in an entry after stage buffer;
/// `symbols` are those of the module, `dims` as in explainMemory.
StepExplanation explainStep(mlir::func::CallOp call,
                            const mlir::SymbolTable &symbols,
                            const Target &target,
                            llvm::ArrayRef<int64_t> dims = {});

/// Says of each step of an entry after stage buffer what it reads and writes;
/// `steps` are those that the entry calls, in order.
void explainFlow(mlir::func::FuncOp entry, const mlir::SymbolTable &symbols,
                 llvm::MutableArrayRef<StepExplanation> steps);

/// The memory of temporaries that live from one step of an entry to another.
/// What depends on dimensions that are not given is not known.
struct MemoryExplanation {
  std::optional<int64_t> arenaBytes; ///< what they take
  std::optional<int64_t> liveBytes;  ///< the most that is alive at one step
};

/// Explains the memory of an entry after stage buffer for the dynamic
/// dimensions of its arguments, in the order in which they appear, or for any
/// where none are given. Fails where the program refuses these dimensions.
llvm::Expected<MemoryExplanation> explainMemory(mlir::func::FuncOp entry,
                                                llvm::ArrayRef<int64_t> dims);

/// How many functions compute the steps of a program after stage target.
unsigned countKernels(mlir::ModuleOp module);

} // namespace qcc

#endif // QCC_EXPLAIN_EXPLAIN_H
