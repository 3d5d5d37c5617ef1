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

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_FLOATLIBRARY_H
