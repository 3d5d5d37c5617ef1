//===- Diff.cpp - qcc diff ------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

using namespace qcc;
using namespace qcc::driver;

/// Opens an artifact, or compiles a program; reports failures.
static std::optional<tools::DiffSide> load(ProgramOptions program,
                                           const std::string &variant,
                                           const std::string &device) {
  rt::ModuleOptions options;
  auto opened = tools::openDevice(device, nullptr);
  if (!opened.isOk()) {
    reportError(opened.message());
    return std::nullopt;
  }
  options.device = *opened;
  options.variant = variant;
  options.name = program.input;
  std::optional<tools::ModulePtr> module;
  if (tools::isArtifact(program.input)) {
    auto artifact = openArtifact(program, options);
    if (!artifact.isOk()) {
      reportError(artifact.message());
      return std::nullopt;
    }
    module = *artifact;
  } else {
    aimAt(options.device.get(), program);
    Session session(program);
    if (!session.load())
      return std::nullopt;
    module = compileAndLoad(session, options);
    if (!module)
      return std::nullopt;
  }
  std::string name =
      program.input + " for " + std::string((*module)->variant().target);
  return tools::DiffSide{std::move(name), std::move(*module)};
}

int driver::runDiff(const DiffCommand &command) {
  tools::CommandFiles files;
  addFiles(files, command.a);
  addFiles(files, command.b);
  tools::addFiles(files, command.sources);
  files.writes(command.json, "--json=" + command.json);
  if (int code = reportStatus(files.check()))
    return code;
  auto a = load(command.a, command.variantA, command.deviceA);
  if (!a)
    return 1;
  auto b = load(command.b, command.variantB, command.deviceB);
  if (!b)
    return 1;
  rt::Result<bool> same = tools::runDiff(*a, *b, command, stdout);
  if (int code = reportStatus(same.status()))
    return code;
  return *same ? 0 : 1;
}
