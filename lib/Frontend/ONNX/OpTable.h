//===- OpTable.h - Which ONNX ops are imported ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row for each op and each version of it that an import knows. A version is
// the operator set in which the op got the meaning that its function
// implements; a model of a later set has the last version that is not later.
// The ops of com.microsoft, which ONNX Runtime has, are all of version 1.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_OPTABLE_H
#define QCC_LIB_FRONTEND_ONNX_OPTABLE_H

#include "NodeImporter.h"
#include "Signatures.h"
#include "qcc/Frontend/ONNX/ImportedOps.h"

namespace qcc::onnx {

struct OpVersion {
  int64_t since = 0;
  OpImporter import = nullptr;
  /// The attributes, inputs and outputs that nodes may have; never null.
  const Signature *signature = nullptr;
  /// Whether the op is computed in float32 for float16 and bfloat16, and its
  /// results are rounded: a sum in these types would lose its digits.
  bool sumsInFloat32 = false;
};

/// The version of an op where the operator set of the default domain is
/// `operatorSet`; nothing for an op that is not imported.
std::optional<OpVersion> findOp(llvm::StringRef domain, llvm::StringRef op,
                                int64_t operatorSet);

/// The advice to users of an op that findOp does not find.
std::string remedyForOp(llvm::StringRef domain, llvm::StringRef op,
                        int64_t operatorSet);

/// The domain's name in messages; the default domain may be written as "".
llvm::StringRef domainName(llvm::StringRef domain);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPTABLE_H
