//===- NVPTX.h - The nvptx dialect ------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_NVPTX_IR_NVPTX_H
#define QCC_TARGET_NVPTX_IR_NVPTX_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

#include "qcc/Target/NVPTX/IR/NVPTXIRDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "qcc/Target/NVPTX/IR/NVPTXIRAttrs.h.inc"

#define GET_OP_CLASSES
#include "qcc/Target/NVPTX/IR/NVPTXIR.h.inc"

namespace qcc::nvptx {
/// The configs of which one computes a contraction at run time: those of
/// `few_rows`, and then the config itself without them.
llvm::SmallVector<ConfigAttr> guardedConfigs(ConfigAttr config);

/// Why no block computes `op` by a config, whatever the chip: a sentence whose
/// subject is "lowering_config". Nothing if one can.
std::optional<std::string> refuseTile(kernel::ContractOp op, ConfigAttr config);

/// Elements, up to 16, that the addresses of an operand are a multiple of, for
/// all loops but one along which elements follow each other. Nothing if they do
/// not.
std::optional<int64_t> alignmentAlong(mlir::ShapedType type,
                                      mlir::AffineMap map, unsigned loop);

/// Why K of `op` cannot be divided into parts: another such sentence.
std::optional<std::string> refuseParts(kernel::ContractOp op, int64_t parts);

/// Why the guards of a config do not suit `op`: another such sentence.
std::optional<std::string> refuseGuards(kernel::ContractOp op,
                                        ConfigAttr config);

/// The loops over rows: those that are not of batches, columns or K, in the
/// order in which results have them.
llvm::SmallVector<unsigned> rowLoopsOf(kernel::ContractOp op);

/// The most rows that a kernel computes: those of the op, or fewer by the guard
/// of the config; nothing where neither is known.
std::optional<int64_t> mostRowsOf(kernel::ContractOp op, ConfigAttr config);

/// The alignment, at most 16 bytes, of each segment of K of a left operand.
/// Nothing if the operand has a prologue or its elements do not follow each
/// other along K.
std::optional<int64_t> alignmentAlongK(kernel::ContractOp op);

/// The elements of each group of K of a contraction with groups.
int64_t groupSize(kernel::ContractOp op);

/// Whether groups of K are 16 or 32 elements, so that a slice of 64 elements
/// has several of them. They then follow each other in a packed column without
/// padding.
bool hasGroupsInSlices(kernel::ContractOp op);

/// Whether the right operand of groups of K is known to fit in elements of 4
/// bits, before it is packed.
bool fitsNibbles(kernel::ContractOp op);

/// How `decode` divides sums of groups of K.
struct GroupSums {
  GroupSums(kernel::ContractOp op, ConfigAttr config);

  /// Slices of 64 elements, of all groups.
  int64_t slices;
  /// Slices of a warp, one behind the other, whose products one sum has; and
  /// the sums that a slice has, more than one if it has several groups.
  int64_t merged = 1, ofSlice = 1;
  /// Sums of a group, and slices of a group (1 if a slice has several).
  int64_t ofGroup = 1, slicesOfGroup = 1;
  /// Sums of all warps in a round of the main loop.
  int64_t ofRound;
  /// Rows of a sum in shared memory: a power of two up to 16. So many sums fit.
  int64_t rows, capacity;
  /// Rounds of all of K, and between two parts of the chain: whole groups, or
  /// all of K. 0 if shared memory has no room for the sums.
  int64_t rounds, roundsAtOnce;
};

/// A config of `warpgroups`, whose tiles differ in nothing but columns.
ConfigAttr warpgroupsConfig(mlir::MLIRContext *context, llvm::StringRef atom,
                            int64_t columns, int64_t stages,
                            kernel::ConfigSource source);
/// Bytes of the two barriers that each of its stages has in shared memory.
inline constexpr int64_t kStageBarrierBytes = 16;

/// What keeps `warpgroups` from a contraction, whatever the tile: "has no
/// batches", a predicate whose subject is the strategy.
std::optional<std::string> whyNoWarpgroups(kernel::ContractOp op,
                                           ConfigAttr config);

/// Bytes from one row to the next of bytes in memory of two dimensions, whose
/// rows start at multiples of 16 bytes; nothing if that is not known of them.
std::optional<int64_t> rowBytesOf(mlir::MemRefType type);

/// Columns side by side that a thread has the results of: 16 bytes of the
/// widest result.
int64_t columnsOfThread(kernel::ContractOp op, ConfigAttr config);

/// Chunks of 16 bytes of the left operand that a thread loads by `decode` in a
/// step of K.
int64_t lhsChunksOfDecode(kernel::ContractOp op, ConfigAttr config);

/// Whether a kernel of `decode` lets the next one start at once, where the chip
/// has programmatic launches: its rows are one tile.
bool letsNextStartEarly(kernel::ContractOp op, ConfigAttr config);

/// Whether threads copy the left operand by way of registers with `multistage`:
/// the chip has no asynchronous copies, or bytes do not lie in memory as they
/// are multiplied, in units that such copies have.
bool copiesThroughRegisters(kernel::ContractOp op, ConfigAttr config);

/// Whether threads load fragments ahead of the products before with
/// `multistage`: copies need no registers, at least one whole slice of K is on
/// its way meanwhile, and there are registers for the fragments.
bool loadsFragmentsAhead(kernel::ContractOp op, ConfigAttr config);

/// Registers of a thread, less a few for what no estimate knows.
inline constexpr int64_t kMostRegisters = 240;

/// About as many registers as a thread needs by `multistage` or `decode`, a
/// little more than ptxas takes.
int64_t expectedRegisters(kernel::ContractOp op, ConfigAttr config);
} // namespace qcc::nvptx

#endif // QCC_TARGET_NVPTX_IR_NVPTX_H
