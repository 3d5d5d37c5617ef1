//===- TestData.cpp - Tests that come with ONNX models --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/TestData.h"
#include "common/Text.h"
#include "qcc/ONNXModel/TensorFile.h"

#include <algorithm>
#include <filesystem>

using namespace qcc;
using namespace qcc::tools;

namespace fs = std::filesystem;

/// How far floats may be from those of the authors, who computed in another
/// order: a part of the largest magnitude, as ONNX's own tests allow.
static constexpr double kTolerance = 1e-3;

/// "FOLDER/input_0.pb", "FOLDER/input_1.pb" and so on, as far as there are.
static std::vector<std::string> findTensors(const fs::path &folder,
                                            const std::string &kind) {
  std::vector<std::string> paths;
  std::error_code ignored;
  for (;;) {
    fs::path path =
        folder / (kind + "_" + std::to_string(paths.size()) + ".pb");
    if (!fs::exists(path, ignored))
      return paths;
    paths.push_back(path.string());
  }
}

/// The folders of a test; `folder` itself may be the only one.
static std::vector<std::string> findTestSets(const fs::path &folder) {
  std::vector<std::string> sets;
  std::error_code ignored;
  for (;;) {
    fs::path path = folder / ("test_data_set_" + std::to_string(sets.size()));
    if (!fs::is_directory(path, ignored))
      break;
    sets.push_back(path.string());
  }
  bool isSet = !findTensors(folder, "output").empty();
  if (sets.empty() && isSet)
    sets.push_back(folder.string());
  return sets;
}

static rt::Result<std::vector<HostTensor>>
readTensors(const std::vector<std::string> &paths) {
  std::vector<HostTensor> tensors;
  for (const std::string &path : paths) {
    rt::Result<HostTensor> tensor = readONNXTensor(path);
    if (!tensor.isOk())
      return tensor.status();
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

/// Runs one set; returns how the results differ from those of the set.
static rt::Result<Differences> runTestSet(const ModulePtr &module,
                                          const rt::Entry &entry,
                                          const RunOptions &options,
                                          const std::string &folder,
                                          std::FILE *out) {
  std::vector<std::string> outputs = findTensors(folder, "output");
  rt::Result<std::vector<HostTensor>> inputs =
      readTensors(findTensors(folder, "input"));
  if (!inputs.isOk())
    return inputs.status();
  rt::Result<std::vector<HostTensor>> wanted = readTensors(outputs);
  if (!wanted.isOk())
    return wanted.status();
  if (inputs->size() != entry.arguments.size() ||
      wanted->size() != entry.results.size())
    return rt::invalidArgument(
        "it has " + counted(int64_t(inputs->size()), "input") + " and " +
        counted(int64_t(wanted->size()), "output") +
        ", but the program takes " + std::to_string(entry.arguments.size()) +
        " and gives " + std::to_string(entry.results.size()));
  std::vector<ExpectedResult> expected;
  for (size_t i = 0; i < outputs.size(); ++i) {
    HostTensor &tensor = (*wanted)[i];
    double tolerance =
        options.tolerance.value_or(tensor.dtype().isFloat() ? kTolerance : 0);
    expected.push_back({outputs[i], std::move(tensor), tolerance});
  }
  rt::ContextOptions contextOptions;
  contextOptions.threads = int(options.threads);
  rt::Result<Execution> execution =
      Execution::create(module, entry.name, *std::move(inputs), contextOptions);
  if (!execution.isOk())
    return execution.status();
  rt::Status status = execution->run();
  if (!status.isOk())
    return status;
  return expectResults(execution->outputs, std::move(expected), out);
}

ExitCode
tools::runTestData(const ModulePtr &module, const RunOptions &options,
                   std::FILE *out,
                   const std::function<void(const std::string &)> &report) {
  rt::Result<const rt::Entry *> entry = findEntry(*module, options.entry);
  if (!entry.isOk()) {
    report(entry.message());
    return exitCodeOf(entry.status());
  }
  std::vector<std::string> sets = findTestSets(options.testData);
  if (sets.empty()) {
    report("'" + options.testData +
           "' has neither a folder test_data_set_0 nor a file output_0.pb");
    return ExitRejected;
  }
  ExitCode code = ExitSuccess;
  for (const std::string &folder : sets) {
    fprintf(out, "%s: ", fs::path(folder).filename().c_str());
    rt::Result<Differences> differences =
        runTestSet(module, **entry, options, folder, out);
    if (differences.isOk() && differences->empty())
      continue;
    fprintf(out, "failed\n");
    report("'" + folder +
           "': " + (differences.isOk() ? *differences : differences.message()));
    code =
        std::max(code, differences.isOk() ? ExitDiffers
                                          : exitCodeOf(differences.status()));
  }
  return code;
}
