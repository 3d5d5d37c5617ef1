//===- Effort.h - How hard LLVM tries ---------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_EFFORT_H
#define QCC_TARGET_EFFORT_H

namespace qcc {

/// How hard LLVM tries. The code computes the same either way.
enum class Effort {
  Full, ///< what kernels need to be fast
  /// Code soon, and slow; for tests. LLVM's FastISel, which then chooses
  /// instructions, reads a scalar as a vector (vblendvps), perhaps beyond the
  /// end of a tensor: tools turn it off with LLVM's option -fast-isel=false.
  Little,
};

} // namespace qcc

#endif // QCC_TARGET_EFFORT_H
