//===- AddressSpace.h - Generic addresses -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A generic address says by its value which memory it lies in. Shared and local
// memory and the parameters of a kernel have a window each, in which an address
// is the window's base plus the address within the space; everything else is
// device memory, where generic, .global and .const addresses are the same.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_ADDRESSSPACE_H
#define QCC_LIB_EMULATOR_MACHINE_ADDRESSSPACE_H

#include "qcc/Emulator/ScalarType.h"

#include <cstdint>

namespace qcc::emu {

constexpr uint64_t windowBytes = uint64_t(1) << 24;
constexpr uint64_t sharedWindow = uint64_t(0x10) << 40;
constexpr uint64_t localWindow = uint64_t(0x11) << 40;
constexpr uint64_t paramWindow = uint64_t(0x12) << 40;
/// Allocations, from here on.
constexpr uint64_t deviceMemoryBase = uint64_t(0x30) << 40;
/// Variables of modules, each module at a multiple of moduleBytes.
constexpr uint64_t moduleMemoryBase = uint64_t(0x20) << 40;
constexpr uint64_t moduleBytes = uint64_t(1) << 37;

/// The base to add to an address of a space; 0 for device memory.
constexpr uint64_t windowOf(StateSpace space) {
  switch (space) {
  case StateSpace::Shared:
    return sharedWindow;
  case StateSpace::Local:
    return localWindow;
  case StateSpace::Param:
    return paramWindow;
  default:
    return 0;
  }
}

/// Whether a generic address lies in the window of a space.
constexpr bool isInWindow(uint64_t address, StateSpace space) {
  uint64_t window = windowOf(space);
  return window != 0 && address - window < windowBytes;
}

/// The space of a generic address; Global for all of device memory.
constexpr StateSpace spaceOfGeneric(uint64_t address) {
  for (StateSpace space :
       {StateSpace::Shared, StateSpace::Local, StateSpace::Param})
    if (isInWindow(address, space))
      return space;
  return StateSpace::Global;
}

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_ADDRESSSPACE_H
