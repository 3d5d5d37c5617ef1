//===- RewriteAMXToVector.cpp - AMX tiles as vectors ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile becomes a vector of the same shape, so a kernel keeps its structure
// and its results; only the instructions are others. Loops over the words of a
// product need elements at computed positions, which vectors do not have: the
// operands of each product go through three small buffers of the function.
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

/// Calls `body` with each row of a vector.
static void forEachRow(OpBuilder &builder, Location loc, Value vector,
                       function_ref<void(int64_t, Value)> body) {
  int64_t rows = cast<VectorType>(vector.getType()).getDimSize(0);
  for (int64_t i = 0; i < rows; ++i)
    body(i, vector::ExtractOp::create(builder, loc, vector, i));
}

/// A vector made of the rows that `body` returns.
static Value fromRows(OpBuilder &builder, Location loc, Type type,
                      function_ref<Value(int64_t)> body) {
  Value result =
      arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  for (int64_t i = 0; i < cast<VectorType>(type).getDimSize(0); ++i)
    result = vector::InsertOp::create(builder, loc, body(i), result, i);
  return result;
}

namespace {
struct ConvertTileZero : OpConversionPattern<amx::TileZeroOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(amx::TileZeroOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, type,
                                                   rewriter.getZeroAttr(type));
    return success();
  }
};

struct ConvertTileLoad : OpConversionPattern<amx::TileLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(amx::TileLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    auto rowType = VectorType::get(type.getDimSize(1), type.getElementType());
    auto loadRow = [&](int64_t row) -> Value {
      Value loaded = vector::LoadOp::create(
          rewriter, loc, memoryType(rowType, op.getMemRefType()),
          adaptor.getBase(),
          rowIndices(rewriter, loc, adaptor.getIndices(), adaptor.getStride(),
                     row));
      return rewriter.createOrFold<vector::BitCastOp>(loc, rowType, loaded);
    };
    rewriter.replaceOp(op, fromRows(rewriter, loc, type, loadRow));
    return success();
  }
};

struct ConvertTileStore : OpConversionPattern<amx::TileStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(amx::TileStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    forEachRow(rewriter, loc, adaptor.getVal(), [&](int64_t row, Value value) {
      VectorType type =
          memoryType(cast<VectorType>(value.getType()), op.getMemRefType());
      value = rewriter.createOrFold<vector::BitCastOp>(loc, type, value);
      vector::StoreOp::create(rewriter, loc, value, adaptor.getBase(),
                              rowIndices(rewriter, loc, adaptor.getIndices(),
                                         adaptor.getStride(), row));
    });
    rewriter.eraseOp(op);
    return success();
  }
};

/// The buffers of a function for the operands of a product: 16 rows of 16 i32
/// words each.
struct Buffers {
  Value lhs, rhs, acc;
};

struct ConvertTileMulI : OpConversionPattern<amx::TileMulIOp> {
  ConvertTileMulI(const TypeConverter &converter, MLIRContext *context,
                  const Buffers &buffers)
      : OpConversionPattern(converter, context), buffers(buffers) {}
  LogicalResult
  matchAndRewrite(amx::TileMulIOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;

private:
  const Buffers &buffers;
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
ConvertTileMulI::matchAndRewrite(amx::TileMulIOp op, OpAdaptor adaptor,
                                 ConversionPatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
  auto rowType = VectorType::get(type.getDimSize(1), rewriter.getI32Type());
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto storeRows = [&](Value tile, Value buffer) {
    forEachRow(rewriter, loc, tile, [&](int64_t i, Value row) {
      auto bytes = cast<VectorType>(row.getType());
      if (bytes.getElementType().isInteger(8))
        row = vector::BitCastOp::create(
            rewriter, loc,
            VectorType::get(bytes.getNumElements() / 4, rewriter.getI32Type()),
            row);
      vector::StoreOp::create(rewriter, loc, row, buffer,
                              ValueRange{index(i), index(0)});
    });
  };
  storeRows(adaptor.getLhs(), buffers.lhs);
  storeRows(adaptor.getRhs(), buffers.rhs);
  storeRows(adaptor.getAcc(), buffers.acc);

  auto sumWords = [&](OpBuilder &builder, Location loc, Value row, Value word,
                      Value sum) {
    Value left = memref::LoadOp::create(builder, loc, buffers.lhs,
                                        ValueRange{row, word});
    Value right = vector::LoadOp::create(builder, loc, rowType, buffers.rhs,
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
      rewriter, loc, zero, index(type.getDimSize(0)), one, ValueRange{},
      [&](OpBuilder &builder, Location loc, Value row, ValueRange) {
        Value start = vector::LoadOp::create(builder, loc, rowType, buffers.acc,
                                             ValueRange{row, zero});
        auto loop = scf::ForOp::create(
            builder, loc, zero, words, one, start,
            [&](OpBuilder &builder, Location loc, Value word, ValueRange sums) {
              scf::YieldOp::create(
                  builder, loc,
                  sumWords(builder, loc, row, word, sums.front()));
            });
        vector::StoreOp::create(builder, loc, loop.getResult(0), buffers.acc,
                                ValueRange{row, zero});
        scf::YieldOp::create(builder, loc);
      });
  rewriter.replaceOp(op, fromRows(rewriter, loc, type, [&](int64_t i) -> Value {
                       return vector::LoadOp::create(
                           rewriter, loc, rowType, buffers.acc,
                           ValueRange{index(i), zero});
                     }));
  return success();
}

void RewriteAMXToVector::runOnOperation() {
  func::FuncOp function = getOperation();
  MLIRContext *context = &getContext();
  Buffers buffers;
  bool hasProducts = false;
  function.walk([&](amx::TileMulIOp) { hasProducts = true; });
  if (hasProducts) {
    OpBuilder builder(context);
    builder.setInsertionPointToStart(&function.getBody().front());
    for (Value *buffer : {&buffers.lhs, &buffers.rhs, &buffers.acc})
      *buffer = memref::AllocaOp::create(
          builder, function.getLoc(),
          MemRefType::get({kTileRows, kTileWords}, builder.getI32Type()),
          builder.getI64IntegerAttr(64));
  }

  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([](amx::TileType type) {
    return VectorType::get(type.getShape(), type.getElementType());
  });
  ConversionTarget target(*context);
  target.addIllegalDialect<amx::AMXDialect>();
  target.markUnknownOpDynamicallyLegal([&](Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op))
      return converter.isSignatureLegal(function.getFunctionType());
    return converter.isLegal(op);
  });
  RewritePatternSet patterns(context);
  patterns.add<ConvertTileZero, ConvertTileLoad, ConvertTileStore>(converter,
                                                                   context);
  patterns.add<ConvertTileMulI>(converter, context, buffers);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                 converter);
  populateCallOpTypeConversionPattern(patterns, converter);
  populateReturnOpTypeConversionPattern(patterns, converter);
  scf::populateSCFStructuralTypeConversions(converter, patterns);
  if (failed(applyPartialConversion(function, target, std::move(patterns))))
    signalPassFailure();
}
