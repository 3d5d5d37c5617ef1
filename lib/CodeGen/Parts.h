//===- Parts.h - A module in parts ------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM works on a module with one thread. So the functions of a program are
// split into parts: modules that are optimized, and become machine code, each
// by itself. A part is bitcode, since a module belongs to a context, and a
// context to one thread.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CODEGEN_PARTS_H
#define QCC_LIB_CODEGEN_PARTS_H

#include "qcc/CodeGen/CodeGen.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace qcc {

struct Part {
  /// Bitcode, or what has been made of it.
  using Bytes = llvm::SmallVector<char, 0>;

  const Target *target;
  Bytes bytes;
};

/// Splits a module. What is internal stays in one part with its users. The
/// parts depend on the module alone, so that a program has the same code
/// whatever machine it is compiled on. Never empty.
std::vector<Part> splitIntoParts(std::unique_ptr<llvm::Module> module,
                                 const Target &target);

Part::Bytes writePart(const llvm::Module &module);

/// The functions that a module defines, in order.
std::vector<std::string> namesOfFunctions(const llvm::Module &module);

/// Optimizes all parts, and puts the bytes that `finish` makes of each in its
/// place. `finish` runs on several threads.
llvm::Error
finishParts(llvm::MutableArrayRef<Part> parts, const CodeGenOptions &options,
            llvm::function_ref<llvm::Expected<Part::Bytes>(
                llvm::Module &, llvm::TargetMachine &, WorkLimits *)>
                finish);

/// One module of all parts, whose functions are in the order of `names`.
llvm::Expected<std::unique_ptr<llvm::Module>>
joinParts(llvm::ArrayRef<Part> parts, llvm::ArrayRef<std::string> names,
          llvm::LLVMContext &context);

} // namespace qcc

#endif // QCC_LIB_CODEGEN_PARTS_H
