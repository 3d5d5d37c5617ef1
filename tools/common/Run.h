//===- Run.h - Runs of a module by qcc-run and qcc run ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_RUN_H
#define QCC_TOOLS_COMMON_RUN_H

#include "common/Devices.h"
#include "common/Execution.h"
#include "common/Inputs.h"
#include "common/Measure.h"

#include <cstdio>
#include <optional>

namespace qcc::tools {

struct RunOptions {
  std::string entry;
  InputSources sources;
  std::vector<std::string> outputs;  ///< .npy, one for each result in order
  std::vector<std::string> expected; ///< .npy, one for each result in order
  std::optional<double> tolerance;   ///< of expected ones; see Compare.h
  unsigned threads = 0;
  std::string device;      ///< empty: the host; see openDevice
  std::string counters;    ///< a file for those of the emulator
  std::string variant;     ///< empty: the best that the device can run
  std::string weightPages; ///< "auto", "file", "huge"; empty: "auto"
  bool bench = false;
  MeasureOptions measuring;
  std::string benchJson;
  std::string versions; ///< of the tool, "qcc 0.1, LLVM 22.1.0"
  bool profile = false;
  std::string trace;
  std::string dumpSteps;
  std::string testData; ///< a folder of tests of a model, or empty
  bool list = false;
  bool selfTest = false; ///< see SelfTest.h
  /// What the emulator launched; null where no counters are asked for.
  std::shared_ptr<LaunchLog> launches;
  /// What the command reads besides the files named above.
  CommandFiles files;
  /// Say what the results are, where they are neither written nor compared and
  /// nothing is measured.
  bool describeResults = true;
};

class Arguments;

/// Options of a command line that say what to run.
void addInputArguments(Arguments &arguments, std::string &entry,
                       InputSources &sources, unsigned &threads);
/// An option that names a device.
void addDeviceArgument(Arguments &arguments, const char *name, const char *help,
                       std::string &device);
/// Options of what measures.
void addMeasureArguments(Arguments &arguments, RunOptions &options);
/// These and all others.
void addRunArguments(Arguments &arguments, RunOptions &options);
/// --output, -o: where `help` goes; given once, or for each of several outputs.
void addOutputArgument(Arguments &arguments, const char *value,
                       const char *help, std::string &output);
void addOutputArgument(Arguments &arguments, const char *value,
                       const char *help, std::vector<std::string> &outputs);
/// --json: the report goes to a file as well, or to the standard output instead
/// of its text. `contents` is a sentence about the report, or empty.
void addJsonArgument(Arguments &arguments, const std::string &report,
                     std::string &json, const std::string &contents = "");

/// How to load the program that the options are for. Opens the device.
rt::Result<rt::ModuleOptions> moduleOptionsOf(RunOptions &options);

/// Whether the values of options are of their forms, and overwrite nothing that
/// is read. To be asked before the functions below. The rules that come with
/// addRunArguments() say which options go together.
rt::Status checkOptions(const RunOptions &options);
/// Where text for people goes: the standard output, or the standard error if an
/// output of the options takes that.
std::FILE *textStream(const RunOptions &options);

/// How results differ from what they have to be, as a message; empty if they do
/// not.
using Differences = std::string;

/// Reads or makes the inputs of an entry; tells `out` where nobody gave any.
rt::Result<std::vector<HostTensor>>
makeRunInputs(const std::vector<TensorSpec> &specs, const RunOptions &options,
              const std::string &entry, std::FILE *out);

/// Runs an entry of a module, or lists what it holds. What was asked for is
/// printed to `out`. Returns how the results differ from the expected ones.
/// `inputs`: those of the entry, where the caller has made them already.
/// `execution`, where it is given, receives the results.
rt::Result<Differences> runModule(ModulePtr module, const std::string &name,
                                  const RunOptions &options,
                                  std::optional<std::vector<HostTensor>> inputs,
                                  std::FILE *out,
                                  Execution *execution = nullptr);

/// What a result has to be.
struct ExpectedResult {
  std::string source; ///< the file, for messages
  HostTensor tensor;
  double tolerance = 0; ///< see Compare.h
};

/// Compares the first results with what they have to be, and prints how many
/// elements are equal if all of them are. Fails if a result has another type or
/// shape.
rt::Result<Differences> expectResults(const std::vector<rt::Tensor> &results,
                                      std::vector<ExpectedResult> expected,
                                      std::FILE *out);

/// Writes results to the files of the options, compares them with the expected
/// ones and describes the others.
rt::Result<Differences> finishResults(const std::vector<rt::Tensor> &results,
                                      const RunOptions &options,
                                      std::FILE *out);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_RUN_H
