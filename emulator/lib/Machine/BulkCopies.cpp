//===- BulkCopies.cpp - Copies of many bytes ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/BulkCopies.h"

namespace qcc::emu {

BulkCopy &BulkCopies::add(BulkCopy copy) {
  copy.number = BulkCopy::firstNumber | ++issued_;
  copy.group = groups_[copy.warp][copy.lane];
  copies_.push_back(std::move(copy));
  return copies_.back();
}

const BulkCopy *BulkCopies::find(uint32_t number) const {
  for (const BulkCopy &copy : copies_)
    if (copy.number == number)
      return &copy;
  return nullptr;
}

const BulkCopy *BulkCopies::reading(uint64_t offset, int size) const {
  for (const BulkCopy &copy : copies_)
    if (!copy.isLoad && !copy.hasRead && offset < copy.sharedEnd &&
        copy.sharedBegin < offset + static_cast<uint64_t>(size))
      return &copy;
  return nullptr;
}

void BulkCopies::commit(int warp, uint32_t lanes) {
  for (; lanes; lanes &= lanes - 1)
    ++groups_[warp][__builtin_ctz(lanes)];
}

} // namespace qcc::emu
