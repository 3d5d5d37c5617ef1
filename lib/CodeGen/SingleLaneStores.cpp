//===- SingleLaneStores.cpp - Masked stores of one lane as scalar stores --===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 22.1.8 compiles, for AVX-512, a masked store of a truncated vector whose
// constant mask has one lane to a store of the untruncated element: storing one
// i8 of trunc(<16 x i32>) writes four bytes. Such stores are made scalar before
// they reach the code generator.
//
//===----------------------------------------------------------------------===//

#include "SingleLaneStores.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

/// The only lane that a constant mask has, or nothing.
static std::optional<unsigned> singleLane(llvm::Value *mask) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> lane;
  for (unsigned i = 0, e = type->getNumElements(); i < e; ++i) {
    llvm::Constant *bit = constant->getAggregateElement(i);
    if (!bit || !bit->isOneValue())
      continue;
    if (lane)
      return std::nullopt;
    lane = i;
  }
  return lane;
}

void qcc::scalarizeSingleLaneStores(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::SmallVector<llvm::IntrinsicInst *> stores;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
        if (call->getIntrinsicID() == llvm::Intrinsic::masked_store)
          stores.push_back(call);
    for (llvm::IntrinsicInst *call : stores) {
      std::optional<unsigned> lane =
          singleLane(call->getArgOperand(call->arg_size() - 1));
      if (!lane)
        continue;
      llvm::IRBuilder<> builder(call);
      llvm::Value *value = builder.CreateExtractElement(
          call->getArgOperand(0), static_cast<uint64_t>(*lane));
      llvm::Value *address = builder.CreateConstGEP1_64(
          value->getType(), call->getArgOperand(1), *lane);
      builder.CreateAlignedStore(value, address, llvm::Align(1));
      call->eraseFromParent();
    }
  }
}
