//===- JIT.h - Artifacts in memory to callable modules ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_JIT_JIT_H
#define QCC_JIT_JIT_H

#include "qcc/Compiler/Compiler.h"
#include "qcc/Runtime/Module.h"
#include <memory>

namespace qcc {

/// Loads an artifact from memory, by the same loader that opens files.
inline rt::Result<std::shared_ptr<const rt::Module>>
loadArtifact(const Artifact &artifact,
             const rt::ModuleOptions &options = rt::ModuleOptions()) {
  return rt::Module::load(artifact.data(), artifact.size(), options);
}

} // namespace qcc

#endif // QCC_JIT_JIT_H
