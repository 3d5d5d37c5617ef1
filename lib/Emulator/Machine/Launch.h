//===- Launch.h - What all CTAs of a launch share ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_LAUNCH_H
#define QCC_LIB_EMULATOR_MACHINE_LAUNCH_H

#include "Machine/DeviceMemory.h"
#include "PTX/Program.h"

namespace qcc::emu {

/// Does not change while the kernel runs, but for the bytes of device memory.
struct Launch {
  const Program *program = nullptr;
  const Function *kernel = nullptr;
  LaunchConfig config;
  LaunchOptions options;
  DeviceMemory *memory = nullptr;
  std::vector<uint8_t> params; ///< The block of parameters.

  int64_t ctas = 0;
  int threadsPerCta = 0, warpsPerCta = 0;
  /// Of shared memory, [0, staticShared) and [dynamicBegin, sharedEnd) exist.
  int64_t staticShared = 0, dynamicBegin = 0, sharedEnd = 0;
  /// Whether CTAs see each other's writes while they run (Grid.h).
  bool isTogether = false;

  bool checks() const { return options.checking == Checking::All; }

  Dim3 ctaAt(int64_t number) const {
    const Dim3 &grid = config.grid;
    return {static_cast<int>(number % grid.x),
            static_cast<int>(number / grid.x % grid.y),
            static_cast<int>(number / grid.x / grid.y)};
  }
  Dim3 threadAt(int number) const {
    const Dim3 &block = config.block;
    return {number % block.x, number / block.x % block.y,
            number / block.x / block.y};
  }
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_LAUNCH_H
