//===- Batch.h - Compiles, runs and compares programs --------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several programs go through the compiler as one module, since most of the
// time of a small program is that of the stages. What happens to one of them
// does not depend on the others. All of it takes place in this process, which a
// bug of the compiler may end: Isolate.h runs it in another.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_FUZZ_BATCH_H
#define QCC_TOOLS_FUZZ_BATCH_H

#include "Data.h"
#include "mlir/IR/MLIRContext.h"
#include "qcc/Target/Effort.h"
#include "qcc/Target/Target.h"
#include <memory>
#include <optional>

namespace qcc::fuzz {

/// What became of a program.
struct Verdict {
  enum Kind { Same, Differs, Refused, Crashed, Hung };
  Kind kind = Same;
  std::string message;
  unsigned runs = 0;
  int failingCase = -1; // of casesOf()
};
const char *spell(Verdict::Kind kind);

/// A program and how to run it.
struct Subject {
  uint64_t seed = 0;
  Graph graph;
  std::vector<Case> cases;

  static Subject ofSeed(uint64_t seed);
};

/// Of tests: what a program that contains the op `op` is made to do.
struct Plant {
  std::string what, op; // "differ", "crash" or "hang"
};

struct BatchOptions {
  TargetRef target;
  Effort effort = Effort::Full;
  unsigned threads = 0; // 0: as each case says
  std::optional<Plant> plant;
  /// Where runs that are as they should be are written for other interpreters;
  /// may be empty.
  std::string emit;
  /// Where the pinned configs are written as a tuning database; may be empty.
  std::string configs;
};

/// Is told what is going on.
class Observer {
public:
  virtual ~Observer() = default;
  virtual void compiling() = 0;
  /// Case `index` of a subject runs next.
  virtual void running(size_t subject, int index) = 0;
  virtual void finished(size_t subject, const Verdict &verdict) = 0;
};

/// A context that knows all dialects. One for each call of runBatch: resources
/// are named per context.
std::unique_ptr<mlir::MLIRContext> makeContext();

void runBatch(mlir::MLIRContext &context, const std::vector<Subject> &subjects,
              const BatchOptions &options, Observer &observer);

} // namespace qcc::fuzz

#endif // QCC_TOOLS_FUZZ_BATCH_H
