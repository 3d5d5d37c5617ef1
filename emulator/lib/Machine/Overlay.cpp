//===- Overlay.cpp - Global writes of one CTA -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Overlay.h"
#include <cassert>

#include <algorithm>
#include <cstring>

namespace qcc::emu {

Overlay::Block *Overlay::find(uint64_t number) {
  if (last_ && lastNumber_ == number)
    return last_;
  auto it = blocks_.find(number);
  if (it == blocks_.end())
    return nullptr;
  lastNumber_ = number;
  last_ = it->second.get();
  return last_;
}

const uint8_t *Overlay::read(const Allocation &allocation, uint64_t address) {
  if (!blocks_.empty())
    if (const Block *block = find(address / blockBytes))
      return block->data + address % blockBytes;
  return allocation.data() + (address - allocation.base);
}

uint8_t *Overlay::write(const Allocation &allocation, uint64_t address,
                        int size) {
  assert(allocation.base % blockBytes == 0 &&
         address % blockBytes + size <= blockBytes &&
         "aligned accesses lie in one block");
  uint64_t number = address / blockBytes;
  Block *block = find(number);
  if (!block) {
    // Bases of allocations are multiples of a block, ends need not be.
    auto fresh = std::make_unique<Block>();
    uint64_t offset = number * blockBytes - allocation.base;
    uint64_t bytes = std::min(blockBytes, allocation.size - offset);
    memcpy(fresh->data, allocation.data() + offset, bytes);
    block = fresh.get();
    blocks_.emplace(number, std::move(fresh));
    lastNumber_ = number;
    last_ = block;
  }
  for (int i = 0; i < size; ++i)
    block->written.set(address % blockBytes + i);
  return block->data + address % blockBytes;
}

void Overlay::commit(DeviceMemory &memory) const {
  for (auto &[number, block] : blocks_) {
    Allocation *allocation = memory.find(number * blockBytes, 1);
    if (!allocation)
      continue;
    uint8_t *data =
        allocation->data() + (number * blockBytes - allocation->base);
    for (uint64_t i = 0; i < blockBytes; ++i)
      if (block->written[i])
        data[i] = block->data[i];
  }
}

} // namespace qcc::emu
