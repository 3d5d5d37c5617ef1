//===- Suite.h - Shapes to measure ------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_BENCH_SUITE_H
#define QCC_TOOLS_QCC_BENCH_SUITE_H

#include "Shape.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace qcc::bench {

/// A file of shapes: docs/Benchmarking.md describes its form.
struct Suite {
  std::string name;
  std::vector<Shape> shapes;
  /// Measure each shape also rounded up by Shape::roundedUp() of these.
  std::optional<std::pair<int64_t, int64_t>> roundUp;

  Shape rounded(const Shape &shape) const {
    return shape.roundedUp(roundUp->first, roundUp->second);
  }

  /// `name`: of a suite beside the program, or the path of a file.
  static llvm::Expected<Suite> load(const std::string &name);
};

/// The folder share/qcc that belongs to this program.
std::string dataFolder();

} // namespace qcc::bench

#endif // QCC_TOOLS_QCC_BENCH_SUITE_H
