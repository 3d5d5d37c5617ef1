//===- qcc.cpp - The command-line compiler --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "qcc/Runtime/HostFeatures.h"
#include "llvm/Support/InitLLVM.h"

using namespace qcc::driver;
namespace cl = llvm::cl;

static cl::SubCommand compileCommand("compile", "Compile a program to a file");
static cl::SubCommand runCommand("run",
                                 "Run a program or what was compiled of it");
static cl::SubCommand benchCommand("bench", "Measure the steps of a program");
static cl::SubCommand diffCommand("diff",
                                  "Compare two programs layer by layer; exit "
                                  "with 1 if they differ");
static cl::SubCommand
    explainCommand("explain", "Say which kernels a program becomes, and why");
static cl::SubCommand
    tuneCommand("tune", "Measure ways to compute the kernels of a program; "
                        "compile with --tuning-db then takes the fastest");
static cl::SubCommand targetsCommand("targets", "Say what this host can run");

static cl::OptionCategory category("qcc options");

namespace {
/// An empty text means nothing where a value is wanted.
struct TextParser : cl::parser<std::string> {
  using parser::parser;
  bool parse(cl::Option &option, llvm::StringRef, llvm::StringRef text,
             std::string &value) {
    if (text.empty() && option.getValueExpectedFlag() != cl::ValueOptional)
      return option.error("has an empty value; leave the option out or give it "
                          "a value");
    value = text.str();
    return false;
  }
};
using Text = cl::opt<std::string, /*ExternalStorage=*/false, TextParser>;
} // namespace

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static cl::SubCommandGroup programCommands = {
    &compileCommand, &runCommand, &benchCommand, &explainCommand, &tuneCommand};
static cl::SubCommandGroup choosingCommands = {
    &compileCommand, &runCommand, &benchCommand, &explainCommand, &diffCommand};
static cl::SubCommandGroup compilingCommands = {
    &compileCommand, &runCommand,  &benchCommand,
    &explainCommand, &diffCommand, &tuneCommand};
static cl::SubCommandGroup measuringCommands = {&runCommand, &benchCommand};
static cl::SubCommandGroup runningCommands = {&runCommand, &benchCommand,
                                              &diffCommand, &tuneCommand};

static Text inputFile(cl::Positional, cl::Required, cl::desc("FILE"),
                      cl::sub(programCommands), cl::cat(category));
static Text
    target("target", cl::value_desc("x86|reference"), cl::init("x86"),
           cl::desc("What computes: x86 code, or the reference interpreter "
                    "(run only)"),
           cl::sub(programCommands), cl::cat(category));
static Text mcpu(
    "mcpu", cl::value_desc("native|NAME[,...]"), cl::init("native"),
    cl::desc("Processor to compile for: native, or a name of LLVM such as "
             "x86-64-v3, skylake-avx512, cascadelake, sapphirerapids. "
             "Several names make several variants of the program, and the "
             "best that the host can run is taken. NAME+emulated-amx takes "
             "the kernels of AMX, but computes them without it: slowly, "
             "to test them on any host with AVX-512 VNNI"),
    cl::sub(compilingCommands), cl::cat(category));
static Text
    weights("weights", cl::value_desc("FILE.npz|FILE.safetensors|random:SEED"),
            cl::desc("Where constants written dense_resource<name> come from"),
            cl::sub(compilingCommands), cl::cat(category));

static cl::opt<bool>
    unfused("unfused",
            cl::desc("Make a step of each op, so that the value of every layer "
                     "can be looked at: slower, but the same bits"),
            cl::sub(compilingCommands), cl::cat(category));

static Text
    tuningDb("tuning-db", cl::value_desc("FILE"),
             cl::desc("Use the configs that qcc tune has measured; what the "
                      "file does not have, the cost model chooses"),
             cl::sub(choosingCommands), cl::cat(category));

//===----------------------------------------------------------------------===//
// Compile and explain
//===----------------------------------------------------------------------===//

static Text
    outputFile("o", cl::value_desc("OUT"),
               cl::desc("Output; its suffix chooses what is written: .mlir .ll "
                        ".s .o .so; - prints"),
               cl::sub(compileCommand), cl::cat(category));
static Text emitStage(
    "emit", cl::value_desc("import|graph|tensor|kernel|buffer|target|llvm|asm"),
    cl::desc("Write the program as it is after this stage"),
    cl::sub(compileCommand), cl::cat(category));
static cl::opt<bool> explainJson("json", cl::desc("Print JSON"),
                                 cl::sub(explainCommand), cl::cat(category));

//===----------------------------------------------------------------------===//
// Run and bench
//===----------------------------------------------------------------------===//

static Text entry("entry", cl::value_desc("NAME"),
                  cl::desc("Entry to run; needed where there are several"),
                  cl::sub(runningCommands), cl::cat(category));
static cl::list<std::string>
    inputs("input", cl::value_desc("x.npy|random[:SEED[:LO:HI]]"),
           cl::desc("An input, in order; a single random serves all. Integers "
                    "over their whole range, floats in [LO,HI), default [0,1)"),
           cl::sub(runningCommands), cl::cat(category));
static cl::list<int64_t>
    dims("dim", cl::value_desc("N"),
         cl::desc("Sizes of dynamic dimensions of random inputs, in the order "
                  "in which they appear"),
         cl::sub(runningCommands), cl::cat(category));
static cl::list<std::string>
    outputs("output", cl::value_desc("y.npy"),
            cl::desc("Where to write a result, in order"), cl::sub(runCommand),
            cl::cat(category));
static cl::list<std::string>
    expected("expect", cl::value_desc("y.npy"),
             cl::desc("What a result has to be, in order, bit for bit; NaNs "
                      "equal each other. If one differs, the exit code is 1"),
             cl::sub(runCommand), cl::cat(category));
static cl::opt<double>
    tolerance("tolerance", cl::value_desc("T"),
              cl::desc("Let elements differ from --expect by up to T times the "
                       "largest magnitude of the expected tensor"),
              cl::sub(runCommand), cl::cat(category));
static cl::opt<unsigned>
    threads("threads", cl::value_desc("N"), cl::init(0),
            cl::desc("Threads; one for each CPU if not given"),
            cl::sub(runningCommands), cl::cat(category));
static Text
    variant("variant", cl::value_desc("NAME"),
            cl::desc("Variant to run, as --list names it; the best that this "
                     "host can run if not given"),
            cl::sub(measuringCommands), cl::cat(category));
static Text weightPages(
    "weight-pages", cl::value_desc("auto|file|huge"),
    cl::desc("Memory to read weights from: the artifact's own pages, or a copy "
             "in huge pages; auto: a copy of 8 MiB and more"),
    cl::sub(measuringCommands), cl::cat(category));
static cl::opt<bool> bench("bench",
                           cl::desc("Run for a second; print the median time"),
                           cl::sub(runCommand), cl::cat(category));
static Text
    profile("profile", cl::value_desc("TRACE.json"), cl::ValueOptional,
            cl::desc("The same for each step; with a file, also write a trace "
                     "for chrome://tracing or ui.perfetto.dev"),
            cl::sub(measuringCommands), cl::cat(category));
static Text benchJson("json", cl::value_desc("FILE"),
                      cl::desc("Also write what was measured"),
                      cl::sub(measuringCommands), cl::cat(category));
static Text dumpSteps("dump-steps", cl::value_desc("DIR"),
                      cl::desc("Write the outputs of each step to DIR, with an "
                               "index.json"),
                      cl::sub(runCommand), cl::cat(category));
static cl::opt<bool>
    list("list", cl::desc("Say what the program holds, and run nothing"),
         cl::sub(runCommand), cl::cat(category));
static cl::opt<bool>
    check("check",
          cl::desc("Also run the reference interpreter; exit with 1 if any "
                   "element differs"),
          cl::sub(runCommand), cl::cat(category));

//===----------------------------------------------------------------------===//
// Diff
//===----------------------------------------------------------------------===//

static Text fileA(cl::Positional, cl::Required, cl::desc("A"),
                  cl::sub(diffCommand), cl::cat(category));
static Text fileB(cl::Positional, cl::Required, cl::desc("B"),
                  cl::sub(diffCommand), cl::cat(category));
static cl::opt<double> diffTolerance(
    "tolerance", cl::value_desc("T"), cl::init(0),
    cl::desc("Let elements differ by up to T times the largest magnitude of "
             "the value in A; without, any difference counts"),
    cl::sub(diffCommand), cl::cat(category));
static Text diffJson("json", cl::value_desc("FILE"),
                     cl::desc("Also write the report"), cl::sub(diffCommand),
                     cl::cat(category));
static Text entryA("entry-a", cl::value_desc("NAME"),
                   cl::desc("Entry of A, instead of --entry"),
                   cl::sub(diffCommand), cl::cat(category));
static Text entryB("entry-b", cl::value_desc("NAME"),
                   cl::desc("Entry of B, instead of --entry"),
                   cl::sub(diffCommand), cl::cat(category));
static Text mcpuA("mcpu-a", cl::value_desc("NAME"),
                  cl::desc("Processor to compile A for, instead of --mcpu"),
                  cl::sub(diffCommand), cl::cat(category));
static Text mcpuB("mcpu-b", cl::value_desc("NAME"),
                  cl::desc("Processor to compile B for, instead of --mcpu"),
                  cl::sub(diffCommand), cl::cat(category));
static Text weightsA("weights-a", cl::value_desc("FILE"),
                     cl::desc("Weights of A, instead of --weights"),
                     cl::sub(diffCommand), cl::cat(category));
static Text weightsB("weights-b", cl::value_desc("FILE"),
                     cl::desc("Weights of B, instead of --weights"),
                     cl::sub(diffCommand), cl::cat(category));
static Text variantA("variant-a", cl::value_desc("NAME"),
                     cl::desc("Variant of A"), cl::sub(diffCommand),
                     cl::cat(category));
static Text variantB("variant-b", cl::value_desc("NAME"),
                     cl::desc("Variant of B"), cl::sub(diffCommand),
                     cl::cat(category));

//===----------------------------------------------------------------------===//
// Tune
//===----------------------------------------------------------------------===//

static Text
    database("db", cl::value_desc("FILE"),
             cl::desc("Where the configs go. What the file has already is "
                      "kept, or replaced by what is measured now"),
             cl::sub(tuneCommand), cl::cat(category));
static cl::opt<unsigned>
    candidates("candidates", cl::value_desc("N"), cl::init(16),
               cl::desc("How many ways to try for each kernel, at most"),
               cl::sub(tuneCommand), cl::cat(category));
static Text filter("filter", cl::value_desc("TEXT"),
                   cl::desc("Only kernels whose shape or layer contains this"),
                   cl::sub(tuneCommand), cl::cat(category));

//===----------------------------------------------------------------------===//
// What was said
//===----------------------------------------------------------------------===//

static void addGiven(ProgramOptions &options,
                     std::initializer_list<cl::Option *> list) {
  for (cl::Option *option : list)
    if (option->getNumOccurrences() > 0)
      options.given.push_back("--" + option->ArgStr.str());
}

static ProgramOptions programOptions() {
  ProgramOptions options{inputFile, target,   mcpu, weights,
                         unfused,   tuningDb, {}};
  addGiven(options, {&target, &mcpu, &weights, &unfused, &tuningDb});
  return options;
}

static RunOptions runOptions() {
  RunOptions options;
  options.entry = entry;
  options.sources.inputs = inputs;
  options.sources.dims.assign(dims.begin(), dims.end());
  options.outputs = outputs;
  options.expected = expected;
  if (tolerance.getNumOccurrences() > 0)
    options.tolerance = tolerance;
  options.threads = threads;
  options.variant = variant;
  options.weightPages = weightPages;
  options.bench = bench || benchCommand;
  options.profile = profile.getNumOccurrences() > 0 || benchCommand;
  options.trace = profile;
  options.benchJson = benchJson;
  options.dumpSteps = dumpSteps;
  options.list = list;
  options.check = check;
  return options;
}

static ProgramOptions sideOptions(const std::string &file,
                                  const std::string &otherFile, Text &sideMcpu,
                                  Text &sideWeights) {
  ProgramOptions options{file, "x86", mcpu, weights, unfused, tuningDb, {}};
  if (sideMcpu.getNumOccurrences() > 0)
    options.mcpu = sideMcpu;
  if (sideWeights.getNumOccurrences() > 0)
    options.weights = sideWeights;
  addGiven(options, {&sideMcpu, &sideWeights});
  // Where only one of the two is a program, the common options are for that.
  if (qcc::tools::isArtifact(otherFile))
    addGiven(options, {&mcpu, &weights, &unfused, &tuningDb});
  return options;
}

static DiffCommand diffOptions() {
  DiffCommand options;
  options.a = sideOptions(fileA, fileB, mcpuA, weightsA);
  options.b = sideOptions(fileB, fileA, mcpuB, weightsB);
  options.variantA = variantA;
  options.variantB = variantB;
  options.entryA = entryA.getNumOccurrences() > 0 ? entryA : entry;
  options.entryB = entryB.getNumOccurrences() > 0 ? entryB : entry;
  options.sources.inputs = inputs;
  options.sources.dims.assign(dims.begin(), dims.end());
  options.threads = threads;
  options.tolerance = diffTolerance;
  options.json = diffJson;
  return options;
}

static TuneOptions tuneOptions() {
  TuneOptions options;
  options.database = database;
  options.entry = entry;
  options.sources.inputs = inputs;
  options.sources.dims.assign(dims.begin(), dims.end());
  options.threads = threads;
  options.candidates = candidates;
  options.filter = filter;
  return options;
}

/// Runs the command that was said; returns the exit code.
static int runCommandLine() {
  const qcc::rt::Status &host = qcc::rt::HostFeatures::hostStatus();
  if (!host.isOk())
    return reportError(host.message());
  if (threads.getNumOccurrences() > 0 && (threads == 0 || threads > 1024))
    return reportError("'--threads=" + llvm::Twine(threads) +
                       "' must be between 1 and 1024");
  if (candidates == 0 || candidates > 1000)
    return reportError("'--candidates=" + llvm::Twine(candidates) +
                       "' must be between 1 and 1000");
  // Copies: linking in process resets the options of LLVM's command line.
  if (compileCommand)
    return runCompile(programOptions(), std::string(outputFile),
                      std::string(emitStage));
  if (runCommand || benchCommand)
    return runRun(programOptions(), runOptions());
  if (diffCommand)
    return runDiff(diffOptions());
  if (explainCommand)
    return runExplain(programOptions(), explainJson);
  if (tuneCommand)
    return runTune(programOptions(), tuneOptions());
  if (targetsCommand)
    return runTargets();
  cl::PrintHelpMessage();
  return 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  qcc::tools::ignoreBrokenPipes();
  // LLVM's own options are of no use here.
  for (cl::SubCommand *command :
       {&cl::SubCommand::getTopLevel(), &compileCommand, &runCommand,
        &benchCommand, &diffCommand, &explainCommand, &tuneCommand,
        &targetsCommand})
    cl::HideUnrelatedOptions(category, *command);
  cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << "qcc " QCC_VERSION "\n"; });
  cl::ParseCommandLineOptions(
      argc, argv,
      "qcc: a compiler for quantized networks\n\n"
      "  qcc run model.mlir --weights=model.safetensors --input=x.npy\n");

  return finishOutput(runCommandLine());
}
