//===- X86IR.td - The x86 dialect --------------------------*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_X86_IR_X86IR_TD
#define QCC_TARGET_X86_IR_X86IR_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"
include "qcc/Dialect/Kernel/IR/KernelInterfaces.td"
include "qcc/Target/X86/IR/X86Enums.td"

def X86_Dialect : Dialect {
  let name = "x86";
  let cppNamespace = "::qcc::x86";
  let summary = "How x86 computes contractions";
  let description = [{
    The lowering config of x86 kernels. It has no ops: kernels are made of upstream ones.
  }];
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def X86_RhsParameter : EnumParameter<X86_RhsSource> {
  let defaultValue = "::qcc::x86::RhsSource::Packed";
}

def X86_ConfigAttr : AttrDef<X86_Dialect, "Config", [Kernel_LoweringConfigAttrInterface]> {
  let mnemonic = "config";
  let summary = "How x86 computes a contraction";
  let description = [{
    * The strategy:
      * `vector_tiles`: the lanes of an accumulator are columns, and a tile of
        accumulators lies in vector registers;
      * `float_tiles`: the same for floats. Where the columns of a tile do not fit the
        L1 cache, K is cut, and accumulators lie in memory between its parts;
      * `amx_tiles`: a tile lies in tile registers;
      * `inner_product`: the lanes of an accumulator are elements of K of one result,
        which are summed up at the end. Results are collected for a block before the
        epilogue. Its vectors lie along the longer side of the block: rows if MC > NC,
        columns otherwise. The right operand is packed by columns, NR of `kernel.pack`
        being 1 and K padded to a vector;
      * `interleaved_columns`: the lanes are columns, and the right operand is read where
        it lies, NR = KR vectors of columns from KR rows of it;
      * `depthwise`: the lanes are columns that have left operands of their own. The
        words of a tile of MR rows are put together in registers from KR vectors of
        columns each, once for all rows whose windows share them.
    * `atom`: the instruction, as named by the table of atoms (`amx-int8`, `avx512vnni`,
      `avxvnni`, `avx512bw`, `avx2`; the last two also with `-pairs` and `-bytes`;
      `avx512-f32`, `avx2-f32`).
    * `tile`: [MR, NR, KR], the register tile: rows, columns, and the elements of K that
      one instruction reduces per accumulator lane.
    * `block`: [MC, NC], the rows and columns for which a thread keeps operands in its
      caches: for each MC rows, for each NC columns, it computes all tiles.
    * `lhs`: `in_place` if the left operand is read where it lies, `panel` if MC rows of
      it are copied, prologue applied, before they are read.
    * `rhs`: `packed` if the right operand goes through `kernel.pack`, `in_place` if it
      is read where it lies; only for `inner_product` and `float_tiles`. `nibbles` if it is packed with two
      elements of 4 bits in a byte, which registers take apart; only for `vector_tiles`
      and `float_tiles`. `narrow` if it is packed as it is stored and its prologue is
      computed where it is read, once for each block of rows; only for `float_tiles`, of
      which `nibbles` are narrow as well.
      `packed` if absent.
    * `source`: who decided: `model`, `tuned` or `pinned`.

    Example: `#x86.config<vector_tiles, atom = "avx512vnni", tile = [6, 64, 4], block = [252, 64], lhs = in_place, source = model>`
  }];
  let parameters = (ins
      StringRefParameter<"the name of a strategy">:$strategy,
      StringRefParameter<"the instruction">:$atom,
      "int64_t":$mr, "int64_t":$nr, "int64_t":$kr,
      "int64_t":$mc, "int64_t":$nc,
      EnumParameter<X86_LhsSource>:$lhs, X86_RhsParameter:$rhs,
      EnumParameter<Kernel_ConfigSource>:$source);
  let assemblyFormat = [{
    `<` custom<StrategyName>($strategy) `,` `atom` `=` $atom `,` `tile` `=` `[` $mr `,` $nr `,` $kr `]` `,`
    `block` `=` `[` $mc `,` $nc `]` `,` `lhs` `=` $lhs `,` (`rhs` `=` $rhs^ `,`)?
    `source` `=` $source `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool readsLhsInPlace() const { return getLhs() == LhsSource::InPlace; }
    bool hasNibbles() const { return getRhs() == RhsSource::Nibbles; }
    /// Whether floats are packed as they are stored.
    bool readsNarrowRhs() const {
      return getRhs() == RhsSource::Narrow || hasNibbles();
    }
    /// Whether vectors of results lie along rows, where lanes lie along K.
    bool hasResultsAlongRows() const { return getMc() > getNc(); }

    // LoweringConfigAttrInterface
    ::llvm::StringRef getStrategyName() const { return getStrategy(); }
    ::llvm::StringRef getAtomName() const { return getAtom(); }
    ::qcc::kernel::LoweringConfigAttrInterface
    withSource(::qcc::kernel::ConfigSource source) const;
    std::string describe() const;
  }];
}

#endif // QCC_TARGET_X86_IR_X86IR_TD
