//===- ScalarRegion.cpp - A prologue or an epilogue of a thread -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarRegion.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

/// Bytes of a word.
constexpr unsigned kWordBytes = 4;
/// The instructions that round a float to an i32, and that truncate one.
static constexpr llvm::StringLiteral kRoundToWord = "llvm.nvvm.f2i.rn",
                                     kTruncateToWord = "llvm.nvvm.f2i.rz";

ScalarRegion::ScalarRegion(Region &region, ArrayRef<NumberRange> arguments)
    : region(region), ranges(region, arguments) {
  for (Value yielded : region.front().getTerminator()->getOperands())
    bytes.push_back(findByte(yielded, arguments));
  ranges = RegionRanges(region, arguments, omitted);
}

ScalarRegion::Byte ScalarRegion::findByte(Value yielded,
                                          ArrayRef<NumberRange> arguments) {
  Byte byte;
  while (auto lookup = yielded.getDefiningOp<kernel::LookupOp>()) {
    byte.lookups.insert(byte.lookups.begin(), lookup);
    yielded = lookup.getByte();
  }
  if (!yielded.getType().isInteger(8))
    return {};
  if (auto trunc = yielded.getDefiningOp<arith::TruncIOp>();
      trunc && trunc.getIn().getType().isInteger(32)) {
    PackedClamps packed = findPackedClamps(region, trunc, arguments);
    byte.word = trunc.getIn();
    byte.range = packed.range;
    omitted.insert_range(packed.clamps);
    return byte;
  }
  if (auto convert = yielded.getDefiningOp<arith::FPToSIOp>();
      convert && convert.getIn().getType().isF32() &&
      ranges.of(convert.getIn()).isWithin(-128, 127)) {
    byte.word = convert.getIn();
    byte.range.saturation = Saturation::Signed;
    return byte;
  }
  return {};
}

/// Whether an op clamps to a range that contains all signed bytes.
static bool isByteClamp(Operation *op) {
  APFloat bound(0.0f);
  if (!isa<arith::MaximumFOp, arith::MinimumFOp>(op) ||
      !matchPattern(op->getOperand(1), m_ConstantFloat(&bound)))
    return false;
  float number = bound.convertToFloat();
  return isa<arith::MaximumFOp>(op) ? number <= -128 : number >= 127;
}

static Value convertToWord(ScalarCode &code, StringRef intrinsic,
                           Value number) {
  return LLVM::CallIntrinsicOp::create(
             code.rewriter, code.loc, code.rewriter.getI32Type(),
             code.rewriter.getStringAttr(intrinsic), ValueRange{number})
      .getResult(0);
}

Value ScalarRegion::unrounded(Value number, bool isSaturated, bool &isRounded) {
  while (Operation *op = number.getDefiningOp()) {
    if (isa<math::RoundEvenOp>(op) || (isSaturated && isByteClamp(op))) {
      isRounded |= isa<math::RoundEvenOp>(op);
      number = op->getOperand(0);
      continue;
    }
    auto select = dyn_cast<arith::SelectOp>(op);
    Value tested = select ? passedUnlessNaN(select) : Value();
    if (!tested)
      break;
    Value other = tested == select.getTrueValue() ? select.getFalseValue()
                                                  : select.getTrueValue();
    if (ranges.of(tested).canBeNaN && !matchPattern(other, m_AnyZeroFloat()))
      break;
    number = tested;
  }
  return number;
}

Value ScalarRegion::emitRounding(ScalarCode &code, Value number,
                                 bool isSaturated, IRMapping &mapping) {
  bool isRounded = false;
  Value exact = unrounded(number, isSaturated, isRounded);
  if (!isRounded || !number.getType().isF32())
    return {};
  return convertToWord(code, kRoundToWord, mapping.lookupOrDefault(exact));
}

SmallVector<Value> ScalarRegion::emitOne(ScalarCode &code,
                                         ValueRange arguments) {
  RewriterBase &rewriter = code.rewriter;
  IRMapping mapping;
  Block &block = region.front();
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator()) {
    if (omitted.contains(&op)) {
      mapping.map(op.getResult(0), mapping.lookupOrDefault(op.getOperand(0)));
      continue;
    }
    if (auto select = dyn_cast<arith::SelectOp>(op))
      if (Value number = passedUnlessNaN(select);
          number && !ranges.of(number).canBeNaN) {
        mapping.map(select.getResult(), mapping.lookupOrDefault(number));
        continue;
      }
    if (auto convert = dyn_cast<arith::FPToSIOp>(op);
        convert && convert.getType().isSignlessInteger(32))
      if (Value rounded = emitRounding(code, convert.getIn(),
                                       /*isSaturated=*/false, mapping)) {
        mapping.map(convert.getResult(), rounded);
        continue;
      }
    rewriter.clone(op, mapping);
  }
  SmallVector<Value> results;
  for (auto [yielded, byte] :
       llvm::zip_equal(block.getTerminator()->getOperands(), bytes)) {
    Value value = mapping.lookupOrDefault(byte.word ? byte.word : yielded);
    if (byte.word && byte.word.getType().isF32()) {
      Value rounded =
          emitRounding(code, byte.word, /*isSaturated=*/true, mapping);
      value = rounded ? rounded
                      : arith::FPToSIOp::create(rewriter, code.loc,
                                                rewriter.getI32Type(), value)
                            .getResult();
    }
    results.push_back(value);
  }
  return results;
}

/// The float that an instruction rounds to an i32; null for other words.
static Value roundedFloat(Value word) {
  auto call = word.getDefiningOp<LLVM::CallIntrinsicOp>();
  return call && call.getIntrin() == kRoundToWord ? call.getArgs().front()
                                                  : Value();
}

/// The same word, from a number before its maximum with 0, for a conversion
/// that saturates to an unsigned byte and thereby makes that maximum again. Of
/// the maximum, the rounding and the saturation ptxas makes one instruction,
/// F2IP.U8.F32.NTZ.RELU, which an H200 refuses as illegal (ptxas 13.0).
static Value withoutMaximum(ScalarCode &code, Value word) {
  Value rounded = roundedFloat(word);
  auto truncation = word.getDefiningOp<arith::FPToSIOp>();
  Value number = rounded ? rounded : truncation ? truncation.getIn() : Value();
  Operation *maximum = number ? number.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(maximum) ||
      !number.getType().isF32() ||
      !matchPattern(maximum->getOperand(1), m_AnyZeroFloat()))
    return word;
  return convertToWord(code, rounded ? kRoundToWord : kTruncateToWord,
                       maximum->getOperand(0));
}

Value ScalarRegion::packWord(ScalarCode &code, const ByteRange &range,
                             ArrayRef<Value> words) {
  assert(words.size() == kWordBytes && range.saturation != Saturation::None &&
         "four words that saturate make a word of bytes");
  RewriterBase &rewriter = code.rewriter;
  SmallVector<Value> saturated(words);
  if (range.saturation == Saturation::Unsigned)
    for (Value &word : saturated)
      word = withoutMaximum(code, word);
  auto packPair = [&](Value high, Value low, Value above) -> Value {
    std::string text = range.saturation == Saturation::Signed
                           ? "cvt.pack.sat.s8.s32.b32 $0, $1, $2, $3;"
                           : "cvt.pack.sat.u8.s32.b32 $0, $1, $2, $3;";
    return LLVM::InlineAsmOp::create(
               rewriter, code.loc, rewriter.getI32Type(),
               ValueRange{high, low, above}, text, "=r,r,r,r",
               /*has_side_effects=*/false, /*is_align_stack=*/false,
               LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
        .getResult(0);
  };
  return packPair(saturated[1], saturated[0],
                  packPair(saturated[3], saturated[2], code.i32(0)));
}

Value ScalarRegion::roundToByte(ScalarCode &code, const ByteRange &range,
                                Value number) {
  assert(range.saturation != Saturation::None && "the conversion saturates");
  // The conversion saturates, and NaN becomes 0.
  std::string text = range.saturation == Saturation::Signed
                         ? "cvt.rni.s8.f32 $0, $1;"
                         : "cvt.rni.u8.f32 $0, $1;";
  Value byte = LLVM::InlineAsmOp::create(
                   code.rewriter, code.loc, code.rewriter.getI16Type(),
                   ValueRange{number}, text, "=h,f", /*has_side_effects=*/false,
                   /*is_align_stack=*/false, LLVM::TailCallKind::None,
                   LLVM::AsmDialectAttr(), ArrayAttr())
                   .getResult(0);
  auto bound = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(code.rewriter, code.loc, value, 16);
  };
  if (range.least)
    byte = code.create<arith::MaxSIOp>(byte, bound(*range.least));
  if (range.most)
    byte = code.create<arith::MinSIOp>(byte, bound(*range.most));
  return byte;
}

Value ScalarRegion::packBytes(ScalarCode &code, const Byte &byte,
                              ArrayRef<Value> words, bool isUsedWhole) {
  RewriterBase &rewriter = code.rewriter;
  int64_t count = words.size();
  auto type = VectorType::get({count}, rewriter.getI8Type());
  bool isSaturated = byte.range.saturation != Saturation::None;
  bool isPacked = isSaturated && isUsedWhole && count % kWordBytes == 0;
  std::optional<int64_t> least = byte.range.least, most = byte.range.most;
  bool isAlone = !isUsedWhole && byte.lookups.empty();
  if (isSaturated && isAlone && llvm::all_of(words, roundedFloat))
    return vector::FromElementsOp::create(
        rewriter, code.loc, VectorType::get({count}, rewriter.getI16Type()),
        llvm::map_to_vector(words, [&](Value word) {
          return roundToByte(code, byte.range, roundedFloat(word));
        }));
  if (isSaturated && !isPacked) {
    int64_t lowest = byte.range.saturation == Saturation::Signed ? -128 : 0;
    least = least.value_or(lowest);
    most = most.value_or(lowest + 255);
  }
  assert((!least || !most || *least <= *most) && "a clamp leaves numbers");
  SmallVector<Value> parts(words);
  for (Value &word : parts) {
    if (least)
      word = code.create<arith::MaxSIOp>(word, code.i32(*least));
    if (most)
      word = code.create<arith::MinSIOp>(word, code.i32(*most));
  }
  Value packed;
  if (isAlone)
    return vector::FromElementsOp::create(
        rewriter, code.loc, VectorType::get({count}, rewriter.getI32Type()),
        parts);
  if (!isPacked) {
    for (Value &word : parts)
      word = arith::TruncIOp::create(rewriter, code.loc, rewriter.getI8Type(),
                                     word);
    packed = vector::FromElementsOp::create(rewriter, code.loc, type, parts);
  } else {
    SmallVector<Value> packedWords;
    for (int64_t i = 0; i < count; i += kWordBytes)
      packedWords.push_back(
          packWord(code, byte.range, ArrayRef(parts).slice(i, kWordBytes)));
    packed = vector::FromElementsOp::create(
        rewriter, code.loc,
        VectorType::get({count / kWordBytes}, rewriter.getI32Type()),
        packedWords);
    packed = vector::BitCastOp::create(rewriter, code.loc, type, packed);
  }
  for (kernel::LookupOp lookup : byte.lookups)
    packed =
        kernel::LookupOp::create(rewriter, code.loc, packed, lookup.getTable());
  return packed;
}

SmallVector<Value> ScalarRegion::emit(ScalarCode &code,
                                      ArrayRef<SmallVector<Value>> lists,
                                      ArrayRef<bool> isUsedWhole) {
  assert(!lists.empty() && "vectors have elements");
  SmallVector<SmallVector<Value>> results(bytes.size());
  for (const SmallVector<Value> &arguments : lists)
    for (auto [values, value] :
         llvm::zip_equal(results, emitOne(code, arguments)))
      values.push_back(value);
  SmallVector<Value> vectors;
  for (auto [values, byte, isWhole] :
       llvm::zip_equal(results, bytes, isUsedWhole)) {
    if (byte.word) {
      vectors.push_back(packBytes(code, byte, values, isWhole));
      continue;
    }
    auto type =
        VectorType::get({int64_t(values.size())}, values.front().getType());
    vectors.push_back(
        vector::FromElementsOp::create(code.rewriter, code.loc, type, values));
  }
  return vectors;
}
