//===- WarpgroupAtom.cpp - Products by four warps -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpgroupAtom.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qcc::nvptx;

/// Bytes of K of a slice, and of one instruction.
constexpr int64_t kSlice = 128, kStep = 32;

SmallVector<Value> WarpgroupAtom::noSums() {
  Value none = LLVM::PoisonOp::create(code.rewriter, code.loc,
                                      code.rewriter.getI32Type());
  return SmallVector<Value>(sums(), none);
}

Value WarpgroupAtom::descriptor(Value address) {
  // Addresses and distances are in units of 16 bytes: 8 lines are 1,024 bytes.
  // The distance of chunks does not matter in a swizzle of 128 bytes, which is
  // mode 1.
  constexpr int64_t kLines = int64_t(8 * kSlice / 16) << 32,
                    kChunks = int64_t(1) << 16, kSwizzle = int64_t(1) << 62;
  Type i64 = code.rewriter.getI64Type();
  Value place = code.create<arith::ShRUIOp>(address, code.i32(4));
  Value wide = arith::ExtUIOp::create(code.rewriter, code.loc, i64, place);
  Value form = arith::ConstantIntOp::create(code.rewriter, code.loc,
                                            kLines | kChunks | kSwizzle, 64);
  return code.create<arith::OrIOp>(wide, form);
}

/// "=r,=r,0,1": so many registers that results and operands share.
static std::string tiedRegisters(int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i)
    text += "=r,";
  for (int64_t i = 0; i < count; ++i)
    text += std::to_string(i) + (i + 1 < count ? "," : "");
  return text;
}

void WarpgroupAtom::multiply(Value lhs, Value rhs, Value adds,
                             SmallVectorImpl<Value> &sums) {
  // Operands follow the sums, as results and as operands.
  auto operand = [&](int64_t i) {
    return "$" + std::to_string(2 * this->sums() + i);
  };
  std::string registers;
  for (int64_t i = 0; i < this->sums(); ++i)
    registers += (i ? ", $" : "$") + std::to_string(i);
  auto type = [](bool isUnsigned) { return isUnsigned ? ".u8" : ".s8"; };
  std::string product = "wgmma.mma_async.sync.aligned.m64n" +
                        std::to_string(columns) + "k32.s32" +
                        type(op.getLhsUnsigned()) + type(op.getRhsUnsigned()) +
                        " {" + registers + "}, ";
  std::string text = "{\n"
                     ".reg .pred adds, always;\n"
                     ".reg .b64 lhs, rhs;\n"
                     "setp.ne.b32 adds, " +
                     operand(2) +
                     ", 0;\n"
                     "setp.eq.b32 always, 0, 0;\n"
                     "wgmma.fence.sync.aligned;\n";
  for (int64_t i = 0; i < kSlice / kStep; ++i) {
    std::string further = std::to_string(i * kStep / 16);
    text += "add.s64 lhs, " + operand(0) + ", " + further + ";\n";
    text += "add.s64 rhs, " + operand(1) + ", " + further + ";\n";
    text += product + "lhs, rhs, " + (i == 0 ? "adds" : "always") + ";\n";
  }
  text += "wgmma.commit_group.sync.aligned;\n}";
  SmallVector<Value> operands(sums.begin(), sums.end());
  operands.append({descriptor(lhs), descriptor(rhs), adds});
  SmallVector<Type> types(this->sums(), code.rewriter.getI32Type());
  SmallVector<Value> results = code.emitPTX(
      text, tiedRegisters(this->sums()) + ",l,l,r,~{memory}", operands, types);
  sums.assign(results.begin(), results.end());
}

void WarpgroupAtom::wait(int64_t slices, SmallVectorImpl<Value> &sums) {
  SmallVector<Type> types(this->sums(), code.rewriter.getI32Type());
  SmallVector<Value> results = code.emitPTX(
      "wgmma.wait_group.sync.aligned " + std::to_string(slices) + ";",
      tiedRegisters(this->sums()) + ",~{memory}", sums, types);
  sums.assign(results.begin(), results.end());
}
