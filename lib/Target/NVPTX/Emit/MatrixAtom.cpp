//===- MatrixAtom.cpp - Fragments by matrix instructions ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixAtom.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace qcc::nvptx;

void MatrixAtom::emit(ValueRange lhs, ValueRange rhs,
                      ArrayRef<Value *> accumulators) {
  using NVVM::MMATypes;
  auto type = [](bool isUnsigned) {
    return isUnsigned ? MMATypes::u8 : MMATypes::s8;
  };
  RewriterBase &rewriter = code.rewriter;
  SmallVector<Type> results(accumulators.size(), rewriter.getI32Type());
  SmallVector<Value> sums;
  for (Value *accumulator : accumulators)
    sums.push_back(*accumulator);
  Value product = NVVM::MmaOp::create(
      rewriter, code.loc,
      LLVM::LLVMStructType::getLiteral(rewriter.getContext(), results), lhs,
      rhs, sums, ArrayRef<int64_t>{atom.rows, kAtomColumns, atom.k},
      std::nullopt, NVVM::MMAIntOverflow::wrapped,
      std::array<MMATypes, 2>{type(op.getLhsUnsigned()),
                              type(op.getRhsUnsigned())},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  for (auto [i, accumulator] : llvm::enumerate(accumulators))
    *accumulator = LLVM::ExtractValueOp::create(rewriter, code.loc, product, i);
}

void MatrixAtom::multiply(ValueRange lhs, ValueRange rhs,
                          MutableArrayRef<Value> sums, bool hasHighRows) {
  int64_t rowParts = kFragmentRows / atom.rows,
          halves = kFragmentDepth / atom.k;
  assert(kFragmentRows % atom.rows == 0 && kFragmentDepth % atom.k == 0 &&
         "a fragment is whole atoms");
  assert(lhs.size() == 4 && rhs.size() == kRhsWords && sums.size() == kSums &&
         "what a thread has of a fragment");
  // Words and sums of an atom.
  int64_t rowWords = 2 / rowParts, depthWords = kRhsWords / halves,
          ofAtom = kSums / rowParts;
  for (int64_t half = 0; half < halves; ++half)
    for (int64_t part = 0; part < rowParts; ++part) {
      if (part > 0 && !hasHighRows)
        continue;
      SmallVector<Value> left;
      for (int64_t h = half * depthWords; h < (half + 1) * depthWords; ++h)
        for (int64_t r = part * rowWords; r < (part + 1) * rowWords; ++r)
          left.push_back(lhs[2 * h + r]);
      SmallVector<Value *> accumulators;
      for (int64_t i = 0; i < ofAtom; ++i)
        accumulators.push_back(&sums[part * ofAtom + i]);
      emit(left, rhs.slice(half * depthWords, depthWords), accumulators);
    }
}
