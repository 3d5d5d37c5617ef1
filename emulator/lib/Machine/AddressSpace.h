//===- AddressSpace.h - Generic addresses -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A generic address says by its value which memory it lies in. Shared memory
// and the parameters of a kernel have a window each, in which an address is the
// window's base plus the address within the space; local memory has one for
// each thread, so that a thread's own pointers are told from those of others.
// Everything else is device memory, where generic, .global and .const addresses
// are the same.
//
// The low half of a base is beyond what the memory has, so that a generic
// address which is cut off, or taken for one of the space, hits nothing.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_ADDRESSSPACE_H
#define QCC_LIB_EMULATOR_MACHINE_ADDRESSSPACE_H

#include "qcc/Emulator/ScalarType.h"

#include <cstdint>

namespace qcc::emu {

constexpr uint64_t windowBytes = uint64_t(1) << 24;
constexpr uint64_t lowHalf = 0x5a000000;
constexpr uint64_t sharedWindow = (uint64_t(0x10) << 40) + lowHalf;
constexpr uint64_t paramWindow = (uint64_t(0x12) << 40) + lowHalf;
/// In .shared::cluster, and behind the generic window, an address from
/// windowBytes on names the rank of a CTA of the cluster.
constexpr uint64_t maxClusterCtas = 16;
constexpr uint64_t sharedOfRank(uint64_t offset, uint64_t rank) {
  return offset % windowBytes + (rank + 1) * windowBytes;
}
constexpr bool namesRank(uint64_t offset) { return offset >= windowBytes; }
constexpr uint64_t rankOfShared(uint64_t offset) {
  return offset / windowBytes - 1;
}
/// The windows of threads, which have one each as long as a CTA has not more.
constexpr uint64_t localWindows = (uint64_t(0x08) << 40) + lowHalf;
constexpr uint64_t localWindowBytes = uint64_t(1) << 28;
constexpr uint64_t numLocalWindows = uint64_t(1) << 13;
/// Allocations, from here on.
constexpr uint64_t deviceMemoryBase = uint64_t(0x30) << 40;
/// Variables of modules, each module at a multiple of moduleBytes.
constexpr uint64_t moduleMemoryBase = uint64_t(0x20) << 40;
constexpr uint64_t moduleBytes = uint64_t(1) << 37;

/// The base to add to an address of a space; 0 for device memory. `thread`
/// counts through the grid.
constexpr uint64_t windowOf(StateSpace space, uint64_t thread) {
  switch (space) {
  case StateSpace::Shared:
    return sharedWindow;
  case StateSpace::Local:
    return localWindows + thread % numLocalWindows * localWindowBytes;
  case StateSpace::Param:
    return paramWindow;
  default:
    return 0;
  }
}

/// The space of a generic address; Global for all of device memory.
constexpr StateSpace spaceOfGeneric(uint64_t address) {
  if (address - sharedWindow < windowBytes * (maxClusterCtas + 1))
    return StateSpace::Shared;
  if (address - localWindows < numLocalWindows * localWindowBytes)
    return StateSpace::Local;
  if (address - paramWindow < windowBytes)
    return StateSpace::Param;
  return StateSpace::Global;
}

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_ADDRESSSPACE_H
