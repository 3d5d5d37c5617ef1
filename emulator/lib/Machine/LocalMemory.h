//===- LocalMemory.h - Local memory of lanes --------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The local memory of a warp's 32 lanes, and what each of its bytes is. Frames
// of calls lie above each other, with unmapped bytes between them.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_LOCALMEMORY_H
#define QCC_LIB_EMULATOR_MACHINE_LOCALMEMORY_H

#include "PTX/Layout.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace qcc::emu {

class LocalMemory {
public:
  /// Makes [0, bytes) exist for each lane.
  void reserve(int64_t bytes) {
    if (bytes <= bytes_)
      return;
    int64_t grown = std::max(bytes, 2 * bytes_);
    std::vector<uint8_t> data(32 * grown), written(32 * grown, Unmapped);
    for (int lane = 0; lane < 32 && bytes_ > 0; ++lane) {
      memcpy(&data[lane * grown], &data_[lane * bytes_], bytes_);
      memcpy(&written[lane * grown], &written_[lane * bytes_], bytes_);
    }
    data_ = std::move(data);
    written_ = std::move(written);
    bytes_ = grown;
  }
  /// A frame starts at `begin` for these lanes, behind one that ends at
  /// `before`: none of its variables is written.
  void begin(uint32_t lanes, int64_t before, int64_t begin,
             const Layout &layout) {
    for (; lanes && layout.end > 0; lanes &= lanes - 1) {
      uint8_t *states = written(__builtin_ctz(lanes), begin);
      memset(states - (begin - before), Unmapped, begin - before + layout.end);
      for (const ByteRange &range : layout.ranges)
        memset(states + range.begin, Unwritten, range.end - range.begin);
    }
  }
  /// Nothing in [begin, end) is written for these lanes.
  void forget(uint32_t lanes, int64_t begin, int64_t end) {
    for (; lanes && end > begin; lanes &= lanes - 1)
      memset(written(__builtin_ctz(lanes), begin), Unwritten, end - begin);
  }

  uint8_t *data(int lane, int64_t offset) {
    return &data_[lane * bytes_ + offset];
  }
  /// The ByteState of each byte.
  uint8_t *written(int lane, int64_t offset) {
    return &written_[lane * bytes_ + offset];
  }

private:
  int64_t bytes_ = 0;
  std::vector<uint8_t> data_, written_;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_LOCALMEMORY_H
