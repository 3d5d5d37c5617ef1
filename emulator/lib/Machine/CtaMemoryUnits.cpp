//===- CtaMemoryUnits.cpp - Memory as asynchronous units see it -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of warpgroups read shared memory by the asynchronous proxy. They do
// so between their issue and the wait for them, at any time.
//
//===----------------------------------------------------------------------===//

#include "Count/Requests.h"
#include "Machine/Cta.h"
#include "Machine/CtaMemory.h"

#include <algorithm>

namespace qcc::emu {

/// Pieces of a product that lie side by side, as few as there are.
static std::vector<ByteRange> rangesOf(const Warpgroups::Product &product) {
  std::vector<ByteRange> pieces, ranges;
  Warpgroups::forPieces(product, [&](uint64_t offset, int bytes) {
    auto begin = static_cast<int64_t>(offset);
    pieces.push_back({begin, begin + bytes});
  });
  std::sort(pieces.begin(), pieces.end(),
            [](ByteRange a, ByteRange b) { return a.begin < b.begin; });
  for (const ByteRange &piece : pieces)
    if (!ranges.empty() && piece.begin <= ranges.back().end)
      ranges.back().end = std::max(ranges.back().end, piece.end);
    else
      ranges.push_back(piece);
  return ranges;
}

bool CtaMemory::beginProduct(Warp *const *warps,
                             const Warpgroups::Product &product) {
  const Instruction &inst = *product.inst;
  Warp &first = *warps[0];
  std::vector<ByteRange> ranges = rangesOf(product);
  int64_t bytes = 0;
  for (const ByteRange &range : ranges) {
    int size = static_cast<int>(range.end - range.begin);
    auto offset = static_cast<uint64_t>(range.begin);
    bytes += size;
    if (isMapped(sharedStates_, offset, size))
      continue;
    refuse(first, inst, -1, AccessKind::Load, StateSpace::Shared, offset, size);
    return false;
  }
  if (launch_.options.countAccesses)
    countUnitAccess(inst, bytes);
  if (!checks_)
    return true;
  Accessor who[Warpgroups::warpsOfGroup];
  for (int i = 0; i < Warpgroups::warpsOfGroup; ++i) {
    who[i].clock = &warps[i]->clock();
    who[i].lanes = warps[i]->lanes();
    who[i].site = inst.site;
    who[i].isAsync = true;
  }
  for (const ByteRange &range : ranges) {
    int size = static_cast<int>(range.end - range.begin);
    auto offset = static_cast<uint64_t>(range.begin);
    auto [conflict, whose] =
        sharedRaces_.beginRead(offset, size, who, Warpgroups::warpsOfGroup);
    if (conflict)
      reportConflict(*warps[whose], inst, -1, AccessKind::Load,
                     StateSpace::Shared, offset, size, conflict);
    const uint8_t *states = &sharedStates_[offset];
    const uint8_t *hole = std::find(states, states + size, Unwritten);
    if (hole == states + size || conflict)
      continue;
    if (Report *report =
            first.report(ReportKind::UninitializedRead, inst, -1)) {
      report->message = "a wgmma reads byte " +
                        hexText(offset + uint64_t(hole - states)) +
                        " of shared memory, which nothing has written";
      report->space = StateSpace::Shared;
      report->address = offset;
      report->allocation = "shared memory";
    }
  }
  return true;
}

void CtaMemory::endProduct(Warp &warp, const Warpgroups::Product &product) {
  uint32_t unit =
      static_cast<uint32_t>(warp.index()) / Warpgroups::warpsOfGroup;
  AccessRecord reader;
  reader.agent = asyncAgent(cta_.number(), unit);
  reader.clock = product.number;
  reader.lanes = 1;
  reader.site = product.inst->site;
  if (!checks_)
    return;
  Accessor waiter;
  waiter.clock = &warp.clock();
  waiter.lanes = warp.lanes();
  for (const ByteRange &range : rangesOf(product))
    sharedRaces_.endRead(static_cast<uint64_t>(range.begin),
                         static_cast<uint64_t>(range.end - range.begin), reader,
                         waiter);
}

void CtaMemory::fenceProxy(Warp &warp, uint32_t mask) {
  if (!checks_)
    return;
  sharedRaces_.fenceProxy(warp.clock().agent(), mask, warp.clock().now());
  warp.clock().fenceProxy(mask);
}

/// What a unit reads or writes of shared memory passes 128 bytes at a time.
void CtaMemory::countUnitAccess(const Instruction &inst, int64_t bytes) {
  constexpr int64_t bytesOfWavefront = 128;
  SharedCounters access;
  access.requests = 1;
  access.wavefronts = access.idealWavefronts =
      (bytes + bytesOfWavefront - 1) / bytesOfWavefront;
  access.maxDegree = 1;
  access.bytes = bytes;
  cta_.counters().sites[inst.site].shared.add(access);
}

} // namespace qcc::emu
