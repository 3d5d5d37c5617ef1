//===- Diff.cpp - qcc diff ------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Page.h"

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

/// Prints the report, and writes it as the options say; returns the exit code.
static ExitCode writeReport(const tools::DiffSide &a, const tools::DiffSide &b,
                            const tools::DiffReport &report,
                            const DiffCommand &command, bool printsText) {
  if (printsText)
    llvm::outs() << tools::diffText(a, b, report);
  Json json = tools::diffJson(a, b, report);
  if (!command.json.empty())
    if (ExitCode code = writeOutput(command.json, json.print()))
      return code;
  if (!command.html.empty()) {
    json.add("tolerance", Json::of(command.tolerance));
    if (ExitCode code =
            writeOutput(command.html, makePage(PageKind::Diff, json.print())))
      return code;
  }
  return report.first ? tools::ExitDiffers : tools::ExitSuccess;
}

int driver::runDiff(const DiffCommand &command) {
  tools::CommandFiles files;
  addFiles(files, command.a, "A");
  addFiles(files, command.b, "B");
  tools::addFiles(files, command.sources);
  files.writes(command.json, "--json=" + command.json);
  files.writes(command.html, "--html=" + command.html);
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
  auto report = tools::diffModules(*a, *b, options);
  if (!report.isOk())
    return reportStatus(report.status());
  return writeReport(*a, *b, *report, command, !files.writesStandardOutput());
}
