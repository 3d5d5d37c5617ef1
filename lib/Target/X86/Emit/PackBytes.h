//===- PackBytes.h - Vectors of i32 to a vector of bytes --------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_PACKBYTES_H
#define QCC_LIB_TARGET_X86_EMIT_PACKBYTES_H

#include "KernelBuilder.h"
#include "qcc/Target/PackedClamps.h"

namespace qcc::x86 {

/// The bytes of 2 or 4 vectors of builder.lanes i32, four lanes at a time: word
/// v of each 128 bits holds four bytes of vector v. With two vectors the other
/// two words repeat them.
mlir::Value packBlocks(KernelBuilder &builder, mlir::ValueRange vectors,
                       ByteRange range);

/// The bytes of 1, 2 or 4 vectors of builder.lanes i32, one after the other.
mlir::Value packBytes(KernelBuilder &builder, mlir::ValueRange vectors,
                      ByteRange range);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_PACKBYTES_H
