//===- Approx.h - Approximate functions -------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The .approx and .full forms. A result is the function's value, computed in
// f64 and rounded once. It lies within the bound that the PTX ISA states (in
// the comments). A chip may compute another value within that bound. With ftz,
// subnormal operands and results become zeros.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_ARITH_APPROX_H
#define QCC_EMULATOR_ARITH_APPROX_H

#include "qcc/Emulator/Arith/FloatFormat.h"

namespace qcc::emu::arith {

uint32_t rcpApprox(uint32_t a, bool ftz);   ///< 1 ulp.
uint32_t sqrtApprox(uint32_t a, bool ftz);  ///< 2^-23, relative.
uint32_t rsqrtApprox(uint32_t a, bool ftz); ///< 2^-22.9, relative.
/// 2 ulp for |b| in [2^-126, 2^126]. For greater finite b zero, or NaN if a is
/// infinite, as the ISA has it.
uint32_t divApprox(uint32_t a, uint32_t b, bool ftz);
uint32_t divFull(uint32_t a, uint32_t b, bool ftz); ///< 2 ulp everywhere.
/// 2^-20.5 absolute in [-2pi, 2pi], 2^-14.7 in [-100pi, 100pi]; no bound beyond
/// those, where this is still good to 2^-20 while |a| < 2^20.
uint32_t sinApprox(uint32_t a, bool ftz);
uint32_t cosApprox(uint32_t a, bool ftz);
/// 2^-22, absolute for a in (0.5, 2) and relative elsewhere.
uint32_t lg2Approx(uint32_t a, bool ftz);
uint32_t ex2Approx(uint32_t a, bool ftz); ///< 2 ulp.
uint32_t tanhApprox(uint32_t a);          ///< 2^-11, relative.

/// T is F16 or BF16. Relative 2^-9.9 in f16, 2^-7 in bf16 (whose only form has
/// ftz).
template <ScalarType T> Bits<T> ex2Approx16(Bits<T> a, bool ftz);
/// Absolute 2^-10.987 in f16, 2^-8 in bf16.
template <ScalarType T> Bits<T> tanhApprox16(Bits<T> a);

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: of the operand's upper 32 bits;
/// the result's lower ones are zero. 2^-20, relative.
uint64_t rcpApproxF64(uint64_t a);
uint64_t rsqrtApproxFtzF64(uint64_t a);
/// rsqrt.approx.f64, with all bits: 2^-52, relative.
uint64_t rsqrtApproxF64(uint64_t a);

} // namespace qcc::emu::arith

#endif // QCC_EMULATOR_ARITH_APPROX_H
