//===- EvaluateConstant.h - Tensors computed from constants -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_CONVERSION_QNNTOLINALG_EVALUATECONSTANT_H
#define QCC_CONVERSION_QNNTOLINALG_EVALUATECONSTANT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <functional>
#include <vector>

namespace qcc {

/// The value of an element while it is computed with: integers sign-extended to
/// 64 bits, f32, f16 and bf16 as float.
union Number {
  int64_t integer;
  float real;
};

/// The values of an SSA name in some iterations of a linalg.generic.
inline constexpr int64_t kLanes = 256;
using Lanes = std::array<Number, kLanes>;

/// One op of a body: computes the first `count` lanes of its result from those
/// of its operands, in IEEE operations of the host, one at a time (N4, N8).
using LaneStep = std::function<void(llvm::ArrayRef<const Lanes *> operands,
                                    Lanes &result, int64_t count)>;

/// The step of an op of arith or math that depends on nothing but its operands;
/// null for an op that has none.
LaneStep makeLaneStep(mlir::Operation *op);

/// The row-major bytes of a tensor of static shape that parallel linalg.generic
/// ops compute from constants; nothing where anything else takes part.
std::optional<std::vector<char>> evaluateConstant(mlir::Value tensor);

} // namespace qcc

#endif // QCC_CONVERSION_QNNTOLINALG_EVALUATECONSTANT_H
