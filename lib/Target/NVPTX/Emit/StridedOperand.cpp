//===- StridedOperand.cpp - Where elements of an operand lie --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedOperand.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include <numeric>

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

StridedOperand::StridedOperand(ScalarCode &code, Value memref, AffineMap map)
    : code(code), memref(memref), map(map) {
  auto type = cast<MemRefType>(memref.getType());
  auto [known, offset] = type.getStridesAndOffset();
  strides.resize(type.getRank());
  memref::ExtractStridedMetadataOp view;
  if (!type.getLayout().isIdentity())
    view = memref::ExtractStridedMetadataOp::create(code.rewriter, code.loc,
                                                    memref);
  if (view)
    first = {view.getConstifiedMixedOffset(),
             ShapedType::isDynamic(offset) ? 1 : offset};
  Stride next{code.rewriter.getIndexAttr(1), 1};
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (!ShapedType::isDynamic(known[dim]))
      next = {code.rewriter.getIndexAttr(known[dim]), known[dim]};
    else if (view)
      next = {view.getStrides()[dim], 1};
    strides[dim] = next;
    OpFoldResult size =
        memref::getMixedSize(code.rewriter, code.loc, memref, dim);
    next.elements = code.product({next.elements, size});
    if (!type.isDynamicDim(dim))
      next.divisor *= type.getDimSize(dim);
  }
}

Value StridedOperand::offset(const Point &point) {
  Value sum = code.index(0);
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides)) {
    SmallVector<int64_t> factors =
        *kernel::windowFactors(expr, map.getNumDims());
    for (auto [factor, index] : llvm::zip_equal(factors, point)) {
      if (factor == 0 || !index)
        continue;
      Value scaled = code.create<arith::MulIOp>(index, code.index(factor));
      sum = code.create<arith::AddIOp>(
          sum,
          code.create<arith::MulIOp>(scaled, code.toValue(stride.elements)));
    }
  }
  return sum;
}

bool StridedOperand::isContiguousAlong(unsigned loop) const {
  std::optional<unsigned> dim = kernel::resultAlong(map, loop);
  return dim && getConstantIntValue(strides[*dim].elements) == 1;
}

int64_t StridedOperand::divisorWithout(unsigned loop) const {
  int64_t divisor = first ? first->divisor : 0;
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides))
    for (auto [i, factor] :
         llvm::enumerate(*kernel::windowFactors(expr, map.getNumDims())))
      if (i != loop)
        divisor = std::gcd(divisor, factor * stride.divisor);
  // Operands start at multiples of 16 bytes.
  return divisor == 0 ? 16 : divisor;
}

Type StridedOperand::elementType() const {
  return getElementTypeOrSelf(memref.getType());
}

int64_t StridedOperand::elementBytes() const {
  Type type = elementType();
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 8 != 0)
    return 0;
  return type.getIntOrFloatBitWidth() / 8;
}

Value StridedOperand::address() {
  RewriterBase &rewriter = code.rewriter;
  Value number = memref::ExtractAlignedPointerAsIndexOp::create(
      rewriter, code.loc, memref);
  number = arith::IndexCastOp::create(rewriter, code.loc, rewriter.getI64Type(),
                                      number);
  MLIRContext *context = rewriter.getContext();
  if (first) {
    Value bytes = code.create<arith::MulIOp>(code.toValue(first->elements),
                                             code.index(elementBytes()));
    number = code.create<arith::AddIOp>(
        number, arith::IndexCastOp::create(rewriter, code.loc,
                                           rewriter.getI64Type(), bytes));
  }
  Value generic = LLVM::IntToPtrOp::create(
      rewriter, code.loc, LLVM::LLVMPointerType::get(context), number);
  return LLVM::AddrSpaceCastOp::create(
      rewriter, code.loc,
      LLVM::LLVMPointerType::get(
          context, static_cast<unsigned>(NVVM::NVVMMemorySpace::Global)),
      generic);
}

Value StridedOperand::size() {
  SmallVector<OpFoldResult> sizes =
      memref::getMixedSizes(code.rewriter, code.loc, memref);
  return code.toValue(code.product(sizes));
}
