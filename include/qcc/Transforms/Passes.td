//===- Passes.td - Passes on linalg, kernel and memref programs -*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"
include "qcc/Transforms/Buffers/Passes.td"
include "qcc/Transforms/Program/Passes.td"
include "qcc/Transforms/Steps/Passes.td"
include "qcc/Transforms/Tensor/Passes.td"

def VerifyStage : Pass<"verify-stage", "::mlir::ModuleOp"> {
  let summary = "Rejects dialects that a stage does not allow";
  let description = [{
    Every op must belong to one of `dialects`; the message names the stage, the op and
    what is allowed.
  }];
  let options = [
    Option<"stage", "stage", "std::string", "", "Name of the stage, for the message">,
    ListOption<"dialects", "dialects", "std::string", "Dialects that are allowed">
  ];
}

def PromoteScalarArguments : Pass<"promote-scalar-arguments", "::mlir::func::FuncOp"> {
  let summary = "Scalar arguments and results of entries to tensors without dimensions";
  let description = [{
    Public functions then have tensors only. Calls must have been inlined before.

    ```mlir
    func.func @f(%s: f32) -> f32 {
      return %s : f32
    }
    ```
    becomes
    ```mlir
    func.func @f(%t: tensor<f32>) -> tensor<f32> {
      %s = tensor.extract %t[] : tensor<f32>
      %r = tensor.from_elements %s : tensor<f32>
      return %r : tensor<f32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def ExposeNarrowWeights : Pass<"expose-narrow-weights", "::mlir::func::FuncOp"> {
  let summary = "Contractions of floats read quantized weights where they are dequantized";
  let description = [{
    A reshape of blocks to K, and a transpose, between a dequantized constant `%f` and its
    only reader, a contraction of floats, become parts of the contraction: its kernel can
    read the constant as stored. Otherwise the constant, like zero points, is widened.

    ```mlir
    %k = tensor.collapse_shape %f [[0], [1, 2]] : ... into tensor<64x1024xf32>
    linalg.generic {indexing_maps = [(m, n, k) -> (m, k), (m, n, k) -> (n, k), ...]} ins(%x, %k : ...)
    ```
    becomes
    ```mlir
    %e = tensor.expand_shape %x [[0], [1, 2]] : ... into tensor<4x32x32xf32>
    linalg.generic {indexing_maps = [(m, n, g, k) -> (m, g, k), (m, n, g, k) -> (n, g, k), ...]} ins(%e, %f : ...)
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FormContractions : Pass<"form-contractions", "::mlir::func::FuncOp"> {
  let summary = "Contractions with their elementwise neighbours to kernel.contract";
  let description = [{
    A `linalg.generic` whose body is `acc + (extend(x) - zx) * (extend(w) - zw)` in i32
    becomes a `kernel.contract`. So does one whose body is `fma(x, w, acc)` in f32 where the
    target computes contractions of floats (`floats`); what widens x or w becomes a pass of
    its own first. The contraction takes in

    * its initial value: nothing for a fill with 0, the vector for a broadcast;
    * movement of its operands (transposes and broadcasts), into their maps;
    * the terms of loops with one iteration in sums of an operand's map, so that a 1x1
      convolution is a matmul; of an operand that is larger than it is read, a slice;
    * the elementwise producer of an operand with no other use, as a prologue, unless it
      can be fused with an elementwise op before it, which remains a pass over memory, or
      the operand is read in windows, which would compute it repeatedly;
    * every elementwise consumer over the same space, as the epilogue: chains,
      several results, several uses of the accumulator, residual operands, which it
      reads as they were before they were broadcast.

    With `groups`, a contraction of sums of groups of K takes in the chain over the groups.

    In the end loops of one iteration are left out, except the columns and one reduction.
    A contraction that cannot be formed keeps the reason in `qcc.refused`.

    ```mlir
    %acc = linalg.generic ... ins(%x, %w) { acc + extsi(x) * extsi(w) }
    %y = linalg.generic ... ins(%acc, %b) { relu(sitofp(acc) + b) }
    ```
    becomes
    ```mlir
    %y = kernel.contract lhs(%x) rhs(%w) epilogue_ins(%b) ... epilogue { ... }
    ```
  }];
  let options = [Option<"fuse", "fuse", "bool", "true",
                        "Take in producers of operands and consumers of results">,
                 Option<"floats", "floats", "bool", "false",
                        "Form contractions of floats, too">,
                 Option<"groups", "groups", "bool", "false",
                        "Take in chains over groups of K">];
  let dependentDialects = ["::qcc::kernel::KernelDialect", "::mlir::tensor::TensorDialect"];
}

def FuseElementwise : Pass<"fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Elementwise ops outside of kernels are fused with what reads them";
  let description = [{
    Sizes become those of arguments first. An elementwise `linalg.generic` with one use then joins
    its user, unless that is a reduction or contraction that reads each of its elements repeatedly,
    or the body of both would have more than 256 operations.

    ```mlir
    %q = linalg.generic ... ins(%x : tensor<?x?xf32>) { quantize } -> tensor<?x?xi8>
    %y = linalg.generic ... ins(%q, %w) { acc + extsi(q) * extsi(w) }
    ```
    stays as it is: fused, each element of `%q` would be computed for each column of `%w`.

    A reduction of integers by loops of one iteration each is elementwise, too: such are
    depthwise convolutions by 1 x 1.

    The result has the origins of both (`qcc.origin`), and the reason why one of them is not
    in a kernel (`qcc.refused`). Reshapes move out of the way, and constants into bodies.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def MergeGroups : Pass<"merge-groups", "::mlir::func::FuncOp"> {
  let summary = "Several groups of few channels as one";
  let description = [{
    A grouped convolution is a contraction for each group. Where groups have few
    columns, lanes of accumulators are empty and epilogues run on few elements at a time.
    Two other forms are tried; the one that the model of the target expects to take the
    least time stays. In one, groups and columns are one loop, by which lhs is indexed
    group by group:

    ```mlir
    kernel.contract lhs(%x : tensor<?x32x4xi8>) rhs(%w : tensor<32x4x4xi8>)
        outs(%o : tensor<?x32x4xi32>)   // maps (m, g, k), (g, n, k), (m, g, n)
    ```
    becomes
    ```mlir
    kernel.contract lhs(%y : tensor<?x128xi8>) rhs(%v : tensor<128x4xi8>)
        outs(%p : tensor<?x128xi32>)    // (m, (n floordiv 4) * 4 + k), (n, k), (m, n)
    ```
    In the other, several groups become one with a block diagonal as right operand: element
    [g, 4 i + n, 4 j + k] of %b is %w[4 g + i, n, k] for i = j, and otherwise 0:
    ```mlir
    kernel.contract lhs(%y : tensor<?x8x16xi8>) rhs(%b : tensor<8x16x16xi8>)
        outs(%p : tensor<?x8x16xi32>)
    ```

    Only constant right operands without zero points get zeros, which add nothing then.
    `qcc.merged_groups` notes how many groups are one, so that operations are counted as
    the program has them.
  }];
  let options = [
    Option<"targetName", "target", "std::string", "",
           "Name of the target, where none was handed over in C++">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::qcc::kernel::KernelDialect"
  ];
}

def SeparatePrologues : Pass<"separate-prologues", "::mlir::func::FuncOp"> {
  let summary = "Left operands in a pass over memory of their own";
  let description = [{
    Blocks of a kernel repeat the left prologue for each tile of columns. Where the target
    expects that a pass over memory and a contraction without the prologue take less time,
    both replace the contraction. All sizes must be known. Targets whose kernels compute a
    prologue once are left alone.

    ```mlir
    %y = kernel.contract lhs(%x : tensor<10240x512xf16>) rhs(%w) ... lhs_prologue { ... }
    ```
    becomes
    ```mlir
    %q = linalg.generic ... ins(%x : tensor<10240x512xf16>) outs(%e : tensor<10240x512xi8>) { ... }
    %y = kernel.contract lhs(%q : tensor<10240x512xi8>) rhs(%w) ...
    ```
  }];
  let options = [
    Option<"targetName", "target", "std::string", "",
           "Name of the target, where none was handed over in C++">
  ];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::qcc::kernel::KernelDialect"
  ];
}

def SelectLoweringConfig : Pass<"select-lowering-config", "::mlir::func::FuncOp"> {
  let summary = "Decides how each contraction is computed";
  let description = [{
    Writes a `lowering_config` onto every `kernel.contract` that has none: of the
    candidates of all strategies of the target the one that is expected to take the least
    time. A config that is already there is a pinned one: it is
    checked against the target and kept. Where the stage has a tuning database, what
    was measured comes before the model; an entry that does not fit is ignored with a
    warning. Everything after obeys the attribute.
  }];
  let options = [
    Option<"targetName", "target", "std::string", "",
           "Name of the target, where none was handed over in C++">
  ];
  let dependentDialects = ["::qcc::kernel::KernelDialect"];
}

def NegateGroups : Pass<"negate-groups", "::mlir::func::FuncOp"> {
  let summary = "Groups of constant weights negated, so that all elements fit 4 bits";
  let description = [{
    If the elements of some groups of K reach from -7 to 8, and those of others from -8 to
    7, the groups with an 8 change sign, and so do their scales. Kernels then read the
    weight in nibbles. The bits of results stay, but for the sign of a NaN that is a scale:
    total is never -0, so that the sign of a product that is 0 does not matter.

    ```mlir
    %w = arith.constant dense<[[[-8, 7], [8, -7]]]> : tensor<1x2x2xi8>
    %s = arith.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
    %y = kernel.contract lhs(%x) rhs(%w) group_ins(%t, %s) ...
        group_epilogue { fma(sitofp(acc), t * s, total) }
    ```
    becomes
    ```mlir
    %w = arith.constant dense<[[[-8, 7], [-8, 7]]]> : tensor<1x2x2xi8>
    %s = arith.constant dense<[[0.5], [-0.25]]> : tensor<2x1xf32>
    ```
    An initial value has to be a constant without -0; otherwise nothing changes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FoldConstantPrologues : Pass<"fold-constant-prologues", "::mlir::func::FuncOp"> {
  let summary = "Weights that no kernel widens are widened at compile time";
  let description = [{
    Evaluates right prologues of constants, unless the config packs the operand as it is
    stored; and elementwise ops that widen constants and became no prologue.
  }];
  let options = [
    Option<"targetName", "target", "std::string", "",
           "Name of the target, where none was handed over in C++">
  ];
  let dependentDialects = ["::qcc::kernel::KernelDialect"];
}

def AdaptLoweringConfig : Pass<"adapt-lowering-config", "::mlir::func::FuncOp"> {
  let summary = "Configs for operands as they lie in memory";
  let description = [{
    Whether elements of an operand follow each other is known once it is a memref. A
    config that reads one in place which turns out to be a strided view is replaced by
    one that copies its rows, and the reason is recorded.
  }];
  let options = [
    Option<"targetName", "target", "std::string", "",
           "Name of the target, where none was handed over in C++">
  ];
  let dependentDialects = ["::qcc::kernel::KernelDialect"];
}

def CollapseReductions : Pass<"collapse-reductions", "::mlir::func::FuncOp"> {
  let summary = "Dimensions of K in the order of memory, and as few as there are runs";
  let description = [{
    The reduction dimensions of a contraction are brought into the order in which they lie
    in lhs. The last ones become one where lhs and rhs have them side by side, so that
    elements that follow each other in memory are one run (`kernel.pack`): a convolution of
    3 x 3 over 64 channels reads 3 runs of 192 elements.

    ```mlir
    kernel.contract lhs(%x : tensor<1x9x9x64xi8>) rhs(%w : tensor<32x3x3x64xi8>)
      {indexing_maps = [(oh, ow, n, kh, kw, c) -> (0, oh + kh, ow + kw, c),
                        (oh, ow, n, kh, kw, c) -> (n, kh, kw, c), ...]}
    ```
    becomes
    ```mlir
    %0 = tensor.collapse_shape %x [[0], [1], [2, 3]] : ... into tensor<1x9x576xi8>
    %1 = tensor.collapse_shape %w [[0], [1], [2, 3]] : ... into tensor<32x3x192xi8>
    kernel.contract lhs(%0 : tensor<1x9x576xi8>) rhs(%1 : tensor<32x3x192xi8>)
      {indexing_maps = [(oh, ow, n, kh, k) -> (0, oh + kh, ow * 64 + k),
                        (oh, ow, n, kh, k) -> (n, kh, k), ...]}
    ```
    Windows that do not move from one element to the next along any of their dimensions, as
    dilated ones over one channel, get a last reduction dimension of size 1.

    Where each column has a left operand of its own (depthwise), elements of K never follow
    each other. There the dimensions that move beside rows, as kw does beside ow, come
    first: windows of several rows then share words along the last dimension.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
}

def CollapseRows : Pass<"collapse-rows", "::mlir::func::FuncOp"> {
  let summary = "Rows of contractions in several dimensions become one";
  let description = [{
    The rows of a contraction are everything that lhs and results have and rhs has not.
    Where these dimensions lie side by side in all operands that have them, and are one
    in memory, they become one dimension, so that tiles of rows do not end with the
    innermost of them:

    ```mlir
    kernel.contract lhs(%x : memref<2x7x7x64xi8>) rhs(...) outs(%y : memref<2x7x7x32xi32>)
    ```
    becomes
    ```mlir
    %0 = memref.collapse_shape %x [[0, 1, 2], [3]] : ... into memref<98x64xi8>
    %1 = memref.collapse_shape %y [[0, 1, 2], [3]] : ... into memref<98x32xi32>
    kernel.contract lhs(%0 : memref<98x64xi8>) rhs(...) outs(%1 : memref<98x32xi32>)
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PadRows : Pass<"pad-rows", "::mlir::func::FuncOp"> {
  let summary = "Temporaries with the pitch of rows that kernels want";
  let description = [{
    Where tiles of many rows are loaded at once from rows that lie a multiple of two
    cache lines apart, as rows of 512 or 1024 bytes do, they meet in few sets of the L1
    cache. A temporary whose rows such a contraction reads in place gets rows that are an
    odd number of lines apart:

    ```mlir
    %0 = memref.alloc() : memref<128x1024xi8>
    ```
    becomes
    ```mlir
    %0 = memref.alloc() : memref<128x1024xi8, strided<[1088, 1]>>
    ```
    Arguments and results are the caller's and stay compact; so do temporaries of bytes that
    views look at, and rows under 512 bytes.
  }];
  let options = [
    Option<"targetName", "target", "std::string", "",
           "Name of the target, where none was handed over in C++">
  ];
  let dependentDialects = [
    "::mlir::memref::MemRefDialect", "::qcc::kernel::KernelDialect"
  ];
}

def SliceStridedOperands : Pass<"slice-strided-operands", "::mlir::func::FuncOp"> {
  let summary = "Left operands that are copied without what no window reads";
  let description = [{
    A contraction may read each s-th row or column of its left operand alone, such as a
    convolution with a stride and a window of one column. An argument of the program is
    copied for it where it is padded, and where the target reads unsigned bytes (see
    `store-unsigned`), unless it is read as it lies (see `read-unpadded`); what lies between
    is not copied:

    ```mlir
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0]
        : tensor<1x17x57x83xi8> to tensor<1x19x59x83xi8>
    kernel.contract lhs(%p) (h, w, f, kh, c) -> (0, h * 3 + kh, w * 3, c)
    ```
    becomes
    ```mlir
    %s = tensor.extract_slice %x[0, 0, 2, 0] [1, 17, 19, 83] [1, 1, 3, 1]
    %p = tensor.pad %s low[0, 1, 1, 0] high[0, 1, 0, 0]
        : tensor<1x17x19x83xi8> to tensor<1x19x20x83xi8>
    kernel.contract lhs(%p) (h, w, f, kh, c) -> (0, h * 3 + kh, w, c)
    ```
    Dimensions whose sizes are dynamic stay as they are.
  }];
  let options = [
    Option<"targetName", "target", "std::string", "",
           "Name of the target, where none was handed over in C++">
  ];
  let dependentDialects = [
    "::mlir::tensor::TensorDialect", "::qcc::kernel::KernelDialect"
  ];
}

def ReadUnpadded : Pass<"read-unpadded", "::mlir::func::FuncOp"> {
  let summary = "Left operands read where they lie, as if they were padded";
  let description = [{
    An argument of the program would be copied to be padded. Where the target reads it
    where it lies, the contraction gets the padding as an attribute:

    ```mlir
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] { yield %c5 }
        : tensor<1x56x56x144xi8> to tensor<1x58x58x144xi8>
    kernel.contract lhs(%p) (h, w, c, kw, kh) -> (0, h + kh, w + kw, c)
    ```
    becomes
    ```mlir
    kernel.contract lhs(%x) {lhs_padding = #kernel.padding<[0, 0, 1, 1, 1, 1, 0, 0], 5>}
        (h, w, c, kw, kh) -> (0, h + kh, w + kw, c)
    ```
    What the program computes is computed in a padded buffer instead (`pad-in-place`), and
    where one reader needs the copy all read it.
  }];
  let options = [
    Option<"targetName", "target", "std::string", "",
           "Name of the target, where none was handed over in C++">
  ];
  let dependentDialects = ["::qcc::kernel::KernelDialect"];
}

def SplitDynamicReductions : Pass<"split-dynamic-reductions", "::mlir::func::FuncOp"> {
  let summary = "A dynamic K as parts of a static size";
  let description = [{
    Kernels need to know the size of K. An int8 contraction whose only reduction dimension is
    dynamic is computed in parts of 64 elements, as many as K has, which become a dimension of
    the batch, and a sum of the parts. The last part is padded by elements of which one operand
    has its zero point, so that they add nothing:

    ```mlir
    %y = linalg.generic ins(%p, %v) outs(%init) (m, n, k) -> (m, k), (k, n), (m, n)
    ```
    becomes
    ```mlir
    %a = tensor.expand_shape (tensor.pad %p) : tensor<?x?xi8> into tensor<?x?x64xi8>
    %b = tensor.expand_shape (tensor.pad %v) : tensor<?x32xi8> into tensor<?x64x32xi8>
    %s = linalg.generic ins(%a, %b) outs(%zeros)
        (c, m, n, k) -> (m, c, k), (c, k, n), (c, m, n)
    %y = linalg.generic ins(%s) outs(%init) { acc + s }
    ```
    Where one operand has no more than 8 rows or columns, generic loops are as fast, and nothing
    changes.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def StoreUnsigned : Pass<"store-unsigned", "::mlir::func::FuncOp"> {
  let summary = "Temporaries as unsigned bytes where atoms multiply those";
  let description = [{
    Where the target reads a left operand of unsigned bytes in place but has to copy one of
    signed bytes, temporaries that contractions read are stored plus 128. What computes
    them adds it, contractions get another zero point, other readers take it away:

    ```mlir
    %x = kernel.contract ... epilogue { yield trunci(%v + 3) }
    %y = kernel.contract lhs(%x) lhs_zero_point(%c3) ...
    ```
    becomes
    ```mlir
    %x = kernel.contract ... epilogue { yield trunci(%v + 3 + 128) }
    %y = kernel.contract lhs(%x) lhs_zero_point(%c131) ... {lhs_unsigned}
    ```
    What cannot be stored otherwise, such as an argument of the program, is copied where
    padding copies it anyway and where windows read it that the target does not read as it
    lies, and left as it is elsewhere.
  }];
  let options = [
    Option<"targetName", "target", "std::string", "",
           "Name of the target, where none was handed over in C++">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::qcc::kernel::KernelDialect"
  ];
}

def PackOperands : Pass<"pack-operands", "::mlir::func::FuncOp"> {
  let summary = "Right operands of contractions in the layout their atom reads";
  let description = [{
    The right operand goes through `kernel.pack`, its prologue with it. Where it is a
    constant, inline or a resource, the packed form and the column sums are
    computed here and become constants themselves. One that the config reads in place
    stays as it is.
  }];
  let options = [
    Option<"targetName", "target", "std::string", "",
           "Name of the target, where none was handed over in C++">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect", "::qcc::kernel::KernelDialect"
  ];
}

def ExpandDivisions : Pass<"expand-divisions", "::mlir::func::FuncOp"> {
  let summary = "Divisions of quantization by constants to products";
  let description = [{
    A quotient that is clamped to whole numbers and rounded, by a constant divisor s,
    becomes a product and a fused multiply-add that give the same integer for every
    dividend, which is proved by trying all significands (N5). With 1 / s = r + t in two
    parts:

    ```mlir
    %q = arith.divf %x, %s : f32
    %a = arith.maximumf %q, %low : f32
    %b = arith.minimumf %a, %high : f32
    ```
    becomes
    ```mlir
    %a = arith.maximumf %x, %sLow : f32    // low * s, or a little less
    %b = arith.minimumf %a, %sHigh : f32   // high * s, or a little more
    %p = arith.mulf %b, %t : f32
    %q = math.fma %b, %r, %p : f32
    ```
    where %b is only rounded by `math.roundeven`, or replaced if it is NaN. Where the sign of a
    rounded zero is used, r is rounded down, so that t is positive and both products of -0 are -0.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def AnnotateConstantRanges : Pass<"annotate-constant-ranges", "::mlir::func::FuncOp"> {
  let summary = "The ranges of constant operands onto the epilogues that use them";
  let description = [{
    Scales and biases are constants, and what they are decides which clamps of an
    epilogue an instruction can do. Writes `epilogue_ranges` into the facts of each `kernel.contract`
    with a constant f32 or i32 operand of its epilogue, while constants can be seen.
    Bounds are rounded outward to powers of two, so that contractions of one form in
    several layers of a network have the same.
  }];
  let dependentDialects = ["::qcc::kernel::KernelDialect"];
}

def AnnotateZeroBorders : Pass<"annotate-zero-borders", "::mlir::func::FuncOp"> {
  let summary = "The zeros around the left operands of contractions onto these";
  let description = [{
    Where the left operand of a `kernel.contract` is padded with bytes that are stored
    as 0, the products with them need not be computed. Writes `zero_border` into the facts of the
    contraction, while the padding can be seen.
  }];
  let dependentDialects = ["::qcc::kernel::KernelDialect"];
}

def DropNaNChecks : Pass<"drop-nan-checks", "::mlir::func::FuncOp"> {
  let summary = "What scalar code does about NaN where no NaN can be";
  let description = [{
    Constant scales and biases, and integers that become floats, are numbers. In each
    `linalg.generic` whose operands are such, a choice that asks for NaN becomes the
    number, and maxima and minima say by their fastmath flags that they see no NaN, and
    that nobody sees the sign of a zero where that is so; targets then need one
    instruction. It runs while constants can be seen.
  }];
}

def LowerLinalgToVectorLoops : Pass<"lower-linalg-to-vector-loops", "::mlir::func::FuncOp"> {
  let summary = "linalg ops on memrefs to vectorized loops";
  let description = [{
    Generic code for whatever is not a fused contraction: elementwise ops become
    vectorized loops, float reductions follow the 32 lanes and the tree of N8, all else
    runs in the order of the iteration space, with vectors across independent outputs.
    Each op becomes one `scf.forall` with one counter over its parallel dimensions.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "512", "Width of a vector register">,
    Option<"hasBF16Instructions", "bf16-instructions", "bool", "false",
           "Leave conversions between f32 and bf16 to instructions of the target">
  ];
}

def LowerVectorTransfers : Pass<"lower-vector-transfers", "::mlir::func::FuncOp"> {
  let summary = "vector transfers, masks and multi-reductions to what LLVM has";
  let description = [{
    Contiguous transfers become plain or masked loads and stores, masks become
    comparisons of 32-bit lane numbers, transfers along another dimension loops.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def GeneralizeElementwise : Pass<"generalize-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Elementwise ops on tensors to linalg.generic on their elements";
  let description = [{
    Sizes become those of arguments. Folds nothing: what an op on constants gives is said by
    Numerics, and upstream's folders say otherwise until the op is legalized.

    ```mlir
    %y = math.exp %x : tensor<?xf32>
    ```
    becomes
    ```mlir
    %y = linalg.generic ... ins(%x) outs(%e) {
    ^bb0(%a: f32, %o: f32):
      %b = math.exp %a : f32
      linalg.yield %b : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def DecomposeSoftmax : Pass<"decompose-softmax", "::mlir::func::FuncOp"> {
  let summary = "linalg.softmax to the steps of N8";
  let description = [{
    ```mlir
    %y = linalg.softmax dimension(1) ins(%x) outs(%o)
    ```
    becomes
    ```mlir
    %m = linalg.generic ... ins(%x) { maxnumf }
    %e = linalg.generic ... ins(%x, %m) { exp(x - m) }
    %s = linalg.generic ... ins(%e) { addf }
    %y = linalg.generic ... ins(%e, %s) { divf }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FillEmptyTensors : Pass<"fill-empty-tensors", "::mlir::func::FuncOp"> {
  let summary = "Zeros for the elements of tensor.empty that may be read";
  let description = [{
    Every use of a `tensor.empty` that is not known to overwrite all of its elements gets
    zeros instead: an insertion into it, unless the insertions after it leave nothing out,
    or a loop that carries it. Import has rejected what is known to read it.

    ```mlir
    %e = tensor.empty() : tensor<8xf32>
    %r = tensor.insert_slice %x into %e[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    ```
    becomes
    ```mlir
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %r = tensor.insert_slice %x into %f[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"];
}

def KeepInitialValues : Pass<"keep-initial-values", "::mlir::func::FuncOp"> {
  let summary = "Initial values of reductions that may have no elements stay alive";
  let description = [{
    Such an op whose body ignores an accumulator yields its initial value all the same if
    there are no iterations. Later passes judge by the body, which reads it from here on.

    ```mlir
    ^bb0(%x: f32, %acc: f32):
      linalg.yield %x : f32
    ```
    becomes
    ```mlir
    ^bb0(%x: f32, %acc: f32):
      %k = linalg.index 1 : index
      %inside = arith.cmpi sge, %k, %c0 : index
      %y = arith.select %inside, %x, %acc : f32
      linalg.yield %y : f32
    ```

    An initial value that the body of an op without reductions reads becomes an input of the op.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def GeneralizeLinalg : Pass<"generalize-linalg", "::mlir::func::FuncOp"> {
  let summary = "Named linalg ops to linalg.generic, remembering their names";
  let description = [{
    Every structured op gets `qcc.origin`, what it is in the source program, before later
    passes spell it out; named ops become `linalg.generic` and keep it:

    ```mlir
    linalg.matmul ins(%a, %b) ...
    ```
    becomes
    ```mlir
    linalg.generic {qcc.origin = "linalg.matmul"} ins(%a, %b) ...
    ```

    A depthwise convolution that has a dimension for the results of a channel, and one
    result for each, loses the dimension.

    Where several ops belong to a layer, a name in their locations, all but the last are
    marked as parts of it (qcc/Dialect/QNN/IR/ValueInfo.h).
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def ChannelsLast : Pass<"channels-last", "::mlir::func::FuncOp"> {
  let summary = "Images are stored with their channels last";
  let description = [{
    The left operand and the result of a convolution whose last dimension is not one of
    channels are stored with their channels last: batches, the dimensions of windows,
    channels. So are the values around it, as far as they are made and read by ops that do
    their work in any order: `linalg.generic` (elementwise ops, Q/DQ, pools, reductions,
    products of the channels of pixels, resizing), padding, slices, concatenation, casts,
    and reshapes that keep dimensions of different groups apart. A transpose between two
    values that are stored alike vanishes. What is left of the order of the program stands
    at arguments and results of the function, and at ops of other kinds: a `linalg.generic`
    reads any order, every other op gets its operand transposed.

    ```mlir
    %q = linalg.generic ... ins(%x : tensor<1x3x8x8xf32>) { quantize } -> tensor<1x3x8x8xi8>
    %y = linalg.generic {maps [(n, f, oh, ow, c, kh, kw) -> (n, c, oh + kh, ow + kw), ...]}
        ins(%q, %w : tensor<1x3x8x8xi8>, tensor<16x3x3x3xi8>) { acc + extsi(q) * extsi(w) }
        -> tensor<1x16x6x6xi32>
    ```
    becomes
    ```mlir
    %q = linalg.generic {maps [(n, h, w, c) -> (n, c, h, w), (n, h, w, c) -> (n, h, w, c)]}
        ins(%x : tensor<1x3x8x8xf32>) { quantize } -> tensor<1x8x8x3xi8>
    %y = linalg.generic {maps [(n, oh, ow, f, kh, kw, c) -> (n, oh + kh, ow + kw, c), ...]}
        ins(%q, %w : tensor<1x8x8x3xi8>, tensor<3x3x3x16xi8>) { acc + extsi(q) * extsi(w) }
        -> tensor<1x6x6x16xi32>
    ```
    Constants are rewritten in the order in which they are read. Loops run in the order of
    the results; reductions, where that changes no bit, in the order of the input. The order
    is chosen for each value, the first that reaches it from a convolution stays, and where
    all orders are those of the program nothing changes.

    What computes a value says in its location in which order it is stored
    (qcc/Dialect/QNN/IR/ValueInfo.h); tools show the value as the program has it.
  }];
  let options = [Option<"floats", "floats", "bool", "false",
                        "Convolutions of floats want their channels last, too">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def HoistNarrowing : Pass<"hoist-narrowing", "::mlir::func::FuncOp"> {
  let summary = "Elementwise ops with narrower results before data movement";
  let description = [{
    An elementwise op of one tensor whose result is narrower, foremost the quantization of
    an activation, is computed before transposes, reshapes and concatenations of its input:
    there is less to move, the op stands next to the contraction whose epilogue it becomes,
    and movement stands next to the contraction that can read through it. So are ops of the
    same width that lead to a narrower one.

    ```mlir
    %t = linalg.generic ... ins(%x : tensor<128x12x64xf32>) { yield x } -> tensor<12x128x64xf32>
    %q = linalg.generic ... ins(%t) { fptosi(round(x / s)) } -> tensor<12x128x64xi8>
    ```
    becomes
    ```mlir
    %q = linalg.generic ... ins(%x) { fptosi(round(x / s)) } -> tensor<128x12x64xi8>
    %t = linalg.generic ... ins(%q) { yield x } -> tensor<12x128x64xi8>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SinkWidening : Pass<"sink-widening", "::mlir::func::FuncOp"> {
  let summary = "Short elementwise ops with wider results become parts of what reads them";
  let description = [{
    A short elementwise op whose result is wider than the tensor that it reads, foremost the
    dequantization of an activation, becomes a part of each elementwise op that reads its
    result, and of each reduction that reads every element once: the narrow tensor is what is kept and read. Otherwise the contraction that
    computes the narrow tensor would take the op in, and store the wide one as well.

    ```mlir
    %x = linalg.generic ins(%q : tensor<8x8xi8>) { (f32(q) - z) * s } -> tensor<8x8xf32>
    %y = linalg.generic ins(%x, %acc) { x + acc } -> tensor<8x8xf32>
    ```
    becomes
    ```mlir
    %y = linalg.generic ins(%q, %acc) { (f32(q) - z) * s + acc } -> tensor<8x8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def InsertShapeChecks : Pass<"insert-shape-checks", "::mlir::func::FuncOp"> {
  let summary = "What an entry asks of the dimensions of its arguments, as cf.assert";
  let description = [{
    Ops mean nothing where their operands disagree about the size of a loop, or where a
    slice leaves its tensor. What that asks of dynamic dimensions is written down before
    the op. Conditions are computed from the dimensions of arguments alone, so that they
    can be checked before anything runs. What no dimensions can mend, such as a constant
    index that is too large, is an error; indices that depend on data are the matter of
    `clamp-indices`, and shapes that do are refused. What a loop carries keeps its shape.
    A `cf.assert` that a lowering left is asked of the dimensions of arguments as well.

    ```mlir
    func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
      %r = linalg.generic ... ins(%b : tensor<?xf32>) outs(%a : tensor<?xf32>)
    ```
    becomes
    ```mlir
    func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
      %0 = tensor.dim %a, %c0 : tensor<?xf32>
      %1 = tensor.dim %b, %c0 : tensor<?xf32>
      %2 = arith.cmpi eq, %0, %1 : index
      cf.assert %2, "dimension 0 of argument 0 must be equal to ..."
      %r = linalg.generic ... ins(%b : tensor<?xf32>) outs(%a : tensor<?xf32>)
    ```
    `lower-entries` makes them the requirements of the plan function.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::tensor::TensorDialect"
  ];
}
