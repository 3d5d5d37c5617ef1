//===- DeviceMemory.cpp - Allocations of a device -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/DeviceMemory.h"
#include <cassert>

#include "Machine/AddressSpace.h"

#include <cstring>

namespace qcc::emu {

std::string hexText(uint64_t value) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), digits[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + text;
}

//===----------------------------------------------------------------------===//
// SectorSet
//===----------------------------------------------------------------------===//

void SectorSet::reset(int64_t bytes) {
  assert(bytes >= 0 && "sectors of no memory");
  size_ = (bytes + bytesPerWord - 1) / bytesPerWord;
  words_ = std::make_unique<std::atomic<uint8_t>[]>(size_);
}

int64_t SectorSet::count() const {
  int64_t sectors = 0;
  for (int64_t i = 0; i < size_; ++i)
    sectors += __builtin_popcount(words_[i].load(std::memory_order_relaxed));
  return sectors;
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

constexpr uint64_t allocationAlignment = 256;
/// Never less between two allocations, so that a wrong stride hits none.
constexpr uint64_t minimalGap = uint64_t(1) << 20;

std::string Allocation::describe() const {
  return (name.empty() ? "an allocation" : "'" + name + "'") + " (" +
         std::to_string(size) + " bytes at " + hexText(base) + ")";
}

rt::Result<uint64_t> DeviceMemory::allocate(int64_t size,
                                            std::string_view name) {
  constexpr int64_t maxSize = int64_t(1) << 40;
  if (size < 0 || size > maxSize)
    return rt::outOfMemory("an allocation of " + std::to_string(size) +
                           " bytes; at most 1 TiB");
  if (size == 0)
    return uint64_t(0);
  uint64_t base = std::max(end_, deviceMemoryBase);
  assert(base % allocationAlignment == 0 && "allocations are aligned");
  rt::Result<Allocation *> allocation =
      allocateAt(base, size, name, /*isConst=*/false);
  if (!allocation.isOk())
    return allocation.status();
  constexpr int garbage = 0xa5;
  memset((*allocation)->data(), garbage, size);
  end_ = (base + size + minimalGap + allocationAlignment - 1) /
         allocationAlignment * allocationAlignment;
  return base;
}

rt::Result<Allocation *> DeviceMemory::allocateAt(uint64_t base, int64_t size,
                                                  std::string_view name,
                                                  bool isConst) {
  assert(size > 0 && base + size > base && "an allocation has addresses");
  assert(!find(base, 1) && "allocations do not overlap");
  auto allocation = std::make_unique<Allocation>();
  allocation->base = base;
  allocation->size = size;
  allocation->name = std::string(name);
  allocation->isConst = isConst;
  rt::Status status = allocation->buffer.reserve(size);
  if (!status.isOk())
    return status.withPrefix("device memory: ");
  memset(allocation->buffer.data(), 0, size);
  Allocation *result = allocation.get();
  allocations_[base] = std::move(allocation);
  return result;
}

rt::Status DeviceMemory::deallocate(uint64_t address) {
  if (address == 0)
    return rt::Status::ok();
  auto it = allocations_.find(address);
  if (it == allocations_.end())
    return rt::invalidArgument(hexText(address) +
                               " is no allocation, or was released already");
  constexpr size_t maxRemembered = 1024;
  if (released_.size() >= maxRemembered)
    released_.erase(released_.begin());
  released_[address] = {it->second->size, it->second->name};
  allocations_.erase(it);
  return rt::Status::ok();
}

Allocation *DeviceMemory::find(uint64_t address, int64_t size) {
  auto it = allocations_.upper_bound(address);
  if (it == allocations_.begin())
    return nullptr;
  Allocation *allocation = std::prev(it)->second.get();
  return allocation->contains(address, size) ? allocation : nullptr;
}

rt::Result<uint8_t *> DeviceMemory::hostPointer(uint64_t address, int64_t size,
                                                const char *what) {
  if (size < 0)
    return rt::invalidArgument(std::string(what) + " of negative size");
  if (Allocation *allocation = find(address, size))
    return allocation->data() + (address - allocation->base);
  return rt::invalidArgument(std::string(what) + " of " + std::to_string(size) +
                             " bytes at " + hexText(address) + ", " +
                             describeMiss(address, size));
}

const Allocation *DeviceMemory::nearest(uint64_t address) const {
  auto after = allocations_.upper_bound(address);
  const Allocation *next =
      after == allocations_.end() ? nullptr : after->second.get();
  if (after == allocations_.begin())
    return next;
  const Allocation *previous = std::prev(after)->second.get();
  if (next &&
      next->base - address < address - (previous->base + previous->size))
    return next;
  return previous;
}

std::string DeviceMemory::nearestName(uint64_t address) const {
  const Allocation *allocation = nearest(address);
  return allocation ? allocation->name : std::string();
}

std::string DeviceMemory::describeMiss(uint64_t address, int64_t size) const {
  auto it = released_.upper_bound(address);
  if (it != released_.begin()) {
    auto &[base, what] = *std::prev(it);
    if (address - base < uint64_t(what.first))
      return "inside " +
             (what.second.empty() ? "an allocation" : "'" + what.second + "'") +
             ", which was released";
  }
  const Allocation *allocation = nearest(address);
  if (!allocation)
    return "where nothing is allocated";
  uint64_t end = allocation->base + allocation->size;
  if (address >= end)
    return std::to_string(address - end) + " bytes past the end of " +
           allocation->describe();
  if (address < allocation->base)
    return std::to_string(allocation->base - address) + " bytes before " +
           allocation->describe();
  return "across the end of " + allocation->describe();
}

void DeviceMemory::resetSectors() {
  for (auto &[base, allocation] : allocations_) {
    allocation->loaded.reset(allocation->size);
    allocation->stored.reset(allocation->size);
  }
}

int64_t DeviceMemory::loadedSectors() const {
  int64_t sectors = 0;
  for (auto &[base, allocation] : allocations_)
    sectors += allocation->loaded.count();
  return sectors;
}

int64_t DeviceMemory::storedSectors() const {
  int64_t sectors = 0;
  for (auto &[base, allocation] : allocations_)
    sectors += allocation->stored.count();
  return sectors;
}

} // namespace qcc::emu
