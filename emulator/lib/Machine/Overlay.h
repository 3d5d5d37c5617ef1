//===- Overlay.h - Global writes of one CTA ---------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs that do not talk to each other run on any number of host threads, and
// still must give the same results every time, even if they race. So each sees
// global memory as it was at the launch, with its own writes over it; when all
// have run, the writes reach memory in the order of CTAs.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_OVERLAY_H
#define QCC_LIB_EMULATOR_MACHINE_OVERLAY_H

#include "Machine/DeviceMemory.h"

#include <bitset>
#include <unordered_map>

namespace qcc::emu {

class Overlay {
public:
  /// Where to read [address, address + size), which `allocation` holds and no
  /// block boundary cuts.
  const uint8_t *read(const Allocation &allocation, uint64_t address);
  /// Where to write it.
  uint8_t *write(const Allocation &allocation, uint64_t address, int size);

  bool isEmpty() const { return blocks_.empty(); }
  /// Carries the writes out.
  void commit(DeviceMemory &memory) const;

private:
  static constexpr uint64_t blockBytes = 256;
  struct Block {
    uint8_t data[blockBytes];
    std::bitset<blockBytes> written;
  };

  Block *find(uint64_t number);

  std::unordered_map<uint64_t, std::unique_ptr<Block>> blocks_;
  uint64_t lastNumber_ = 0;
  Block *last_ = nullptr;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_OVERLAY_H
