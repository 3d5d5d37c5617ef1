//===- Emit.h - Kernel ops to x86 vector code -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_EMIT_EMIT_H
#define QCC_LIB_TARGET_X86_EMIT_EMIT_H

#include "mlir/IR/PatternMatch.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/X86/IR/X86.h"
#include "qcc/Target/X86/Spec.h"

namespace qcc::x86 {

/// Replaces a kernel.pack on memrefs, packed for `atom` if that is not null, by
/// an `scf.forall` over tiles of columns.
void emitPack(mlir::RewriterBase &rewriter, kernel::PackOp op,
              const Atom *atom);

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_EMIT_EMIT_H
