//===- DiffCommandLine.cpp - Options of qcc diff --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

using namespace qcc;
using namespace qcc::driver;
using tools::Arguments;
using tools::Commands;

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
  program.sizes = line.diff.sources.sizes;
  // Where only one of the two is a program, the common options are for that.
  if (tools::isArtifact(other.input))
    noteGiven(given, program);
}

/// The comparison of one model with another implementation of ONNX.
static int runModelDiffCommand(const CommandLine &line) {
  if (!line.others.empty())
    return reportError(tools::ExitUsage, "--against compares one model, but '" +
                                             line.others.front() +
                                             "' is given as well");
  return runModelDiff({line.diff.a.input, line.against, line.program.mcpu,
                       line.diff.html, line.layers, line.diff.sources,
                       line.tolerance});
}

static int runDiffCommand(const Arguments &given, CommandLine &line) {
  if (given.isGiven("against"))
    return runModelDiffCommand(line);
  DiffCommand &diff = line.diff;
  if (line.others.size() != 1)
    return reportError(tools::ExitUsage,
                       line.others.empty()
                           ? "no B is given; see qcc diff --help"
                           : "A and B are wanted, but '" + line.others[1] +
                                 "' is given as well");
  for (const char *name : {"mcpu", "weights", "entry"})
    if (given.isGiven(name) && given.isGiven(std::string(name) + "-a") &&
        given.isGiven(std::string(name) + "-b"))
      return reportError(tools::ExitUsage, llvm::Twine("--") + name +
                                               " has no effect, since --" +
                                               name + "-a and --" + name +
                                               "-b are given; leave it out");
  diff.b.input = line.others.front();
  completeSide(given, "a", line, diff.a, diff.b);
  completeSide(given, "b", line, diff.b, diff.a);
  for (std::string *entry : {&diff.entryA, &diff.entryB})
    if (entry->empty())
      *entry = line.entry;
  diff.tolerance = line.tolerance.value_or(0);
  return runDiff(diff);
}

static void addDiffRules(Arguments &arguments) {
  tools::OptionRules &rules = arguments.rules();
  arguments.takesStream("A");
  arguments.takesStream("B");
  rules.needs({"layers"}, {"against"});
  rules.exclude({"weights", "unfused", "constant", "tuning-db", "entry",
                 "threads", "json", "entry-a", "entry-b", "mcpu-a", "mcpu-b",
                 "weights-a", "weights-b", "variant-a", "variant-b", "device-a",
                 "device-b", "A=-"},
                {"against"}, "Python runs that comparison");
}

void driver::addDiff(Commands &commands, CommandLine &line) {
  Arguments &arguments = commands.add(
      "diff", "Compare two programs layer by layer; exit with 1 if they differ",
      [&](const Arguments &given) { return runDiffCommand(given, line); });
  DiffCommand &diff = line.diff;
  arguments.positional("A", diff.a.input);
  arguments.positionals("B", line.others);
  addCompilingOptions(arguments, line.program);
  addTuningDb(arguments, line.program);
  tools::addInputArguments(arguments, line.entry, diff.sources, diff.threads);
  arguments.takesStream("input");
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
  tools::addJsonArgument(arguments, "the report", diff.json);
  arguments.text("html", "FILE",
                 "Also write a page for browsers, which needs no other file: "
                 "the error of each value as a plot and as a table",
                 diff.html);
  arguments.takesStream("html");
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
  tools::addDeviceArgument(arguments, "device-a",
                           "What runs A; this host if not given", diff.deviceA);
  tools::addDeviceArgument(arguments, "device-b",
                           "What runs B; this host if not given", diff.deviceB);
  addDiffRules(arguments);
  arguments.example("qcc diff float.mlir int8.mlir --weights=model.npz "
                    "--input=x.npy --tolerance=0.03");
  arguments.example("qcc diff model.mlir model.so --weights-a=model.npz "
                    "--input=random");
  arguments.example("qcc diff model.onnx --against=onnxruntime --layers");
}
