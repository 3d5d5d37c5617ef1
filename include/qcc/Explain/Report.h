//===- Report.h - Report of a compiled program ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that the compiler decided for one processor, gathered while the
// stages run: `qcc explain` prints it, the C API hands it out as JSON.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EXPLAIN_REPORT_H
#define QCC_EXPLAIN_REPORT_H

#include "qcc/Explain/Explain.h"
#include "qcc/Explain/Launches.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <vector>

namespace qcc {

/// An entry: its steps, and what a context needs to run it.
struct EntryReport {
  std::string name;
  std::vector<int64_t> dims; ///< the dynamic ones, where they are given
  std::vector<StepExplanation> steps;
  MemoryExplanation temporaries;
  int64_t scratchBytes = 0; ///< of each thread
  /// Of a device; nothing where they depend on dimensions that are not given.
  std::optional<std::vector<LaunchExplanation>> launches;
  std::vector<ProgramTensor> arguments, results;
  /// For each result the argument that it may share memory with, or -1.
  llvm::SmallVector<int32_t> inPlace;
};

struct ProgramReport {
  std::string target;
  std::vector<EntryReport> entries;
  unsigned distinctKernels = 0; ///< the functions of all steps
  bool isForDevice = false;
  int64_t artifactBytes = 0;
  /// Machine code of the kernels in it, for GPUs of the target's generation,
  /// where the caller has looked; 0: none.
  int64_t binaryBytes = 0;

  /// To be called after stage buffer, for the dynamic dimensions of
  /// explainMemory, by the name of the entry. Fails where the program refuses
  /// these.
  llvm::Error
  addEntries(mlir::ModuleOp module, const Target &target,
             const llvm::StringMap<std::vector<int64_t>> &dims = {});
  /// To be called after stage target.
  void addKernels(mlir::ModuleOp module);
  /// To be called after stage llvm.
  void addProgram(mlir::ModuleOp module);

  unsigned numSteps() const;
  /// With `threads`, entries have the expected times of 1 to so many threads.
  llvm::json::Object toJson(unsigned threads = 0) const;
};

} // namespace qcc

#endif // QCC_EXPLAIN_REPORT_H
