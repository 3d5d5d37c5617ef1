//===- PackedClamps.h - Clamps that packing to bytes makes ------*- C++ -*-===//
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
// The sum is a signed byte, so it can be packed by instructions that saturate
// to signed bytes. They clamp just as min and max do, so these may be left out,
// as long as what is then converted and added fits an i32. Rounding,
// conversion, the addition, and a quotient by a constant do not change the
// order of numbers, and all numbers that a clamp changes end at the same byte.
//
// A clamp by another constant, such as a ReLU's, becomes one of the packed
// bytes, by the byte that the constant becomes. It takes a quarter of the
// instructions there, and other ports than products.
//
// This holds for what is packed. A clamp stays where anything else uses a
// number between it and the packed byte, or the byte itself.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_CONTRACTION_PACKEDCLAMPS_H
#define QCC_TRANSFORMS_CONTRACTION_PACKEDCLAMPS_H

#include "qcc/Analysis/NumberRange.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace qcc {

/// How an i32 becomes a byte: by saturation to a signed or an unsigned one, or
/// whatever it is by its low bits.
enum class Saturation { Signed, Unsigned, None };

/// How an i32 becomes a byte that is never below `least` nor above `most`,
/// which lie within what it saturates to. Without saturation there is neither.
struct ByteRange {
  Saturation saturation = Saturation::None;
  std::optional<int64_t> least, most;
};

/// How an i32 is packed to a byte, and the clamps in front of it that need not
/// be computed then.
struct PackedClamps {
  ByteRange range;
  llvm::DenseSet<mlir::Operation *> clamps;
};

/// What packing the i32 that `truncation` makes a byte does for it.
PackedClamps findPackedClamps(mlir::Region &region,
                              mlir::arith::TruncIOp truncation,
                              llvm::ArrayRef<NumberRange> arguments);

/// What the arguments of the epilogue of `op` can be: accumulators are any i32.
llvm::SmallVector<NumberRange> epilogueArgumentRanges(kernel::ContractOp op);

} // namespace qcc

#endif // QCC_TRANSFORMS_CONTRACTION_PACKEDCLAMPS_H
