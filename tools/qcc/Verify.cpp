//===- Verify.cpp - qcc verify --------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engines beside qcc are packages of Python, so the package qcc runs all of
// them: `python -m qcc verify`.
//
//===----------------------------------------------------------------------===//

#include "PassedOptions.h"
#include "common/Devices.h"
#include "qcc/KnownTargets/KnownTargets.h"
#include "qcc/Runtime/HostFeatures.h"
#include "llvm/ADT/StringExtras.h"

using namespace qcc;
using namespace qcc::driver;
using tools::Arguments;

static rt::Status failure(std::string_view option, std::string_view text,
                          const std::string &form) {
  return rt::invalidArgument("'--" + std::string(option) + "=" +
                             std::string(text) + "' must be " + form);
}

static rt::Status checkEngines(std::string_view text) {
  for (llvm::StringRef name : llvm::split(llvm::StringRef(text), ','))
    if (name != "onnxruntime" && name != "openvino")
      return failure("against", text,
                     "onnxruntime, openvino, or both with a comma between "
                     "them");
  return rt::Status::ok();
}

static rt::Status checkThreads(std::string_view text) {
  for (llvm::StringRef word : llvm::split(llvm::StringRef(text), ',')) {
    std::optional<int64_t> number = tools::parseInteger(word);
    if (!number || *number < 1 || *number > 1024)
      return failure("threads", text,
                     "numbers from 1 to 1024, with commas between them");
  }
  return rt::Status::ok();
}

static rt::Status checkProcessors(std::string_view text) {
  auto targets = parseTargets(text, rt::HostFeatures::host().names());
  return targets ? rt::Status::ok()
                 : rt::invalidArgument(llvm::toString(targets.takeError()));
}

static rt::Status checkBatch(std::string_view text) {
  size_t equals = text.rfind('=');
  std::optional<int64_t> rows = tools::parseInteger(
      equals == std::string_view::npos ? text : text.substr(equals + 1));
  if (equals == 0 || !rows || *rows < 1)
    return failure("batch", text, "a number of rows, as N or NAME=N");
  return rt::Status::ok();
}

static rt::Status checkDevice(std::string_view text) {
  if (!llvm::StringRef(text).starts_with("cuda"))
    return failure("device", text, "cuda or cuda:N");
  return tools::checkDeviceName(text);
}

/// Adds an --input, which is an array of a name, or random numbers for all
/// inputs without one.
static rt::Status addInput(std::string_view text,
                           tools::InputSources &sources) {
  if (rt::Status status = sources.add(text); !status.isOk())
    return status;
  llvm::StringRef input = text;
  bool isRandom = input == "random" ||
                  (input.starts_with("random:") && input.count(':') == 1);
  if (!isRandom && !(input.contains(':') && input.ends_with(".npy")))
    return failure("input", text, "NAME:FILE.npy or random[:SEED]");
  return rt::Status::ok();
}

static void addInputOptions(PassedOptions &passed, VerifyCommand &command) {
  passed.list(
      "input", "NAME:x.npy|random[:SEED]",
      "An input, or the seed of the inputs that are not given; all are "
      "random if none is given: floats in [0,1), integers 0 or 1",
      [&](std::string_view text) { return addInput(text, command.sources); });
  passed.list("dim", "NAME=N",
              "The size of a dimension that the model has a name for; it is no "
              "longer dynamic",
              [&](std::string_view text) {
                return tools::addNamedDim(text, command.sources.sizes.named);
              });
  passed.list("shape", "NAME=2x3",
              "All sizes of an input, which are no longer dynamic",
              [&](std::string_view text) {
                return command.sources.sizes.addShape(text);
              });
  passed.option("batch", "[NAME=]N",
                "How many rows random inputs have along a dynamic dimension: 5 "
                "along the first one of an input if not given; 1 compares no "
                "rows",
                checkBatch);
}

void driver::addVerify(tools::Commands &commands, CommandLine &line) {
  VerifyCommand &command = line.verify;
  Arguments &arguments = commands.add(
      "verify",
      "Tell which settings change the bits of an ONNX model's results, in qcc "
      "and in other engines, by the package qcc of Python (of python3, or of "
      "the program that QCC_PYTHON names); exit with 1 if those of qcc change",
      [&](const Arguments &) { return runVerify(command); });
  arguments.positional("MODEL.onnx", command.model);
  PassedOptions passed(arguments, command.arguments);
  passed.option("against", "onnxruntime|openvino|onnxruntime,openvino",
                "Engines beside qcc", checkEngines);
  addInputOptions(passed, command);
  passed.option("threads", "N[,...]", "Numbers of threads; 1,2,4 if not given",
                checkThreads);
  passed.option("mcpu", "native|NAME[,...]",
                "Processors to compile for, as qcc run takes them; if not "
                "given, one of each kind that this host can run, and native",
                checkProcessors);
  arguments.listValues("mcpu", processors);
  passed.option("device", "cuda[:N]",
                "Also run code for this GPU, of the chips that --mcpu names or "
                "of each kind that the GPU runs",
                checkDevice);
  tools::addJsonArgument(arguments, "the report", command.json);
  arguments.example("qcc verify model.onnx");
  arguments.example("qcc verify model.onnx --against=onnxruntime,openvino "
                    "--dim=sequence=128 --json=report.json");
}

int driver::runVerify(const VerifyCommand &command) {
  tools::CommandFiles files;
  files.reads(command.model, "the model");
  tools::addFiles(files, command.sources);
  files.writes(command.json, "--json=" + command.json);
  if (ExitCode code = reportUsage(files.check()))
    return code;
  std::vector<std::string> arguments = {"verify"};
  arguments.insert(arguments.end(), command.arguments.begin(),
                   command.arguments.end());
  if (!command.json.empty())
    arguments.push_back("--json=" + command.json);
  // A name may begin with "-".
  arguments.insert(arguments.end(), {"--", command.model});
  return runPythonCommand("qcc verify", arguments);
}
