//===- FloatEnvironment.h - The control word of a run -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generated code computes as docs/Numerics.md says: round to nearest even, keep
// denormals, trap nothing. A host application may have set otherwise (-ffast-
// math does, for a whole process), so every thread sets MXCSR when it enters
// and gives it back when it leaves.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_FLOATENVIRONMENT_H
#define QCC_LIB_RUNTIME_FLOATENVIRONMENT_H

#include <xmmintrin.h>

namespace qcc::rt {

class FloatEnvironment {
public:
  FloatEnvironment() : saved_(_mm_getcsr()) {
    constexpr unsigned allMaskedNearest = 0x1f80;
    _mm_setcsr(allMaskedNearest);
  }
  ~FloatEnvironment() { _mm_setcsr(saved_); }
  FloatEnvironment(const FloatEnvironment &) = delete;
  FloatEnvironment &operator=(const FloatEnvironment &) = delete;

private:
  const unsigned saved_;
};

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_FLOATENVIRONMENT_H
