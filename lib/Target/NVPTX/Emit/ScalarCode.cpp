//===- ScalarCode.cpp - Scalar code of a thread ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarCode.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace qcc::nvptx;

Value ScalarCode::toValue(OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(rewriter, loc, size);
}

OpFoldResult ScalarCode::product(ArrayRef<OpFoldResult> sizes) {
  AffineExpr s0, s1;
  bindSymbols(rewriter.getContext(), s0, s1);
  OpFoldResult total = rewriter.getIndexAttr(1);
  for (OpFoldResult size : sizes)
    total = affine::makeComposedFoldedAffineApply(rewriter, loc, s0 * s1,
                                                  {total, size});
  return total;
}

OpFoldResult ScalarCode::tiles(OpFoldResult size, int64_t tile) {
  assert(tile > 0 && "tiles have a size");
  AffineExpr s0 = rewriter.getAffineSymbolExpr(0);
  return affine::makeComposedFoldedAffineApply(rewriter, loc, s0.ceilDiv(tile),
                                               {size});
}

SmallVector<Value> ScalarCode::delinearize(Value number,
                                           ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> result(sizes.size());
  for (int64_t i = sizes.size() - 1; i > 0; --i) {
    Value size = toValue(sizes[i]);
    result[i] = create<arith::RemUIOp>(number, size);
    number = create<arith::DivUIOp>(number, size);
  }
  if (!sizes.empty())
    result.front() = number;
  return result;
}

SmallVector<Value> ScalarCode::openForall(ArrayRef<OpFoldResult> sizes) {
  auto forall = scf::ForallOp::create(rewriter, loc, {product(sizes)},
                                      ValueRange(), std::nullopt);
  rewriter.setInsertionPointToStart(forall.getBody());
  return delinearize(forall.getInductionVar(0), sizes);
}

SmallVector<Value> ScalarCode::indices(AffineMap map, const Point &point) {
  assert(point.size() == map.getNumDims() && "an index for each loop");
  SmallVector<OpFoldResult> dims;
  for (Value index : point)
    dims.push_back(index ? OpFoldResult(index)
                         : OpFoldResult(rewriter.getIndexAttr(0)));
  SmallVector<Value> values;
  for (AffineExpr result : map.getResults())
    values.push_back(toValue(affine::makeComposedFoldedAffineApply(
        rewriter, loc, AffineMap::get(map.getNumDims(), 0, result), dims)));
  return values;
}

void ScalarCode::emitIf(Value condition, llvm::function_ref<void()> then,
                        llvm::function_ref<void()> otherwise) {
  if (!condition)
    return then();
  auto branch = scf::IfOp::create(rewriter, loc, condition,
                                  /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  then();
  if (!otherwise)
    return;
  rewriter.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

SmallVector<Value> ScalarCode::emitPTX(StringRef text, StringRef constraints,
                                       ValueRange operands, TypeRange results) {
  MLIRContext *context = rewriter.getContext();
  Type type;
  if (results.size() == 1)
    type = results.front();
  else if (!results.empty())
    type = LLVM::LLVMStructType::getLiteral(context, llvm::to_vector(results));
  auto ptx = LLVM::InlineAsmOp::create(
      rewriter, loc, type ? TypeRange(type) : TypeRange(), operands, text,
      constraints, /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  if (results.size() < 2)
    return llvm::to_vector(ValueRange(ptx.getResults()));
  SmallVector<Value> values;
  for (size_t i = 0; i < results.size(); ++i)
    values.push_back(
        LLVM::ExtractValueOp::create(rewriter, loc, ptx.getRes(), i));
  return values;
}

Value ScalarCode::load(Value memref, AffineMap map, const Point &point) {
  return memref::LoadOp::create(rewriter, loc, memref, indices(map, point));
}

void ScalarCode::store(Value value, Value memref, AffineMap map,
                       const Point &point) {
  memref::StoreOp::create(rewriter, loc, value, memref, indices(map, point));
}

SmallVector<Value> ScalarCode::inlineRegion(Region &region,
                                            ValueRange arguments) {
  IRMapping mapping;
  Block &block = region.front();
  assert(block.getNumArguments() == arguments.size() &&
         "a value for each argument of the region");
  mapping.map(block.getArguments(), arguments);
  for (Operation &nested : block.without_terminator())
    rewriter.clone(nested, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

Value ScalarCode::loadByte(ValueRange operands, ArrayRef<AffineMap> maps,
                           Region &prologue, const Point &point) {
  SmallVector<Value> elements;
  for (auto [operand, map] : llvm::zip_equal(operands, maps))
    elements.push_back(load(operand, map, point));
  return prologue.empty() ? elements.front()
                          : inlineRegion(prologue, elements).front();
}

Value ScalarCode::extend(Value byte, bool isUnsigned) {
  assert(byte.getType().isInteger(8) && "bytes are extended");
  Type i32 = rewriter.getI32Type();
  if (isUnsigned)
    return arith::ExtUIOp::create(rewriter, loc, i32, byte);
  return arith::ExtSIOp::create(rewriter, loc, i32, byte);
}

void qcc::nvptx::keepLoop(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/BoolAttr::get(context, true), {}, {}, {}, {}, {},
      {});
  loop->setAttr("loop_annotation", // as llvm.br has it
                LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {},
                                              {}, {}, {}, {}, {}, {}, {}, {},
                                              {}, {}));
}
