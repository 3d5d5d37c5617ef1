//===- PackedClamps.h - Clamps that packing replaces ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An epilogue that quantizes ends like this (z the zero point):
//
//   q = truncate(convert(round(min(max(x, -128 - z), 127 - z))) + z)
//
// The sum is a signed byte, so instructions that saturate to signed bytes can
// pack it. They clamp as min and max do. So min and max may be left out if the
// larger numbers still fit an i32 after conversion and addition. This is right
// because rounding, conversion, addition and a quotient by a constant keep the
// order of numbers: all numbers that a clamp changes end at the same byte.
//
// A clamp by another constant, such as the 0 of a ReLU, becomes a clamp of the
// packed bytes, by the byte of that constant. There it takes a quarter of the
// instructions, on other ports than products.
//
// A clamp stays if another op uses its result, a number between it and the
// packed byte, or the byte itself.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_PACKEDCLAMPS_H
#define QCC_TARGET_PACKEDCLAMPS_H

#include "qcc/Analysis/NumberRange.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace qcc {

/// How an i32 becomes a byte: by saturation to a signed or an unsigned byte, or
/// by its low bits.
enum class Saturation { Signed, Unsigned, None };

/// How an i32 becomes a byte that is never below `least` nor above `most`. Both
/// lie in the range of the saturation. Without saturation the byte has neither
/// bound.
struct ByteRange {
  Saturation saturation = Saturation::None;
  std::optional<int64_t> least, most;
};

/// How an i32 is packed to a byte, and the clamps before it that packing makes
/// unnecessary.
struct PackedClamps {
  ByteRange range;
  llvm::DenseSet<mlir::Operation *> clamps;
};

/// The clamps that packing can replace if it computes `truncation`, of an i32
/// to a byte. `arguments` are the ranges of the arguments of `region`.
PackedClamps findPackedClamps(mlir::Region &region,
                              mlir::arith::TruncIOp truncation,
                              llvm::ArrayRef<NumberRange> arguments);

/// The ranges of the arguments of the epilogue of `op`. An accumulator may be
/// any i32.
llvm::SmallVector<NumberRange> epilogueArgumentRanges(kernel::ContractOp op);

} // namespace qcc

#endif // QCC_TARGET_PACKEDCLAMPS_H
