//===- AsyncCopies.cpp - Copies that run by themselves --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/AsyncCopies.h"
#include <cassert>

#include <algorithm>

namespace qcc::emu {

AsyncCopies::Copy &AsyncCopies::add(const Copy &copy) {
  assert(copy.sourceSize >= 0 && copy.sourceSize <= copy.size &&
         "a copy reads at most what it writes");
  if (underWay_++ == 0) {
    sourcesBegin_ = ~uint64_t(0);
    sourcesEnd_ = 0;
  }
  sourcesBegin_ = std::min(sourcesBegin_, copy.source);
  sourcesEnd_ = std::max(sourcesEnd_, copy.source + copy.sourceSize);
  Copy &added = copies_[copy.warp].emplace_back(copy);
  added.number = ++issued_;
  added.group = groups_[copy.warp][copy.lane];
  return added;
}

const AsyncCopies::Copy *AsyncCopies::reading(uint64_t address,
                                              int size) const {
  if (underWay_ == 0 || address >= sourcesEnd_ ||
      address + size <= sourcesBegin_)
    return nullptr;
  for (const std::vector<Copy> &copies : copies_)
    for (const Copy &copy : copies)
      if (address < copy.source + copy.sourceSize &&
          copy.source < address + size)
        return &copy;
  return nullptr;
}

const AsyncCopies::Copy *AsyncCopies::find(uint32_t number) const {
  for (const std::vector<Copy> &copies : copies_)
    for (const Copy &copy : copies)
      if (copy.number == number)
        return &copy;
  return nullptr;
}

bool AsyncCopies::isAwaited(const Arrival &arrival) const {
  const std::vector<Copy> &copies = copies_[arrival.warp];
  return std::any_of(copies.begin(), copies.end(), [&](const Copy &copy) {
    return copy.lane == arrival.lane && copy.number <= arrival.number;
  });
}

void AsyncCopies::commit(int warp, uint32_t lanes) {
  for (; lanes; lanes &= lanes - 1)
    ++groups_[warp][__builtin_ctz(lanes)];
}

void AsyncCopies::setMoment(Copy &copy, Moment moment) {
  between_ +=
      int(moment == Moment::Between) - int(copy.moment == Moment::Between);
  copy.moment = moment;
  assert(between_ >= 0 && "copies that are between are counted once");
}

} // namespace qcc::emu
