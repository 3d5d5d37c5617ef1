//===- CodeGen.h - From the llvm dialect to bytes ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_CODEGEN_CODEGEN_H
#define QCC_CODEGEN_CODEGEN_H

#include "mlir/IR/BuiltinOps.h"
#include "qcc/CodeGen/WeightsImage.h"
#include "qcc/Target/Effort.h"
#include "qcc/Transforms/Program/Program.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace qcc {

class Target;
class WorkLimits;

/// A module after the llvm stage, and what it was compiled for.
struct Variant {
  mlir::ModuleOp module;
  const Target *target;
  /// What the functions of the host are for: the target, unless that is a
  /// device.
  const Target *host;
  /// Whether kernels of a device are added as machine code as well, by ptxas.
  bool assembles = false;
};

/// LLVM IR of all variants, optimized, with their descriptor. A function says
/// in its attributes what processor it is for. For `apart` see addDescriptor.
/// Fails once `limits` are exceeded, which have the reason then.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateToLLVM(llvm::ArrayRef<Variant> variants, llvm::LLVMContext &context,
                Effort effort, WeightsImage *apart = nullptr,
                WorkLimits *limits = nullptr);

/// A variant whose functions are in LLVM IR. There, `prefix` stands before the
/// names that the table of the program has.
struct TranslatedVariant {
  Program program;
  const Target *target;
  std::string prefix;
  std::string kernels; ///< PTX text; of a device
  std::string binary;  ///< machine code of the same kernels, or empty
};

/// Adds the descriptor of the ABI (qcc/Artifact/ABI.h) and the weights to a
/// module that has the functions of all variants, which become internal.
/// Variants with the same weights share them. Where `apart` is given, the
/// module only reserves addresses for the weights, and the image is filled, for
/// linkSharedObject.
llvm::Error addDescriptor(llvm::Module &module,
                          llvm::ArrayRef<TranslatedVariant> variants,
                          WeightsImage *apart = nullptr);

enum class FileKind { Assembly, Object };

/// Machine code of a module as assembly text or as an ELF object. Fails once
/// `limits` are exceeded.
llvm::Expected<llvm::SmallVector<char, 0>>
emitCode(llvm::Module &module, llvm::TargetMachine &machine, FileKind kind,
         WorkLimits *limits = nullptr);

/// PTX text of the kernels of a module after the llvm stage that was compiled
/// for a device. Fails once `limits` are exceeded.
llvm::Expected<std::string> emitPTX(const Variant &variant, Effort effort,
                                    WorkLimits *limits = nullptr);

/// What ptxas makes of PTX.
struct AssembledKernels {
  std::string binary; ///< a cubin
  std::string log;    ///< what `ptxas -v` says of registers and spills
};

/// Assembles PTX for a chip such as "sm_80" by ptxas, which is looked for in
/// PATH and in /usr/local/cuda/bin. Fails where it is not there (the error is
/// std::errc::not_supported), or refuses.
llvm::Expected<AssembledKernels> assembleKernels(llvm::StringRef ptx,
                                                 llvm::StringRef chip);

/// Links an ELF object, and weights that are apart from it, to a shared object
/// that needs nothing and exports the descriptor alone. In process, by lld.
/// Frees constants once they are copied, if `releases`.
llvm::Expected<llvm::SmallVector<char, 0>>
linkSharedObject(llvm::ArrayRef<char> object, const WeightsImage &weights,
                 bool releases = false);

} // namespace qcc

#endif // QCC_CODEGEN_CODEGEN_H
