//===- RewriteAMXToVector.cpp - AMX tiles as vectors ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile becomes a vector for each of its rows, so a kernel keeps its structure
// and its results; only the instructions are others. What an instruction does
// is much code, and kernels have hundreds of them: every op becomes a call of a
// function that is shared by all ops that are alike.
//
// Loops over the words of a product need elements at computed positions, which
// vectors do not have: its operands go through three small buffers.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "qcc/Target/X86/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_REWRITEAMXTOVECTOR
#include "qcc/Target/X86/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

/// The most rows of a tile, and the most i32 words of a row.
constexpr int64_t kTileRows = 16, kTileWords = 16;

/// Where row `row` of a tile lies in `base`: AMX adds the distance of rows to
/// the address, so it may be added to any index with a stride of 1.
static SmallVector<Value> rowIndices(OpBuilder &builder, Location loc,
                                     ValueRange indices, Value stride,
                                     int64_t row) {
  SmallVector<Value> result(indices);
  if (row == 0)
    return result;
  Value distance = arith::ConstantIndexOp::create(builder, loc, row);
  Value &moved = stride ? result.back() : result[result.size() - 2];
  if (stride)
    distance = arith::MulIOp::create(builder, loc, stride, distance);
  moved = arith::AddIOp::create(builder, loc, moved, distance);
  return result;
}

/// A row of a tile as a vector of the elements of the memory that it is in.
static VectorType memoryType(VectorType row, MemRefType base) {
  unsigned bits = base.getElementTypeBitWidth();
  return VectorType::get(row.getNumElements() * row.getElementTypeBitWidth() /
                             bits,
                         base.getElementType());
}

/// The type of a row of a tile.
static VectorType rowTypeOf(amx::TileType tile) {
  return VectorType::get(tile.getDimSize(1), tile.getElementType());
}

namespace {
struct ConvertTileZero : OpConversionPattern<amx::TileZeroOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(amx::TileZeroOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    amx::TileType tile = op.getTileType();
    Value zero = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getZeroAttr(rowTypeOf(tile)));
    rewriter.replaceOpWithMultiple(
        op, {SmallVector<Value>(tile.getDimSize(0), zero)});
    return success();
  }
};

struct ConvertTileLoad : OpConversionPattern<amx::TileLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(amx::TileLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorType type = rowTypeOf(op.getTileType());
    VectorType loadedType = memoryType(type, op.getMemRefType());
    SmallVector<Value> rows;
    for (int64_t i = 0; i < op.getTileType().getDimSize(0); ++i) {
      Value loaded =
          vector::LoadOp::create(rewriter, loc, loadedType, adaptor.getBase(),
                                 rowIndices(rewriter, loc, adaptor.getIndices(),
                                            adaptor.getStride(), i));
      rows.push_back(
          rewriter.createOrFold<vector::BitCastOp>(loc, type, loaded));
    }
    rewriter.replaceOpWithMultiple(op, {rows});
    return success();
  }
};

struct ConvertTileStore : OpConversionPattern<amx::TileStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(amx::TileStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorType type =
        memoryType(rowTypeOf(op.getTileType()), op.getMemRefType());
    for (auto [i, row] : llvm::enumerate(adaptor.getVal()))
      vector::StoreOp::create(
          rewriter, loc,
          rewriter.createOrFold<vector::BitCastOp>(loc, type, row),
          op.getBase(),
          rowIndices(rewriter, loc, op.getIndices(), op.getStride(), i));
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertTileMulI : OpConversionPattern<amx::TileMulIOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(amx::TileMulIOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

/// The functions of a module each of which does what one AMX op does.
class SharedFunctions {
public:
  explicit SharedFunctions(ModuleOp module) : symbols(module) {}

  /// Replaces an op by a call.
  void replaceByCall(Operation *op);

private:
  func::FuncOp functionFor(Operation *op);

  SymbolTable symbols;
  /// By name, types and attributes of the op.
  llvm::DenseMap<std::tuple<Attribute, Type, Attribute>, func::FuncOp>
      functions;
};

struct RewriteAMXToVector
    : qcc::impl::RewriteAMXToVectorBase<RewriteAMXToVector> {
  void runOnOperation() override;
};
} // namespace

/// Byte `i` of a word, or of each word of a vector, extended to i32.
static Value extractByte(OpBuilder &builder, Location loc, Value words, int i,
                         bool isUnsigned) {
  auto constant = [&](int32_t value) -> Value {
    auto attr = builder.getI32IntegerAttr(value);
    if (auto type = dyn_cast<VectorType>(words.getType()))
      return arith::ConstantOp::create(builder, loc,
                                       DenseElementsAttr::get(type, attr));
    return arith::ConstantOp::create(builder, loc, attr);
  };
  Value high = arith::ShLIOp::create(builder, loc, words, constant(24 - 8 * i));
  if (isUnsigned)
    return arith::ShRUIOp::create(builder, loc, high, constant(24));
  return arith::ShRSIOp::create(builder, loc, high, constant(24));
}

LogicalResult
ConvertTileMulI::matchAndRewrite(amx::TileMulIOp op, OneToNOpAdaptor adaptor,
                                 ConversionPatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  VectorType rowType = rowTypeOf(op.getTileType());
  int64_t rowCount = op.getTileType().getDimSize(0);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto bufferType =
      MemRefType::get({kTileRows, kTileWords}, rewriter.getI32Type());
  auto storeRows = [&](ValueRange rows) {
    Value buffer = memref::AllocaOp::create(rewriter, loc, bufferType,
                                            rewriter.getI64IntegerAttr(64));
    VectorType words =
        memoryType(cast<VectorType>(rows.front().getType()), bufferType);
    for (auto [i, row] : llvm::enumerate(rows))
      vector::StoreOp::create(
          rewriter, loc,
          rewriter.createOrFold<vector::BitCastOp>(loc, words, row), buffer,
          ValueRange{index(i), index(0)});
    return buffer;
  };
  Value lhs = storeRows(adaptor.getLhs()), rhs = storeRows(adaptor.getRhs()),
        acc = storeRows(adaptor.getAcc());

  auto sumWords = [&](OpBuilder &builder, Location loc, Value row, Value word,
                      Value sum) {
    Value left =
        memref::LoadOp::create(builder, loc, lhs, ValueRange{row, word});
    Value right = vector::LoadOp::create(builder, loc, rowType, rhs,
                                         ValueRange{word, index(0)});
    for (int i = 0; i < 4; ++i) {
      Value a = vector::BroadcastOp::create(
          builder, loc, rowType,
          extractByte(builder, loc, left, i, op.getIsZextLhs()));
      Value b = extractByte(builder, loc, right, i, op.getIsZextRhs());
      Value product = arith::MulIOp::create(builder, loc, a, b);
      sum = arith::AddIOp::create(builder, loc, sum, product);
    }
    return sum;
  };
  Value zero = index(0), one = index(1);
  Value words = index(op.getRhsTileType().getDimSize(0));
  scf::ForOp::create(
      rewriter, loc, zero, index(rowCount), one, ValueRange{},
      [&](OpBuilder &builder, Location loc, Value row, ValueRange) {
        Value start = vector::LoadOp::create(builder, loc, rowType, acc,
                                             ValueRange{row, zero});
        auto loop = scf::ForOp::create(
            builder, loc, zero, words, one, start,
            [&](OpBuilder &builder, Location loc, Value word, ValueRange sums) {
              scf::YieldOp::create(
                  builder, loc,
                  sumWords(builder, loc, row, word, sums.front()));
            });
        vector::StoreOp::create(builder, loc, loop.getResult(0), acc,
                                ValueRange{row, zero});
        scf::YieldOp::create(builder, loc);
      });
  SmallVector<Value> rows;
  for (int64_t i = 0; i < rowCount; ++i)
    rows.push_back(vector::LoadOp::create(rewriter, loc, rowType, acc,
                                          ValueRange{index(i), zero}));
  rewriter.replaceOpWithMultiple(op, {rows});
  return success();
}

func::FuncOp SharedFunctions::functionFor(Operation *op) {
  OpBuilder builder(op->getContext());
  auto type =
      builder.getFunctionType(op->getOperandTypes(), op->getResultTypes());
  func::FuncOp &function =
      functions[{op->getName().getIdentifier(), type, op->getAttrDictionary()}];
  if (function)
    return function;
  function =
      func::FuncOp::create(op->getLoc(), op->getName().getStringRef(), type);
  function.setPrivate();
  function->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(op->getContext(), LLVM::Linkage::Internal));
  function->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
  symbols.insert(function);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  // Operands are replaced by position: two operands of this op may be one
  // value, while those of another op are two.
  Operation *clone = builder.clone(*op);
  clone->setOperands(body->getArguments());
  func::ReturnOp::create(builder, op->getLoc(), clone->getResults());
  return function;
}

void SharedFunctions::replaceByCall(Operation *op) {
  OpBuilder builder(op);
  auto call = func::CallOp::create(builder, op->getLoc(), functionFor(op),
                                   op->getOperands());
  op->replaceAllUsesWith(call);
  op->erase();
}

void RewriteAMXToVector::runOnOperation() {
  SharedFunctions functions(getOperation());
  SmallVector<Operation *> ops;
  getOperation().walk([&](Operation *op) {
    if (isa<amx::TileLoadOp, amx::TileStoreOp, amx::TileMulIOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    functions.replaceByCall(op);

  MLIRContext *context = &getContext();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([](amx::TileType tile, SmallVectorImpl<Type> &types) {
    types.append(tile.getDimSize(0), rowTypeOf(tile));
    return success();
  });
  ConversionTarget target(*context);
  target.addIllegalDialect<amx::AMXDialect>();
  target.markUnknownOpDynamicallyLegal([&](Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op))
      return converter.isSignatureLegal(function.getFunctionType());
    return converter.isLegal(op);
  });
  RewritePatternSet patterns(context);
  patterns
      .add<ConvertTileZero, ConvertTileLoad, ConvertTileStore, ConvertTileMulI>(
          converter, context);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                 converter);
  populateCallOpTypeConversionPattern(patterns, converter);
  populateReturnOpTypeConversionPattern(patterns, converter);
  scf::populateSCFStructuralTypeConversions(converter, patterns);
  if (failed(
          applyPartialConversion(getOperation(), target, std::move(patterns))))
    signalPassFailure();
}
