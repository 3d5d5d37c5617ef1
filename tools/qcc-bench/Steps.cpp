//===- Steps.cpp - Suites of steps ----------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace qcc;
using namespace qcc::bench;

llvm::Expected<std::vector<StepProgram>>
bench::splitSteps(llvm::StringRef text) {
  std::vector<StepProgram> steps;
  std::string aliases;
  bool isInside = false;
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    if (line.starts_with("#") || line.starts_with("!"))
      aliases += line.str() + "\n";
    if (line.starts_with("func.func")) {
      llvm::StringRef name = line.split('@').second;
      steps.push_back(
          {name.take_until([](char c) { return c == '('; }).str(), aliases});
      isInside = true;
    }
    if (isInside)
      steps.back().text += line.str() + "\n";
    if (line.starts_with("}"))
      isInside = false;
  }
  if (steps.empty())
    return llvm::createStringError("has no function that begins a line");
  return steps;
}

std::optional<std::string> bench::findStepSuite(const std::string &name) {
  if (llvm::StringRef(name).ends_with(".mlir"))
    return name;
  std::string folder = dataFolder() + "/suites/" + name;
  if (name.find('/') == std::string::npos &&
      llvm::sys::fs::is_directory(folder))
    return folder;
  return std::nullopt;
}

llvm::Expected<std::vector<StepProgram>>
bench::loadSteps(const std::string &path) {
  std::vector<std::string> files;
  std::error_code error;
  if (llvm::sys::fs::is_directory(path))
    for (llvm::sys::fs::directory_iterator it(path, error), end;
         !error && it != end; it.increment(error))
      files.push_back(it->path());
  else
    files.push_back(path);
  llvm::sort(files);
  std::vector<StepProgram> all;
  for (const std::string &file : files) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer)
      return llvm::createStringError("cannot read suite " + file + ": " +
                                     buffer.getError().message());
    auto steps = splitSteps((*buffer)->getBuffer());
    if (!steps)
      return llvm::createStringError("suite " + file + ": " +
                                     llvm::toString(steps.takeError()));
    llvm::append_range(all, *steps);
  }
  return all;
}
