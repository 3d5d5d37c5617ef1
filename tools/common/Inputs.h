//===- Inputs.h - Inputs of a run -------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_INPUTS_H
#define QCC_TOOLS_COMMON_INPUTS_H

#include "common/Files.h"
#include "common/Sizes.h"
#include "qcc/Support/HostTensor.h"

namespace qcc::tools {

/// Reads a .npy file; "-" is the standard input.
rt::Result<HostTensor> readArray(const std::string &path);

/// Reads an input file and checks it against what the entry takes; `dtype` is
/// not checked where it is absent.
rt::Result<HostTensor> readInput(const std::string &path,
                                 const TensorSpec &spec, size_t position,
                                 bool checkType = true);

/// Where the inputs come from: `x.npy` or `random[:SEED[:LO:HI]]`, one for each
/// argument in order, or `NAME:` and one of them, or one random for all that
/// have no other. Without any, all are random.
struct InputSources {
  std::vector<std::string> inputs; ///< as add() accepts them
  GivenSizes sizes;                ///< of random inputs

  /// Adds an --input; fails where its name or its source is empty, or its
  /// random numbers have another form.
  rt::Status add(std::string_view text);
};

/// Adds the files that are read.
void addFiles(CommandFiles &files, const InputSources &sources);

/// The file or the random numbers of each argument of an entry, or a failure.
rt::Result<std::vector<std::string>>
sourcePerArgument(const InputSources &sources,
                  const std::vector<TensorSpec> &specs,
                  const std::string &entry);

/// Which sources are random.
std::vector<bool> findRandom(const std::vector<std::string> &sources);

/// Random numbers in a tensor whose sizes are known; arguments at other
/// positions have others. `source` is one that sourcePerArgument accepted.
rt::Result<HostTensor> makeRandom(const std::string &source,
                                  const TensorSpec &spec, size_t position);

/// Reads or makes all inputs of an entry.
rt::Result<std::vector<HostTensor>>
makeInputs(const std::vector<TensorSpec> &specs, const InputSources &sources,
           const std::string &entry);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_INPUTS_H
