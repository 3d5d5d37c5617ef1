//===- SharedTile.cpp - A tile of an operand in shared memory -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedTile.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc::nvptx;

Value SharedTile::offset(Value row, Value chunk) {
  assert((depth == 64 || depth == 128) && llvm::isPowerOf2_64(run) &&
         "rows have one line of banks or half of one");
  auto bits = [&](Value value, int64_t shift, int64_t mask) {
    return code.create<arith::AndIOp>(
        code.create<arith::ShRUIOp>(value, code.index(shift)),
        code.index(mask));
  };
  // Rows of 64 bytes share a line of all banks with one other row.
  Value f = bits(row, llvm::Log2_64(run), 3);
  if (depth == 128)
    f = code.create<arith::OrIOp>(bits(row, 0, 1),
                                  code.create<arith::ShLIOp>(f, code.index(1)));
  Value place = code.create<arith::MulIOp>(code.create<arith::XOrIOp>(chunk, f),
                                           code.index(kChunk));
  Value start = code.create<arith::MulIOp>(row, code.index(depth));
  start = code.create<arith::AddIOp>(start, code.index(first));
  return code.create<arith::AddIOp>(start, place);
}

Value SharedMemory::at(Value offset, int64_t more) {
  RewriterBase &rewriter = code.rewriter;
  Value number = arith::IndexCastOp::create(rewriter, code.loc,
                                            rewriter.getI64Type(), offset);
  Value place = LLVM::GEPOp::create(rewriter, code.loc, pointer.getType(),
                                    rewriter.getI8Type(), pointer,
                                    ArrayRef<LLVM::GEPArg>{number});
  if (more == 0)
    return place;
  return LLVM::GEPOp::create(rewriter, code.loc, pointer.getType(),
                             rewriter.getI8Type(), place,
                             ArrayRef<LLVM::GEPArg>{int32_t(more)});
}

Value SharedMemory::address(Value offset) {
  return LLVM::PtrToIntOp::create(code.rewriter, code.loc,
                                  code.rewriter.getI32Type(), at(offset));
}

SmallVector<Value> SharedMemory::loadMatrices(Value offset, int64_t more) {
  RewriterBase &rewriter = code.rewriter;
  MLIRContext *context = rewriter.getContext();
  constexpr int kMatrices = 4, kSize = 8;
  SmallVector<Type> words(kMatrices, rewriter.getI32Type());
  Value loaded = NVVM::LdMatrixOp::create(
      rewriter, code.loc, LLVM::LLVMStructType::getLiteral(context, words),
      at(offset, more), kMatrices, NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(context, kSize, kSize),
      NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> matrices;
  for (int i = 0; i < kMatrices; ++i)
    matrices.push_back(
        LLVM::ExtractValueOp::create(rewriter, code.loc, loaded, i));
  return matrices;
}
