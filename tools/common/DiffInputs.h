//===- DiffInputs.h - One input for two programs ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An argument that both programs store alike is given as it is stored. Where
// they differ, it is given as real values, which each program then gets in its
// own form: quantized, or as a float. A file may hold either.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_DIFFINPUTS_H
#define QCC_TOOLS_COMMON_DIFFINPUTS_H

#include "common/Inputs.h"

namespace qcc::tools {

struct DiffInputs {
  std::vector<HostTensor> a, b;
};

rt::Result<DiffInputs> makeDiffInputs(const rt::Entry &a, const rt::Entry &b,
                                      const InputSources &sources);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_DIFFINPUTS_H
