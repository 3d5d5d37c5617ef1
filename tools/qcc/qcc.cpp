//===- qcc.cpp - The command-line compiler --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "llvm/Support/InitLLVM.h"

using namespace qcc::driver;
namespace cl = llvm::cl;

static cl::SubCommand compileCommand("compile", "Compile a program to a file");
static cl::SubCommand runCommand("run",
                                 "Run a program or what was compiled of it");
static cl::SubCommand benchCommand("bench", "Measure the steps of a program");
static cl::SubCommand
    explainCommand("explain", "Say which kernels a program becomes, and why");
static cl::SubCommand targetsCommand("targets", "Say what this host can run");

static cl::OptionCategory category("qcc options");

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static cl::SubCommandGroup programCommands = {&compileCommand, &runCommand,
                                              &benchCommand, &explainCommand};
static cl::SubCommandGroup runningCommands = {&runCommand, &benchCommand};

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("FILE"),
                                      cl::sub(programCommands),
                                      cl::cat(category));
static cl::opt<std::string>
    target("target", cl::value_desc("x86|reference"), cl::init("x86"),
           cl::desc("What computes: x86 code, or the reference interpreter "
                    "(run only)"),
           cl::sub(programCommands), cl::cat(category));
static cl::opt<std::string>
    mcpu("mcpu", cl::value_desc("native|NAME[,...]"), cl::init("native"),
         cl::desc("Processor to compile for: native, or a name of LLVM such as "
                  "x86-64-v3, skylake-avx512, cascadelake, sapphirerapids. "
                  "Several names make several variants of the program, and the "
                  "best that the host can run is taken. NAME+emulated-amx takes "
                  "the kernels of AMX, but computes them without it: slowly, "
                  "to test them on any host with AVX-512 VNNI"),
         cl::sub(programCommands), cl::cat(category));
static cl::opt<std::string>
    weights("weights", cl::value_desc("FILE.npz|FILE.safetensors|random:SEED"),
            cl::desc("Where constants written dense_resource<name> come from"),
            cl::sub(programCommands), cl::cat(category));

static cl::opt<bool>
    unfused("unfused",
            cl::desc("Make a step of each op, so that the value of every layer "
                     "can be looked at: slower, but the same bits"),
            cl::sub(programCommands), cl::cat(category));

//===----------------------------------------------------------------------===//
// Compile and explain
//===----------------------------------------------------------------------===//

static cl::opt<std::string>
    outputFile("o", cl::value_desc("OUT"),
               cl::desc("Output; its suffix chooses what is written: .mlir .ll "
                        ".s .o .so; - prints"),
               cl::sub(compileCommand), cl::cat(category));
static cl::opt<std::string> emitStage(
    "emit", cl::value_desc("import|graph|tensor|kernel|buffer|target|llvm|asm"),
    cl::desc("Write the program as it is after this stage"),
    cl::sub(compileCommand), cl::cat(category));
static cl::opt<bool> explainJson("json", cl::desc("Print JSON"),
                                 cl::sub(explainCommand), cl::cat(category));

//===----------------------------------------------------------------------===//
// Run and bench
//===----------------------------------------------------------------------===//

static cl::opt<std::string>
    entry("entry", cl::value_desc("NAME"),
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
static cl::opt<std::string>
    variant("variant", cl::value_desc("NAME"),
            cl::desc("Variant to run, as --list names it; the best that this "
                     "host can run if not given"),
            cl::sub(runningCommands), cl::cat(category));
static cl::opt<bool> bench("bench",
                           cl::desc("Run for a second; print the median time"),
                           cl::sub(runCommand), cl::cat(category));
static cl::opt<std::string>
    profile("profile", cl::value_desc("TRACE.json"), cl::ValueOptional,
            cl::desc("The same for each step; with a file, also write a trace "
                     "for chrome://tracing or ui.perfetto.dev"),
            cl::sub(runningCommands), cl::cat(category));
static cl::opt<std::string> benchJson("json", cl::value_desc("FILE"),
                                      cl::desc("Also write what was measured"),
                                      cl::sub(runningCommands),
                                      cl::cat(category));
static cl::opt<std::string>
    dumpSteps("dump-steps", cl::value_desc("DIR"),
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

static ProgramOptions programOptions() {
  ProgramOptions options{inputFile, target, mcpu, weights, unfused, {}};
  for (cl::Option *option :
       std::initializer_list<cl::Option *>{&target, &mcpu, &weights, &unfused})
    if (option->getNumOccurrences() > 0)
      options.given.push_back("--" + option->ArgStr.str());
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
  options.bench = bench || benchCommand;
  options.profile = profile.getNumOccurrences() > 0 || benchCommand;
  options.trace = profile;
  options.benchJson = benchJson;
  options.dumpSteps = dumpSteps;
  options.list = list;
  options.check = check;
  return options;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // LLVM's own options are of no use here.
  for (cl::SubCommand *command :
       {&cl::SubCommand::getTopLevel(), &compileCommand, &runCommand,
        &benchCommand, &explainCommand, &targetsCommand})
    cl::HideUnrelatedOptions(category, *command);
  cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << "qcc " QCC_VERSION "\n"; });
  cl::ParseCommandLineOptions(
      argc, argv,
      "qcc: a compiler for quantized networks\n\n"
      "  qcc run model.mlir --weights=model.safetensors --input=x.npy\n");

  if (threads.getNumOccurrences() > 0 && (threads == 0 || threads > 1024))
    return reportError("'--threads=" + llvm::Twine(threads) +
                       "' must be between 1 and 1024");
  // Copies: linking in process resets the options of LLVM's command line.
  if (compileCommand)
    return runCompile(programOptions(), std::string(outputFile),
                      std::string(emitStage));
  if (runCommand || benchCommand)
    return runRun(programOptions(), runOptions());
  if (explainCommand)
    return runExplain(programOptions(), explainJson);
  if (targetsCommand)
    return runTargets();
  cl::PrintHelpMessage();
  return 1;
}
