//===- JIT.cpp - Artifacts in memory to callable modules ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/JIT/JIT.h"

using namespace qcc;

rt::Result<std::shared_ptr<const rt::Module>>
qcc::loadArtifact(const Artifact &artifact, const rt::ModuleOptions &options) {
  return rt::Module::load(artifact.data(), artifact.size(), options);
}
