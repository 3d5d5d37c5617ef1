//===- EmitContract.cpp - kernel.contract to a blocked vector kernel ------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One iteration of the parallel loop computes MR rows by NC columns:
//
//   panel = MR rows of the left operand, prologue applied, as i32 words of KR
//           elements; its row sums where the right zero point needs them
//   for each tile of NR columns
//     accumulators = 0
//     for each word of K: accumulators += panel word x packed words
//     epilogue on the accumulators, row by row
//
// The instruction that is used fixes what the words hold. With KR = 4 they are
// unsigned bytes on the left and signed bytes on the right (vpdpbusd): a signed
// left operand is stored plus 128, an unsigned right one minus 128, and the
// zero points are moved by as much. With KR = 2 they are i16 (vpmaddwd). With
// u, s the stored elements and zu, zs the moved zero points, exactly in
// wrapping i32,
//
//   sum (u - zu)(s - zs) = sum u s - zu sum s - zs sum u + K zu zs
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "VectorRegion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

namespace {
class ContractEmitter {
public:
  ContractEmitter(RewriterBase &builder, kernel::ContractOp op,
                  const Atom &atom)
      : builder(builder), op(op), atom(atom), loc(op.getLoc()),
        roles(*op.getRoles()) {}

  void emit();

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value mul(Value a, Value b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  }
  Value i32Vector(int64_t value) {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(i32Type(), builder.getI32IntegerAttr(value)));
  }
  VectorType i32Type() {
    return VectorType::get({atom.lanes}, builder.getI32Type());
  }
  /// The size of a parallel dimension, from the first result.
  Value loopSize(unsigned dim);
  Value allocate(ArrayRef<int64_t> shape, Type element);

  void emitPanel(Value rows);
  Value emitPanelVector(ArrayRef<Value> loops, Value row, Value k, Value linear,
                        bool inBounds, Value sum);
  SmallVector<Value> emitMainLoop(Value tile);
  Value multiplyAccumulate(Value acc, Value left, Value right);
  void emitEpilogue(Value tile, Value rows);
  void emitEpilogueRow(Value tile, Value row, bool inBounds);
  /// A zero point as it applies to stored elements, at a position; null if 0.
  Value movedZeroPoint(Value zeroPoint, AffineMap map, int64_t shift,
                       const VectorPosition &position);

  RewriterBase &builder;
  kernel::ContractOp op;
  const Atom &atom;
  Location loc;
  kernel::ContractOp::Roles roles;

  int64_t mr, nr, kr, k, words, pitch, elementBytes;
  int64_t leftShift, rightShift; // of the zero points
  bool needRowSums;
  Value m, n;                      // sizes
  Value panelWords, panelElements; // views of the panel
  Value rowSums, accumulators;
  SmallVector<Value> loops; // current index of each loop: outer, first row
  SmallVector<Value> batch; // current index of the batch dimensions
};
} // namespace

Value ContractEmitter::loopSize(unsigned dim) {
  AffineMap map = op.getOutMaps().front();
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr == getAffineDimExpr(dim, op.getContext()))
      return builder.createOrFold<memref::DimOp>(loc, op.getOuts().front(), i);
  llvm_unreachable("every parallel dimension is one of the results'");
}

Value ContractEmitter::allocate(ArrayRef<int64_t> shape, Type element) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(
      &op->getParentOfType<func::FuncOp>().getBody().front());
  return memref::AllocaOp::create(builder, loc, MemRefType::get(shape, element),
                                  builder.getI64IntegerAttr(64));
}

void ContractEmitter::emit() {
  kernel::LoweringConfigAttr config = op.getLoweringConfigAttr();
  mr = config.getMR();
  nr = config.getNR();
  kr = config.getKR();
  k = op.getReductionSize();
  words = llvm::divideCeil(k, kr);
  elementBytes = 4 / kr;
  // Whole vectors are stored: leave room for one more.
  pitch = llvm::alignTo((k + atom.lanes) * elementBytes, 64);
  leftShift = kr == 4 && !op.getLhsUnsigned() ? 128 : 0;
  rightShift = kr == 4 && op.getRhsUnsigned() ? -128 : 0;
  needRowSums = op.getRhsZeroPoint() || rightShift != 0;

  builder.setInsertionPoint(op);
  Value zero = index(0);
  m = roles.m ? loopSize(*roles.m) : index(1);
  n = loopSize(roles.n);
  Value panel = allocate({mr * pitch}, builder.getI8Type());
  auto view = [&](int64_t bytes, unsigned bits) {
    auto type =
        MemRefType::get({mr, pitch / bytes}, builder.getIntegerType(bits));
    return memref::ViewOp::create(builder, loc, type, panel, zero,
                                  ValueRange{});
  };
  panelWords = view(4, 32);
  panelElements = view(elementBytes, 8 * elementBytes);
  accumulators = allocate({mr, nr}, builder.getI32Type());
  if (needRowSums)
    rowSums = allocate({mr}, builder.getI32Type());

  // Iterations: outer dimensions, blocks of columns, blocks of rows (fastest,
  // so that a thread stays with a block of the packed operand).
  Value tiles = builder.createOrFold<memref::DimOp>(
      loc, op.getRhs(), (int64_t)roles.batch.size());
  int64_t tilesPerBlock = config.getNC() / nr;
  auto ceilDiv = [&](Value value, int64_t by) -> Value {
    return builder.createOrFold<arith::CeilDivUIOp>(loc, value, index(by));
  };
  SmallVector<OpFoldResult> bounds;
  for (unsigned dim : roles.outer)
    bounds.push_back(getAsOpFoldResult(loopSize(dim)));
  bounds.push_back(getAsOpFoldResult(ceilDiv(tiles, tilesPerBlock)));
  bounds.push_back(getAsOpFoldResult(ceilDiv(m, mr)));
  auto forall =
      scf::ForallOp::create(builder, loc, bounds, ValueRange{}, std::nullopt);
  builder.setInsertionPoint(forall.getTerminator());
  SmallVector<Value> ivs = llvm::to_vector_of<Value>(forall.getInductionVars());
  loops.assign(op.getNumLoops(), zero);
  for (auto [dim, iv] : llvm::zip(roles.outer, ivs)) {
    loops[dim] = iv;
    if (llvm::is_contained(roles.batch, dim))
      batch.push_back(iv);
  }
  Value firstTile = mul(ivs[ivs.size() - 2], index(tilesPerBlock));
  Value lastTile = builder.createOrFold<arith::MinUIOp>(
      loc, add(firstTile, index(tilesPerBlock)), tiles);
  Value firstRow = mul(ivs.back(), index(mr));
  Value rows = builder.createOrFold<arith::MinUIOp>(
      loc, index(mr), builder.createOrFold<arith::SubIOp>(loc, m, firstRow));
  if (roles.m)
    loops[*roles.m] = firstRow;

  emitPanel(rows);
  auto loop = scf::ForOp::create(builder, loc, firstTile, lastTile, index(1));
  builder.setInsertionPointToStart(loop.getBody());
  emitMainLoop(loop.getInductionVar());
  emitEpilogue(loop.getInductionVar(), rows);
  builder.eraseOp(op);
}

//===----------------------------------------------------------------------===//
// Panel
//===----------------------------------------------------------------------===//

/// Stores `lanes` elements of a row, prologue applied; returns `sum` plus them.
Value ContractEmitter::emitPanelVector(ArrayRef<Value> at, Value row, Value kAt,
                                       Value linear, bool inBounds, Value sum) {
  unsigned vectorDim = op.getReductionDims().back();
  VectorPosition position{at, vectorDim, atom.lanes, inBounds};
  Value value = readVector(builder, loc, op.getLhs(), op.getLhsMap(), position);
  if (!op.getLhsPrologue().empty()) {
    SmallVector<Value> arguments{value};
    for (auto [operand, map] :
         llvm::zip(op.getLhsOperands(), op.getLhsOperandMaps()))
      arguments.push_back(readVector(builder, loc, operand, map, position));
    value =
        inlineOnVectors(builder, op.getLhsPrologue(), arguments, atom.lanes)[0];
  }
  if (leftShift != 0) {
    auto type = cast<VectorType>(value.getType());
    Value flip = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, APInt(8, 128)));
    value = arith::XOrIOp::create(builder, loc, value, flip);
  }
  bool isUnsigned = kr == 4 || op.getLhsUnsigned();
  auto extend = [&](Value v, unsigned bits) -> Value {
    auto type = VectorType::get({atom.lanes}, builder.getIntegerType(bits));
    if (isUnsigned)
      return arith::ExtUIOp::create(builder, loc, type, v);
    return arith::ExtSIOp::create(builder, loc, type, v);
  };
  if (!inBounds) {
    // Lanes past the end must not count.
    int64_t size = op.getReductionSizes().back();
    Value left = builder.createOrFold<arith::SubIOp>(loc, index(size), kAt);
    auto maskType = VectorType::get({atom.lanes}, builder.getI1Type());
    Value mask = vector::CreateMaskOp::create(builder, loc, maskType, left);
    Value zeros = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(value.getType()));
    value = arith::SelectOp::create(builder, loc, mask, value, zeros);
  }
  Value stored = elementBytes == 1 ? value : extend(value, 16);
  vector::StoreOp::create(builder, loc, stored, panelElements,
                          ValueRange{row, linear});
  if (!needRowSums)
    return sum;
  return arith::AddIOp::create(builder, loc, sum, extend(value, 32));
}

void ContractEmitter::emitPanel(Value rows) {
  OpBuilder::InsertionGuard guard(builder);
  auto rowLoop = scf::ForOp::create(builder, loc, index(0), rows, index(1));
  builder.setInsertionPointToStart(rowLoop.getBody());
  Value row = rowLoop.getInductionVar();
  SmallVector<Value> at(loops);
  if (roles.m)
    at[*roles.m] = add(loops[*roles.m], row);

  ArrayRef<int64_t> dims = op.getReductionDims(),
                    sizes = op.getReductionSizes();
  int64_t inner = sizes.back();
  // All reduction dimensions but the last, one loop.
  int64_t outerCount = k / inner;
  auto outer = scf::ForOp::create(builder, loc, index(0), index(outerCount),
                                  index(1), ValueRange{i32Vector(0)});
  builder.setInsertionPointToStart(outer.getBody());
  Value rest = outer.getInductionVar();
  for (int64_t i = (int64_t)dims.size() - 2; i >= 0; --i) {
    at[dims[i]] = arith::RemUIOp::create(builder, loc, rest, index(sizes[i]));
    rest = arith::DivUIOp::create(builder, loc, rest, index(sizes[i]));
  }
  Value base = mul(outer.getInductionVar(), index(inner));
  int64_t whole = inner / atom.lanes * atom.lanes;
  Value sum = outer.getRegionIterArgs()[0];
  if (whole > 0) {
    auto loop = scf::ForOp::create(builder, loc, index(0), index(whole),
                                   index(atom.lanes), ValueRange{sum});
    OpBuilder::InsertionGuard inLoop(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value kAt = loop.getInductionVar();
    at[dims.back()] = kAt;
    Value next = emitPanelVector(at, row, kAt, add(base, kAt), true,
                                 loop.getRegionIterArgs()[0]);
    scf::YieldOp::create(builder, loc, next);
    sum = loop.getResult(0);
  }
  if (whole < inner) {
    Value kAt = index(whole);
    at[dims.back()] = kAt;
    sum = emitPanelVector(at, row, kAt, add(base, kAt), false, sum);
  }
  scf::YieldOp::create(builder, loc, sum);
  builder.setInsertionPointAfter(outer);
  if (needRowSums) {
    Value total = vector::ReductionOp::create(
        builder, loc, vector::CombiningKind::ADD, outer.getResult(0));
    memref::StoreOp::create(builder, loc, total, rowSums, row);
  }
}

//===----------------------------------------------------------------------===//
// Main loop
//===----------------------------------------------------------------------===//

Value ContractEmitter::multiplyAccumulate(Value acc, Value left, Value right) {
  unsigned bits = 8 * elementBytes;
  auto type =
      VectorType::get({atom.lanes * (int64_t)kr}, builder.getIntegerType(bits));
  Value a = vector::BitCastOp::create(builder, loc, type, left);
  Value b = vector::BitCastOp::create(builder, loc, type, right);
  auto call = [&](StringRef name, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(builder, loc, i32Type(),
                                         builder.getStringAttr(name), operands)
        .getResult(0);
  };
  if (atom.name == "avx512vnni")
    return call("llvm.x86.avx512.vpdpbusd.512", {acc, a, b});
  Value product = call(atom.name == "avx512bw" ? "llvm.x86.avx512.pmaddw.d.512"
                                               : "llvm.x86.avx2.pmadd.wd",
                       {a, b});
  return arith::AddIOp::create(builder, loc, acc, product);
}

SmallVector<Value> ContractEmitter::emitMainLoop(Value tile) {
  int64_t vectors = nr / atom.lanes;
  SmallVector<Value> init(mr * vectors, i32Vector(0));
  auto loop =
      scf::ForOp::create(builder, loc, index(0), index(words), index(1), init);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value word = loop.getInductionVar();
    SmallVector<Value> right, next;
    for (int64_t j = 0; j < vectors; ++j) {
      SmallVector<Value> at(batch);
      at.append({tile, word, index(j * atom.lanes)});
      right.push_back(
          vector::LoadOp::create(builder, loc, i32Type(), op.getRhs(), at));
    }
    for (int64_t i = 0; i < mr; ++i) {
      Value scalar = memref::LoadOp::create(builder, loc, panelWords,
                                            ValueRange{index(i), word});
      Value left = vector::BroadcastOp::create(builder, loc, i32Type(), scalar);
      for (int64_t j = 0; j < vectors; ++j)
        next.push_back(multiplyAccumulate(
            loop.getRegionIterArgs()[i * vectors + j], left, right[j]));
    }
    scf::YieldOp::create(builder, loc, next);
  }
  for (int64_t i = 0; i < mr; ++i)
    for (int64_t j = 0; j < vectors; ++j)
      vector::StoreOp::create(builder, loc, loop.getResult(i * vectors + j),
                              accumulators,
                              ValueRange{index(i), index(j * atom.lanes)});
  return llvm::to_vector_of<Value>(loop.getResults());
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

Value ContractEmitter::movedZeroPoint(Value zeroPoint, AffineMap map,
                                      int64_t shift,
                                      const VectorPosition &position) {
  if (!zeroPoint)
    return shift == 0 ? Value() : i32Vector(shift);
  Value value = readVector(builder, loc, zeroPoint, map, position);
  if (shift == 0)
    return value;
  return arith::AddIOp::create(builder, loc, value, i32Vector(shift));
}

void ContractEmitter::emitEpilogueRow(Value tile, Value row, bool inBounds) {
  SmallVector<Value> at(loops);
  if (roles.m)
    at[*roles.m] = add(loops[*roles.m], row);
  Value column = mul(tile, index(nr));
  for (int64_t j = 0; j < nr / atom.lanes; ++j) {
    Value lane = index(j * atom.lanes);
    at[roles.n] = add(column, lane);
    VectorPosition position{at, roles.n, atom.lanes, inBounds};
    Value acc = vector::LoadOp::create(builder, loc, i32Type(), accumulators,
                                       ValueRange{row, lane});
    Value left = movedZeroPoint(op.getLhsZeroPoint(),
                                op.getLhsZeroPoint() ? op.getLhsZeroPointMap()
                                                     : AffineMap(),
                                leftShift, position);
    Value right = movedZeroPoint(op.getRhsZeroPoint(),
                                 op.getRhsZeroPoint() ? op.getRhsZeroPointMap()
                                                      : AffineMap(),
                                 rightShift, position);
    auto subtract = [&](Value a, Value b) {
      Value product = arith::MulIOp::create(builder, loc, a, b);
      acc = arith::SubIOp::create(builder, loc, acc, product);
    };
    if (left) {
      SmallVector<Value> sumsAt(batch);
      sumsAt.push_back(at[roles.n]);
      Value sums = vector::LoadOp::create(builder, loc, i32Type(),
                                          op.getRhsSums(), sumsAt);
      subtract(left, sums);
    }
    if (right) {
      Value sum = memref::LoadOp::create(builder, loc, rowSums, row);
      subtract(right,
               vector::BroadcastOp::create(builder, loc, i32Type(), sum));
    }
    if (left && right) {
      Value product = arith::MulIOp::create(builder, loc, left, right);
      product = arith::MulIOp::create(builder, loc, product, i32Vector(k));
      acc = arith::AddIOp::create(builder, loc, acc, product);
    }
    if (op.getInit())
      acc = arith::AddIOp::create(
          builder, loc, acc,
          readVector(builder, loc, op.getInit(), op.getInitMap(), position));

    SmallVector<Value> arguments{acc};
    for (auto [operand, map] :
         llvm::zip(op.getEpilogueOperands(), op.getEpilogueMaps()))
      arguments.push_back(readVector(builder, loc, operand, map, position));
    SmallVector<Value> results =
        inlineOnVectors(builder, op.getEpilogue(), arguments, atom.lanes);
    for (auto [result, out, map] :
         llvm::zip(results, op.getOuts(), op.getOutMaps()))
      writeVector(builder, loc, result, out, map, position);
  }
}

void ContractEmitter::emitEpilogue(Value tile, Value rows) {
  // The last tile may be narrower than NR.
  auto emitRows = [&](bool inBounds) {
    auto rowLoop = scf::ForOp::create(builder, loc, index(0), rows, index(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(rowLoop.getBody());
    emitEpilogueRow(tile, rowLoop.getInductionVar(), inBounds);
  };
  std::optional<int64_t> columns = getConstantIntValue(n);
  if (columns && *columns % nr == 0)
    return emitRows(true);
  if (columns && *columns < nr)
    return emitRows(false);
  Value end = mul(add(tile, index(1)), index(nr));
  Value whole =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, end, n);
  auto branch = scf::IfOp::create(builder, loc, whole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitRows(true);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitRows(false);
}

void qcc::x86::emitContract(RewriterBase &rewriter, kernel::ContractOp op,
                            const Atom &atom) {
  ContractEmitter(rewriter, op, atom).emit();
}
