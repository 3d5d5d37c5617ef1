//===- CommandLine.cpp - Options that commands of qcc share ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "qcc/KnownTargets/KnownTargets.h"

using namespace qcc;
using namespace qcc::driver;
using tools::Arguments;

std::vector<std::string> driver::processors() {
  std::vector<std::string> names{"native"};
  for (std::string &name : knownTargetNames())
    names.push_back(std::move(name));
  return names;
}

static rt::Status addConstant(std::string_view text,
                              std::map<std::string, std::string> &constants) {
  size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 ||
      equals + 1 == text.size() || text.substr(equals + 1) == "-")
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

void driver::addCompilingOptions(Arguments &arguments,
                                 ProgramOptions &program) {
  arguments.text(
      "mcpu", "native|NAME[,...]",
      "Processor to compile for: native, which is the default, or a name of "
      "LLVM such as x86-64-v3, skylake-avx512, cascadelake, sapphirerapids, "
      "znver4 (or zen4). "
      "Several names make several variants of the program, and the best that "
      "the host can run is taken. NAME+emulated-amx takes the kernels of AMX, "
      "but computes them without it: slowly, to test them on any host with "
      "AVX-512 VNNI. With --target=cuda a chip: sm_75, sm_80, sm_86, sm_89, "
      "sm_90, sm_90a or sm_120; where a device runs the program, its own if "
      "not given",
      program.mcpu);
  arguments.listValues("mcpu", processors);
  arguments.text("weights", "FILE.npz|FILE.safetensors|random:SEED",
                 "Where constants written dense_resource<name> come from; a "
                 "file has at least one that the program reads",
                 program.weights);
  arguments.takesStream("weights");
  arguments.number("compile-threads", "N",
                   "Threads that generate code; one for each CPU if not given. "
                   "The code does not depend on it",
                   1, 1024, program.compileThreads);
  arguments.flag("unfused",
                 "Make a step of each op, so that the value of every layer can "
                 "be looked at: slower, but the same bits",
                 program.unfused);
  arguments.text(
      "rounding", "reference|xnnpack",
      "How products of a TFLite model's integers are rounded: twice, "
      "as TFLite's reference kernels do, which is the default, or "
      "once, as XNNPACK does",
      program.rounding);
  arguments.list("constant", "NAME=N|NAME=true|NAME=FILE.npy",
                 "What an input of an ONNX model always is: it is no argument "
                 "of the program then. A number is all of its elements",
                 [&](std::string_view text) {
                   return addConstant(text, program.constants);
                 });
}

void driver::addTuningDb(Arguments &arguments, ProgramOptions &program) {
  arguments.text("tuning-db", "FILE",
                 "Use the configs that qcc tune has measured; what the file "
                 "does not have, the cost model chooses",
                 program.tuning);
  arguments.takesStream("tuning-db");
}

void driver::addProgramOptions(Arguments &arguments, ProgramOptions &program) {
  arguments.positional("FILE", program.input);
  arguments.takesStream("FILE");
  arguments.text("target", "x86|cuda|x86,cuda|reference",
                 "What computes: x86 code, the default, kernels for NVIDIA "
                 "chips, variants for both, or the reference interpreter (run "
                 "only)",
                 program.target);
  addCompilingOptions(arguments, program);
}

void driver::noteGiven(const Arguments &arguments, ProgramOptions &program) {
  for (const char *name : {"target", "mcpu", "weights", "unfused", "rounding",
                           "constant", "tuning-db"})
    if (arguments.isGiven(name))
      program.given.push_back(std::string("--") + name);
}
