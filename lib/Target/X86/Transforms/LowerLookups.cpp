//===- LowerLookups.cpp - Tables of bytes in registers --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/X86/Passes.h"
#include "qcc/Transforms/LookupTables.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "lower-lookups"

namespace qcc {
#define GEN_PASS_DEF_LOWERLOOKUPS
#include "qcc/Target/X86/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using kernel::LookupOp;

ALWAYS_ENABLED_STATISTIC(numVectors, "Lookups by permutations of vectors");
ALWAYS_ENABLED_STATISTIC(numLoads, "Lookups by loads from a table");

namespace {
/// Looks up vectors of one width. Each `look...` takes and returns a vector of
/// bytes.
class VectorLookup {
public:
  VectorLookup(OpBuilder &builder, Location loc, ArrayRef<int8_t> table)
      : builder(builder), loc(loc), table(table) {
    assert(table.size() == 256 && "an element for each byte");
  }

  /// 64 bytes by vpermi2b.
  Value lookInBytes(Value bytes);
  /// 64 bytes by vpermi2w.
  Value lookInWords(Value bytes);
  /// 16 or 32 bytes by vpshufb.
  Value lookInRows(Value bytes);

private:
  Value constant(VectorType type, ArrayRef<int8_t> elements) {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::getFromRawBuffer(
            type, ArrayRef(reinterpret_cast<const char *>(elements.data()),
                           elements.size())));
  }
  Value splat(Type vector, int64_t value) {
    auto type = cast<VectorType>(vector);
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            type, builder.getIntegerAttr(type.getElementType(), value)));
  }
  Value call(StringRef intrinsic, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(builder, loc, operands[0].getType(),
                                         builder.getStringAttr(intrinsic),
                                         operands)
        .getResult(0);
  }
  template <typename Op> Value create(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  Value isNegative(Value vector) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                 vector, splat(vector.getType(), 0));
  }
  /// The words of the table with the numbers `indices`, the highest bit of
  /// which is `isHigh`.
  Value permuteWords(Value indices, Value isHigh);
  /// The bytes of eight rows of 16 elements where `bytes` are not negative, 0
  /// elsewhere.
  Value lookInHalf(Value bytes, ArrayRef<int8_t> half);

  OpBuilder &builder;
  Location loc;
  ArrayRef<int8_t> table;
};
} // namespace

Value VectorLookup::lookInBytes(Value bytes) {
  auto type = cast<VectorType>(bytes.getType());
  assert(type.getNumElements() == 64 && "vpermi2b permutes 64 bytes");
  auto permute = [&](ArrayRef<int8_t> half) {
    return call("llvm.x86.avx512.vpermi2var.qi.512",
                {constant(type, half.take_front(64)), bytes,
                 constant(type, half.drop_front(64))});
  };
  return select(isNegative(bytes), permute(table.drop_front(128)),
                permute(table.take_front(128)));
}

Value VectorLookup::permuteWords(Value indices, Value isHigh) {
  auto type = cast<VectorType>(indices.getType());
  auto permute = [&](ArrayRef<int8_t> half) {
    return call("llvm.x86.avx512.vpermi2var.hi.512",
                {constant(type, half.take_front(64)), indices,
                 constant(type, half.drop_front(64))});
  };
  return select(isHigh, permute(table.drop_front(128)),
                permute(table.take_front(128)));
}

Value VectorLookup::lookInWords(Value bytes) {
  auto type = VectorType::get({32}, builder.getI16Type());
  auto number = [&](int64_t value) { return splat(type, value); };
  Value pairs = vector::BitCastOp::create(builder, loc, type, bytes);
  // Of a pair, the low byte is the even one. Its lowest bit says which byte of
  // the word it looks up, the other bits which word.
  Value bit7 = create<arith::AndIOp>(pairs, number(1 << 7));
  Value isEvenHigh = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, bit7, number(0));
  Value even =
      permuteWords(create<arith::ShRUIOp>(pairs, number(1)), isEvenHigh);
  Value odd =
      permuteWords(create<arith::ShRUIOp>(pairs, number(9)), isNegative(pairs));
  // An even byte has to be in the low half, an odd one in the high half.
  Value right =
      create<arith::AndIOp>(create<arith::ShLIOp>(pairs, number(3)), number(8));
  Value left = create<arith::XOrIOp>(
      create<arith::AndIOp>(create<arith::ShRUIOp>(pairs, number(5)),
                            number(8)),
      number(8));
  even = create<arith::AndIOp>(create<arith::ShRUIOp>(even, right),
                               number(0x00ff));
  odd =
      create<arith::AndIOp>(create<arith::ShLIOp>(odd, left), number(-0x0100));
  return vector::BitCastOp::create(builder, loc, bytes.getType(),
                                   create<arith::OrIOp>(even, odd));
}

Value VectorLookup::lookInHalf(Value bytes, ArrayRef<int8_t> half) {
  constexpr int64_t kRow = 16;
  auto type = cast<VectorType>(bytes.getType());
  bool isWide = type.getNumElements() == 2 * kRow;
  assert((isWide || type.getNumElements() == kRow) &&
         "vpshufb permutes 16 or 32 bytes");
  Value result;
  for (int64_t first = 0; first < int64_t(half.size()); first += kRow) {
    SmallVector<int8_t> row;
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
      int64_t i = first + lane % kRow;
      row.push_back(first == 0 ? half[i] : half[i] ^ half[i - kRow]);
    }
    // Negative for bytes before the row, which vpshufb makes 0, and for
    // negative bytes: they stay so.
    Value index = bytes;
    if (first != 0)
      index = create<LLVM::SSubSat>(bytes, splat(type, first));
    Value looked =
        call(isWide ? "llvm.x86.avx2.pshuf.b" : "llvm.x86.ssse3.pshuf.b.128",
             {constant(type, row), index});
    result = result ? create<arith::XOrIOp>(result, looked) : looked;
  }
  return result;
}

Value VectorLookup::lookInRows(Value bytes) {
  Value flipped = create<arith::XOrIOp>(bytes, splat(bytes.getType(), -128));
  return create<arith::XOrIOp>(lookInHalf(bytes, table.take_front(128)),
                               lookInHalf(flipped, table.drop_front(128)));
}

namespace {
struct LowerLookups : qcc::impl::LowerLookupsBase<LowerLookups> {
  using LowerLookupsBase::LowerLookupsBase;

  void runOnOperation() override {
    SmallVector<LookupOp> ops;
    LookupTables tables(getOperation());
    getOperation().walk([&](LookupOp op) { ops.push_back(op); });
    for (LookupOp op : ops) {
      OpBuilder builder(op);
      auto type = dyn_cast<VectorType>(op.getType());
      if (type && type.getRank() != 1) {
        op.emitOpError(
            "is on a vector of several dimensions; flatten it to one "
            "dimension before lower-lookups");
        return signalPassFailure();
      }
      ++(type ? numVectors : numLoads);
      LDBG() << "looks up at " << op.getLoc() << " by "
             << (!type               ? "a load"
                 : hasVBMI           ? "vpermi2b"
                 : vectorBits == 512 ? "vpermi2w"
                                     : "vpshufb");
      op.replaceAllUsesWith(type ? lowerVector(builder, op)
                                 : tables.load(builder, op));
      op.erase();
    }
  }

private:
  /// `type` has as many lanes as a lookup of the target.
  Value lowerWhole(OpBuilder &builder, LookupOp op, Value bytes) {
    VectorLookup lookup(builder, op.getLoc(), op.getTable());
    if (hasVBMI)
      return lookup.lookInBytes(bytes);
    return vectorBits == 512 ? lookup.lookInWords(bytes)
                             : lookup.lookInRows(bytes);
  }
  Value lowerVector(OpBuilder &builder, LookupOp op);
};
} // namespace

/// Vectors of another size are looked up in pieces, the last one filled up.
Value LowerLookups::lowerVector(OpBuilder &builder, LookupOp op) {
  Location loc = op.getLoc();
  Value bytes = op.getByte();
  int64_t lanes = cast<VectorType>(bytes.getType()).getNumElements();
  int64_t whole = vectorBits == 512 ? 64 : lanes <= 16 ? 16 : 32;
  Value result;
  for (int64_t first = 0; first < lanes; first += whole) {
    SmallVector<int64_t> piece;
    for (int64_t lane = first; lane < first + whole; ++lane)
      piece.push_back(lane < lanes ? lane : vector::ShuffleOp::kPoisonIndex);
    Value part = lanes == whole ? bytes
                                : vector::ShuffleOp::create(builder, loc, bytes,
                                                            bytes, piece);
    Value looked = lowerWhole(builder, op, part);
    if (!result) {
      result = looked;
    } else {
      result = vector::ShuffleOp::create(
          builder, loc, result, looked,
          llvm::to_vector(llvm::seq<int64_t>(first + whole)));
    }
  }
  if (lanes % whole == 0)
    return result;
  return vector::ShuffleOp::create(builder, loc, result, result,
                                   llvm::to_vector(llvm::seq<int64_t>(lanes)));
}
