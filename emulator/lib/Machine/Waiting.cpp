//===- Waiting.cpp - Who waits, and who works -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Waiting.h"

namespace qcc::emu {

void WaitProof::countRead(uint64_t changes) {
  if (changes != changes_) {
    changes_ = changes;
    reads_ = 0;
    matches_ = 0;
    forget();
  }
  ++reads_;
}

void WaitProof::add(State state, uint32_t ready, uint64_t changes) {
  if (changes != changes_ || kept_.empty()) {
    changes_ = changes;
    kept_ = std::move(state);
    ran_ = 0;
    steps_ = 0;
    power_ = 1;
    matches_ = 0;
    return;
  }
  if (state == kept_) {
    if (ready & ~ran_)
      return;
    ++matches_;
    ran_ = 0;
    steps_ = 0;
    return;
  }
  if (++steps_ < power_)
    return;
  kept_ = std::move(state);
  ran_ = 0;
  steps_ = 0;
  power_ *= 2;
  matches_ = 0;
}

} // namespace qcc::emu
