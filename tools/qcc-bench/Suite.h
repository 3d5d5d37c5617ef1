//===- Suite.h - Shapes to measure ------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_BENCH_SUITE_H
#define QCC_TOOLS_QCC_BENCH_SUITE_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qcc::bench {

/// A matrix product [m, k] x [k, n]. Without a batch the right operand is a
/// constant weight; with one both operands are activations, and there are that
/// many products.
struct Shape {
  int64_t batch = 0;
  int64_t m = 1, n = 1, k = 1;
  /// The right operand of a batched product lies as [n, k].
  bool transposeRhs = false;

  int64_t batches() const { return batch ? batch : 1; }
  double operations() const { return 2.0 * batches() * m * n * k; }
  /// "128x768x3072" is MxNxK, "12x128x64x128" BxMxNxK, with "t" if transposed.
  std::string name() const;
};

/// A file of shapes: docs/Benchmarking.md describes its form.
struct Suite {
  std::string name;
  std::vector<Shape> shapes;
  /// Measure each shape also with M and N rounded up to multiples of the first
  /// number and K to one of the second.
  std::optional<std::pair<int64_t, int64_t>> roundUp;

  Shape rounded(const Shape &shape) const;

  /// `name`: of a suite beside the program, or the path of a file.
  static llvm::Expected<Suite> load(const std::string &name);
};

/// The folder share/qcc that belongs to this program.
std::string dataFolder();

} // namespace qcc::bench

#endif // QCC_TOOLS_QCC_BENCH_SUITE_H
