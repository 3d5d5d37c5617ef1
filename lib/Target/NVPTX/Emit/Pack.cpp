//===- Pack.cpp - Packing of right operands at run time -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "ScalarCode.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::PackOp;

/// The word at element `k` of a run, and `sum` with its elements added.
static std::pair<Value, Value> packWord(ScalarCode &code, PackOp op, Point at,
                                        Value k, Value sum) {
  SmallVector<AffineMap> maps(
      op.getIndexingMaps().getAsValueRange<AffineMapAttr>());
  SmallVector<Value> operands{op.getSource()};
  llvm::append_range(operands, op.getIns());
  Value run = code.index(op.getReductionSizes().back());
  Value last = code.index(op.getReductionSizes().back() - 1);
  Value word = code.i32(0);
  for (int64_t i = 0; i < op.getKR(); ++i) {
    Value here = code.create<arith::AddIOp>(k, code.index(i));
    at.back() = code.create<arith::MinUIOp>(here, last);
    Value byte = code.loadByte(operands, maps, op.getPrologue(), at);
    Value exists = arith::CmpIOp::create(code.rewriter, code.loc,
                                         arith::CmpIPredicate::ult, here, run);
    auto orZero = [&](Value value) -> Value {
      return arith::SelectOp::create(code.rewriter, code.loc, exists, value,
                                     code.i32(0));
    };
    sum = code.create<arith::AddIOp>(
        sum, orZero(code.extend(byte, op.getUnsignedSource())));
    Value bits = orZero(code.extend(byte, /*isUnsigned=*/true));
    word = code.create<arith::OrIOp>(
        word, code.create<arith::ShLIOp>(bits, code.i32(8 * i)));
  }
  return {word, sum};
}

void qcc::nvptx::emitPack(RewriterBase &rewriter, PackOp op) {
  ScalarCode code(rewriter, op);
  unsigned numBatch = op.getNumBatch();
  SmallVector<OpFoldResult> space;
  for (unsigned i = 0; i <= numBatch; ++i)
    space.push_back(
        memref::getMixedSize(rewriter, code.loc, op.getPacked(), i));
  Point at = code.openForall(space);
  SmallVector<Value> column = at;
  ArrayRef<int64_t> sizes = op.getReductionSizes();
  at.resize(at.size() + sizes.size());
  SmallVector<OpFoldResult> outer;
  for (int64_t size : sizes.drop_back())
    outer.push_back(rewriter.getIndexAttr(size));
  int64_t runWords = op.getRunWords();
  scf::LoopNest nest = scf::buildLoopNest(
      rewriter, code.loc, {code.index(0), code.index(0)},
      {code.index(op.getReductionSize() / sizes.back()), code.index(runWords)},
      {code.index(1), code.index(1)}, code.i32(0),
      [&](OpBuilder &, Location, ValueRange ivs, ValueRange sums) {
        // The builder is the rewriter itself.
        for (auto [i, index] : llvm::enumerate(code.delinearize(ivs[0], outer)))
          at[numBatch + 1 + i] = index;
        Value k = code.create<arith::MulIOp>(ivs[1], code.index(op.getKR()));
        auto [word, sum] = packWord(code, op, at, k, sums.front());
        SmallVector<Value> indices = column;
        Value number = code.create<arith::AddIOp>(
            code.create<arith::MulIOp>(ivs[0], code.index(runWords)), ivs[1]);
        indices.append({number, code.index(0)});
        memref::StoreOp::create(rewriter, code.loc, word, op.getPacked(),
                                indices);
        return scf::ValueVector{sum};
      });
  memref::StoreOp::create(rewriter, code.loc, nest.results.front(),
                          op.getSums(), column);
  rewriter.eraseOp(op);
}
