//===- qcc-ptx-emu.cpp - Runs PTX without a GPU ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exit code is 0 if the kernel ran without a report, 1 with one, and 2 if
// it could not be run.
//
//===----------------------------------------------------------------------===//

#include "KernelArguments.h"

#include "common/Arguments.h"
#include "common/Files.h"
#include "common/Messages.h"
#include "common/Text.h"
#include "qcc/Emulator/TimeModel.h"
#include "qcc/Support/FileIO.h"

#include <cstdio>

using namespace qcc;
using namespace qcc::tools;

namespace {

struct Options {
  std::string file, kernel, grid = "1", block, cluster, check = "all", counters,
                            timeModel;
  std::vector<std::string> args, ignored;
  bool isProgrammatic = false;
  unsigned shared = 0, seed = 0, threads = 0, resident = 0;
  unsigned maxInstructions = 1u << 28;
};

} // namespace

static rt::Result<emu::Dim3> parseDims(const std::string &text,
                                       const char *option) {
  int sizes[3] = {1, 1, 1}, count = 0;
  std::string_view rest = text;
  while (count < 3) {
    size_t comma = std::min(rest.find(','), rest.size());
    std::optional<int64_t> size = parseInteger(rest.substr(0, comma));
    if (!size || *size < 1 || *size > INT32_MAX)
      break;
    sizes[count++] = static_cast<int>(*size);
    if (comma == rest.size())
      return emu::Dim3{sizes[0], sizes[1], sizes[2]};
    rest.remove_prefix(comma + 1);
  }
  return rt::invalidArgument("'--" + std::string(option) + "=" + text +
                             "' must be one to three positive numbers: x,y,z");
}

static rt::Result<std::string> readText(const std::string &path) {
  rt::Result<InputFile> file = InputFile::open(path);
  if (!file.isOk())
    return file.status().withPrefix(path + ": ");
  std::string text(file->size(), '\0');
  rt::Status status = file->read(text.data(), file->size(), 0);
  if (!status.isOk())
    return status.withPrefix(path + ": ");
  return text;
}

/// To a file, or for "-" to the standard output.
static rt::Status writeText(const std::string &path, const std::string &text) {
  if (path == "-") {
    fputs(text.c_str(), stdout);
    return rt::Status::ok();
  }
  rt::Result<OutputFile> file = OutputFile::create(path);
  if (!file.isOk())
    return file.status().withPrefix(path + ": ");
  rt::Status status = file->write(text.data(), text.size());
  if (status.isOk())
    status = file->commit();
  return status.withPrefix(path + ": ");
}

static rt::Result<const emu::Kernel *> chooseKernel(const emu::Module &module,
                                                    const std::string &name) {
  if (!name.empty())
    return module.kernel(name);
  std::vector<std::string> names = module.kernelNames();
  if (names.size() == 1)
    return module.kernel(names[0]);
  return rt::invalidArgument(
      names.empty() ? "the module has no kernel"
                    : "the module has " + counted(names.size(), "kernel") +
                          "; choose one with --kernel: " + join(names));
}

static rt::Status report(const Options &options,
                         const emu::LaunchResult &result,
                         const emu::ChipInfo *chip) {
  std::optional<emu::TimeEstimate> estimate;
  if (chip)
    estimate = emu::estimateTime(result.counters, *chip);
  if (!options.counters.empty()) {
    bool isJson =
        options.counters.size() > 5 &&
        options.counters.substr(options.counters.size() - 5) == ".json";
    std::string text;
    if (isJson) {
      Json json = emu::countersJson(result.counters);
      if (estimate)
        json.add("estimate", emu::estimateJson(*estimate, *chip));
      text = json.print();
    } else {
      text = emu::formatCounters(result.counters);
    }
    rt::Status status = writeText(options.counters, text);
    if (!status.isOk())
      return status;
  }
  if (estimate)
    fputs(emu::formatEstimate(*estimate, *chip).c_str(), stdout);
  for (const emu::Report &found : result.reports)
    fputs(emu::formatReport(found).c_str(), stdout);
  printf("%s: %s\n", result.counters.kernel.c_str(),
         counted(result.reports.size(), "report").c_str());
  return rt::Status::ok();
}

/// Refuses to overwrite what is read.
static rt::Status checkFiles(const Options &options) {
  CommandFiles files;
  files.reads(options.file, "the program");
  addFiles(files, options.args);
  files.writes(options.counters, "--counters=" + options.counters);
  return files.check();
}

/// The threads of a block, and the blocks of a cluster.
static rt::Status setBlock(const Options &options, const emu::Kernel &kernel,
                           emu::LaunchConfig &config) {
  config.block = kernel.requiredBlock();
  if (options.block.empty() && config.block.x == 0)
    return rt::invalidArgument("--block=x[,y[,z]] is needed: '" +
                               kernel.name() + "' has no .reqntid");
  struct {
    const char *option;
    const std::string &text;
    emu::Dim3 &dims;
  } const given[] = {{"block", options.block, config.block},
                     {"cluster", options.cluster, config.cluster}};
  for (const auto &[option, text, dims] : given) {
    if (text.empty())
      continue;
    rt::Result<emu::Dim3> parsed = parseDims(text, option);
    if (!parsed.isOk())
      return parsed.status();
    dims = *parsed;
  }
  return rt::Status::ok();
}

/// Whether there was a report.
static rt::Result<bool> run(const Options &options) {
  emu::LaunchOptions launch;
  if (options.check == "none")
    launch.checking = emu::Checking::None;
  else if (options.check != "all")
    return rt::invalidArgument("'--check=" + options.check +
                               "' must be all or none");
  launch.seed = options.seed;
  launch.threads = static_cast<int>(options.threads);
  launch.maxInstructions = options.maxInstructions;
  launch.residentCtas = static_cast<int>(options.resident);
  for (const std::string &name : options.ignored) {
    std::optional<emu::ReportKind> kind = emu::reportKindNamed(name);
    if (!kind)
      return rt::invalidArgument("'--ignore=" + name +
                                 "' names no kind of report");
    launch.ignored.push_back(*kind);
  }
  launch.countAccesses =
      !options.counters.empty() || !options.timeModel.empty();
  const emu::ChipInfo *chip = nullptr;
  if (!options.timeModel.empty()) {
    chip = emu::findChip(options.timeModel);
    std::vector<std::string> names;
    for (const emu::ChipInfo &known : emu::knownChips())
      names.emplace_back(known.name);
    if (!chip)
      return rt::invalidArgument("'--time-model=" + options.timeModel +
                                 "' must be one of " + join(names));
  }
  emu::LaunchConfig config;
  rt::Result<emu::Dim3> grid = parseDims(options.grid, "grid");
  if (!grid.isOk())
    return grid.status();
  config.grid = *grid;
  config.dynamicShared = options.shared;
  config.isProgrammatic = options.isProgrammatic;

  rt::Status distinct = checkFiles(options);
  if (!distinct.isOk())
    return distinct;
  rt::Result<std::string> text = readText(options.file);
  if (!text.isOk())
    return text.status();
  emu::Emulator emulator;
  rt::Result<std::shared_ptr<const emu::Module>> module =
      emulator.loadModule(*text, options.file);
  if (!module.isOk())
    return module.status();
  rt::Result<const emu::Kernel *> kernel =
      chooseKernel(**module, options.kernel);
  if (!kernel.isOk())
    return kernel.status();
  if (rt::Status status = setBlock(options, **kernel, config); !status.isOk())
    return status;
  rt::Result<KernelArguments> arguments =
      KernelArguments::create(emulator, **kernel, options.args);
  if (!arguments.isOk())
    return arguments.status();
  launch.outputElementBytes = arguments->outputElementBytes();
  rt::Result<emu::LaunchResult> result =
      emulator.launch(**kernel, config, arguments->values(), launch);
  if (!result.isOk())
    return result.status();
  rt::Status status = arguments->writeOutputs(emulator);
  if (status.isOk())
    status = report(options, *result, chip);
  if (!status.isOk())
    return status;
  return !result->reports.empty();
}

static int reportError(const std::string &message) {
  printError("qcc-ptx-emu", message);
  return 2;
}

int main(int argc, char **argv) {
  ignoreWriteSignals();
  Options options;
  Arguments arguments(
      "qcc-ptx-emu",
      "Runs a PTX kernel on the host and reports whatever is wrong with it.\n"
      "Exit code: 0 without a report, 1 with one, 2 if it could not be run.");
  arguments.positional("FILE.ptx", options.file);
  arguments.text("kernel", "NAME", "Kernel; needed where there are several",
                 options.kernel);
  arguments.text("grid", "x[,y[,z]]", "CTAs; 1 if not given", options.grid);
  arguments.text("block", "x[,y[,z]]",
                 "Threads of a CTA; .reqntid of the kernel if not given",
                 options.block);
  arguments.text("cluster", "x[,y[,z]]",
                 "CTAs of a cluster; .reqnctapercluster if not given",
                 options.cluster);
  arguments.number("shared", "BYTES", "Dynamic shared memory", 0, INT32_MAX,
                   options.shared);
  arguments.flag("programmatic",
                 "Launch the kernel as one that may start while kernels before "
                 "it end",
                 options.isProgrammatic);
  arguments.list("arg", "ARG",
                 "An argument, in order: x.npy, inout:x.npy, "
                 "out:y.npy:f32[8,16], 5, 0.5, i32:5, f32:0.5, value:s.npy: "
                 "a parameter's bytes, or map:x.npy:box=64,8:swizzle=64: a "
                 "tensor map",
                 options.args);
  arguments.number("seed", "N",
                   "Orders warps and asynchronous copies; 0 if not given", 0,
                   UINT32_MAX, options.seed);
  arguments.text("check", "all|none",
                 "What is checked beside bounds and alignment; all if not "
                 "given",
                 options.check);
  arguments.list("ignore", "KIND",
                 "Make no reports of a kind, such as uninitialized-read",
                 options.ignored);
  arguments.text("counters", "FILE",
                 "Write counters, as JSON if the name ends in .json; - prints",
                 options.counters);
  arguments.takesStream("counters");
  arguments.text("time-model", "CHIP",
                 "Estimate the time on a chip, such as sm_80",
                 options.timeModel);
  arguments.number("max-instructions", "N",
                   "Warp instructions of a CTA after which it has hung", 1,
                   UINT32_MAX, options.maxInstructions);
  arguments.number("resident", "N",
                   "CTAs that run at once where they talk to each other; if "
                   "not given, as many as wait for each other and fit the chip",
                   1, INT32_MAX, options.resident);
  arguments.number("threads", "N", "Threads; one for each CPU if not given", 1,
                   1024, options.threads);
  arguments.example("qcc-ptx-emu scale.ptx --grid=4 --block=128 --arg=x.npy "
                    "--arg=out:y.npy:f32[512] --arg=f32:0.5");
  if (std::optional<ExitCode> code = arguments.answer(argc, argv, QCC_VERSION))
    return *code == ExitSuccess ? 0 : 2;
  rt::Result<bool> found = run(options);
  if (!found.isOk())
    return reportError(found.message());
  if (rt::Status status = flushStandardOutput(); !status.isOk())
    return reportError(status.message());
  return *found ? 1 : 0;
}
