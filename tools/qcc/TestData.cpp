//===- TestData.cpp - Tests that come with ONNX models --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--test-data=DIR` runs a model on the data that its authors publish beside
// it: folders test_data_set_0, test_data_set_1 and so on, each with the files
// input_0.pb, input_1.pb and output_0.pb, output_1.pb, a tensor in each.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "qcc/Frontend/ONNX/TensorFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace qcc;
using namespace qcc::driver;

/// How far floats may be from those of the authors, who computed in another
/// order: a part of the largest magnitude, as ONNX's own tests allow.
static constexpr double kTolerance = 1e-3;

/// "FOLDER/input_0.pb", "FOLDER/input_1.pb" and so on, as far as there are.
static std::vector<std::string> findTensors(llvm::StringRef folder,
                                            llvm::StringRef kind) {
  std::vector<std::string> paths;
  for (;;) {
    llvm::SmallString<128> path = folder;
    llvm::sys::path::append(path,
                            kind + "_" + llvm::Twine(paths.size()) + ".pb");
    if (!llvm::sys::fs::exists(path))
      return paths;
    paths.emplace_back(path);
  }
}

/// The folders of a test; `folder` itself may be the only one.
static std::vector<std::string> findTestSets(llvm::StringRef folder) {
  std::vector<std::string> sets;
  for (;;) {
    llvm::SmallString<128> path = folder;
    llvm::sys::path::append(path, "test_data_set_" + llvm::Twine(sets.size()));
    if (!llvm::sys::fs::is_directory(path))
      break;
    sets.emplace_back(path);
  }
  bool isSet = !findTensors(folder, "output").empty();
  if (sets.empty() && isSet)
    sets.push_back(folder.str());
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

/// Runs one set; fails where a result is not the one of the set.
static rt::Status runTestSet(const tools::ModulePtr &module,
                             const rt::Entry &entry, const RunOptions &options,
                             const std::string &folder) {
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
        "it has " + tools::counted(int64_t(inputs->size()), "input") + " and " +
        tools::counted(int64_t(wanted->size()), "output") +
        ", but the program takes " + std::to_string(entry.arguments.size()) +
        " and gives " + std::to_string(entry.results.size()));
  std::vector<tools::ExpectedResult> expected;
  for (auto [path, tensor] : llvm::zip_equal(outputs, *wanted)) {
    double tolerance =
        options.tolerance.value_or(tensor.dtype().isFloat() ? kTolerance : 0);
    expected.push_back({path, std::move(tensor), tolerance});
  }
  rt::ContextOptions contextOptions;
  contextOptions.threads = int(options.threads);
  rt::Result<tools::Execution> execution = tools::Execution::create(
      module, entry.name, *std::move(inputs), contextOptions);
  if (!execution.isOk())
    return execution.status();
  rt::Status status = execution->run();
  return status.isOk() ? tools::expectResults(execution->outputs,
                                              std::move(expected), stdout)
                       : status;
}

int driver::runTestData(const tools::ModulePtr &module,
                        const RunOptions &options) {
  rt::Result<const rt::Entry *> entry =
      tools::findEntry(*module, options.entry);
  if (!entry.isOk())
    return reportError(entry.message());
  std::vector<std::string> sets = findTestSets(options.testData);
  if (sets.empty())
    return reportError("'" + options.testData +
                       "' has neither a folder test_data_set_0 nor a file "
                       "output_0.pb");
  int code = 0;
  for (const std::string &folder : sets) {
    printf("%s: ", llvm::sys::path::filename(folder).str().c_str());
    rt::Status status = runTestSet(module, **entry, options, folder);
    if (status.isOk())
      continue;
    printf("failed\n");
    code = reportError("'" + folder + "': " + status.message());
  }
  return code;
}

int driver::checkTestData(const RunOptions &options) {
  if (options.testData.empty())
    return 0;
  bool hasOther = !options.sources.inputs.empty() ||
                  !options.sources.sizes.empty() || !options.outputs.empty() ||
                  !options.expected.empty() || options.check || options.list ||
                  options.bench || options.profile ||
                  !options.dumpSteps.empty() || !options.counters.empty();
  if (hasOther)
    return reportError("--test-data gives the inputs and what is expected; of "
                       "the other options of inputs, results and measurements "
                       "it goes with --tolerance alone");
  return 0;
}
