//===- Driver.h - Declarations shared by the subcommands --------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_DRIVER_H
#define QCC_TOOLS_QCC_DRIVER_H

#include "DiagnosticPrinter.h"
#include "common/Diff.h"
#include "common/ExitCodes.h"
#include "common/Progress.h"
#include "common/Run.h"
#include "common/StepCheck.h"
#include "common/Text.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Reference/Interpreter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <map>
#include <string>
#include <vector>

namespace qcc {
enum class Unwanted;
struct FixedInputs;
struct WeightsSource;
} // namespace qcc

namespace qcc::driver {

class PassDebugging;

/// Options of every subcommand that reads a program.
struct ProgramOptions {
  std::string input;
  std::string target = "x86"; ///< or "cuda", "x86,cuda", "reference"
  std::string mcpu = "native";
  std::string weights;
  bool unfused = false;
  std::string rounding = "reference"; ///< or "xnnpack"; of TFLite models
  bool emitsCubin = false;            ///< Machine code beside PTX.
  std::string tuning;                 ///< A tuning database, or empty.
  /// How many threads generate code; 0: one for each CPU.
  unsigned compileThreads = 0;
  /// Sizes that the command line gives. An ONNX model is compiled for those
  /// with a name.
  tools::GivenSizes sizes;
  /// Whether only a model takes `sizes`, since the command has no inputs.
  bool refusesOtherSizes = false;
  /// Inputs of a model that are constants: a number or a .npy file each.
  std::map<std::string, std::string> constants;
  /// The options above that the command line gives, for messages.
  std::vector<std::string> given;
};

/// Adds the files that a program is made of; messages call it `name`.
void addFiles(tools::CommandFiles &files, const ProgramOptions &program,
              const std::string &name = "the program");

/// Options of those that run it.
struct RunOptions : tools::RunOptions {
  bool check = false;
  /// Compare what each step computes as well.
  bool checkSteps = false;
};

/// Options of qcc diff.
struct DiffCommand : tools::DiffOptions {
  ProgramOptions a, b;
  std::string variantA, variantB;
  std::string deviceA, deviceB;
  std::string json; ///< a file for the report, "-" to print it, or empty
  std::string html; ///< a file for a page, or empty
};

/// Options of qcc diff --against.
struct ModelDiffCommand {
  std::string model, against, mcpu, html;
  bool layers = false;
  tools::InputSources sources;
  std::optional<double> tolerance;
};

/// Options of qcc quantize.
struct QuantizeCommand {
  std::string model, output, data, eval, json, html;
  /// All options, as `python -m qcc quantize` takes them.
  std::vector<std::string> arguments;
};

/// Options of qcc verify.
struct VerifyCommand {
  std::string model, json;
  tools::InputSources sources;
  /// All options, as `python -m qcc verify` takes them.
  std::vector<std::string> arguments;
};

/// Options of qcc explain.
struct ExplainOptions {
  std::string json;     ///< a file for the report, "-" to print it, or empty
  std::string html;     ///< a file for a page, or empty
  std::string profile;  ///< what `qcc bench --json` wrote
  std::string baseline; ///< the same, before
  std::string peaks;    ///< what `qcc-bench --json` wrote
  unsigned threads = 0; ///< how many to expect times of; 0: none
  std::vector<Unwanted> failOn;
};

/// Options of qcc reduce.
struct ReduceOptions {
  std::string input, output;
  std::string test; ///< a command of the shell
};

/// Options of qcc tune.
struct TuneOptions {
  std::string database;
  std::string entry;
  tools::InputSources sources;
  unsigned threads = 0;
  unsigned candidates = 16; ///< at most, for each kernel
  bool isList = false;      ///< list the candidates and measure nothing
  std::string filter;       ///< part of a shape or of a layer's name
  std::string device;       ///< what measures; empty for the host
};

using tools::ExitCode;
using tools::Reported;

/// Prints "qcc: error: ..." and returns the exit code.
ExitCode reportError(ExitCode code, const llvm::Twine &message);
ExitCode reportError(ExitCode code, llvm::Error error);
/// Prints "qcc: warning: ...".
void reportWarning(const llvm::Twine &message);

/// Reports a failure, if it is one; returns the exit code.
ExitCode reportStatus(const rt::Status &status);
/// The same for a failure that the command line alone tells.
ExitCode reportUsage(const rt::Status &status);
/// Reports how results differ, or a failure; returns the exit code.
ExitCode reportDifferences(const rt::Result<tools::Differences> &differences);

/// Writes out what was printed, and reports that it went nowhere; returns the
/// exit code of a command that ended with `code`.
int finishOutput(int code);

/// Writes a file at once or not at all; "-" is the standard output. Returns the
/// exit code.
ExitCode writeOutput(llvm::StringRef path, llvm::StringRef bytes);

/// The bytes of a program, which "-" reads from the standard input. Pipes and
/// devices are read up to a limit, which a message names.
rt::Result<std::unique_ptr<llvm::MemoryBuffer>>
readProgram(const std::string &path);

/// A program on its way: its source, context, target and, once loaded, module.
class Session {
public:
  explicit Session(ProgramOptions options);

  /// Reads, checks and imports the program; resolves the target. Reports what
  /// is wrong; returns the exit code.
  ExitCode load();

  /// Runs the stages up to `last` on the module. A crash of the compiler
  /// becomes a message with the stage and a reproducer file, which qcc-opt
  /// --run-reproducer replays. `passes` sees the passes of each stage. Returns
  /// the exit code.
  ExitCode runStages(Stage last, PassDebugging *passes = nullptr);

  /// Code for the module after stage llvm; reports failures.
  Reported<Artifact> emitArtifact();

  /// Runs `body` so that a crash inside is reported and not fatal. Where
  /// `what` is "while reading", progress is shown as well.
  bool guarded(llvm::StringRef what, llvm::function_ref<bool()> body);

  mlir::ModuleOp module() { return *moduleRef; }
  const Compiler &compiler() const { return *compilerRef; }
  /// For a module that is only compiled: frees constants that passes have
  /// replaced, and the weights while they are written.
  void releaseConstants() { compilerRef->releasesConstants = true; }
  /// Whether the program is an ONNX model.
  bool isModel() const { return isModelFlag; }
  /// The sizes of the options that the program was not compiled for.
  tools::GivenSizes inputSizes() const {
    return isModelFlag ? options.sizes.withoutNames() : options.sizes;
  }
  bool isReference() const { return options.target == "reference"; }
  const ProgramOptions &getOptions() const { return options; }

private:
  ExitCode importInput(const WeightsSource &weights);
  /// What the options fix of the inputs of a model; reports failures.
  Reported<FixedInputs> readFixedInputs();
  /// What to compile for; reports what is wrong.
  Reported<std::vector<TargetRef>> resolveTargets() const;
  ExitCode setOptions(std::vector<TargetRef> targets);

  ProgramOptions options;
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  DiagnosticPrinter diagnostics{sources, &context};
  mlir::OwningOpRef<mlir::ModuleOp> moduleRef;
  std::optional<Compiler> compilerRef;
  bool isModelFlag = false;
  std::vector<HostTensor> constants;
  /// What is going on, while something is.
  std::optional<tools::Progress> progress;
};

/// The table of `name`; `native` asks the CPU.
llvm::Expected<TargetRef> resolveTarget(llvm::StringRef name);

/// Completes the options of a program that runs on a device: unless they say
/// something else, it is compiled for the latest chip whose code the device
/// runs. Changes nothing where `device` is null, the host.
void aimAt(const rt::Device *device, ProgramOptions &program);

/// The function that `--entry` names, or the only one; reports a missing entry.
Reported<mlir::func::FuncOp> findEntry(mlir::ModuleOp module,
                                       llvm::StringRef name);
/// What an entry takes; reports arguments that are no data.
Reported<std::vector<tools::TensorSpec>> specsOf(mlir::func::FuncOp entry);

/// Opens a file that is an artifact already.
rt::Result<tools::ModulePtr> openArtifact(const ProgramOptions &program,
                                          const rt::ModuleOptions &options);

/// Compiles the module of the session, which is used up; reports failures.
Reported<tools::ModulePtr> compileAndLoad(Session &session,
                                          const rt::ModuleOptions &options);

using ReferenceResults = llvm::SmallVector<reference::TensorValue>;

/// What the reference interpreter makes of the entry; reports failures.
Reported<ReferenceResults>
runReference(mlir::func::FuncOp entry, const std::vector<HostTensor> &inputs,
             unsigned threads, reference::Interpreter::Observer observer = {});
rt::Tensor viewOf(const reference::TensorValue &value);

/// Compiles the program again and compares what its steps compute with the
/// reference; reports failures.
Reported<tools::StepCheck> checkSteps(const ProgramOptions &program,
                                      const RunOptions &options,
                                      const rt::ModuleOptions &moduleOptions,
                                      std::vector<HostTensor> inputs);

/// Whether an artifact gets digests of runs: Auto is for artifacts for this
/// machine.
enum class SelfTestUse { Auto, Always, Never };

/// Options of qcc compile.
struct CompileCommand {
  std::vector<std::string> outputs;
  std::string emit; ///< a stage or a kind of code, or empty
  bool selfTest = false, noSelfTest = false;

  SelfTestUse selfTestUse() const {
    return selfTest     ? SelfTestUse::Always
           : noSelfTest ? SelfTestUse::Never
                        : SelfTestUse::Auto;
  }
};

/// Runs the program of an artifact on this machine (common/SelfTest.h); reports
/// failures.
Reported<std::vector<rt::SelfTest>> makeSelfTests(const ProgramOptions &program,
                                                  SelfTestUse use,
                                                  const Artifact &artifact);

/// Each returns the exit code. Compiles once, and writes the outputs when all
/// of them are there.
int runCompile(const ProgramOptions &program, CompileCommand command,
               PassDebugging &passes);
int runRun(const ProgramOptions &program, const RunOptions &run);
int runDiff(const DiffCommand &command);
int runModelDiff(const ModelDiffCommand &command);
int runQuantize(const QuantizeCommand &command);
int runVerify(const VerifyCommand &command);
/// Runs `python -m qcc` with a command and its arguments. Reports that `what`
/// needs Python or the package qcc, if one of the two is missing.
int runPythonCommand(const std::string &what,
                     const std::vector<std::string> &arguments);
int runExplain(const ProgramOptions &program, const ExplainOptions &options);
/// Adds the kinds of --fail-on, "KIND,...". Fails if one does not exist.
rt::Status addUnwanted(llvm::StringRef kinds, std::vector<Unwanted> &unwanted);
int runReduce(const ReduceOptions &options);
/// Says whether the artifact `input` is signed with the secret key that belongs
/// to the public key of a file.
int runVerifySignature(const std::string &input, const std::string &keyPath);
/// Signs the artifact `input` with the secret key of a file.
int runSign(const std::string &input, const std::string &keyPath,
            const std::string &output);
/// Writes a new secret key, and prints the public one.
int runMakeKey(const std::string &path);
/// Whose ops are listed.
enum class OpSource { MLIR, ONNX, StableHLO, TFLite };
int runOps(OpSource source);
int runFormats();
int runTargets();
int runTune(const ProgramOptions &program, const TuneOptions &options);

} // namespace qcc::driver

#endif // QCC_TOOLS_QCC_DRIVER_H
