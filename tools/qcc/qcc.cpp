//===- qcc.cpp - The command-line compiler --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "common/Commands.h"
#include "common/Files.h"
#include "common/Messages.h"
#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Target/KnownTargets.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace qcc::driver;
using qcc::tools::Arguments;
using qcc::tools::Commands;
namespace rt = qcc::rt;

//===----------------------------------------------------------------------===//
// Options that commands share
//===----------------------------------------------------------------------===//

static std::vector<std::string> processors() {
  std::vector<std::string> names{"native"};
  for (std::string &name : qcc::knownTargetNames())
    names.push_back(std::move(name));
  return names;
}

static rt::Status addConstant(std::string_view text,
                              std::map<std::string, std::string> &constants) {
  size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 ||
      equals + 1 == text.size())
    return rt::invalidArgument("'--constant=" + std::string(text) +
                               "' must be a name and a value; write "
                               "--constant=NAME=N, --constant=NAME=true or "
                               "--constant=NAME=FILE.npy");
  std::string name(text.substr(0, equals));
  if (!constants.emplace(name, text.substr(equals + 1)).second)
    return rt::invalidArgument("the value of the input '" + name +
                               "' is given twice; give it once");
  return rt::Status::ok();
}

/// Options of the commands that compile programs.
static void addCompilingOptions(Arguments &arguments, ProgramOptions &program) {
  arguments.text(
      "mcpu", "native|NAME[,...]",
      "Processor to compile for: native, which is the default, or a name of "
      "LLVM such as x86-64-v3, skylake-avx512, cascadelake, sapphirerapids. "
      "Several names make several variants of the program, and the best that "
      "the host can run is taken. NAME+emulated-amx takes the kernels of AMX, "
      "but computes them without it: slowly, to test them on any host with "
      "AVX-512 VNNI. With --target=cuda a chip: sm_75, sm_80, sm_86, sm_89, "
      "sm_90 or sm_120; where a device runs the program, its own if not given",
      program.mcpu);
  arguments.listValues("mcpu", processors);
  arguments.text("weights", "FILE.npz|FILE.safetensors|random:SEED",
                 "Where constants written dense_resource<name> come from",
                 program.weights);
  arguments.flag("unfused",
                 "Make a step of each op, so that the value of every layer can "
                 "be looked at: slower, but the same bits",
                 program.unfused);
  arguments.list("constant", "NAME=N|NAME=true|NAME=FILE.npy",
                 "What an input of an ONNX model always is: it is no argument "
                 "of the program then. A number is all of its elements",
                 [&](std::string_view text) {
                   return addConstant(text, program.constants);
                 });
}

static void addTuningDb(Arguments &arguments, ProgramOptions &program) {
  arguments.text("tuning-db", "FILE",
                 "Use the configs that qcc tune has measured; what the file "
                 "does not have, the cost model chooses",
                 program.tuning);
}

/// Options of the commands that take one program.
static void addProgramOptions(Arguments &arguments, ProgramOptions &program) {
  arguments.positional("FILE", program.input);
  arguments.text("target", "x86|cuda|x86,cuda|reference",
                 "What computes: x86 code, the default, kernels for NVIDIA "
                 "chips, variants for both, or the reference interpreter (run "
                 "only)",
                 program.target);
  addCompilingOptions(arguments, program);
}

/// Notes which of the options above the command line has.
static void noteGiven(const Arguments &arguments, ProgramOptions &program) {
  for (const char *name :
       {"target", "mcpu", "weights", "unfused", "constant", "tuning-db"})
    if (arguments.isGiven(name))
      program.given.push_back(std::string("--") + name);
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

namespace {
/// The options of all commands; one of them is run.
struct CommandLine {
  ProgramOptions program;
  RunOptions run;
  DiffCommand diff;
  std::vector<std::string> others; ///< B of diff, if there is one
  std::string against;
  bool layers = false;
  /// Options of diff that the sides have in common.
  std::string entry;
  std::optional<double> tolerance;
  ExplainOptions explain;
  ReduceOptions reduce;
  TuneOptions tune;
  std::string output, emit;
  std::string key;     ///< Of sign.
  bool ofONNX = false; ///< Of ops.
};
} // namespace

static void addCompile(Commands &commands, CommandLine &line) {
  Arguments &arguments = commands.add(
      "compile", "Compile a program to a file", [&](const Arguments &) {
        return runCompile(line.program, line.output, line.emit);
      });
  addProgramOptions(arguments, line.program);
  addTuningDb(arguments, line.program);
  arguments.text("o", "OUT",
                 "Output; its suffix chooses what is written: .mlir .ll .s .o "
                 ".so .ptx .weights; - prints",
                 line.output);
  arguments.text("emit",
                 "import|graph|tensor|kernel|buffer|target|llvm|asm|ptx|"
                 "weights",
                 "Write the program as it is after this stage, or its code, or "
                 "the constants that its steps read, as one blob",
                 line.emit);
  arguments.list("dim", "NAME=N",
                 "Compile an ONNX model for one size of a dimension that has a "
                 "name in it; without, the program takes every size",
                 [&](std::string_view text) {
                   return qcc::tools::addNamedDim(text,
                                                  line.program.sizes.named);
                 });
  arguments.list(
      "shape", "NAME=N0xN1...",
      "Compile an ONNX model for one shape of the input of a name",
      [&](std::string_view text) { return line.program.sizes.addShape(text); });
  arguments.example("qcc compile model.mlir --weights=model.npz -o model.so");
  arguments.example("qcc compile model.onnx --dim=batch=1 -o model.so");
  arguments.example("qcc compile model.mlir --weights=model.npz "
                    "--mcpu=x86-64-v3,sapphirerapids -o model.so");
  arguments.example("qcc compile model.mlir --weights=model.npz "
                    "--target=x86,cuda --mcpu=cascadelake,sm_80 -o model.so");
  arguments.example(
      "qcc compile model.mlir --weights=random:7 --emit=kernel -o -");
}

static void addRun(Commands &commands, CommandLine &line) {
  Arguments &arguments =
      commands.add("run", "Run a program or what was compiled of it",
                   [&](const Arguments &given) {
                     noteGiven(given, line.program);
                     return runRun(line.program, line.run);
                   });
  addProgramOptions(arguments, line.program);
  addTuningDb(arguments, line.program);
  qcc::tools::addRunArguments(arguments, line.run);
  arguments.flag("check",
                 "Also run the reference interpreter; exit with 1 if any "
                 "element differs",
                 line.run.check);
  arguments.flag("check-steps",
                 "As --check, and compare what each step computes as well, "
                 "which --check does where a result differs",
                 line.run.checkSteps);
  arguments.example("qcc run model.mlir --weights=model.npz --input=x.npy "
                    "--output=y.npy");
  arguments.example("qcc run model.mlir --weights=random:7 --input=random "
                    "--dim=16 --check");
  arguments.example("qcc run model.onnx --input=image:x.npy --dim=batch=1");
  arguments.example("qcc run model.mlir --weights=random:7 --input=random "
                    "--device=emulator --check");
  arguments.example("qcc run model.so --list");
}

static void addBench(Commands &commands, CommandLine &line) {
  Arguments &arguments = commands.add(
      "bench", "Measure the steps of a program", [&](const Arguments &given) {
        noteGiven(given, line.program);
        line.run.bench = line.run.profile = true;
        return runRun(line.program, line.run);
      });
  addProgramOptions(arguments, line.program);
  addTuningDb(arguments, line.program);
  qcc::tools::addInputArguments(arguments, line.run.entry, line.run.sources,
                                line.run.threads);
  qcc::tools::addMeasureArguments(arguments, line.run);
  arguments.example("qcc bench model.mlir --weights=random:7 --input=random "
                    "--dim=1024 --threads=1");
  arguments.example("qcc bench model.so --input=random --profile=trace.json");
}

/// Completes a side of diff by the options that both have in common.
static void completeSide(const Arguments &given, const char *side,
                         const CommandLine &line, ProgramOptions &program,
                         const ProgramOptions &other) {
  const ProgramOptions &common = line.program;
  for (const char *name : {"mcpu-", "weights-"})
    if (given.isGiven(std::string(name) + side))
      program.given.push_back(std::string("--") + name + side);
  if (!given.isGiven(std::string("mcpu-") + side))
    program.mcpu = common.mcpu;
  if (!given.isGiven(std::string("weights-") + side))
    program.weights = common.weights;
  program.unfused = common.unfused;
  program.constants = common.constants;
  program.tuning = common.tuning;
  // Where only one of the two is a program, the common options are for that.
  if (qcc::tools::isArtifact(other.input))
    noteGiven(given, program);
}

/// The comparison of one model with another implementation of ONNX.
static int runModelDiffCommand(const Arguments &given,
                               const CommandLine &line) {
  if (!line.others.empty())
    return reportError("--against compares one model, but '" +
                       line.others.front() + "' is given as well");
  for (const char *name :
       {"weights", "unfused", "constant", "tuning-db", "entry", "threads",
        "json", "entry-a", "entry-b", "mcpu-a", "mcpu-b", "weights-a",
        "weights-b", "variant-a", "variant-b", "device-a", "device-b"})
    if (given.isGiven(name))
      return reportError(llvm::Twine("--") + name +
                         " does not go with --against");
  return runModelDiff({line.diff.a.input, line.against, line.program.mcpu,
                       line.layers, line.diff.sources, line.tolerance});
}

static int runDiffCommand(const Arguments &given, CommandLine &line) {
  if (given.isGiven("against"))
    return runModelDiffCommand(given, line);
  if (line.layers)
    return reportError("--layers goes with --against; without, all values that "
                       "both programs name are compared");
  DiffCommand &diff = line.diff;
  if (line.others.size() != 1)
    return reportError(line.others.empty()
                           ? "no B is given; see qcc diff --help"
                           : "A and B are wanted, but '" + line.others[1] +
                                 "' is given as well");
  diff.b.input = line.others.front();
  completeSide(given, "a", line, diff.a, diff.b);
  completeSide(given, "b", line, diff.b, diff.a);
  for (std::string *entry : {&diff.entryA, &diff.entryB})
    if (entry->empty())
      *entry = line.entry;
  diff.tolerance = line.tolerance.value_or(0);
  return runDiff(diff);
}

static void addDiff(Commands &commands, CommandLine &line) {
  Arguments &arguments = commands.add(
      "diff", "Compare two programs layer by layer; exit with 1 if they differ",
      [&](const Arguments &given) { return runDiffCommand(given, line); });
  DiffCommand &diff = line.diff;
  arguments.positional("A", diff.a.input);
  arguments.positionals("B", line.others);
  addCompilingOptions(arguments, line.program);
  addTuningDb(arguments, line.program);
  qcc::tools::addInputArguments(arguments, line.entry, diff.sources,
                                diff.threads);
  arguments.number("tolerance", "T",
                   "Let elements differ by up to T times the largest magnitude "
                   "of the value in A; without, any difference counts",
                   line.tolerance);
  arguments.text("against", "onnxruntime|onnx",
                 "Instead of B: run the ONNX model A in ONNX Runtime or in the "
                 "package onnx, by the package qcc of Python (of python3, or "
                 "of the program that QCC_PYTHON names). T of --tolerance is "
                 "of the norm (L2) of a value then",
                 line.against);
  arguments.flag("layers",
                 "With --against: compare what each node computes, not the "
                 "outputs alone",
                 line.layers);
  arguments.text("json", "FILE", "Also write the report", diff.json);
  arguments.text("entry-a", "NAME", "Entry of A, instead of --entry",
                 diff.entryA);
  arguments.text("entry-b", "NAME", "Entry of B, instead of --entry",
                 diff.entryB);
  arguments.text("mcpu-a", "NAME",
                 "Processor to compile A for, instead of --mcpu", diff.a.mcpu);
  arguments.text("mcpu-b", "NAME",
                 "Processor to compile B for, instead of --mcpu", diff.b.mcpu);
  arguments.text("weights-a", "FILE", "Weights of A, instead of --weights",
                 diff.a.weights);
  arguments.text("weights-b", "FILE", "Weights of B, instead of --weights",
                 diff.b.weights);
  arguments.text("variant-a", "NAME", "Variant of A", diff.variantA);
  arguments.text("variant-b", "NAME", "Variant of B", diff.variantB);
  qcc::tools::addDeviceArgument(arguments, "device-a",
                                "What runs A; this host if not given",
                                diff.deviceA);
  qcc::tools::addDeviceArgument(arguments, "device-b",
                                "What runs B; this host if not given",
                                diff.deviceB);
  arguments.example("qcc diff float.mlir int8.mlir --weights=model.npz "
                    "--input=x.npy --tolerance=0.03");
  arguments.example("qcc diff model.mlir model.so --weights-a=model.npz "
                    "--input=random");
  arguments.example("qcc diff model.onnx --against=onnxruntime --layers");
}

static void addExplain(Commands &commands, CommandLine &line) {
  Arguments &arguments =
      commands.add("explain", "Say which kernels a program becomes, and why",
                   [&](const Arguments &) {
                     return runExplain(line.program, line.explain);
                   });
  addProgramOptions(arguments, line.program);
  addTuningDb(arguments, line.program);
  qcc::tools::addSizeArguments(
      arguments, line.explain.sizes,
      "the arguments, for which to say the memory of temporaries. An ONNX "
      "model "
      "is explained as qcc compile compiles it for those with a name");
  arguments.flag(
      "json",
      "Print JSON: a list of kernels; of the entry that needs most, "
      "and of each entry, arena_bytes (the memory of temporaries), "
      "live_bytes (the most of it that is alive at one step) and "
      "scratch_bytes (of each thread), null where dimensions are "
      "not given; distinct_kernels; artifact_bytes; of a step of a device "
      "its kernel",
      line.explain.json);
  arguments.text("html", "FILE",
                 "Also write a page for browsers, which needs no other file: "
                 "the steps as a graph, with what is known of each",
                 line.explain.html);
  arguments.text("profile", "FILE",
                 "For the page: the time of each step, as qcc bench --json "
                 "has measured it",
                 line.explain.profile);
  arguments.example("qcc explain model.onnx --html=model.html");
  arguments.example("qcc explain model.mlir --weights=random:7");
  arguments.example(
      "qcc explain model.mlir --weights=random:7 --mcpu=sapphirerapids");
}

static void addReduce(Commands &commands, CommandLine &line) {
  Arguments &arguments = commands.add(
      "reduce", "Find the smallest part of a program that still fails a test",
      [&](const Arguments &) { return runReduce(line.reduce); });
  arguments.positional("FILE.mlir", line.reduce.input);
  arguments.text("test", "COMMAND",
                 "A command of the shell, which succeeds where the program "
                 "\"$1\" does what is looked for, such as to crash something",
                 line.reduce.test);
  arguments.text("o", "OUT.mlir", "Where the part is written",
                 line.reduce.output);
  arguments.example("qcc reduce model.mlir -o small.mlir --test='! qcc run "
                    "\"$1\" --check'");
}

static void addTune(Commands &commands, CommandLine &line) {
  Arguments &arguments = commands.add(
      "tune",
      "Measure ways to compute the kernels of a program; compile with "
      "--tuning-db then takes the fastest",
      [&](const Arguments &given) {
        noteGiven(given, line.program);
        return runTune(line.program, line.tune);
      });
  addProgramOptions(arguments, line.program);
  TuneOptions &tune = line.tune;
  qcc::tools::addInputArguments(arguments, tune.entry, tune.sources,
                                tune.threads);
  arguments.text("db", "FILE",
                 "Where the configs go. What the file has already is kept, or "
                 "replaced by what is measured now",
                 tune.database);
  qcc::tools::addDeviceArgument(
      arguments, "device",
      "What measures: this host, an NVIDIA GPU, or the emulator of one, by its "
      "model of the time on the chip that --mcpu names",
      tune.device);
  arguments.number("candidates", "N",
                   "How many ways to try for each kernel, at most; 16 if not "
                   "given",
                   1, 1000, tune.candidates);
  arguments.text("filter", "TEXT",
                 "Only kernels whose shape or layer contains this",
                 tune.filter);
  arguments.example("qcc tune model.mlir --weights=random:7 --dim=1024 "
                    "--db=tuned.json");
  arguments.example("qcc compile model.mlir --weights=model.npz "
                    "--tuning-db=tuned.json -o model.so");
}

static void addSign(Commands &commands, CommandLine &line) {
  Arguments &sign =
      commands.add("sign", "Sign an artifact, for hosts that load no others",
                   [&](const Arguments &) {
                     return runSign(line.program.input, line.key, line.output);
                   });
  sign.positional("FILE", line.program.input);
  sign.text("key", "KEY", "The secret key, a file of qcc make-key", line.key);
  sign.text("o", "OUT", "Output", line.output);
  sign.example("qcc sign model.so --key=secret.key -o signed.so");
  Arguments &makeKey = commands.add(
      "make-key", "Write a secret key to a file, and print its public key",
      [&](const Arguments &) { return runMakeKey(line.output); });
  makeKey.positional("KEY", line.output);
  makeKey.example("qcc make-key secret.key > public.key");
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  qcc::tools::ignoreBrokenPipes();
  llvm::WithColor::setAutoDetectFunction(
      [](const llvm::raw_ostream &) { return qcc::tools::hasColor(); });
  const qcc::rt::Status &host = qcc::rt::HostFeatures::hostStatus();
  if (!host.isOk())
    return reportError(host.message());

  Commands commands("qcc", "qcc: a compiler for quantized networks",
                    QCC_VERSION);
  CommandLine line;
  addCompile(commands, line);
  addRun(commands, line);
  addBench(commands, line);
  addDiff(commands, line);
  addExplain(commands, line);
  addReduce(commands, line);
  addTune(commands, line);
  addSign(commands, line);
  Arguments &ops = commands.add(
      "ops", "List the operations that programs and ONNX models may use",
      [&](const Arguments &) { return runOps(line.ofONNX); });
  ops.flag("onnx", "List the ops of ONNX models", line.ofONNX);
  commands.add("targets", "Say what this host can run",
               [](const Arguments &) { return runTargets(); });
  return finishOutput(commands.run(argc, argv));
}
