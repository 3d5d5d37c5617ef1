//===- Spec.h - Table of NVIDIA chips ---------------------------*- C++ -*-===//
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

/// An instruction that multiplies matrices of bytes: rows by 8 columns.
struct Atom {
  llvm::StringRef name;
  int64_t rows, k;
  /// The first architecture and version of PTX that have it.
  unsigned architecture, ptxVersion;
  /// Whether warps in groups of four multiply tiles in shared memory, by many
  /// columns (wgmma). No later architecture has it.
  bool isOfWarpgroups = false;
};

/// A row of the table of chips.
struct Spec {
  /// The architecture as LLVM and ptxas name it: "sm_80".
  llvm::StringRef name;
  /// Its number: 80.
  unsigned architecture;
  /// The version of PTX that code for the chip is written in, ten times: the
  /// first one that has the chip and its instructions. Drivers that know the
  /// chip know the version.
  unsigned ptxVersion;
  /// Shared memory that a block may have, in bytes.
  int64_t sharedBytes;
  /// Registers and threads of a multiprocessor, and how many of these a GPU has
  /// that stands for the architecture: T4, A100, A10, L4, H100, RTX 5090.
  int64_t registers, threads, multiprocessors;
  /// Products of bytes that matrix instructions of a multiprocessor add up in a
  /// cycle.
  int64_t productsPerCycle;
  /// Bytes that the L2 cache and the memory of that GPU serve in a cycle.
  int64_t cacheBytes, memoryBytes;
  /// Cycles until a load has come from memory while all multiprocessors load,
  /// and the share of the matrix instructions' rate that main loops reach. They
  /// fit what a GPU measured (docs/benchmarks/nvidia.md), where one did.
  int64_t loadedLatency = 0;
  double loopShare = 1;
  /// "sm_90a": code has instructions of the architecture that later ones lack,
  /// and runs on no other.
  bool isExact = false;

  /// Whether code for the chip may have the instruction: LLVM ends the process
  /// where it may not.
  bool has(const Atom &atom) const {
    return architecture >= atom.architecture && ptxVersion >= atom.ptxVersion &&
           (!atom.isOfWarpgroups ||
            (isExact && architecture == atom.architecture));
  }

  /// Whether kernels may start while the kernel before them ends: programmatic
  /// dependent launch.
  bool hasProgrammaticLaunch() const { return architecture >= 90; }

  /// The chip of a name; an error that lists the known chips if no chip has the
  /// name.
  static llvm::Expected<Spec> forChip(llvm::StringRef name);
};

/// All chips, the oldest first.
llvm::ArrayRef<Spec> allChips();

/// Whether a name is meant to be one of a chip.
bool isChipName(llvm::StringRef name);

/// The atoms of all chips, the best first.
llvm::ArrayRef<Atom> matrixAtoms();
/// The atom of a name; null if no atom has the name.
const Atom *findMatrixAtom(llvm::StringRef name);

/// Columns of a matrix instruction.
inline constexpr int64_t kAtomColumns = 8;
/// Rows, columns and elements of K of a fragment, which one instruction
/// multiplies, or several of a smaller atom.
inline constexpr int64_t kFragmentRows = 16, kFragmentColumns = 8,
                         kFragmentDepth = 32;
/// The first architecture that copies asynchronously to shared memory.
inline constexpr unsigned kAsyncCopies = 80;
/// The fewest bytes of such a copy, and of a word of a fragment.
inline constexpr int64_t kLeastCopied = 4;
/// Packed operands have columns of words, segments of K rounded up to as many
/// elements: one form for all chips.
inline constexpr int64_t kPackedStep = 64;

/// Threads of a warp, which are the lanes of float reductions (N8).
inline constexpr int64_t kWarp = 32;
/// Threads of the blocks of kernels whose threads do not share memory.
inline constexpr int64_t kBlock = 128;

} // namespace qcc::nvptx

#endif // QCC_TARGET_NVPTX_SPEC_H
