//===- Notes.h - Attributes that passes leave for later ones ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The discardable attributes of qcc, on ops of other dialects and on
// kernel.contract. Each comment says what the attribute means, and which pass
// writes and reads it. ValueInfo.h has functions to write and read
// `qcc.values`. Attributes on ops survive rewrites that copy discardable
// attributes or clone bodies. Losing `qcc.combine` changes results. Losing an
// attribute of an entry, a step or the module prevents writing the descriptor.
// Losing another one costs speed, or information in `qcc explain`.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_NOTES_H
#define QCC_DIALECT_QNN_IR_NOTES_H

#include "llvm/ADT/StringRef.h"

namespace qcc {

//===----------------------------------------------------------------------===//
// On ops, for people: `qcc explain` says what ran and why
//===----------------------------------------------------------------------===//

/// String: the op of the source program. Written by the pass that replaces it.
inline constexpr llvm::StringLiteral kOriginAttr = "qcc.origin";
/// String: why the op is in no kernel. Written by the pass that gives up.
inline constexpr llvm::StringLiteral kRefusedAttr = "qcc.refused";
/// ArrayAttr: layer and type of each result, if the location does not say them.
/// Written by setValueInfos (ValueInfo.h).
inline constexpr llvm::StringLiteral kValuesAttr = "qcc.values";
/// String, on a contraction: why it has no tuned config, although there is a
/// database. Written by select-lowering-config.
inline constexpr llvm::StringLiteral kNotTunedAttr = "qcc.not_tuned";

//===----------------------------------------------------------------------===//
// On ops, for later passes
//===----------------------------------------------------------------------===//

/// Index, on a contraction: the number n of groups of the program that it has
/// in one. Of n products, n - 1 are by zeros. Written by merge-groups, read
/// when operations are counted.
inline constexpr llvm::StringLiteral kMergedGroupsAttr = "qcc.merged_groups";

/// DenseF64ArrayAttr: [least, greatest] result of the op. The result is NaN
/// only if the float whose sign it takes is NaN. Written by legalize-float on
/// the ops to which math functions expand, read by the analysis of ranges.
inline constexpr llvm::StringLiteral kBoundsAttr = "qcc.bounds";
/// Unit, on the combining operation of each output of a float reduction (N8).
/// Written by legalize-float, which decides how an op reduces; later passes
/// rewrite bodies. A body whose combining operations are not marked runs in
/// order.
inline constexpr llvm::StringLiteral kCombineAttr = "qcc.combine";

//===----------------------------------------------------------------------===//
// On entries
//===----------------------------------------------------------------------===//

/// Type, on an argument or a result of an entry: its type in the source
/// program, written by convert-qnn-to-linalg. On an operand of the call of a
/// step: the element type of its value there, written by outline-steps. For the
/// descriptor.
inline constexpr llvm::StringLiteral kSourceTypeAttr = "qcc.type";
/// String, on an argument or a result of an entry: its name. Written on results
/// by importers, or in the program. Otherwise convert-qnn-to-linalg takes the
/// name from the location. For the descriptor.
inline constexpr llvm::StringLiteral kNameAttr = "qcc.name";
/// Array of a string for each dimension, on an argument of an entry: their
/// names, "" for none. Written by importers, or in the program; for the
/// descriptor.
inline constexpr llvm::StringLiteral kDimNamesAttr = "qcc.dim_names";
/// Unit, on an argument of an entry that is the destination of a result.
/// Written by add-result-destinations.
inline constexpr llvm::StringLiteral kDestinationAttr = "qcc.result";
/// Unit, on the last argument of an entry: the memory of its temporaries.
/// Written by plan-memory.
inline constexpr llvm::StringLiteral kArenaAttr = "qcc.arena";

//===----------------------------------------------------------------------===//
// On step functions, written by outline-steps unless said otherwise
//===----------------------------------------------------------------------===//

/// Unit: the function is a step.
inline constexpr llvm::StringLiteral kStepAttr = "qcc.step";
/// Unit: the ops of the step touch different memory. So they may run in any
/// order and at the same time.
inline constexpr llvm::StringLiteral kIndependentAttr = "qcc.independent";
/// Unit: the threads share the work of the step. Written by distribute-steps.
inline constexpr llvm::StringLiteral kParallelAttr = "qcc.parallel";
/// Integer: bytes of scratch memory per thread. Written by assign-scratch.
inline constexpr llvm::StringLiteral kScratchAttr = "qcc.scratch";
/// DenseI64ArrayAttr: the numbers of the memref arguments that the step writes.
inline constexpr llvm::StringLiteral kWritesAttr = "qcc.writes";

//===----------------------------------------------------------------------===//
// On calls of steps, written by outline-steps: several calls may share a step
//===----------------------------------------------------------------------===//

/// Dictionary: the name of the step, and its description for `qcc explain`
/// (describeWork).
inline constexpr llvm::StringLiteral kKernelAttr = "qcc.kernel";
/// String, on an operand (arg_attrs): the layer whose value the step writes to
/// it.
inline constexpr llvm::StringLiteral kLayerAttr = "qcc.layer";
/// Integer, on an operand: the number that the step adds to each byte of the
/// value that it writes there.
inline constexpr llvm::StringLiteral kByteShiftAttr = "qcc.byte_shift";
/// DenseI64ArrayAttr, on an operand: the dimensions of the value that the step
/// writes there, in the order in which they lie in memory.
inline constexpr llvm::StringLiteral kOrderAttr = "qcc.order";

//===----------------------------------------------------------------------===//
// On the module, written by lower-entries and read by the code generator,
// unless said otherwise
//===----------------------------------------------------------------------===//

/// Dictionary of strings: the metadata of the program, for the descriptor.
/// Written by importers, or in the program.
inline constexpr llvm::StringLiteral kMetadataAttr = "qcc.metadata";

/// Array: the table of entries (Transforms/Entry/Program.h).
inline constexpr llvm::StringLiteral kEntriesAttr = "qcc.entries";
/// DenseResourceElementsAttr: the bytes of all constants.
inline constexpr llvm::StringLiteral kWeightsAttr = "qcc.weights";

} // namespace qcc

#endif // QCC_DIALECT_QNN_IR_NOTES_H
