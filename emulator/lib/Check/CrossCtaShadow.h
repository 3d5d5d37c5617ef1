//===- CrossCtaShadow.h - Races between independent CTAs --------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs of a kernel without atomics cannot be ordered: what one writes, no other
// may touch. Each CTA's accesses are compared with those of all CTAs before it,
// in the order of CTAs, so that reports do not depend on which ran first.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_CHECK_CROSSCTASHADOW_H
#define QCC_LIB_EMULATOR_CHECK_CROSSCTASHADOW_H

#include "Check/RaceDetector.h"

namespace qcc::emu {

class CrossCtaShadow {
public:
  struct Access {
    uint32_t cta = 0;
    uint32_t site = 0;
    bool exists = false;
  };
  struct Race {
    uint64_t address;
    uint64_t bytes;
    AccessRecord current;
    bool currentIsWrite;
    Access other;
    bool otherIsWrite;
  };

  /// Adds the accesses of a CTA; calls report(race) for what conflicts.
  template <typename Report>
  void merge(uint32_t cta, ShadowMemory<RaceCell> &accesses, Report report) {
    accesses.forAll([&](uint64_t address, uint64_t bytes,
                        const RaceCell &source) {
      if (!source.write && !source.read)
        return;
      cells_.forCells(address, bytes, [&](Cell &cell) {
        const AccessRecord &current = source.write ? source.write : source.read;
        bool isWrite = bool(source.write);
        if (cell.write.exists)
          report(Race{address, bytes, current, isWrite, cell.write, true});
        else if (isWrite && cell.read.exists)
          report(Race{address, bytes, current, isWrite, cell.read, false});
        Access &mine = isWrite ? cell.write : cell.read;
        if (!mine.exists)
          mine = {cta, current.site, true};
        return true;
      });
    });
  }

private:
  struct Cell {
    Access write, read;
  };
  ShadowMemory<Cell> cells_;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_CHECK_CROSSCTASHADOW_H
