//===- LookupTables.cpp - Functions of a byte by loads --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/LookupTables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace qcc;
using kernel::LookupOp;

/// A constant with the table, one for all scalar lookups of the table.
LLVM::GlobalOp LookupTables::globalOf(LookupOp op) {
  LLVM::GlobalOp &global = globals[op.getTableAttr()];
  if (global)
    return global;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  Type byte = builder.getI8Type();
  auto elements = DenseElementsAttr::get(
      RankedTensorType::get({LookupOp::kSize}, byte), op.getTable());
  return global = LLVM::GlobalOp::create(
             builder, op.getLoc(),
             LLVM::LLVMArrayType::get(byte, LookupOp::kSize),
             /*isConstant=*/true, LLVM::Linkage::Internal,
             "lookup." + std::to_string(globals.size() - 1), elements);
}

Value LookupTables::load(OpBuilder &builder, LookupOp op) {
  Location loc = op.getLoc();
  Value table = LLVM::AddressOfOp::create(builder, loc, globalOf(op));
  Value index =
      arith::ExtUIOp::create(builder, loc, builder.getI64Type(), op.getByte());
  Value address =
      LLVM::GEPOp::create(builder, loc, table.getType(), builder.getI8Type(),
                          table, ArrayRef<LLVM::GEPArg>{index});
  return LLVM::LoadOp::create(builder, loc, builder.getI8Type(), address);
}
