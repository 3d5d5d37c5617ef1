//===- LeftOutLanes.h - Lanes that synchronize without others ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction of a warp waits for the lanes that its mask names. CUDA lets
// it do without lanes that have exited, as code does that starts with an early
// return. Lanes that have parted from others, then executed instructions of
// the warp whose masks leave the others out, and then exited, are a bug where
// the others name them: at such an instruction they were there and did not
// come. The lanes that each lane has left out are forgotten where the two part
// again, as they have been together in between, and where they synchronize.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_LEFTOUTLANES_H
#define QCC_LIB_EMULATOR_MACHINE_LEFTOUTLANES_H

#include "PTX/Program.h"

#include <array>

namespace qcc::emu {

/// Of a warp.
class LeftOutLanes {
public:
  /// `lanes` execute an instruction whose mask does not name `others`.
  void execute(const Instruction &inst, uint32_t lanes, uint32_t others) {
    if (others == 0)
      return;
    any_ |= lanes;
    for (; lanes; lanes &= lanes - 1) {
      int lane = __builtin_ctz(lanes);
      leftOut_[lane] |= others;
      last_[lane] = &inst;
    }
  }
  /// `lanes` are at one instruction, or have synchronized.
  void meet(uint32_t lanes) {
    if ((any_ & lanes) == 0)
      return;
    for (uint32_t rest = any_ & lanes; rest; rest &= rest - 1) {
      int lane = __builtin_ctz(rest);
      leftOut_[lane] &= ~lanes;
      if (leftOut_[lane] == 0)
        any_ &= ~(1u << lane);
    }
  }
  /// The lanes that have left out any of `lanes`.
  uint32_t thatLeftOut(uint32_t lanes) const {
    uint32_t found = 0;
    for (uint32_t rest = any_; rest; rest &= rest - 1) {
      int lane = __builtin_ctz(rest);
      found |= uint32_t((leftOut_[lane] & lanes) != 0) << lane;
    }
    return found;
  }
  /// The latest instruction at which a lane has left out others.
  const Instruction *last(int lane) const { return last_[lane]; }

private:
  std::array<uint32_t, 32> leftOut_ = {};
  std::array<const Instruction *, 32> last_ = {};
  uint32_t any_ = 0; ///< Lanes that have left out some.
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_LEFTOUTLANES_H
