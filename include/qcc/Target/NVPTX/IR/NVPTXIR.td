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

def NVPTX_Extent : DefaultValuedParameter<"int64_t", "1">;

def NVPTX_ConfigAttr : AttrDef<NVPTX_Dialect, "Config", [Kernel_LoweringConfigAttrInterface]> {
  let mnemonic = "config";
  let summary = "How an NVIDIA chip computes a contraction";
  let description = [{
    * The strategy:
      * `threads`: each thread computes a result by itself, from operands where they lie;
      * `mma_tiles`: each warp computes a tile of results with matrix instructions, from a
        left operand where it lies and a packed right one.
    * `atom`: the instruction that multiplies: `mad` for `threads`, `mma-m16n8k32` or
      `mma-m8n8k16` for `mma_tiles`.
    * `tile`: the rows and columns of the tile, 1 by 1 if absent.
    * `source`: who decided: `model`, `tuned` or `pinned`.

    Example: `#nvptx.config<threads, atom = "mad", source = model>`,
    `#nvptx.config<mma_tiles, atom = "mma-m16n8k32", tile = [16, 32], source = model>`
  }];
  let parameters = (ins
      EnumParameter<NVPTX_StrategyKind>:$strategy,
      StringRefParameter<"the instruction">:$atom,
      NVPTX_Extent:$rows, NVPTX_Extent:$columns,
      EnumParameter<Kernel_ConfigSource>:$source);
  let assemblyFormat = [{
    `<` $strategy `,` `atom` `=` $atom `,`
    (`tile` `=` `[` $rows^ `,` $columns `]` `,`)? `source` `=` $source `>`
  }];
  let genVerifyDecl = 1;
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
