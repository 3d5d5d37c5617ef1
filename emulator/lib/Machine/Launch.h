//===- Launch.h - State shared by the CTAs of a launch ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_LAUNCH_H
#define QCC_LIB_EMULATOR_MACHINE_LAUNCH_H

#include "Machine/DeviceMemory.h"
#include "PTX/Program.h"

#include <algorithm>

namespace qcc::emu {

/// Does not change while the kernel runs, but for the bytes of device memory.
struct Launch {
  const Program *program = nullptr;
  const Function *kernel = nullptr;
  LaunchConfig config;
  LaunchOptions options;
  DeviceMemory *memory = nullptr;
  std::vector<uint8_t> params;      ///< The block of parameters.
  std::vector<uint8_t> paramStates; ///< The ByteState of each byte.

  int64_t ctas = 0;
  Dim3 cluster{1, 1, 1};  ///< CTAs of a cluster.
  int64_t ctasOfChip = 1; ///< How many run at once, at most.
  int threadsPerCta = 0, warpsPerCta = 0;
  int64_t staticShared = 0; ///< Bytes of the kernel's variables.
  int64_t dynamicBegin = 0; ///< The address of dynamic shared memory.
  int64_t totalShared = 0;  ///< Bytes of both, as a chip lays them out.
  /// The ByteState of each byte of shared memory when a CTA starts.
  std::vector<uint8_t> sharedStates;
  /// Whether CTAs see each other's writes while they run (Grid.h).
  bool isTogether = false;

  /// Registers that ptxas gives a thread of a kernel with setmaxnreg: .maxnreg,
  /// or as many as the chip has for .minnctapersm CTAs.
  int registersAtStart() const {
    if (kernel->maxRegisters > 0)
      return kernel->maxRegisters;
    constexpr int ofChip = 65536, unit = 8, most = 256;
    int threads = 32 * warpsPerCta * std::max(kernel->minCtas, 1);
    return std::min(ofChip / threads / unit * unit, most);
  }

  int clusterCtas() const { return cluster.x * cluster.y * cluster.z; }
  /// CTAs in the order of clusters, within them in that of ranks.
  int64_t ctaInOrder(int64_t index) const {
    int64_t of = clusterCtas(), number = index / of;
    int rank = static_cast<int>(index % of);
    const Dim3 &grid = config.grid;
    int64_t width = grid.x / cluster.x, height = grid.y / cluster.y;
    int64_t x = number % width * cluster.x + rank % cluster.x;
    int64_t y =
        number / width % height * cluster.y + rank / cluster.x % cluster.y;
    int64_t z =
        number / width / height * cluster.z + rank / cluster.x / cluster.y;
    return (z * grid.y + y) * grid.x + x;
  }

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
