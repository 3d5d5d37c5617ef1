//===- Matrix.h - mma, ldmatrix and stmatrix --------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix operations of a warp. An operand is an array of registers, a register
// an array of 32 lanes: a[register][lane]. Which element lies where is said by
// the PTX ISA, "Matrix Fragments" of each shape.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_ARITH_MATRIX_H
#define QCC_EMULATOR_ARITH_MATRIX_H

#include "qcc/Emulator/ScalarType.h"

#include <cstdint>

namespace qcc::emu::arith {

/// mma.sync.aligned.mMnNkK.row.col{.satfinite}.d.a.b.c
struct MmaKind {
  int m = 0, n = 0, k = 0;
  ScalarType d = ScalarType::None, a = ScalarType::None, b = ScalarType::None,
             c = ScalarType::None;
  bool satfinite = false;
};

/// S8 and U8 in any combination with S32: m8n8k16, m16n8k16, m16n8k32. S4 and
/// U4 in any combination with S32: m8n8k32, m16n8k32, m16n8k64. F16 with F16 or
/// F32 (c and d alike): m16n8k8, m16n8k16. BF16 with F32: the same. E4M3 and
/// E5M2 in any combination with F16 or F32: m16n8k16, m16n8k32. TF32 with F32:
/// m16n8k4, m16n8k8. F64: m8n8k4, m16n8k4, m16n8k8, m16n8k16. Only integers
/// have satfinite.
bool isSupported(const MmaKind &kind);

struct MmaRegisters {
  int d, a, b, c; ///< Registers of a lane, of 32 bits; of F64, of 64.
};
MmaRegisters mmaRegisters(const MmaKind &kind);

/// d = a * b + c; d may be any of the others. `kind` is supported.
///
/// Integers: modulo 2^32, or with satfinite the exact sum clamped.
///
/// Floats: the sum is taken in f32, from c on, in the order of k; each step
/// adds an exact product and rounds to nearest. An F16 result is rounded once
/// more, at the end. That is within what the ISA leaves open, and not a claim
/// to equal the hardware. The low 13 bits of TF32 operands are ignored.
void mma(const MmaKind &kind, uint32_t *const *d, const uint32_t *const *a,
         const uint32_t *const *b, const uint32_t *const *c);

/// The same for F64: the sum is taken in f64, rounded to nearest at each step.
void mmaF64(const MmaKind &kind, uint64_t *const *d, const uint64_t *const *a,
            const uint64_t *const *b, const uint64_t *const *c);

/// ldmatrix.m8n8.xN{.trans}.b16 with N of 1, 2 or 4 `matrices`: rows[8 * i + r]
/// are the 16 bytes of row r of matrix i, or null, which reads as zeros; d has
/// N registers.
void ldmatrix(int matrices, bool transpose, const uint8_t *const *rows,
              uint32_t *const *d);
/// stmatrix, the inverse. A null row is not written.
void stmatrix(int matrices, bool transpose, uint8_t *const *rows,
              const uint32_t *const *s);

} // namespace qcc::emu::arith

#endif // QCC_EMULATOR_ARITH_MATRIX_H
