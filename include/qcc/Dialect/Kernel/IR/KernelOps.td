//===- KernelOps.td - The kernel dialect -------------------*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fused contraction, the packing of its weight, and functions of a byte.
// docs/Rationale/Kernel.md says why the ops look as they do.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_KERNEL_IR_KERNELOPS_TD
#define QCC_DIALECT_KERNEL_IR_KERNELOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "qcc/Dialect/Kernel/IR/KernelInterfaces.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::qcc::kernel";
  let summary = "Fused contractions and what they need";
  let description = [{
    Every fast kernel is a contraction into i32 or f32 accumulators, a scalar function
    of the accumulator and a few other operands, and a store. `kernel.contract` is
    exactly that, on tensors and on memrefs.
  }];
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Printed with its type: the short form of floats has no NaN that can be read.
def Kernel_Ranges : OptionalParameter<"::mlir::DenseF64ArrayAttr"> {
  let printer = "$_printer.printAttribute($_self)";
  let parser = [{
    [&]() -> ::mlir::FailureOr<::mlir::DenseF64ArrayAttr> {
      ::mlir::DenseF64ArrayAttr ranges;
      if ($_parser.parseAttribute(ranges))
        return ::mlir::failure();
      return ranges;
    }()
  }];
}

def Kernel_FactsAttr : AttrDef<Kernel_Dialect, "Facts"> {
  let mnemonic = "facts";
  let summary = "what passes know of the operands of a contraction";
  let description = [{
    Code may be faster for it, and no result depends on it. What is not known is left
    out.

    * `rhs_range`: the least and the greatest element of a constant rhs, as the types of
      the operands say before it is packed, where the target asks for it.
    * `epilogue_ranges`: for each of the epilogue's operands, the least and the greatest
      of its elements, none of which is NaN; two NaN where that is not known.
    * `zero_border`: for each dimension of lhs, how many elements at its low end and at
      its high end are stored as 0. Their products with the stored elements of rhs may be
      left out.

    Example: `#kernel.facts<rhs_range = [-5, 7]>`
  }];
  let parameters = (ins OptionalParameter<"::mlir::DenseI64ArrayAttr">:$rhs_range,
                        Kernel_Ranges:$epilogue_ranges,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$zero_border);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Kernel_PaddingAttr : AttrDef<Kernel_Dialect, "Padding"> {
  let mnemonic = "padding";
  let summary = "elements around an operand that are not in memory";
  let description = [{
    For each dimension, how many elements there are before its low end and behind its high
    end, and the value of all of them, an i8.

    Example: `#kernel.padding<[0, 0, 1, 1], -7>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$widths, "int64_t":$value);
  let assemblyFormat = "`<` `[` $widths `]` `,` $value `>`";
  let genVerifyDecl = 1;
}

def Kernel_TensorMapAttr : AttrDef<Kernel_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "how a kernel sees bytes of an argument that it copies in boxes";
  let description = [{
    The bytes of argument `argument` of a launch from byte `offset` on, as
    `qcc_tensor_map_desc` of the ABI has them, the innermost dimension first. A size in `dims` is a number, or -1 - i where it is
    argument i of the launch. `strides` are bytes, of all dimensions but the innermost one,
    whose bytes lie side by side.

    Example: `#kernel.tensor_map<argument = 0, dims = [512, -2], strides = [512],
    box = [128, 128], swizzle = 128>`
  }];
  let parameters = (ins "int64_t":$argument, DefaultValuedParameter<"int64_t", "0">:$offset,
                        ArrayRefParameter<"int64_t">:$dims, ArrayRefParameter<"int64_t">:$strides,
                        ArrayRefParameter<"int64_t">:$box, "int64_t":$swizzle);
  let assemblyFormat = [{
    `<` `argument` `=` $argument `,` (`offset` `=` $offset^ `,`)? `dims` `=` `[` $dims `]` `,`
    `strides` `=` `[` $strides `]` `,` `box` `=` `[` $box `]` `,` `swizzle` `=` $swizzle `>`
  }];
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

class Kernel_Op<string mnemonic, list<Trait> traits = []>
    : Op<Kernel_Dialect, mnemonic, traits>;

def Kernel_TensorOrMemRef
    : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef], "ranked tensor or memref">;

def Kernel_YieldOp
    : Kernel_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "the result of a prologue or an epilogue";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def Kernel_ContractOp
    : Kernel_Op<"contract", [AttrSizedOperandSegments, DestinationStyleOpInterface,
                             IsolatedFromAbove,
                             DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a contraction of int8 or f32 with everything around it";
  let description = [{
    Over an iteration space (d0, d1, ...) with the dimensions `reduction_dims` being
    reduced:

    ```
    l   = lhs_prologue(lhs[map(d)], lhs_operands[map(d)]...)      an i8
    r   = rhs_prologue(rhs[map(d)], rhs_operands[map(d)]...)      an i8
    acc = init[map(d)] + sum over reduction_dims of
          (extend(l) - lhs_zero_point[map(d)]) * (extend(r) - rhs_zero_point[map(d)])
    outs[i][map(d)] = epilogue(acc, epilogue_operands[map(d)]...)[i]
    ```

    exactly in i32, wrapping (N2). `extend` is unsigned where `lhs_unsigned`
    (`rhs_unsigned`) is present, signed otherwise. `init` and the zero points are i32
    and optional (0). An empty prologue is the identity.

    Where the epilogue takes an f32 accumulator, the contraction is one of *floats*. l, r
    and init are then f32, there are no zero points, and each result is one chain from
    init (N8), in row-major order of `reduction_dims`, whose order therefore matters:

    ```
    acc = init[map(d)]; for each d of reduction_dims: acc = fma(l, r, acc)
    ```

    With a `group_epilogue` the first of `reduction_dims` numbers *groups of K*. Each group
    has a sum of integers of its own, and the total is an f32 (N3). init is then f32, and
    zero points may vary along the groups:

    ```
    total = init[map(d)]
    for each g of the first of reduction_dims, in order:
      acc = sum over the rest of reduction_dims of ...             as above, from 0
      total = group_epilogue(acc, total, group_operands[map(d, g)]...)
    outs[i][map(d)] = epilogue(total, epilogue_operands[map(d)]...)[i]
    ```

    `indexing_maps` has one map for each operand, in operand order: lhs, rhs, init,
    lhs_zero_point, rhs_zero_point, lhs_operands, rhs_operands, group_operands,
    epilogue_operands, outs. They are projected permutations (constants 0 allowed for unit
    dimensions). The one of lhs may also be a window: each dimension indexed by a sum of
    different loops times positive constants, as `oh * 2 + kh` of a convolution with
    stride 2. Its last dimension may have a term for a group of columns, as `n floordiv 8 * 4 + c` of a
    convolution whose groups have 8 columns and 4 elements of lhs each, `n` being the last
    loop of the first of outs. Static sizes have to keep windows inside lhs; dynamic ones
    are checked before (`insert-shape-checks`).
    `reduction_sizes` gives the static size of each reduction dimension.

    The text of an op leaves these three out where they are those of a product of
    matrices: the loops are (outer..., n, k), where the last outer loop is m, and

    * `lhs` is indexed by (outer..., k), each of `outs` by (outer..., n), and `rhs`,
      before it is packed, by (batch..., n, k), the batch loops being the first of the
      outer ones, as many as the rank of `rhs` says;
    * `init` and `epilogue_operands` are indexed by the last of (outer..., n), as many as
      they have dimensions, `lhs_zero_point` and `lhs_operands` by the last of (outer...),
      `rhs_zero_point` and `rhs_operands` by the last of (batch..., n); but an operand of
      a prologue that has the rank of `lhs` or `rhs` is indexed like it;
    * `reduction_dims` has the last loop, whatever the maps are;
    * `reduction_sizes` has the sizes that the type of `lhs` has for `reduction_dims`,
      whatever those are.

    Once `rhs_sums` is present the weight is *packed* by `kernel.pack`: `rhs` is then
    its packed form, its map remains the one of the unpacked weight, and `rhs_sums`
    holds the sum of each of its columns, with a dimension of groups before that of
    columns if there are groups. Packed floats have no sums, nor need groups have them;
    `rhs_packed` says that they are packed. Constants of floats' contractions may be
    packed as they are stored: they keep `rhs_prologue`. `rhs` then has their element type, or
    i32 for words of 8 elements of 4 bits, which the prologue takes as i8.

    `lowering_config` is the decision, an attribute of the target; `fused` names the ops
    that were fused. `facts` is what passes know of the operands (`#kernel.facts`).

    With `lhs_padding` windows reach beyond lhs, which is read where it lies: the attribute
    gives the elements around it (`#kernel.padding`). The map of lhs counts them:

    ```
    l = lhs[map(d) - low]   inside of lhs, the value of the padding elsewhere
    ```

    Dimensions that are padded are those of windows, not indexed by one loop alone, and lhs
    has no prologue.

    Example:

    ```mlir
    %y = kernel.contract lhs(%x : tensor<?x512xi8>) rhs(%w : tensor<64x512xi8>)
        init(%b : tensor<64xi32>) epilogue_ins(%s : tensor<f32>)
        outs(%o : tensor<?x64xf32>)
        epilogue {
        ^bb0(%acc: i32, %scale: f32):
          %f = arith.sitofp %acc : i32 to f32
          %v = arith.mulf %f, %scale : f32
          kernel.yield %v : f32
        } -> tensor<?x64xf32>
    ```

    which is short for an op with

    ```mlir
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                      affine_map<(m, n, k) -> (n)>, affine_map<(m, n, k) -> ()>,
                      affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 512>}
    ```
  }];
  let arguments = (ins
      Kernel_TensorOrMemRef:$lhs,
      Kernel_TensorOrMemRef:$rhs,
      Optional<Kernel_TensorOrMemRef>:$rhs_sums,
      Optional<Kernel_TensorOrMemRef>:$init,
      Optional<Kernel_TensorOrMemRef>:$lhs_zero_point,
      Optional<Kernel_TensorOrMemRef>:$rhs_zero_point,
      Variadic<Kernel_TensorOrMemRef>:$lhs_operands,
      Variadic<Kernel_TensorOrMemRef>:$rhs_operands,
      Variadic<Kernel_TensorOrMemRef>:$group_operands,
      Variadic<Kernel_TensorOrMemRef>:$epilogue_operands,
      Variadic<Kernel_TensorOrMemRef>:$outs,
      AffineMapArrayAttr:$indexing_maps,
      DenseI64ArrayAttr:$reduction_dims,
      DenseI64ArrayAttr:$reduction_sizes,
      UnitAttr:$lhs_unsigned,
      UnitAttr:$rhs_unsigned,
      UnitAttr:$rhs_packed,
      OptionalAttr<StrArrayAttr>:$fused,
      OptionalAttr<Kernel_FactsAttr>:$facts,
      OptionalAttr<Kernel_PaddingAttr>:$lhs_padding,
      OptionalAttr<Kernel_LoweringConfigAttrInterface>:$lowering_config);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$lhs_prologue,
                        MaxSizedRegion<1>:$rhs_prologue,
                        MaxSizedRegion<1>:$group_epilogue,
                        SizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    `lhs` `(` $lhs `:` type($lhs) `)` `rhs` `(` $rhs `:` type($rhs) `)`
    (`rhs_sums` `(` $rhs_sums^ `:` type($rhs_sums) `)`)?
    (`init` `(` $init^ `:` type($init) `)`)?
    (`lhs_zero_point` `(` $lhs_zero_point^ `:` type($lhs_zero_point) `)`)?
    (`rhs_zero_point` `(` $rhs_zero_point^ `:` type($rhs_zero_point) `)`)?
    (`lhs_ins` `(` $lhs_operands^ `:` type($lhs_operands) `)`)?
    (`rhs_ins` `(` $rhs_operands^ `:` type($rhs_operands) `)`)?
    (`group_ins` `(` $group_operands^ `:` type($group_operands) `)`)?
    (`epilogue_ins` `(` $epilogue_operands^ `:` type($epilogue_operands) `)`)?
    `outs` `(` $outs `:` type($outs) `)` ``
    custom<ContractAttributes>(attr-dict, ref(type($lhs)), ref(type($rhs)), ref(type($rhs_sums)),
      ref(type($init)), ref(type($lhs_zero_point)), ref(type($rhs_zero_point)),
      ref(type($lhs_operands)), ref(type($rhs_operands)), ref(type($epilogue_operands)),
      ref(type($outs)))
    (`lhs_prologue` $lhs_prologue^)?
    (`rhs_prologue` $rhs_prologue^)?
    (`group_epilogue` $group_epilogue^)?
    `epilogue` $epilogue
    (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }

    /// The map of an operand; null for `rhs_sums`, which has none.
    ::mlir::AffineMap getIndexingMap(::mlir::OpOperand &operand);
    ::mlir::AffineMap getLhsMap();
    ::mlir::AffineMap getRhsMap();
    ::mlir::AffineMap getInitMap();
    ::mlir::AffineMap getLhsZeroPointMap();
    ::mlir::AffineMap getRhsZeroPointMap();
    ::llvm::SmallVector<::mlir::AffineMap> getLhsOperandMaps();
    ::llvm::SmallVector<::mlir::AffineMap> getRhsOperandMaps();
    ::llvm::SmallVector<::mlir::AffineMap> getGroupMaps();
    ::llvm::SmallVector<::mlir::AffineMap> getEpilogueMaps();
    ::llvm::SmallVector<::mlir::AffineMap> getOutMaps();
    unsigned getNumLoops() { return getLhsMap().getNumDims(); }
    bool isReduction(unsigned dim) {
      return ::llvm::is_contained(getReductionDims(), (int64_t)dim);
    }
    /// The size of each loop, by whichever operand has it.
    ::llvm::SmallVector<int64_t> getStaticLoopSizes();
    bool isPacked() { return getRhsSums() || getRhsPacked(); }
    /// Whether operand `number` is `rhs_sums`, which has no map.
    bool isRhsSums(unsigned number) { return getRhsSums() && number == 2; }
    /// Whether each group of K has an accumulator of its own.
    bool hasGroups() { return !getGroupEpilogue().empty(); }
    /// The type of accumulators: i32 or f32.
    ::mlir::Type getAccumulatorType() {
      ::mlir::Region &region = hasGroups() ? getGroupEpilogue() : getEpilogue();
      return region.front().getArgument(0).getType();
    }
    /// The type of what the epilogue takes: an accumulator, or the f32 total of
    /// groups.
    ::mlir::Type getTotalType() {
      return getEpilogue().front().getArgument(0).getType();
    }
    bool isOfFloats() { return ::mlir::isa<::mlir::FloatType>(getAccumulatorType()); }
    /// The facts, null where they are not known.
    Facts getKnownFacts() { return Facts::of(getFactsAttr()); }
    void setKnownFacts(const Facts &facts) {
      setFactsAttr(facts.toAttr(getContext()));
    }
    /// The widths of `lhs_padding`: two for each dimension of lhs. Empty without it.
    ::llvm::ArrayRef<int64_t> getLhsPaddingWidths() {
      return getLhsPadding() ? getLhsPadding()->getWidths() : ::llvm::ArrayRef<int64_t>();
    }
    /// The product of the sizes of the reduction dimensions.
    int64_t getReductionSize();

    /// The innermost dimension of the first of outs if it is one of rhs, too.
    std::optional<unsigned> getInnermostColumns();

    /// The roles of the parallel dimensions. `n` indexes rhs and outs but not
    /// lhs. If no dimension does, `n` is the innermost dimension of lhs and of
    /// the first of outs, if it also indexes rhs: each column then has a left
    /// operand of its own (`isDepthwise`). `n` may also choose a group of
    /// `elementsOfGroup` elements of lhs, so that `columnsOfGroup` columns read
    /// the same group. `m` is the last one that lhs and outs have and rhs has
    /// not, or none; `outer` the others, in order; a `batch` dimension is an
    /// outer one that rhs has too.
    struct Roles {
      unsigned n;
      bool isDepthwise = false;
      int64_t columnsOfGroup = 1, elementsOfGroup = 1;
      std::optional<unsigned> m;
      ::llvm::SmallVector<unsigned> outer;
      ::llvm::SmallVector<unsigned> batch;
    };
    ::mlir::FailureOr<Roles> getRoles();

    /// The loops that run over rows, outermost first: `m` and those before it that
    /// every operand has side by side with it or not at all, so that they are one
    /// dimension in memory. Empty without `m`. Tensors count as compact.
    ::llvm::SmallVector<unsigned> getRows();
    /// The dimensions of an operand that `rows` index, from the first to the last;
    /// nothing where it has none of them. There may be unit dimensions in between.
    std::optional<std::pair<unsigned, unsigned>>
    getRowDims(::mlir::OpOperand &operand, ::llvm::ArrayRef<unsigned> rows);
  }];
}

def Kernel_PackOp
    : Kernel_Op<"pack", [AttrSizedOperandSegments, DestinationStyleOpInterface, IsolatedFromAbove,
                         DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "the packed form of a contraction's right operand";
  let description = [{
    The iteration space is (batch..., n, k...), with `num_batch` batch dimensions and
    `reduction_sizes` the sizes of the k dimensions; `indexing_maps` has a map from it
    for `source` and for each of `ins`. A *segment* is the elements of the last reduction
    dimension, which words are made of; r is the linearized index (row-major) of the
    other ones, k the index in a segment, R the words of a segment. With tile = [NR, KR] and
    e bytes = 4 / KR per element:

    ```
    packed[batch..., n / NR, r R + k / KR, n % NR]   an i32 word of KR elements, k % KR
                                                     from its low end; 0 outside of the
                                                     source
    sums[batch..., n]                                sum over r and k of the packed
                                                     elements
    ```

    An element is `prologue(source, ins...)` extended to e bytes, unsigned where
    `unsigned_source` is present, signed otherwise; plus `offset`, wrapping, where
    that is present.

    Elements of f32 are words of their own (KR = 1). `packed` is then of f32, and there
    are neither `sums` nor an `offset`.

    `packed` is [batch..., ceil(N / NR), W, NR] of i32 with W words for all segments, the
    elements of each rounded up to a multiple of `k_step`, KR if it is absent; `sums` is
    [batch..., ceil(N / NR) * NR] of i32. `atom` is the one of the contraction
    that reads it, as the target names it.
  }];
  let arguments = (ins
      Kernel_TensorOrMemRef:$source,
      Variadic<Kernel_TensorOrMemRef>:$ins,
      Kernel_TensorOrMemRef:$packed,
      Optional<Kernel_TensorOrMemRef>:$sums,
      AffineMapArrayAttr:$indexing_maps,
      I64Attr:$num_batch,
      DenseI64ArrayAttr:$reduction_sizes,
      DenseI64ArrayAttr:$tile,
      OptionalAttr<I64Attr>:$offset,
      OptionalAttr<I64Attr>:$k_step,
      UnitAttr:$unsigned_source,
      OptionalAttr<StrAttr>:$atom);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$prologue);
  let assemblyFormat = [{
    $source `:` type($source) (`ins` `(` $ins^ `:` type($ins) `)`)?
    `outs` `(` $packed (`,` $sums^)? `:` type($packed) (`,` type($sums)^)? `)`
    attr-dict (`prologue` $prologue^)? (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();
    int64_t getNR() { return getTile()[0]; }
    int64_t getKR() { return getTile()[1]; }
    int64_t getReductionSize();
    /// How many words a segment has, and a column.
    int64_t getSegmentWords();
    int64_t getWords();
    /// The loop along which the elements of the source lie side by side, in a
    /// row-major layout: columns, or those of a segment. Nothing if it is another.
    std::optional<unsigned> getContiguousLoop();
  }];
}

def Kernel_FillBorderOp
    : Kernel_Op<"fill_border", [DestinationStyleOpInterface,
                                DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "the elements around a block set to one value";
  let description = [{
    Sets each element of `out` whose index in some dimension d is less than `low[d]`, or at
    least its size less `high[d]`, to `value`. What the others hold afterwards is not
    defined: it is written next. So padding costs its border alone, and what computes the
    elements inside computes them in their place.

    Constraints:
    * (C1) `low` and `high` have an element for each dimension, none negative, and their
      sums are at most the sizes.
    * (C2) `value` has the element type of `out`.

    Example:

    ```mlir
    %b = kernel.fill_border %zero : i8 outs(%0 : tensor<1x58x58x64xi8>) low [0, 1, 1, 0] high [0, 1, 1, 0]
        -> tensor<1x58x58x64xi8>
    %p = tensor.insert_slice %x into %b[0, 1, 1, 0] [1, 56, 56, 64] [1, 1, 1, 1]
        : tensor<1x56x56x64xi8> into tensor<1x58x58x64xi8>
    ```
  }];
  let arguments = (ins AnyType:$value, Kernel_TensorOrMemRef:$out,
                       DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $value `:` type($value) `outs` `(` $out `:` type($out) `)` `low` $low `high` $high
    attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
  }];
}

def Kernel_Byte
    : AnyTypeOf<[I8, VectorOfNonZeroRankOf<[I8]>], "i8 or vector of i8">;

def Kernel_LookupOp
    : Kernel_Op<"lookup", !listconcat([Pure, SameOperandsAndResultType],
                                      ElementwiseMappable.traits)> {
  let summary = "any function of a byte, as a table";
  let description = [{
    `result = table[byte]`, the bits of the byte being an unsigned index, whatever they
    mean. `table` has 256 elements. On vectors each lane is looked up; so the op stands
    in the bodies of `linalg.generic`, in the regions of `kernel.contract` and
    `kernel.pack`, and in the vector code that these become.

    The table is an attribute, since it is a constant that belongs to the op as the
    operations belong to the body that it replaces. There are no tables of wider
    elements: vectors of 32 bits would be gathered one by one.

    Example:

    ```mlir
    %y = kernel.lookup %x, [0, 1, ...] : i8
    ```
  }];
  let arguments = (ins Kernel_Byte:$byte, DenseI8ArrayAttr:$table);
  let results = (outs Kernel_Byte:$result);
  let assemblyFormat = "$byte `,` $table attr-dict `:` type($byte)";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    /// The number of bytes, and so of the elements of a table.
    static constexpr int64_t kSize = 256;
    /// The element for a byte.
    int8_t at(int8_t byte) { return getTable()[static_cast<uint8_t>(byte)]; }
  }];
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

def Kernel_LaunchOp
    : Kernel_Op<"launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a step of an entry that a device runs";
  let description = [{
    Runs `kernel`, a function of a nested module, by `grid` blocks of `block` threads, each
    block with `shared_bytes` bytes of shared memory. What depends on dynamic dimensions is
    an operand: the plan function computes it. A `programmatic` launch may start while the
    kernels before it end; the kernel itself waits for them.

    The parameters of the kernel are the `arguments`: a memref is a pointer to device memory,
    compact and row-major, but for the pitch of rows that its type may have, and an index an
    i64. The dynamic sizes of a memref follow it, as indices.

    `operations` and `bytes` are the amount of work. `writes` has the numbers of the arguments
    that the kernel writes, `info` what is known of the step (`describeWork`), and
    `values` for each argument what the step computes there, as the operands of calls of steps
    have it. Behind the arguments the kernel has a parameter for each of `tensor_maps`.

    Constraints:
    * (C1) `block` is from 1 to 1024, `shared_bytes` not negative.
    * (C2) `writes` has numbers of memrefs.
    * (C3) `values` has an element for each argument.
    * (C4) `kernel` is a function with a parameter for each argument and each tensor map.
    * (C5) A tensor map is of an argument that is a memref; its sizes are numbers from 1 on, or
      arguments that are indices. It has from 2 to 5 dimensions, and as many sizes of a box.

    Example:

    ```mlir
    kernel.launch @kernels::@main_step0 grid %g block 256 shared 0
        work(%operations, %bytes) writes [2] (%x, %n, %y, %n) info {name = "main.step0"}
        : memref<?x64xf32>, index, memref<?x64xf32>, index
    ```
  }];
  let arguments = (ins
      SymbolRefAttr:$kernel,
      Index:$grid,
      I64Attr:$block,
      I64Attr:$shared_bytes,
      UnitAttr:$programmatic,
      Index:$operations, Index:$bytes,
      DenseI64ArrayAttr:$writes,
      Variadic<AnyTypeOf<[AnyStridedMemRef, Index]>>:$arguments,
      DictionaryAttr:$info,
      OptionalAttr<DictArrayAttr>:$values,
      OptionalAttr<TypedArrayAttrBase<Kernel_TensorMapAttr, "tensor maps">>:$tensor_maps);
  let assemblyFormat = [{
    $kernel `grid` $grid `block` $block `shared` $shared_bytes
    (`programmatic` $programmatic^)? `work` `(` $operations `,` $bytes `)` `writes` $writes `(` $arguments `)`
    `info` $info (`values` $values^)? (`tensor_maps` $tensor_maps^)? attr-dict `:` type($arguments)
  }];
  let hasVerifier = 1;
}

#endif // QCC_DIALECT_KERNEL_IR_KERNELOPS_TD
