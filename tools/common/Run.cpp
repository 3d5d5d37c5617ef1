//===- Run.cpp - Runs of a module by qcc-run and qcc run ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Run.h"

#include "common/Arguments.h"
#include "common/Compare.h"
#include "common/Describe.h"
#include "common/Dump.h"
#include "common/Measure.h"
#include "common/Text.h"
#include "qcc/Support/TensorFile.h"

namespace qcc::tools {

void addInputArguments(Arguments &arguments, std::string &entry,
                       InputSources &sources, unsigned &threads) {
  arguments.text("entry", "NAME",
                 "Entry to run; needed where there are several", entry);
  arguments.list("input", "[NAME:]x.npy|random[:SEED[:LO:HI]]",
                 "An input, in order or of the argument of a name; a random "
                 "without a name serves all that have no other, and all are "
                 "random where none is given. Integers over their whole range, "
                 "floats in [LO,HI), default [0,1)",
                 [&](std::string_view text) { return sources.add(text); });
  addSizeArguments(arguments, sources.sizes, "random inputs");
  arguments.number("threads", "N", "Threads; one for each CPU if not given", 1,
                   1024, threads);
}

void addDeviceArgument(Arguments &arguments, const char *name, const char *help,
                       std::string &device) {
  arguments.option(name, "cpu|cuda[:N]|emulator[:seed=N]", help,
                   [&device](std::string_view text) {
                     device = text;
                     return checkDeviceName(text);
                   });
}

void addOutputArgument(Arguments &arguments, const char *value,
                       const char *help, std::string &output) {
  arguments.text("output", value, help, output);
  arguments.abbreviate("output", 'o');
  arguments.takesStream("output");
}

void addOutputArgument(Arguments &arguments, const char *value,
                       const char *help, std::vector<std::string> &outputs) {
  arguments.list("output", value, help, outputs);
  arguments.abbreviate("output", 'o');
  arguments.takesStream("output");
}

void addJsonArgument(Arguments &arguments, const std::string &report,
                     std::string &json, const std::string &contents) {
  std::string help = "Also write " + report +
                     " to a file as JSON; without a file, or with -, print "
                     "JSON instead of text";
  if (!contents.empty())
    help += ". " + contents;
  arguments.optionalOutput("json", help.c_str(), json);
}

void addMeasureArguments(Arguments &arguments, RunOptions &options) {
  addDeviceArgument(arguments, "device",
                    "What runs the program: this host, an NVIDIA GPU, or the "
                    "emulator of one, which checks what kernels do; the seed "
                    "orders warps",
                    options.device);
  arguments.text("variant", "NAME",
                 "Variant to run, as --list names it; the best that the device "
                 "can run if not given",
                 options.variant);
  arguments.text("weight-pages", "auto|file|huge",
                 "Memory to read weights from: the artifact's own pages, which "
                 "processes share, or a copy in huge pages; auto: a copy of 8 "
                 "MiB and more",
                 options.weightPages);
  arguments.number("warm-up", "N",
                   "Runs before those that are measured; 2 if not given", 0,
                   1000000, options.measuring.warmUps);
  arguments.number("duration", "SECONDS",
                   "How long to measure, at least five runs; 1 if not given",
                   options.measuring.seconds);
  arguments.optionalText("profile", "TRACE.json",
                         "The median time of each step; with a file, also "
                         "write a trace for chrome://tracing or "
                         "ui.perfetto.dev",
                         options.profile, options.trace);
  arguments.takesStream("profile");
  addJsonArgument(arguments, "what was measured", options.benchJson);
}

/// What a run leaves undone, measures or gets from elsewhere.
static void addRunRules(OptionRules &rules) {
  rules.exclude({"list"},
                {"check", "check-steps", "bench", "profile", "json", "warm-up",
                 "duration", "output", "expect", "tolerance", "test-data",
                 "dump-steps", "counters", "input", "dim", "shape", "entry",
                 "threads"},
                "it runs nothing");
  rules.exclude({"test-data"},
                {"input", "dim", "shape", "output", "expect", "check",
                 "check-steps", "bench", "profile", "json", "dump-steps",
                 "counters"},
                "the tests have inputs and expected results of their own");
  rules.exclude({"self-test"},
                {"list", "check", "check-steps", "bench", "profile", "json",
                 "output", "expect", "test-data", "dump-steps", "counters",
                 "input", "dim", "shape"},
                "its runs have inputs and expected results of their own");
  rules.needs({"tolerance"}, {"expect", "test-data"});
  rules.needs({"json", "warm-up", "duration"}, {"bench", "profile"});
  rules.exclude({"dump-steps"}, {"bench", "profile"},
                "writing would be measured");
  rules.needs({"counters"}, {"device=emulator"});
  rules.exclude({"counters"}, {"bench", "profile"},
                "they are those of one run");
}

void addRunArguments(Arguments &arguments, RunOptions &options) {
  addInputArguments(arguments, options.entry, options.sources, options.threads);
  arguments.takesStream("input");
  addOutputArgument(arguments, "y.npy", "Where to write a result, in order",
                    options.outputs);
  arguments.list("expect", "y.npy",
                 "What a result has to be, in order, bit for bit; NaNs equal "
                 "each other. The exit code is 1 if one differs",
                 options.expected);
  arguments.takesStream("expect");
  arguments.number("tolerance", "T",
                   "Let elements differ from --expect by up to T times the "
                   "largest magnitude of the expected tensor",
                   options.tolerance);
  arguments.text("test-data", "DIR",
                 "Run the tests that an ONNX model comes with, DIR/"
                 "test_data_set_0/input_0.pb and so on, and compare with their "
                 "outputs: floats may differ by 0.001 of the largest "
                 "magnitude, or by --tolerance",
                 options.testData);
  arguments.flag("bench", "Run for some time; print the median time",
                 options.bench);
  addMeasureArguments(arguments, options);
  arguments.text("dump-steps", "DIR",
                 "Write the outputs of each step to DIR, with an index.json",
                 options.dumpSteps);
  arguments.text("counters", "FILE",
                 "Write what the emulator counted, of each launch; as JSON if "
                 "the name ends in .json",
                 options.counters);
  arguments.takesStream("counters");
  arguments.flag("list", "Say what the program holds, and run nothing",
                 options.list);
  arguments.flag("self-test",
                 "Run an artifact as the compiler ran it, with each variant "
                 "that can run here and several numbers of threads; the exit "
                 "code is 1 if a result differs",
                 options.selfTest);
  addRunRules(arguments.rules());
}

static bool isNpy(const std::string &path) {
  return path == "-" ||
         (path.size() >= 4 && path.compare(path.size() - 4, 4, ".npy") == 0);
}

rt::Result<rt::ModuleOptions> moduleOptionsOf(RunOptions &options) {
  rt::ModuleOptions module;
  if (!options.counters.empty())
    options.launches = std::make_shared<LaunchLog>();
  rt::Result<std::shared_ptr<rt::Device>> device =
      openDevice(options.device, options.launches);
  if (!device.isOk())
    return device.status();
  module.device = *device;
  module.variant = options.variant;
  module.inspectOnly = options.list;
  if (options.weightPages == "file")
    module.weightPages = rt::WeightPages::File;
  else if (options.weightPages == "huge")
    module.weightPages = rt::WeightPages::Huge;
  return module;
}

/// What the command reads and writes.
static CommandFiles filesOf(const RunOptions &options) {
  CommandFiles files = options.files;
  addFiles(files, options.sources);
  for (const std::string &expected : options.expected)
    files.reads(expected, "read by --expect");
  for (const std::string &output : options.outputs)
    files.writes(output, "--output=" + output);
  files.writes(options.benchJson, "--json=" + options.benchJson);
  files.writes(options.trace, "--profile=" + options.trace);
  files.writes(options.counters, "--counters=" + options.counters);
  return files;
}

rt::Status checkOptions(const RunOptions &options) {
  if (!options.weightPages.empty() && options.weightPages != "auto" &&
      options.weightPages != "file" && options.weightPages != "huge")
    return rt::invalidArgument("'--weight-pages=" + options.weightPages +
                               "' must be auto, file or huge");
  for (const std::string &output : options.outputs)
    if (!isNpy(output))
      return rt::invalidArgument("output '" + output +
                                 "' must be a .npy file, the only format "
                                 "written");
  for (const std::string &expected : options.expected)
    if (!isNpy(expected))
      return rt::invalidArgument("expected result '" + expected +
                                 "' must be a .npy file");
  return filesOf(options).check();
}

std::FILE *textStream(const RunOptions &options) {
  return filesOf(options).writesStandardOutput() ? stderr : stdout;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Compares a result with the expected one.
static rt::Result<Differences> expectResult(const rt::Tensor &result,
                                            size_t position,
                                            ExpectedResult &expected,
                                            Difference &difference) {
  std::string what = "result " + std::to_string(position);
  HostTensor &tensor = expected.tensor;
  if (result.dtype != tensor.dtype() ||
      rt::Shape(tensor.shape()) != result.shape)
    return rt::invalidArgument(what + " is " + result.describe() + ", but '" +
                               expected.source + "' holds " +
                               tensor.describe());
  rt::Tensor wanted = viewOf(tensor);
  difference = compare(result, wanted, expected.tolerance);
  if (difference.differing == 0)
    return Differences();
  return format("%s differs from '%s' in %lld of %lld elements, first at %s; "
                "largest error %g",
                what.c_str(), expected.source.c_str(),
                (long long)difference.differing, (long long)difference.elements,
                differenceText(result, wanted, difference.first).c_str(),
                difference.largest);
}

rt::Result<Differences> expectResults(const std::vector<rt::Tensor> &results,
                                      std::vector<ExpectedResult> expected,
                                      std::FILE *out) {
  Differences all;
  int64_t elements = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    Difference difference;
    rt::Result<Differences> own =
        expectResult(results[i], i, expected[i], difference);
    if (!own.isOk())
      return own;
    elements += difference.elements;
    if (!own->empty())
      all += (all.empty() ? "" : "\n  ") + *own;
  }
  if (all.empty() && !expected.empty())
    fprintf(out, "expect: %lld elements, 0 differ\n", (long long)elements);
  return all;
}

/// Writes a result to a file; "-" is the standard output.
static rt::Status writeResult(const std::string &path,
                              const rt::Tensor &result) {
  if (path != "-")
    return writeNpy(path, result.dtype, result.shape, result.data);
  rt::Result<std::string> bytes =
      printNpy(result.dtype, result.shape, result.data);
  return bytes.isOk() ? writeOutput(path, *bytes) : bytes.status();
}

rt::Result<Differences> finishResults(const std::vector<rt::Tensor> &results,
                                      const RunOptions &options,
                                      std::FILE *out) {
  for (auto [given, option] : {std::pair(options.outputs.size(), "--output"),
                               std::pair(options.expected.size(), "--expect")})
    if (given > results.size())
      return rt::invalidArgument(
          format("the entry has %zu result(s), but %s is given %zu times",
                 results.size(), option, given));
  for (size_t i = 0; i < results.size(); ++i) {
    const rt::Tensor &result = results[i];
    if (i < options.outputs.size()) {
      rt::Status status = writeResult(options.outputs[i], result);
      if (!status.isOk())
        return status;
    } else if (options.describeResults && !options.bench && !options.profile &&
               i >= options.expected.size()) {
      fprintf(out, "result %zu: %s\n", i, result.describe().c_str());
    }
  }
  std::vector<ExpectedResult> expected;
  for (const std::string &path : options.expected) {
    rt::Result<HostTensor> tensor = readArray(path);
    if (!tensor.isOk())
      return tensor.status();
    expected.push_back(
        {path, *std::move(tensor), options.tolerance.value_or(0)});
  }
  return expectResults(results, std::move(expected), out);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static rt::Status report(Execution &execution, const RunOptions &options,
                         std::FILE *out) {
  rt::Result<Measurement> m = measure(execution, options.measuring);
  if (!m.isOk())
    return m.status();
  const rt::Context &context = *execution.context;
  bool printsJson = options.benchJson == "-";
  if (!printsJson && options.bench)
    fputs(hostLine(context, options.versions).c_str(), out);
  if (!printsJson)
    fputs(benchLine(context, *m).c_str(), out);
  if (!printsJson && options.profile)
    fputs(profileTable(context, *m).c_str(), out);
  if (!printsJson)
    fputs(warnOfOthers(*m).c_str(), out);
  rt::Status status;
  if (!options.trace.empty())
    status = writeOutput(options.trace, chromeTrace(context, *m).print());
  if (status.isOk() && !options.benchJson.empty())
    status = writeOutput(options.benchJson,
                         benchJson(context, *m, options.versions).print());
  return status;
}

rt::Result<std::vector<HostTensor>>
makeRunInputs(const std::vector<TensorSpec> &specs, const RunOptions &options,
              const std::string &entry, std::FILE *out) {
  rt::Result<std::vector<HostTensor>> inputs =
      makeInputs(specs, options.sources, entry);
  bool isMeasured = options.bench || options.profile;
  if (inputs.isOk() && options.sources.inputs.empty() && !specs.empty() &&
      !isMeasured)
    fprintf(out, "inputs: random, since --input gives none\n");
  return inputs;
}

rt::Result<Differences> runModule(ModulePtr module, const std::string &name,
                                  const RunOptions &options,
                                  std::optional<std::vector<HostTensor>> inputs,
                                  std::FILE *out, Execution *execution) {
  if (options.list) {
    fputs(listModule(*module, name).c_str(), out);
    return Differences();
  }
  rt::Result<const rt::Entry *> entry = findEntry(*module, options.entry);
  if (!entry.isOk())
    return entry.status();
  std::string entryName((*entry)->name);
  if (!inputs) {
    rt::Result<std::vector<HostTensor>> made =
        makeRunInputs(specsOf(**entry), options, entryName, out);
    if (!made.isOk())
      return made.status();
    inputs = *std::move(made);
  }

  rt::ContextOptions contextOptions;
  contextOptions.threads = int(options.threads);
  contextOptions.profile = options.profile;
  std::optional<StepDump> dump;
  if (!options.dumpSteps.empty()) {
    rt::Result<StepDump> created =
        StepDump::create(options.dumpSteps, filesOf(options));
    if (!created.isOk())
      return created.status();
    dump.emplace(*std::move(created));
    contextOptions.observer = dump->observer();
  }
  rt::Result<Execution> created = Execution::create(
      std::move(module), entryName, *std::move(inputs), contextOptions);
  if (!created.isOk())
    return created.status();
  Execution own;
  Execution &run = execution ? *execution : own;
  run = *std::move(created);

  rt::Status status =
      options.bench || options.profile ? report(run, options, out) : run.run();
  if (status.isOk() && dump)
    status = dump->finish(**entry);
  if (status.isOk() && options.launches)
    status = options.launches->write(options.counters);
  if (!status.isOk())
    return status;
  return finishResults(run.outputs, options, out);
}

} // namespace qcc::tools
