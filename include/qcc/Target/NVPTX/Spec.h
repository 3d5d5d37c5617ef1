//===- Spec.h - What NVIDIA chips have --------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_NVPTX_SPEC_H
#define QCC_TARGET_NVPTX_SPEC_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace qcc::nvptx {

/// A row of the table of chips.
struct Spec {
  /// The architecture as LLVM and ptxas name it: "sm_80".
  llvm::StringRef name;
  /// The version of PTX that code for the chip is written in, ten times: the
  /// first one that has the chip and its instructions. Drivers that know the
  /// chip know the version.
  unsigned ptxVersion;
  /// Shared memory that a block may have, in bytes.
  int64_t sharedBytes;
  /// Registers and threads of a multiprocessor.
  int64_t registers, threads;

  /// The chip of a name; an error that says which there are if there is none.
  static llvm::Expected<Spec> forChip(llvm::StringRef name);
};

/// All chips, the oldest first.
llvm::ArrayRef<Spec> allChips();

/// Whether a name is meant to be one of a chip.
bool isChipName(llvm::StringRef name);

/// Threads of a warp, which are the lanes of float reductions (N8).
inline constexpr int64_t kWarp = 32;
/// Threads of the blocks of kernels whose threads do not share memory.
inline constexpr int64_t kBlock = 256;

} // namespace qcc::nvptx

#endif // QCC_TARGET_NVPTX_SPEC_H
