//===- DiffModel.cpp - qcc diff --against ---------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Other implementations of ONNX are packages of Python, so the comparison with
// one is made there, by the package qcc: `python -m qcc diff`.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "common/Text.h"

using namespace qcc;
using namespace qcc::driver;

/// The arguments of `python -m qcc diff`; fails where an option has another
/// form there.
static rt::Result<std::vector<std::string>>
argumentsOf(const ModelDiffCommand &command) {
  std::vector<std::string> arguments = {"diff", "--against=" + command.against,
                                        "--mcpu=" + command.mcpu};
  if (command.layers)
    arguments.push_back("--layers");
  if (command.tolerance)
    arguments.push_back(tools::format("--tolerance=%.17g", *command.tolerance));
  if (!command.html.empty())
    arguments.push_back("--html=" + command.html);
  const tools::InputSources &sources = command.sources;
  for (const std::string &input : sources.inputs) {
    llvm::StringRef file = llvm::StringRef(input).split(':').second;
    if (!file.ends_with(".npy"))
      return rt::invalidArgument("'--input=" + input +
                                 "' must be NAME:FILE.npy with --against, or "
                                 "left out: then all inputs are random");
    arguments.push_back("--input=" + input);
  }
  if (!sources.sizes.dims.empty() || !sources.sizes.shapes.empty())
    return rt::invalidArgument(
        "--against takes sizes of dimensions by the names that the model has "
        "for them, as in --dim=batch=1");
  for (const auto &[name, size] : sources.sizes.named)
    arguments.push_back("--dim=" + name + "=" + std::to_string(size));
  // A name may begin with "-".
  arguments.insert(arguments.end(), {"--", command.model});
  return arguments;
}

int driver::runModelDiff(const ModelDiffCommand &command) {
  rt::Result<std::vector<std::string>> arguments = argumentsOf(command);
  if (!arguments.isOk())
    return reportUsage(arguments.status());
  return runPythonCommand("--against", *arguments);
}
