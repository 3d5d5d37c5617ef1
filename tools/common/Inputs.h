//===- Inputs.h - What a run is given ---------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_INPUTS_H
#define QCC_TOOLS_COMMON_INPUTS_H

#include "common/Files.h"
#include "qcc/Runtime/Module.h"
#include "qcc/Support/HostTensor.h"

namespace qcc::tools {

/// What an entry takes.
struct TensorSpec {
  rt::DType dtype;
  std::vector<int64_t> shape; ///< -1 where it is dynamic
};
std::vector<TensorSpec> specsOf(const rt::Entry &entry);

/// Reads an input file and checks it against what the entry takes; `dtype` is
/// not checked where it is absent.
rt::Result<HostTensor> readInput(const std::string &path,
                                 const TensorSpec &spec, size_t position,
                                 bool checkType = true);

/// Where the inputs come from: `x.npy` or `random[:SEED[:LO:HI]]`, one for each
/// argument or one random for all. The dynamic dimensions of random inputs are
/// taken from `dims` in order.
struct InputSources {
  std::vector<std::string> inputs;
  std::vector<int64_t> dims;
};

/// Adds the files that are read.
void addFiles(CommandFiles &files, const InputSources &sources);

/// Those of an entry, one for each argument, or a failure.
rt::Result<std::vector<std::string>>
sourcePerArgument(const InputSources &sources, size_t arguments,
                  const std::string &entry);

/// Makes random inputs one after the other.
class RandomInputs {
public:
  RandomInputs(const InputSources &sources, std::string entry)
      : sources_(sources), entry_(std::move(entry)) {}

  /// The spec with the next of the given dimensions for those that are dynamic.
  rt::Result<TensorSpec> resolve(const std::string &source, TensorSpec spec,
                                 size_t position);
  rt::Result<HostTensor> make(const std::string &source, const TensorSpec &spec,
                              size_t position);
  /// Fails if dimensions are left over.
  rt::Status finish() const;

private:
  const InputSources &sources_;
  std::string entry_;
  size_t usedDims_ = 0;
};

/// Reads or makes all inputs of an entry.
rt::Result<std::vector<HostTensor>>
makeInputs(const std::vector<TensorSpec> &specs, const InputSources &sources,
           const std::string &entry);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_INPUTS_H
