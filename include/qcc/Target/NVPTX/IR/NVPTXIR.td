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
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "qcc/Dialect/Kernel/IR/KernelInterfaces.td"

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
        those that came before. The right operand is packed;
      * `decode`, for few rows: the warps of a block share K. Each multiplies what it loads
        from memory itself, and shared memory adds up the sums of all warps. The right operand
        is packed.
      * `warpgroups`, of sm_90a: a thread copies tiles of both operands to stages of shared
        memory by tensor maps, and two groups of four warps multiply them. The right operand
        is packed.
    * `atom`: the instruction that multiplies: `mad` for `threads`, `wgmma-m64k32` for
      `warpgroups`, `mma-m16n8k32` or `mma-m8n8k16` for the others.
    * `tile`: the rows and columns that a block computes, and the elements of K of a stage; of
      all warps together for `decode`.
    * `warp`: the rows and columns of the tile that one of its warps computes; all of them for
      `decode`.
    * `stages`: how many tiles of the operands shared memory holds; for `decode`, how many
      steps of K a warp has loaded when it multiplies the first of them.
    * `parts`: in how many parts K is divided, 1 where it is not given. Each is summed up by
      blocks of its own, and a further kernel adds the sums (`divide-contractions`).
    * `sums`, for `decode` of groups of K: as many sums of 16 rows as a warp leaves in shared
      memory, 1 where it is not given, before threads go on with the chain over the groups.
    * `rhs_bits`: the bits of an element of the packed right operand, 8 where it is not given,
      or 4 (`decode`).
    * `rows_above`, `rows_up_to`: the guard. The kernel does its work where the contraction has
      more rows than the one and no more than the other, as is known at run time.
    * `few_rows`: configs for contractions with fewer rows than the guard asks for. The guards
      of these and of the config itself follow each other, from 0 rows on.
    * `source`: who decided: `model`, `tuned` or `pinned`.

    `threads` has neither `tile`, `warp`, `stages` nor `parts`.

    Example: `#nvptx.config<threads, atom = "mad", source = model>`,
    `#nvptx.config<multistage, atom = "mma-m16n8k32", tile = [128, 256, 64], warp = [64, 64],
    stages = 4, parts = 2, source = model>`,
    `#nvptx.config<multistage, atom = "mma-m16n8k32", tile = [128, 256, 64], warp = [64, 64],
    stages = 4, rows_above = 16, few_rows = [#nvptx.config<decode, atom = "mma-m16n8k32",
    tile = [16, 16, 512], warp = [16, 16], stages = 4, rows_up_to = 16, source = model>],
    source = model>`
  }];
  let parameters = (ins
      StringRefParameter<"the name of a strategy">:$strategy,
      StringRefParameter<"the instruction">:$atom,
      NVPTX_Extent:$rows, NVPTX_Extent:$columns, NVPTX_Extent:$depth,
      NVPTX_Extent:$warpRows, NVPTX_Extent:$warpColumns, NVPTX_Extent:$stages,
      DefaultValuedParameter<"int64_t", "1">:$parts,
      DefaultValuedParameter<"int64_t", "1">:$sums,
      DefaultValuedParameter<"int64_t", "8">:$rhsBits,
      NVPTX_Extent:$rowsAbove, NVPTX_Extent:$rowsUpTo,
      OptionalParameter<"::mlir::ArrayAttr">:$fewRows,
      EnumParameter<Kernel_ConfigSource>:$source);
  let builders = [AttrBuilder<(ins
      "::llvm::StringRef":$strategy, "::llvm::StringRef":$atom, "int64_t":$rows, "int64_t":$columns,
      "int64_t":$depth, "int64_t":$warpRows, "int64_t":$warpColumns, "int64_t":$stages,
      "::qcc::kernel::ConfigSource":$source), [{
    return $_get($_ctxt, strategy, atom, rows, columns, depth, warpRows, warpColumns, stages,
                 /*parts=*/1, /*sums=*/1, /*rhsBits=*/8, /*rowsAbove=*/0, /*rowsUpTo=*/0, ::mlir::ArrayAttr(), source);
  }]>];
  let assemblyFormat = [{
    `<` custom<StrategyName>($strategy) `,` `atom` `=` $atom `,`
    (`tile` `=` `[` $rows^ `,` $columns `,` $depth `]` `,`
     `warp` `=` `[` $warpRows `,` $warpColumns `]` `,` `stages` `=` $stages `,`)?
    (`parts` `=` $parts^ `,`)?
    (`sums` `=` $sums^ `,`)?
    (`rhs_bits` `=` $rhsBits^ `,`)?
    (`rows_above` `=` $rowsAbove^ `,`)? (`rows_up_to` `=` $rowsUpTo^ `,`)?
    (`few_rows` `=` $fewRows^ `,`)?
    `source` `=` $source `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The threads of a block, and the bytes of shared memory.
    int64_t getThreads() const;
    int64_t getSharedBytes() const;
    /// For `decode`: the warps of a block, and the words of shared memory from a row of
    /// sums to the next one.
    int64_t getWarps() const;
    int64_t getRowWords() const;
    /// Whether the right operand is packed.
    bool isPacked() const;

    bool hasGuard() const { return getRowsAbove() > 0 || getRowsUpTo() > 0; }
    /// The same config with other parts of K; with room for other sums of groups; with
    /// another packing; with another guard, without `few_rows`; with configs for fewer rows
    /// than the guard asks for.
    ConfigAttr withParts(int64_t parts) const;
    ConfigAttr withSums(int64_t sums) const;
    ConfigAttr withRhsBits(int64_t bits) const;
    ConfigAttr withGuard(int64_t above, int64_t upTo) const;
    ConfigAttr withFewRows(::llvm::ArrayRef<ConfigAttr> configs) const;

    // LoweringConfigAttrInterface
    ::llvm::StringRef getStrategyName() const { return getStrategy(); }
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
    multiple of 1,024. Blocks may run in any order; threads of a block meet at barriers.

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

def NVPTX_TensorMapOp : Op<NVPTX_Dialect, "tensor_map", [Pure]> {
  let summary = "how blocks see bytes of a step's argument that they copy in boxes";
  let description = [{
    Returns the generic address of a tensor map (`cuTensorMapEncodeTiled`) of `source`, an
    argument of a step or a view of one, at a known offset. Dimensions are listed with the innermost first, whose bytes lie side
    by side; `strides` are bytes, of the others. A size of `dims` that is dynamic is an
    operand. Bytes outside of the dimensions are 0 in a box. `swizzle` is 0, 32, 64 or 128:
    the bytes of a line in shared memory.

    `outline-kernels` makes it a parameter of the kernel, which the runtime encodes.

    Example:

    ```mlir
    %map = nvptx.tensor_map %x dims [512, %rows] strides [512] box [128, 128] swizzle 128
        : memref<?x512xi8> -> !llvm.ptr
    ```
  }];
  let arguments = (ins AnyStridedMemRef:$source, Variadic<Index>:$dynamicDims,
                       DenseI64ArrayAttr:$dims, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$box, I64Attr:$swizzle);
  let results = (outs LLVM_AnyPointer:$map);
  let assemblyFormat = [{
    $source `dims` custom<DynamicIndexList>($dynamicDims, $dims) `strides` $strides
    `box` $box `swizzle` $swizzle attr-dict `:` type($source) `->` type($map)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedDims();
    /// From the argument to the first byte of `source`.
    int64_t getByteOffset();
  }];
}

#endif // QCC_TARGET_NVPTX_IR_NVPTXIR_TD
