//===- Layout.h - Where variables lie ---------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_PTX_LAYOUT_H
#define QCC_LIB_EMULATOR_PTX_LAYOUT_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace qcc::emu {

/// What a byte of shared or local memory, or of the parameters, is.
enum ByteState : uint8_t {
  Unwritten, ///< Of a variable; nothing has written it.
  Written,
  Unmapped ///< Of none.
};

struct ByteRange {
  int64_t begin = 0, end = 0;
};

inline int64_t alignUp(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Variables of one memory, one after the other. A chip lays them side by side;
/// here there are unmapped bytes between them, so that an access beyond the end
/// of one hits no other. It is longer than any access.
struct Layout {
  static constexpr int64_t gap = 32, sharedGap = 4096;
  /// Banks of shared memory repeat after so many bytes.
  static constexpr int64_t bankCycle = 128;

  int64_t bytes = 0; ///< As a chip needs them.
  int64_t end = 0;   ///< Of the addresses.
  std::vector<ByteRange> ranges;

  /// The address of a variable; one of shared memory lies in the banks in which
  /// a chip has it.
  int64_t place(int64_t size, int64_t alignment, bool isShared) {
    bytes = alignUp(bytes, alignment);
    int64_t cycle = isShared ? std::max(alignment, bankCycle) : alignment;
    int64_t begin =
        ranges.empty() && end == 0 ? bytes : end + (isShared ? sharedGap : gap);
    int64_t phase = bytes % cycle;
    begin = alignUp(begin - phase, cycle) + phase;
    bytes += size;
    end = begin + size;
    ranges.push_back({begin, end});
    return begin;
  }

  /// The state of each byte of the addresses, as long as nothing is written.
  std::vector<uint8_t> states() const {
    std::vector<uint8_t> states(end, Unmapped);
    for (const ByteRange &range : ranges)
      std::fill(states.begin() + range.begin, states.begin() + range.end,
                Unwritten);
    return states;
  }
};

/// Whether [offset, offset + size) lies in one variable. As gaps are longer
/// than accesses, both ends say it.
inline bool isMapped(const std::vector<uint8_t> &states, uint64_t offset,
                     int size) {
  return offset < states.size() && uint64_t(size) <= states.size() - offset &&
         states[offset] != Unmapped && states[offset + size - 1] != Unmapped;
}

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_PTX_LAYOUT_H
