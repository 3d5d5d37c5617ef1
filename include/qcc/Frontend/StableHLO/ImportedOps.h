//===- ImportedOps.h - The ops of StableHLO that are imported ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_FRONTEND_STABLEHLO_IMPORTEDOPS_H
#define QCC_FRONTEND_STABLEHLO_IMPORTEDOPS_H

#include <string>
#include <vector>

namespace qcc {

struct StableHLOOp {
  std::string name; ///< "stablehlo.add"
  /// The elements of its operands: "integers, floats"; empty for an op without
  /// operands.
  std::string elements;
  /// Why programs with the op are refused; empty for an op that is imported.
  std::string reason;
};

/// All ops that are imported, by name, then those that are refused.
std::vector<StableHLOOp> stableHLOOps();

} // namespace qcc

#endif // QCC_FRONTEND_STABLEHLO_IMPORTEDOPS_H
