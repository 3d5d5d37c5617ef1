//===- Peaks.h - Peaks of the machine ---------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small loops in assembly that keep one instruction as busy as it can be, on
// random data: their rate is the peak that kernels are measured against.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_BENCH_PEAKS_H
#define QCC_TOOLS_QCC_BENCH_PEAKS_H

#include "Isa.h"
#include "Shape.h"
#include <vector>

namespace qcc::bench {

struct Peak {
  const char *name;  ///< "vpdpbusd zmm"
  const char *unit;  ///< "GOP/s", "GFLOP/s" or "GHz"
  double operations; ///< Of one iteration.
  void (*run)(int64_t iterations, const void *data);
  /// The rate that fractions of peak refer to.
  bool isReference = false;
  /// Runs on zeros instead of random data.
  bool onZeros = false;
};

/// Peaks of an instruction set of the host: the clock, fp32 FMA, the
/// instruction of 8-bit products.
std::vector<Peak> peaksOf(const Isa &isa, DataType type);

/// Bytes of data that `run` reads, 64-byte aligned.
constexpr int64_t kPeakDataBytes = 32 << 10;

} // namespace qcc::bench

#endif // QCC_TOOLS_QCC_BENCH_PEAKS_H
