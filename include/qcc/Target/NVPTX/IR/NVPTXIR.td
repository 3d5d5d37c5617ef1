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
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "qcc/Dialect/Kernel/IR/KernelInterfaces.td"
include "qcc/Target/NVPTX/IR/NVPTXEnums.td"

def NVPTX_Dialect : Dialect {
  let name = "nvptx";
  let cppNamespace = "::qcc::nvptx";
  let summary = "How NVIDIA chips compute contractions";
  let description = [{
    The lowering config of kernels of NVIDIA chips, and the threads of a block that share
    memory. What threads do is written with upstream ops.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def NVPTX_Extent : DefaultValuedParameter<"int64_t", "0">;

def NVPTX_ConfigAttr : AttrDef<NVPTX_Dialect, "Config", [Kernel_LoweringConfigAttrInterface]> {
  let mnemonic = "config";
  let summary = "How an NVIDIA chip computes a contraction";
  let description = [{
    * The strategy:
      * `threads`: each thread computes a result by itself, from operands where they lie;
      * `multistage`: the threads of a block compute a tile of results together. Tiles of
        both operands come into shared memory, in stages, while matrix instructions multiply
        those that came before. The right operand is packed.
    * `atom`: the instruction that multiplies: `mad` for `threads`, `mma-m16n8k32` or
      `mma-m8n8k16` for `multistage`.
    * `tile`: the rows and columns that a block computes, and the elements of K of a stage.
    * `warp`: the rows and columns of the tile that one of its warps computes.
    * `stages`: how many tiles of the operands shared memory holds.
    * `source`: who decided: `model`, `tuned` or `pinned`.

    Only `multistage` has `tile`, `warp` and `stages`.

    Example: `#nvptx.config<threads, atom = "mad", source = model>`,
    `#nvptx.config<multistage, atom = "mma-m16n8k32", tile = [128, 256, 64], warp = [64, 64],
    stages = 4, source = model>`
  }];
  let parameters = (ins
      EnumParameter<NVPTX_StrategyKind>:$strategy,
      StringRefParameter<"the instruction">:$atom,
      NVPTX_Extent:$rows, NVPTX_Extent:$columns, NVPTX_Extent:$depth,
      NVPTX_Extent:$warpRows, NVPTX_Extent:$warpColumns, NVPTX_Extent:$stages,
      EnumParameter<Kernel_ConfigSource>:$source);
  let assemblyFormat = [{
    `<` $strategy `,` `atom` `=` $atom `,`
    (`tile` `=` `[` $rows^ `,` $columns `,` $depth `]` `,`
     `warp` `=` `[` $warpRows `,` $warpColumns `]` `,` `stages` `=` $stages `,`)?
    `source` `=` $source `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The threads of a block, and the bytes of shared memory.
    int64_t getThreads() const;
    int64_t getSharedBytes() const;

    // LoweringConfigAttrInterface
    ::llvm::StringRef getStrategyName() const;
    ::llvm::StringRef getAtomName() const { return getAtom(); }
    ::qcc::kernel::LoweringConfigAttrInterface
    withSource(::qcc::kernel::ConfigSource source) const;
    std::string describe() const;
  }];
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

def NVPTX_BlocksOp
    : Op<NVPTX_Dialect, "blocks", [RecursiveMemoryEffects, SingleBlock, NoTerminator]> {
  let summary = "blocks of threads that work together";
  let description = [{
    Runs the body on each thread of `count` blocks, each of `threads` threads with
    `shared_bytes` bytes of shared memory. The arguments of the body are the number of the
    block, the number of the thread in its block, and the address of the shared memory, a
    multiple of 128. Blocks may run in any order; threads of a block meet at barriers.

    It stands beside `scf.forall`, whose iterations are threads that know nothing of each
    other. `outline-kernels` makes both of them kernels.

    Constraints:
    * (C1) `threads` is a multiple of 32 up to 1024, `shared_bytes` not negative.
    * (C2) The body has arguments of the types `index`, `index` and `!llvm.ptr<3>`.

    Example:

    ```mlir
    nvptx.blocks %count threads 256 shared 98304 {
    ^bb0(%block: index, %thread: index, %shared: !llvm.ptr<3>):
      ...
    }
    ```
  }];
  let arguments = (ins Index:$count, I64Attr:$threads, I64Attr:$shared_bytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$count `threads` $threads `shared` $shared_bytes $body attr-dict";
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$count, "int64_t":$threads,
                                 "int64_t":$sharedBytes)>];
}

#endif // QCC_TARGET_NVPTX_IR_NVPTXIR_TD
