//===- BulkCopies.h - Copies of many bytes ----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk copies some kilobytes at some time after its issue. To shared
// memory, it tells an mbarrier how many bytes have come, in one or more steps.
// From shared memory, it belongs to a group of its thread, as cp.async does.
//
// For seed 0 a copy happens as late as possible: when all warps of the CTA wait
// or when its group is waited for. With other seeds some happen at once, and
// others in steps of some pieces.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_BULKCOPIES_H
#define QCC_LIB_EMULATOR_MACHINE_BULKCOPIES_H

#include "PTX/Program.h"

#include <array>
#include <list>
#include <vector>

namespace qcc::emu {

class Warp;

/// 16 bytes side by side in both memories. Those outside of [begin, end) do not
/// exist in global memory: they are filled in, and not written there.
struct BulkPiece {
  static constexpr int most = 16;

  uint64_t global = 0;
  uint32_t shared = 0;
  uint8_t begin = 0, end = 0;
};

struct BulkCopy {
  /// Numbers of pending copies (RaceCell) that are those of bulk copies.
  static constexpr uint32_t firstNumber = uint32_t(1) << 31;

  uint32_t number = 0;
  const Instruction *inst = nullptr;
  Warp *issuer = nullptr; ///< Of any CTA of the cluster.
  int warp = 0, lane = 0;
  bool isRepeat = false; ///< Of a multicast: global memory is read once.
  bool isLoad = true;    ///< To shared memory.
  uint8_t fill = 0;      ///< Bytes that do not exist.
  std::vector<BulkPiece> pieces;
  size_t done = 0; ///< Pieces.
  /// Of shared memory, all that the pieces touch.
  uint64_t sharedBegin = 0, sharedEnd = 0;
  uint64_t barrier = 0; ///< Of a load.
  uint32_t group = 0;   ///< Of a store.
  uint32_t clock = 0;   ///< Of the warp, at the issue.
  bool hasRead = false; ///< A store whose thread has waited for its reads.

  bool isDone() const { return done == pieces.size(); }
};

class BulkCopies {
public:
  explicit BulkCopies(int warps) : groups_(warps) {}

  BulkCopy &add(BulkCopy copy);
  bool isEmpty() const { return copies_.empty(); }
  std::list<BulkCopy> &copies() { return copies_; }
  /// Null if it has ended.
  const BulkCopy *find(uint32_t number) const;
  /// A store that reads some of the bytes of shared memory, or null.
  const BulkCopy *reading(uint64_t offset, int size) const;

  void commit(int warp, uint32_t lanes);
  /// Whether a store belongs to a group of its thread other than the latest
  /// `allowed` ones.
  bool isAwaited(const BulkCopy &copy, uint32_t allowed) const {
    return copy.group + allowed < groups_[copy.warp][copy.lane];
  }

private:
  std::list<BulkCopy> copies_; ///< Under way, in the order of issue.
  std::vector<std::array<uint32_t, 32>> groups_; ///< Committed, by thread.
  uint32_t issued_ = 0;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_BULKCOPIES_H
