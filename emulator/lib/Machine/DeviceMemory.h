//===- DeviceMemory.h - Allocations of a device -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is a map from addresses that are never used twice to blocks of
// host memory. Between two allocations there is always a gap, so that an access
// beyond an end hits nothing, and the nearest allocation can be named.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_DEVICEMEMORY_H
#define QCC_LIB_EMULATOR_MACHINE_DEVICEMEMORY_H

#include "qcc/Base/Status.h"
#include "qcc/Runtime/Allocator.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace qcc::emu {

/// Sectors that a launch touched, by any number of host threads at once.
class SectorSet {
public:
  void reset(int64_t bytes);
  void add(int64_t offset) {
    std::atomic<uint8_t> &word = words_[offset / bytesPerWord];
    uint8_t bit = uint8_t(1) << (offset / sectorBytes % 8);
    if (!(word.load(std::memory_order_relaxed) & bit))
      word.fetch_or(bit, std::memory_order_relaxed);
  }
  int64_t count() const;

  static constexpr int64_t sectorBytes = 32;

private:
  static constexpr int64_t bytesPerWord = 8 * sectorBytes;
  int64_t size_ = 0;
  std::unique_ptr<std::atomic<uint8_t>[]> words_;
};

struct Allocation {
  uint64_t base = 0;
  int64_t size = 0;
  std::string name; ///< May be empty.
  bool isConst = false;
  rt::AlignedBuffer buffer;
  SectorSet loaded, stored;
  /// Whether any kernel has written to it.
  std::atomic<bool> isWritten{false};

  uint8_t *data() const { return reinterpret_cast<uint8_t *>(buffer.data()); }
  bool contains(uint64_t address, int64_t bytes) const {
    return address - base < uint64_t(size) &&
           uint64_t(bytes) <= base + size - address;
  }
  /// "'A' (1024 bytes at 0x300000000000)"
  std::string describe() const;
};

class DeviceMemory {
public:
  /// Full of garbage, as a chip may leave it. `size` > 0.
  rt::Result<uint64_t> allocate(int64_t size, std::string_view name);
  /// At a given address, for variables of modules.
  rt::Result<Allocation *> allocateAt(uint64_t base, int64_t size,
                                      std::string_view name, bool isConst);
  rt::Status deallocate(uint64_t address);

  /// The allocation that holds all of [address, address + size), or null.
  Allocation *find(uint64_t address, int64_t size);
  /// A failure names the range.
  rt::Result<uint8_t *> hostPointer(uint64_t address, int64_t size,
                                    const char *what);

  /// What is near an address that nothing holds: "4 bytes past the end of ...",
  /// "inside 'A', which was released".
  std::string describeMiss(uint64_t address, int64_t size) const;
  std::string nearestName(uint64_t address) const;

  /// Before a launch that counts sectors.
  void resetSectors();
  int64_t loadedSectors() const;
  int64_t storedSectors() const;

private:
  const Allocation *nearest(uint64_t address) const;

  std::map<uint64_t, std::unique_ptr<Allocation>> allocations_;
  /// Names and sizes of some that were released, for messages.
  std::map<uint64_t, std::pair<int64_t, std::string>> released_;
  uint64_t end_ = 0;
};

/// "0x300000000010"
std::string hexText(uint64_t value);

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_DEVICEMEMORY_H
