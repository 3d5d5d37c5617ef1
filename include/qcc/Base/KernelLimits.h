//===- KernelLimits.h - Limits of kernels for NVIDIA GPUs -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptxas and the driver take, for the compiler and for the emulator. The
// source is the PTX ISA, "Kernel function parameter attributes" and .param.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_BASE_KERNELLIMITS_H
#define QCC_BASE_KERNELLIMITS_H

#include <cstdint>

namespace qcc {

/// The version of PTX, ten times, from which kernels have more parameters on
/// sm_70 and later.
inline constexpr int kManyParametersVersion = 81;

/// The bytes of parameters that a kernel may have in a version of PTX.
constexpr int64_t mostParameterBytes(int version) {
  return version >= kManyParametersVersion ? 32764 : 4352;
}

} // namespace qcc

#endif // QCC_BASE_KERNELLIMITS_H
