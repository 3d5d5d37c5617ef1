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

#ifndef QCC_LIB_TARGET_X86_EMIT_PACKEDCLAMPS_H
#define QCC_LIB_TARGET_X86_EMIT_PACKEDCLAMPS_H

#include "PackBytes.h"
#include "qcc/Analysis/NumberRange.h"

namespace qcc::x86 {

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

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_PACKEDCLAMPS_H
