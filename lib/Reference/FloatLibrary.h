//===- FloatLibrary.h - The fixed float functions ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fixed sequences of N8, operation by operation as docs/Numerics.md has
// them.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_FLOATLIBRARY_H
#define QCC_LIB_REFERENCE_FLOATLIBRARY_H

namespace qcc::reference {

float fixedExp(float x);
float fixedTanh(float x);
float fixedErf(float x);
float fixedRsqrt(float x);
float fixedLog(float x);

// Those in binary64.
float fixedSin(float x);
float fixedCos(float x);
float fixedTan(float x);
float fixedAsin(float x);
float fixedAcos(float x);
float fixedAtan(float x);
float fixedSinh(float x);
float fixedCosh(float x);
float fixedAsinh(float x);
float fixedAcosh(float x);
float fixedAtanh(float x);
float fixedExpm1(float x);
float fixedLog1p(float x);
float fixedPow(float base, float exponent);

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_FLOATLIBRARY_H
