//===- KernelKey.h - Keys of tuned configs ----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TUNING_KERNELKEY_H
#define QCC_TUNING_KERNELKEY_H

#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/Target.h"
#include "qcc/Tuning/TuningDatabase.h"

namespace qcc {

/// The sizes of a contraction that is not packed: outer dimensions, rows,
/// columns, and the size of the reduction: "12x128x64x64", "?x2048x512". Rows
/// are 1 where there are none.
std::string shapeOf(kernel::ContractOp op);

/// As above, where dynamic sizes are known: `outShape` is the shape of the
/// first result.
std::string shapeOf(kernel::ContractOp op, llvm::ArrayRef<int64_t> outShape);

/// For people: "f32 as i8 * i8 -> f32", "u8 * i8 -> i8, i32".
std::string aboutKernel(kernel::ContractOp op);

/// A text that is equal for contractions that get the same code but for sizes:
/// signedness, kinds and maps of operands, the ops of prologues and of the
/// epilogue. The text has no names, locations or values of constants, so that a
/// network keeps its configs when it is trained again; but it says whether a
/// constant right operand has 7 bits, which some atoms need. The text does not
/// depend on the process or the host.
std::string describeKernel(kernel::ContractOp op);

/// A hash of the text of describeKernel, 16 hexadecimal digits.
std::string fingerprintOf(kernel::ContractOp op);

TuningKey keyOf(kernel::ContractOp op, const Target &target);

} // namespace qcc

#endif // QCC_TUNING_KERNELKEY_H
