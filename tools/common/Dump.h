//===- Dump.h - The output of each step to files ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder with a .npy for each output of each step, named after the step and
// the number of the output, and index.json, which says for each: the step, its
// layer and location, the file, type, shape, quantization and the layer whose
// value it is. index.json is written last: where it is, the dump is complete.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_DUMP_H
#define QCC_TOOLS_COMMON_DUMP_H

#include "common/Files.h"
#include "qcc/Runtime/Context.h"
#include "qcc/Support/Json.h"

#include <set>

namespace qcc::tools {

class StepDump {
public:
  /// Makes the folder if it is not there, and removes an index of before.
  /// None of `files` is overwritten.
  static rt::Result<StepDump> create(const std::string &folder,
                                     CommandFiles files);

  /// For the options of one context, and one run of it. The dump must stay
  /// where it is until the run is over.
  rt::StepObserver observer() { return {&StepDump::afterStep, this}; }

  /// Writes the index, or says why a file could not be written.
  rt::Status finish(const rt::Entry &entry);

private:
  StepDump(std::string folder, CommandFiles files)
      : folder_(std::move(folder)), files_(std::move(files)) {}
  static void afterStep(void *self, const rt::Context &run, size_t step);
  rt::Status write(const rt::Context &run, const rt::Step &step);
  std::string fileName(const rt::Step &step, size_t output);

  /// Fails if writing to the path would destroy another file of the command.
  rt::Status checkWrite(const std::string &path) const {
    return files_.checkWrite(path, "--dump-steps=" + folder_);
  }

  std::string folder_;
  CommandFiles files_;
  std::set<std::string> names_;
  Json steps_ = Json::list();
  rt::Status status_;
};

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_DUMP_H
