//===- KnownTargets.h - The list of targets ---------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_KNOWNTARGETS_KNOWNTARGETS_H
#define QCC_KNOWNTARGETS_KNOWNTARGETS_H

#include "qcc/Target/Target.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace qcc {

/// The targets of a comma-separated list of processor names, each once, in
/// their order. `native` has the host's features.
llvm::Expected<std::vector<TargetRef>>
parseTargets(llvm::StringRef list, llvm::ArrayRef<std::string> hostFeatures);

/// What the functions are for that a host runs of a program for a device: every
/// processor of the host's kind.
TargetRef hostTarget();

/// The names that parseTargets takes but `native`.
std::vector<std::string> knownTargetNames();

/// One processor of the host's kind for each set of instructions that kernels
/// are written for.
llvm::ArrayRef<llvm::StringLiteral> usualProcessors();

/// Registers the dialects of all targets; they are loaded with the kernel
/// dialect.
void registerTargets(mlir::DialectRegistry &registry);

/// Registers the passes of all targets.
void registerTargetPasses();

} // namespace qcc

#endif // QCC_KNOWNTARGETS_KNOWNTARGETS_H
