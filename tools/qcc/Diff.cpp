//===- Diff.cpp - qcc diff ------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

using namespace qcc;
using namespace qcc::driver;

/// Opens an artifact, or compiles a program; reports failures. Sets `isModel`
/// if the program is an ONNX model, which is compiled for the sizes with a
/// name.
static Reported<tools::DiffSide> load(ProgramOptions program,
                                      const std::string &variant,
                                      const std::string &device,
                                      bool &isModel) {
  rt::ModuleOptions options;
  auto opened = tools::openDevice(device, nullptr);
  if (!opened.isOk())
    return reportStatus(opened.status());
  options.device = *opened;
  options.variant = variant;
  options.name = program.input;
  auto sideOf = [&](tools::ModulePtr module) {
    std::string name =
        program.input + " for " + std::string(module->variant().target);
    return tools::DiffSide{std::move(name), std::move(module)};
  };
  if (tools::isArtifact(program.input)) {
    auto artifact = openArtifact(program, options);
    if (!artifact.isOk())
      return reportStatus(artifact.status());
    return sideOf(*artifact);
  }
  aimAt(options.device.get(), program);
  Session session(program);
  if (ExitCode code = session.load())
    return code;
  isModel |= session.isModel();
  auto module = compileAndLoad(session, options);
  if (!module)
    return module.code();
  return sideOf(*module);
}

int driver::runDiff(const DiffCommand &command) {
  tools::CommandFiles files;
  addFiles(files, command.a, "A");
  addFiles(files, command.b, "B");
  tools::addFiles(files, command.sources);
  files.writes(command.json, "--json=" + command.json);
  if (ExitCode code = reportUsage(files.check()))
    return code;
  bool isModel = false;
  auto a = load(command.a, command.variantA, command.deviceA, isModel);
  if (!a)
    return a.code();
  auto b = load(command.b, command.variantB, command.deviceB, isModel);
  if (!b)
    return b.code();
  tools::DiffOptions options = command;
  // An input fits both sides, so that it has the sizes of the model.
  if (isModel)
    options.sources.sizes = options.sources.sizes.withoutNames();
  rt::Result<bool> same = tools::runDiff(*a, *b, options, stdout);
  if (!same.isOk())
    return reportStatus(same.status());
  return *same ? tools::ExitSuccess : tools::ExitDiffers;
}
