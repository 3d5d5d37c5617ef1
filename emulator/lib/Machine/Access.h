//===- Access.h - One instruction's access to memory ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_ACCESS_H
#define QCC_LIB_EMULATOR_MACHINE_ACCESS_H

#include "Check/Clocks.h"
#include "PTX/Program.h"

namespace qcc::emu {

enum class AccessKind : uint8_t { Load, Store, Atomic };

/// What the lanes of a warp ask of memory. CtaMemory checks and counts it and
/// says where in the host's memory the bytes are.
struct Access {
  static constexpr int maxBytes = 32;

  const Instruction *inst = nullptr;
  AccessKind kind = AccessKind::Load;
  StateSpace space = StateSpace::Generic;
  Strength strength = Strength::Weak;
  bool isAcquire = false, isRelease = false;
  bool isVolatile = false, isNonCoherent = false;
  /// Made by a lane for all of the warp (ldmatrix).
  bool isCollective = false;
  uint32_t mask = 0;
  int size = 0;        ///< Bytes of each lane.
  int elementSize = 0; ///< Of a vector: bytes of one element.
  uint64_t address[32];
  /// Of a strong read: no newer values could have been read.
  bool isLatest = true;

  /// Of each lane of the mask; null where the access is refused.
  uint8_t *memory[32];
  /// Lanes of a load that have read bytes which nothing has written, and these
  /// bytes, one bit for each.
  uint32_t unwritten = 0;
  uint32_t holes[32];
  /// What stores write, `size` bytes for each lane.
  uint8_t data[32][maxBytes];
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_ACCESS_H
