//===- qcc.cpp - The command-line compiler --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "common/Files.h"
#include "common/LargeStack.h"
#include "common/Messages.h"
#include "qcc/Runtime/HostFeatures.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace qcc::driver;
using qcc::tools::Arguments;
using qcc::tools::Commands;

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static void addEmitCubin(Arguments &arguments, ProgramOptions &program) {
  arguments.flag("emit-cubin",
                 "Also put kernels for GPUs into the artifact as machine code, "
                 "which ptxas makes: a GPU of the chip's generation loads it "
                 "at once, and all others compile the PTX beside it",
                 program.emitsCubin);
}

static void addCompile(Commands &commands, CommandLine &line) {
  Arguments &arguments = commands.add(
      "compile", "Compile a program to a file", [&](const Arguments &) {
        line.program.refusesOtherSizes = true;
        return runCompile(line.program, line.compile, line.passes);
      });
  addProgramOptions(arguments, line.program);
  addTuningDb(arguments, line.program);
  qcc::tools::addOutputArgument(
      arguments, "OUT",
      "Output; its suffix chooses what is written: .mlir .ll .s .o .so .ptx "
      ".weights; - prints. Several -o write the outputs of one compilation",
      line.compile.outputs);
  arguments.text("emit",
                 "import|graph|tensor|kernel|buffer|target|llvm|asm|ptx|"
                 "weights",
                 "Write the program as it is after this stage, or its code, or "
                 "the constants that its steps read, as one blob",
                 line.compile.emit);
  addEmitCubin(arguments, line.program);
  arguments.flag("self-test",
                 "Run the program, and put digests of the results into the "
                 "artifact, which `qcc-run --self-test` compares on other "
                 "machines. Without this option only artifacts for this "
                 "machine get them; with it, a program for other machines is "
                 "compiled for this one as well",
                 line.compile.selfTest);
  arguments.flag("no-self-test", "Do not run the program",
                 line.compile.noSelfTest);
  arguments.rules().exclude({"self-test"}, {"no-self-test"},
                            "they contradict each other");
  qcc::tools::addSizeArguments(arguments, line.program.sizes);
  line.passes.addOptions(arguments);
  arguments.rules().refuse(
      "target=reference",
      "target reference can run programs, not compile them");
  arguments.example("qcc compile model.mlir --weights=model.npz -o model.so");
  arguments.example("qcc compile model.onnx --dim=batch=1 -o model.so");
  arguments.example("qcc compile model.mlir --weights=model.npz "
                    "--mcpu=x86-64-v3,sapphirerapids -o model.so");
  arguments.example("qcc compile model.mlir --weights=model.npz "
                    "--target=x86,cuda --mcpu=cascadelake,sm_80 -o model.so");
  arguments.example(
      "qcc compile model.mlir --weights=random:7 --emit=kernel -o -");
  arguments.example("qcc compile model.mlir --emit=kernel -o - "
                    "--mlir-print-ir-after=form-contractions");
}

/// The interpreter runs the program as it is written, and nothing beside it.
static void addReferenceRules(qcc::tools::OptionRules &rules) {
  rules.exclude(
      {"target=reference"},
      {"check", "check-steps", "bench", "profile", "list", "dump-steps",
       "test-data", "variant", "weight-pages", "device", "counters", "mcpu",
       "unfused", "tuning-db"},
      "the reference interpreter has no compiled code to compare, measure, "
      "list, dump or choose");
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
                 "Also run the reference interpreter; the exit code is 1 if "
                 "any element differs",
                 line.run.check);
  arguments.flag("check-steps",
                 "As --check, and compare what each step computes as well, "
                 "which --check does where a result differs",
                 line.run.checkSteps);
  addReferenceRules(arguments.rules());
  arguments.rules().exclude(
      {"FILE=-"}, {"check-steps"},
      "it compiles the program twice, but the standard input is read once");
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
  arguments.takesStream("input");
  qcc::tools::addMeasureArguments(arguments, line.run);
  arguments.rules().refuse("target=reference",
                           "target reference has no compiled steps to "
                           "measure; use x86");
  arguments.example("qcc bench model.mlir --weights=random:7 --input=random "
                    "--dim=1024 --threads=1");
  arguments.example("qcc bench model.so --input=random --profile=trace.json");
}

static void addExplain(Commands &commands, CommandLine &line) {
  Arguments &arguments =
      commands.add("explain", "Say which kernels a program becomes, and why",
                   [&](const Arguments &) {
                     return runExplain(line.program, line.explain);
                   });
  addProgramOptions(arguments, line.program);
  addTuningDb(arguments, line.program);
  qcc::tools::addSizeArguments(arguments, line.program.sizes, "arguments");
  qcc::tools::addJsonArgument(
      arguments, "the report", line.explain.json,
      "It has a list of kernels; of the entry that needs "
      "most, and of each entry, arena_bytes (the memory of temporaries), "
      "live_bytes (the most of it that is alive at one step) and "
      "scratch_bytes (of each thread), null where dimensions are not given; "
      "of each entry, in_place (results that may lie in the memory of an "
      "argument); "
      "distinct_kernels; artifact_bytes; machine_code_bytes, with "
      "--emit-cubin; of a step of a device its kernel, of a contraction with "
      "a constant operand its weight");
  arguments.text("html", "FILE",
                 "Also write a page for browsers, which needs no other file: "
                 "the steps as a graph, with what is known of each",
                 line.explain.html);
  arguments.takesStream("html");
  arguments.text("profile", "FILE",
                 "For the summary and the page: the time of each step, as qcc "
                 "bench --json has measured it",
                 line.explain.profile);
  arguments.text("baseline", "FILE",
                 "For the page: an earlier profile of the same steps, to "
                 "compare --profile with",
                 line.explain.baseline);
  arguments.text("peaks", "FILE",
                 "For the page: what the machine can do, as qcc-bench --json "
                 "has measured it with the threads of --profile; steps are "
                 "compared with it",
                 line.explain.peaks);
  for (const char *beside : {"profile", "html"})
    arguments.rules().needs({"baseline", "peaks"}, {beside});
  arguments.number("threads", "N",
                   "Also say what 1 to N threads of a processor are expected "
                   "to take, and what they lose: a model, see "
                   "docs/Rationale/Threads.md. In the report, each entry has a "
                   "list scaling",
                   1, 4096, line.explain.threads);
  arguments.list("fail-on", "KIND[,...]",
                 "Exit with 1 if a step is of one of these kinds, and name it: "
                 "float-contraction, generic-contraction (one that no kernel "
                 "computes), generic (any step of generic loops), packing (of "
                 "an operand at each call)",
                 [&line](std::string_view kinds) {
                   return addUnwanted({kinds.data(), kinds.size()},
                                      line.explain.failOn);
                 });
  addEmitCubin(arguments, line.program);
  arguments.rules().refuse(
      "target=reference",
      "target reference has no kernels to explain; use x86");
  arguments.example("qcc explain model.onnx --html=model.html");
  arguments.example("qcc explain model.onnx --html=model.html "
                    "--profile=now.json --baseline=before.json");
  arguments.example("qcc explain model.onnx --fail-on=float-contraction");
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
  qcc::tools::addOutputArgument(
      arguments, "OUT.mlir", "Where the part is written", line.reduce.output);
  arguments.takesStream("FILE.mlir");
  arguments.rules().require("test", "no test; say --test=COMMAND, in which "
                                    "\"$1\" is the program");
  arguments.rules().require("output", "no output; say -o OUT.mlir");
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
  arguments.flag("list",
                 "Print the candidates of each kernel with the costs that the "
                 "model expects, as JSON, and measure nothing",
                 tune.isList);
  arguments.rules().requireOneOf(
      {"db", "list"}, "no database; say --db=FILE, or --list to see the "
                      "candidates");
  arguments.rules().exclude({"list"}, {"db", "device", "threads"},
                            "it measures nothing");
  arguments.rules().refuse("target=reference",
                           "target reference has no kernels to tune; use x86");
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
  sign.takesStream("key");
  qcc::tools::addOutputArgument(sign, "OUT", "Output", line.output);
  sign.rules().require("key",
                       "no key; say --key=FILE with a file of qcc make-key");
  sign.rules().require("output", "no output; say -o OUT");
  sign.example("qcc sign model.so --key=secret.key -o signed.so");
  Arguments &verify = commands.add(
      "verify-signature",
      "Check that an artifact is signed with a key; exit with 1 if it is not",
      [&](const Arguments &) {
        return runVerifySignature(line.program.input, line.key);
      });
  verify.positional("FILE", line.program.input);
  verify.text("key", "KEY",
              "The public key, a file with what qcc make-key "
              "printed",
              line.key);
  verify.takesStream("key");
  verify.rules().require("key", "no key; say --key=FILE with the public key "
                                "that qcc make-key printed");
  verify.example("qcc verify-signature signed.so --key=public.key");
  Arguments &makeKey = commands.add(
      "make-key", "Write a secret key to a file, and print its public key",
      [&](const Arguments &) { return runMakeKey(line.output); });
  makeKey.positional("KEY", line.output);
  makeKey.example("qcc make-key secret.key > public.key");
}

/// The tool, once the process is set up; returns the exit code.
static int runTool(int argc, char **argv) {
  const qcc::rt::Status &host = qcc::rt::HostFeatures::hostStatus();
  if (!host.isOk())
    return reportStatus(host);

  Commands commands("qcc", "qcc: a compiler for quantized networks",
                    QCC_VERSION);
  CommandLine line;
  addCompile(commands, line);
  addRun(commands, line);
  addBench(commands, line);
  addDiff(commands, line);
  addExplain(commands, line);
  addQuantize(commands, line);
  addReduce(commands, line);
  addServe(commands, line);
  addTune(commands, line);
  addVerify(commands, line);
  addSign(commands, line);
  Arguments &ops = commands.add(
      "ops", "List the operations that programs and models may use",
      [&](const Arguments &) {
        return runOps(line.ofONNX        ? OpSource::ONNX
                      : line.ofStableHLO ? OpSource::StableHLO
                      : line.ofTFLite    ? OpSource::TFLite
                                         : OpSource::MLIR);
      });
  ops.flag("onnx", "List the ops of ONNX models", line.ofONNX);
  ops.flag("stablehlo", "List the ops of StableHLO programs", line.ofStableHLO);
  ops.flag("tflite", "List the ops of TFLite models", line.ofTFLite);
  ops.rules().exclude({"onnx"}, {"stablehlo", "tflite"},
                      "each is a list of its own");
  ops.rules().exclude({"stablehlo"}, {"tflite"}, "each is a list of its own");
  commands.add("formats", "List the formats of programs and weights",
               [](const Arguments &) { return runFormats(); });
  commands.add("targets", "Say what this host can run",
               [](const Arguments &) { return runTargets(); });
  return finishOutput(commands.run(argc, argv));
}

/// The whole tool. In the wheels it is part of libqcc, which main.cpp calls.
extern "C" __attribute__((visibility("default"))) int qccMain(int argc,
                                                              char **argv) {
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  qcc::tools::ignoreWriteSignals();
  llvm::WithColor::setAutoDetectFunction(
      [](const llvm::raw_ostream &) { return qcc::tools::hasColor(); });
  return qcc::tools::runWithLargeStack("qcc",
                                       [&] { return runTool(argc, argv); });
}
