//===- NVPTXIR.td - The nvptx dialect ----------------------*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_NVPTX_IR_NVPTXIR_TD
#define QCC_TARGET_NVPTX_IR_NVPTXIR_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"
include "qcc/Dialect/Kernel/IR/KernelInterfaces.td"
include "qcc/Target/NVPTX/IR/NVPTXEnums.td"

def NVPTX_Dialect : Dialect {
  let name = "nvptx";
  let cppNamespace = "::qcc::nvptx";
  let summary = "How NVIDIA chips compute contractions";
  let description = [{
    The lowering config of kernels of NVIDIA chips. It has no ops: kernels are made of
    upstream ones.
  }];
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def NVPTX_ConfigAttr : AttrDef<NVPTX_Dialect, "Config", [Kernel_LoweringConfigAttrInterface]> {
  let mnemonic = "config";
  let summary = "How an NVIDIA chip computes a contraction";
  let description = [{
    * The strategy:
      * `threads`: each thread computes a result by itself, from operands where they lie.
    * `atom`: the instruction that multiplies: `mad` for `threads`.
    * `source`: who decided: `model`, `tuned` or `pinned`.

    Example: `#nvptx.config<threads, atom = "mad", source = model>`
  }];
  let parameters = (ins
      EnumParameter<NVPTX_StrategyKind>:$strategy,
      StringRefParameter<"the instruction">:$atom,
      EnumParameter<Kernel_ConfigSource>:$source);
  let assemblyFormat = [{
    `<` $strategy `,` `atom` `=` $atom `,` `source` `=` $source `>`
  }];
  let extraClassDeclaration = [{
    // LoweringConfigAttrInterface
    ::llvm::StringRef getStrategyName() const;
    ::llvm::StringRef getAtomName() const { return getAtom(); }
    ::qcc::kernel::LoweringConfigAttrInterface
    withSource(::qcc::kernel::ConfigSource source) const;
    std::string describe() const;
  }];
}

#endif // QCC_TARGET_NVPTX_IR_NVPTXIR_TD
