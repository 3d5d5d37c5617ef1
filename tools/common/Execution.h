//===- Execution.h - An entry with its tensors ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_EXECUTION_H
#define QCC_TOOLS_COMMON_EXECUTION_H

#include "qcc/Runtime/Context.h"
#include "qcc/Support/HostTensor.h"

namespace qcc::tools {

using ModulePtr = std::shared_ptr<const rt::Module>;

inline rt::Tensor viewOf(HostTensor &tensor) {
  return rt::Tensor(tensor.data(), tensor.dtype(), tensor.shape());
}

/// A context, its inputs, and memory for its results.
struct Execution {
  std::unique_ptr<rt::Context> context;
  std::vector<HostTensor> storage;
  std::vector<rt::Tensor> inputs, outputs;
  std::vector<rt::OwnedTensor> results;

  static rt::Result<Execution> create(ModulePtr module, std::string_view entry,
                                      std::vector<HostTensor> inputs,
                                      const rt::ContextOptions &options);
  rt::Status run() { return context->run(inputs, outputs); }
};

/// The entry that a name means, or a failure that lists what there is.
rt::Result<const rt::Entry *> findEntry(const rt::Module &module,
                                        const std::string &name);

/// Whether a file begins as a shared object does; false where it cannot be
/// read.
bool isArtifact(const std::string &path);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_EXECUTION_H
