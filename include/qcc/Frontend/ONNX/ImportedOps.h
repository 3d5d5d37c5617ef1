//===- ImportedOps.h - The ONNX ops that are imported -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_FRONTEND_ONNX_IMPORTEDOPS_H
#define QCC_FRONTEND_ONNX_IMPORTEDOPS_H

#include <cstdint>
#include <string>
#include <vector>

namespace qcc {

namespace onnx {
/// The operator sets of the default domain that an import knows.
inline constexpr int64_t kFirstOperatorSet = 9, kLastOperatorSet = 28;
} // namespace onnx

struct ImportedOp {
  std::string domain, name; ///< "ai.onnx", "Conv"
  /// The operator sets in which the op got a meaning that is imported.
  std::vector<int64_t> versions;
};
/// All ops that are imported, by domain and name.
std::vector<ImportedOp> importedOps();

} // namespace qcc

#endif // QCC_FRONTEND_ONNX_IMPORTEDOPS_H
