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
#include "qcc/Target/Target.h"
#include "qcc/Transforms/Program/Program.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace qcc {

class WorkLimits;

/// A module after the llvm stage, and what it was compiled for.
struct Variant {
  mlir::ModuleOp module;
  TargetRef target;
  /// What the functions of the host are for: the target, unless that is a
  /// device.
  TargetRef host;
  /// Whether kernels of a device are added as machine code as well, by ptxas.
  bool assembles = false;
};

/// How code is generated.
struct CodeGenOptions {
  Effort effort = Effort::Full;
  /// Threads that work at once, at least 1. The code does not depend on it.
  unsigned threads = 1;
  /// Looked at now and then; null: none. What fails once they are exceeded
  /// leaves its reason there.
  WorkLimits *limits = nullptr;
};

/// LLVM IR of all variants, optimized, with their descriptor and weights. A
/// function says in its attributes what processor it is for.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateToLLVM(llvm::ArrayRef<Variant> variants, llvm::LLVMContext &context,
                const CodeGenOptions &options);

/// The same as ELF objects, and the weights apart from them, for
/// linkSharedObject. A large program is several objects: one for each part that
/// a thread works on, and one for the descriptor.
llvm::Expected<std::vector<llvm::SmallVector<char, 0>>>
emitObjects(llvm::ArrayRef<Variant> variants, WeightsImage &weights,
            const CodeGenOptions &options);

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
/// module that defines or declares the functions of all variants. Those that it
/// defines become internal.
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
/// for a device.
llvm::Expected<std::string> emitPTX(const Variant &variant,
                                    const CodeGenOptions &options);

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

/// Links ELF objects, and weights that are apart from them, to a shared object
/// that needs nothing and exports the descriptor alone. In process, by lld.
/// Frees constants once they are copied, if `releases`.
llvm::Expected<llvm::SmallVector<char, 0>>
linkSharedObject(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects,
                 const WeightsImage &weights, bool releases = false);

} // namespace qcc

#endif // QCC_CODEGEN_CODEGEN_H
