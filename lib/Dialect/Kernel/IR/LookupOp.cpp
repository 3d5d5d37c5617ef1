//===- LookupOp.cpp - Functions of a byte ---------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"

using namespace mlir;
using namespace qcc::kernel;

LogicalResult LookupOp::verify() {
  if (int64_t size = getTable().size(); size != kSize)
    return emitOpError() << "table must have " << kSize
                         << " elements, one for each byte, got " << size;
  return success();
}

/// A lookup of what another lookup gives, or of a byte with flipped bits, is
/// one lookup.
LogicalResult LookupOp::canonicalize(LookupOp op, PatternRewriter &rewriter) {
  Operation *def = op.getByte().getDefiningOp();
  auto first = dyn_cast_or_null<LookupOp>(def);
  auto flip = dyn_cast_or_null<arith::XOrIOp>(def);
  APInt bits;
  if (!first && !(flip && matchPattern(flip.getRhs(), m_ConstantInt(&bits))))
    return failure();
  assert((first || bits.getBitWidth() == 8) && "a lookup is of a byte");
  SmallVector<int8_t> table;
  for (int64_t byte = 0; byte < kSize; ++byte)
    table.push_back(op.at(first
                              ? first.at(byte)
                              : static_cast<int8_t>(byte) ^
                                    static_cast<int8_t>(bits.getSExtValue())));
  rewriter.replaceOpWithNewOp<LookupOp>(op, def->getOperand(0), table);
  return success();
}
