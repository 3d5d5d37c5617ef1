//===- FloatUses.cpp - Floats that all uses of a value treat alike --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/FloatUses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

bool qcc::isZeroSignUnused(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (isa<arith::FPToSIOp, arith::CmpFOp>(user))
      return true;
    // In arithmetic other than divisions, the sign of a zero operand changes at
    // most the sign of a zero result.
    return isa<arith::MaximumFOp, arith::MinimumFOp, math::RoundEvenOp,
               arith::SelectOp, arith::MulFOp, arith::AddFOp, arith::SubFOp,
               math::FmaOp>(user) &&
           isZeroSignUnused(user->getResult(0));
  });
}
