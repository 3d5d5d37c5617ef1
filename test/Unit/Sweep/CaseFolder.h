//===- CaseFolder.h - Cases of the sweep as files ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the variable QCC_SWEEP_FOLDER of the environment names a folder, cases
// for devices are also written there, for utils/check-gpu.sh: the artifact of
// each group, inputs and expected results, and for each case a line in
// cases.txt with the arguments of qcc-run.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_SWEEP_CASEFOLDER_H
#define QCC_TEST_UNIT_SWEEP_CASEFOLDER_H

#include "qcc/Base/Status.h"
#include "qcc/Runtime/Tensor.h"

#include <string>
#include <string_view>
#include <vector>

namespace qcc::sweep {

class CaseFolder {
public:
  CaseFolder();

  bool isWanted() const { return !folder_.empty(); }
  /// The artifact of the cases that follow.
  rt::Status addArtifact(const std::string &name, std::string_view bytes);
  rt::Status addCase(const std::string &entry,
                     const std::vector<rt::Tensor> &inputs,
                     const std::vector<rt::Tensor> &expected);

private:
  rt::Status write(const std::vector<rt::Tensor> &tensors, const char *option,
                   std::string &line);

  std::string folder_, artifact_;
  int numCases_ = 0, numTensors_ = 0;
};

} // namespace qcc::sweep

#endif // QCC_TEST_UNIT_SWEEP_CASEFOLDER_H
