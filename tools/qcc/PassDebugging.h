//===- PassDebugging.h - MLIR's debugging options of qcc compile *- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shows what passes do to a program: the program around each pass, times, and
// reproducers of failures, by options of MLIR. What passes decide and count is
// printed by options of the same names as those of LLVM and MLIR, which do
// nothing if LLVM was built without assertions.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_PASSDEBUGGING_H
#define QCC_TOOLS_QCC_PASSDEBUGGING_H

#include "common/Arguments.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "qcc/Pipelines/Pipelines.h"

namespace qcc::driver {

class PassDebugging {
public:
  /// Declares the options. The object must outlive `arguments`.
  void addOptions(tools::Arguments &arguments);

  /// Hands the given options to MLIR; once per process. Fails if MLIR rejects a
  /// value, such as the name of an unknown pass, or if this build cannot print
  /// decisions.
  rt::Status start();

  /// Applies the options to the passes of a stage. The report of times has a
  /// part for each stage.
  void configure(mlir::PassManager &passes, Stage stage);

  /// Ends the time of the last stage; prints the report of times, and what
  /// passes counted.
  void finish();

private:
  bool isGiven() const { return !given.empty() || counts || !deciders.empty(); }
  rt::Status startMLIR();

  std::vector<std::string> given;    ///< Options of MLIR, as MLIR spells them.
  std::vector<std::string> deciders; ///< Passes whose decisions are printed.
  bool counts = false;               ///< Whether what passes count is printed.
  std::optional<mlir::DefaultTimingManager> timing;
  mlir::TimingScope whole, ofStage;
};

} // namespace qcc::driver

#endif // QCC_TOOLS_QCC_PASSDEBUGGING_H
