//===- ShadowMemory.h - Shadow memory ---------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps one cell for each piece of memory that was accessed. Pieces are as
// large as the accesses: a page starts with cells of 16 bytes, and is split
// into cells of 4 bytes, then of 1, when an access covers a part of one. So the
// shadow is exact to the byte, and 16-byte copies cost one cell each.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_CHECK_SHADOWMEMORY_H
#define QCC_LIB_EMULATOR_CHECK_SHADOWMEMORY_H

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace qcc::emu {

/// `Cell` is default-constructed for memory that nothing accessed, and copied
/// when a cell is split.
template <typename Cell> class ShadowMemory {
public:
  static constexpr int pageShift = 11;
  static constexpr uint64_t pageBytes = uint64_t(1) << pageShift;

  struct Page {
    int shift = 4; ///< log2 of the bytes of a cell.
    std::vector<Cell> cells = std::vector<Cell>(pageBytes >> 4);

    void split(int finer) {
      std::vector<Cell> split(pageBytes >> finer);
      for (size_t i = 0; i < split.size(); ++i)
        split[i] = cells[i >> (shift - finer)];
      cells = std::move(split);
      shift = finer;
    }
  };

  /// Calls take(cell) for the cells of [address, address + size), and stops
  /// where it returns false.
  template <typename Take>
  void forCells(uint64_t address, uint64_t size, Take take) {
    while (size > 0) {
      uint64_t offset = address & (pageBytes - 1);
      uint64_t bytes = std::min(size, pageBytes - offset);
      Page &page = pageAt(address >> pageShift);
      uint64_t cellBytes = uint64_t(1) << page.shift;
      if (((offset | bytes) & (cellBytes - 1)) != 0)
        page.split(((offset | bytes) & 3) != 0 ? 0 : 2);
      Cell *cell = &page.cells[offset >> page.shift];
      for (Cell *end = cell + (bytes >> page.shift); cell != end; ++cell)
        if (!take(*cell))
          return;
      address += bytes;
      size -= bytes;
    }
  }

  /// Calls take(address, bytes, cell) for all cells of all pages, in the order
  /// of addresses.
  template <typename Take> void forAll(Take take) {
    std::vector<uint64_t> numbers;
    for (auto &[number, page] : pages_)
      numbers.push_back(number);
    std::sort(numbers.begin(), numbers.end());
    for (uint64_t number : numbers) {
      Page &page = *pages_[number];
      for (size_t i = 0; i < page.cells.size(); ++i)
        take((number << pageShift) + (i << page.shift),
             uint64_t(1) << page.shift, page.cells[i]);
    }
  }

  void clear() {
    pages_.clear();
    last_ = nullptr;
  }

private:
  Page &pageAt(uint64_t number) {
    if (last_ && lastNumber_ == number)
      return *last_;
    std::unique_ptr<Page> &page = pages_[number];
    if (!page)
      page = std::make_unique<Page>();
    last_ = page.get();
    lastNumber_ = number;
    return *last_;
  }

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  Page *last_ = nullptr;
  uint64_t lastNumber_ = 0;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_CHECK_SHADOWMEMORY_H
