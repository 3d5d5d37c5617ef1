//===- CompileTime.cpp - How long it takes to compile ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "Kernel.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace qcc;
using namespace qcc::bench;

namespace {
/// Compiles programs one by one and keeps what was found.
class CompileTimes {
public:
  CompileTimes(const TargetRef &target, int rounds)
      : target(target), rounds(std::max(rounds, 1)) {}

  /// The median of a few compilations. Returns 1 where they fail.
  int add(llvm::StringRef name, llvm::StringRef text);

  llvm::json::Array json;

private:
  const TargetRef &target;
  const int rounds;
};
} // namespace

int CompileTimes::add(llvm::StringRef name, llvm::StringRef text) {
  std::vector<double> seconds;
  int64_t bytes = 0;
  for (int i = 0; i < rounds; ++i) {
    auto kernel = compile(text, target);
    if (!kernel)
      return reportError(name + ": " + llvm::toString(kernel.takeError()));
    seconds.push_back(kernel->compileSeconds);
    bytes = kernel->artifactBytes;
  }
  double median = tools::medianOf(std::move(seconds));
  llvm::outs() << llvm::formatv("{0,-32}{1,8:f2} s  artifact {2} bytes\n", name,
                                median, bytes);
  llvm::outs().flush();
  json.push_back(llvm::json::Object{
      {"name", name.str()}, {"seconds", median}, {"artifact_bytes", bytes}});
  return 0;
}

int bench::runCompileTime(const std::vector<std::string> &files,
                          const Suite &suite, const Options &options) {
  auto target = options.isa->target(rt::HostFeatures::host());
  if (!target)
    return reportError(llvm::toString(target.takeError()));
  CompileTimes times(*target, options.rounds);
  int failed = 0;
  for (const std::string &file : files) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer)
      failed |= reportError("cannot read " + file + ": " +
                            buffer.getError().message());
    else
      failed |=
          times.add(llvm::sys::path::filename(file), (*buffer)->getBuffer());
  }
  std::string all;
  unsigned count = 0;
  for (const Shape &shape : suite.shapes) {
    if (shape.name().find(options.filter) == std::string::npos)
      continue;
    auto problem = Problem::create(shape, options.type, /*fillData=*/false);
    if (!problem)
      return reportError(llvm::toString(problem.takeError()));
    all += problem->program("f" + std::to_string(count++));
  }
  if (count == 0)
    return reportError("no shape of suite " + suite.name + " contains '" +
                       options.filter + "'");
  failed |= times.add(
      llvm::formatv("{0}: {1} kernels", suite.name, count).str(), all);
  if (!options.json.empty())
    failed |= writeJson(
        options.json, llvm::json::Object{{"isa", options.isa->name},
                                         {"dtype", nameOfType(options.type)},
                                         {"programs", std::move(times.json)}});
  return failed;
}
