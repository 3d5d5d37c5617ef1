//===- CodeGenerator.h - LLVM's code generators -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_CODEGENERATOR_H
#define QCC_TARGET_CODEGENERATOR_H

#include "qcc/Target/Effort.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace qcc {

/// The code generator of an LLVM target, which has been initialized, for a
/// processor with `features` as LLVM writes them. A multiplication and an
/// addition stay two operations (N4). Fails where LLVM has none; `name` is that
/// of the processor in the message.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createCodeGenerator(llvm::StringRef triple, llvm::StringRef processor,
                    const std::string &features, Effort effort,
                    llvm::StringRef name);

} // namespace qcc

#endif // QCC_TARGET_CODEGENERATOR_H
