//===- WideShifts.cpp - Shifts of 64 bits for a device --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 22.1.8 compiles, for NVIDIA chips, `n < 64 ? x >> n : 0` of 64 bits to a
// shift of PTX, which gives 0 for large amounts, but takes the low half of n
// for the amount: with n = 2^32 + 1 the result is x >> 1. Nothing is lost where
// the halves are compared one by one: LLVM then drops the comparison of the low
// half alone, which is the amount.
//
//===----------------------------------------------------------------------===//

#include "WideShifts.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm::PatternMatch;

/// Whether a value of 64 bits, or its low part, is the amount of a logical
/// shift.
static bool isShiftAmount(const llvm::Value *value) {
  auto isOf = [](const llvm::Value *amount) {
    return llvm::any_of(amount->users(), [&](const llvm::User *user) {
      return match(user, m_LogicalShift(m_Value(), m_Specific(amount)));
    });
  };
  return isOf(value) || llvm::any_of(value->users(), [&](auto *user) {
           return llvm::isa<llvm::TruncInst>(user) && isOf(user);
         });
}

/// Whether `compare` asks if a shift amount is at least a number, or if it is
/// less.
static bool isGuard(const llvm::ICmpInst &compare) {
  const llvm::Value *amount = compare.getOperand(0);
  const llvm::APInt *bound;
  return amount->getType()->getScalarSizeInBits() == 64 &&
         (compare.getPredicate() == llvm::CmpInst::ICMP_ULT ||
          compare.getPredicate() == llvm::CmpInst::ICMP_UGT) &&
         match(compare.getOperand(1), m_APInt(bound)) && bound->isIntN(32) &&
         isShiftAmount(amount);
}

static void split(llvm::ICmpInst &compare) {
  llvm::IRBuilder<> builder(&compare);
  llvm::Value *amount = compare.getOperand(0);
  llvm::Type *half = amount->getType()->getWithNewBitWidth(32);
  llvm::Value *low = builder.CreateICmp(
      compare.getPredicate(), builder.CreateTrunc(amount, half),
      builder.CreateTrunc(compare.getOperand(1), half));
  llvm::Value *high = builder.CreateTrunc(builder.CreateLShr(amount, 32), half);
  llvm::Constant *zero = llvm::Constant::getNullValue(half);
  bool isBelow = compare.getPredicate() == llvm::CmpInst::ICMP_ULT;
  compare.replaceAllUsesWith(
      isBelow ? builder.CreateAnd(low, builder.CreateICmpEQ(high, zero))
              : builder.CreateOr(low, builder.CreateICmpNE(high, zero)));
  compare.eraseFromParent();
}

void qcc::splitWideShiftGuards(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::SmallVector<llvm::ICmpInst *> guards;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
          compare && isGuard(*compare))
        guards.push_back(compare);
    for (llvm::ICmpInst *guard : guards)
      split(*guard);
  }
}
