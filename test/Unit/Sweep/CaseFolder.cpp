//===- CaseFolder.cpp - Cases of the sweep as files -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseFolder.h"

#include "qcc/Support/FileIO.h"
#include "qcc/Support/TensorFile.h"

#include <cstdlib>
#include <fstream>

using namespace qcc;
using namespace qcc::sweep;

CaseFolder::CaseFolder() {
  if (const char *folder = getenv("QCC_SWEEP_FOLDER"))
    folder_ = folder;
}

rt::Status CaseFolder::addArtifact(const std::string &name,
                                   std::string_view bytes) {
  artifact_ = name;
  numCases_ = 0;
  return writeFile(folder_ + "/" + name + ".so", bytes);
}

/// Writes tensors, and adds an option for each to the line of the case.
rt::Status CaseFolder::write(const std::vector<rt::Tensor> &tensors,
                             const char *option, std::string &line) {
  for (const rt::Tensor &tensor : tensors) {
    std::string file = artifact_ + "." + std::to_string(numCases_) + "." +
                       std::to_string(numTensors_++) + ".npy";
    line += std::string(" ") + option + file;
    rt::Status status =
        writeNpy(folder_ + "/" + file, tensor.dtype, tensor.shape, tensor.data);
    if (!status.isOk())
      return status;
  }
  return rt::Status::ok();
}

rt::Status CaseFolder::addCase(const std::string &entry,
                               const std::vector<rt::Tensor> &inputs,
                               const std::vector<rt::Tensor> &expected) {
  std::string line = artifact_ + ".so --entry=" + entry;
  rt::Status status = write(inputs, "--input=", line);
  if (status.isOk())
    status = write(expected, "--expect=", line);
  if (!status.isOk())
    return status;
  ++numCases_;
  std::ofstream cases(folder_ + "/cases.txt", std::ios::app);
  cases << line << "\n";
  return cases ? rt::Status::ok()
               : rt::ioError(folder_ + "/cases.txt cannot be written");
}
