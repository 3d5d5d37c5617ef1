//===- Requests.cpp - Banks and sectors of one request --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Count/Requests.h"

#include <algorithm>

namespace qcc::emu {

constexpr int numBanks = 32, bankBytes = 4, warpLanes = 32;
constexpr uint64_t sectorBytes = 32;

/// Wavefronts of one phase: the most words that a bank is asked for, different
/// ones unless they are for atomics.
static int degreeOfPhase(const uint64_t *addresses, uint32_t lanes, int size,
                         bool isAtomic) {
  // A phase has at most 128 bytes, so 32 words.
  uint64_t words[numBanks][warpLanes];
  int counts[numBanks] = {};
  int degree = 0;
  for (; lanes; lanes &= lanes - 1) {
    uint64_t first = addresses[__builtin_ctz(lanes)] / bankBytes;
    int count = std::max(1, size / bankBytes);
    for (uint64_t word = first; word < first + count; ++word) {
      uint64_t *begin = words[word % numBanks];
      int &known = counts[word % numBanks];
      if (!isAtomic && std::find(begin, begin + known, word) != begin + known)
        continue;
      begin[known++] = word;
      degree = std::max(degree, known);
    }
  }
  return degree;
}

SharedCounters countSharedRequest(const uint64_t *addresses, uint32_t lanes,
                                  int size, bool isAtomic) {
  SharedCounters counters;
  counters.requests = 1;
  counters.bytes = int64_t(size) * __builtin_popcount(lanes);
  int lanesPerPhase = std::min(warpLanes, numBanks * bankBytes / size);
  uint32_t phaseMask =
      lanesPerPhase == warpLanes ? ~0u : (1u << lanesPerPhase) - 1;
  for (int first = 0; first < warpLanes; first += lanesPerPhase) {
    int degree =
        degreeOfPhase(addresses, lanes & (phaseMask << first), size, isAtomic);
    counters.wavefronts += degree;
    counters.idealWavefronts += degree > 0;
    counters.maxDegree = std::max(counters.maxDegree, degree);
  }
  return counters;
}

GlobalCounters countGlobalRequest(const uint64_t *addresses, const int *sizes,
                                  uint32_t lanes) {
  GlobalCounters counters;
  counters.requests = 1;
  struct Range {
    uint64_t begin, end;
  };
  Range ranges[warpLanes];
  int count = 0;
  bool isSorted = true;
  for (; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    if (sizes[lane] == 0)
      continue;
    ranges[count] = {addresses[lane], addresses[lane] + sizes[lane]};
    isSorted &= count == 0 || ranges[count - 1].begin <= ranges[count].begin;
    ++count;
  }
  if (!isSorted)
    std::sort(ranges, ranges + count,
              [](Range a, Range b) { return a.begin < b.begin; });
  uint64_t end = 0, nextSector = 0;
  for (int i = 0; i < count; ++i) {
    uint64_t begin = std::max(ranges[i].begin, end);
    if (ranges[i].end > begin)
      counters.usefulBytes += ranges[i].end - begin;
    end = std::max(end, ranges[i].end);
    uint64_t first = std::max(ranges[i].begin / sectorBytes, nextSector);
    uint64_t last = (ranges[i].end - 1) / sectorBytes;
    if (last >= first)
      counters.sectors += last - first + 1;
    nextSector = std::max(nextSector, last + 1);
  }
  return counters;
}

GlobalCounters countGlobalRequest(const uint64_t *addresses, uint32_t lanes,
                                  int size) {
  int sizes[warpLanes];
  std::fill(sizes, sizes + warpLanes, size);
  return countGlobalRequest(addresses, sizes, lanes);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void SharedCounters::add(const SharedCounters &other) {
  requests += other.requests;
  wavefronts += other.wavefronts;
  idealWavefronts += other.idealWavefronts;
  maxDegree = std::max(maxDegree, other.maxDegree);
  bytes += other.bytes;
}

void GlobalCounters::add(const GlobalCounters &other) {
  requests += other.requests;
  sectors += other.sectors;
  usefulBytes += other.usefulBytes;
}

double GlobalCounters::sectorsPerRequest() const {
  return requests ? double(sectors) / double(requests) : 0;
}

double GlobalCounters::usefulShare() const {
  return sectors ? double(usefulBytes) / double(sectors * sectorBytes) : 0;
}

} // namespace qcc::emu
