//===- CodeGen.h - From the llvm dialect to bytes ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_CODEGEN_CODEGEN_H
#define QCC_CODEGEN_CODEGEN_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace qcc {

struct TargetSpec;
struct Program;

/// A code generator that keeps every float operation as it is written.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const TargetSpec &target);

/// LLVM IR of a module after the llvm stage, with its descriptor, optimized.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateToLLVM(mlir::ModuleOp module, const TargetSpec &target,
                llvm::TargetMachine &machine, llvm::LLVMContext &context);

/// Adds the descriptor of the ABI (qcc/Runtime/ABI.h) and the weights to a
/// module that has the program's functions; everything else becomes internal.
llvm::Error addDescriptor(llvm::Module &module, const Program &program,
                          const TargetSpec &target);

enum class FileKind { Assembly, Object };

/// Machine code of a module as assembly text or as an ELF object.
llvm::Expected<llvm::SmallVector<char, 0>>
emitCode(llvm::Module &module, llvm::TargetMachine &machine, FileKind kind);

/// Links an ELF object to a shared object that needs nothing and exports the
/// descriptor alone. In process, by lld.
llvm::Expected<llvm::SmallVector<char, 0>>
linkSharedObject(llvm::ArrayRef<char> object);

} // namespace qcc

#endif // QCC_CODEGEN_CODEGEN_H
