//===- Spec.h - Table of x86 processors -------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strategies ask this table; they never test for a chip. A table is made from
// an LLVM processor name or from a list of features, such as those that CPUID
// reports. Tests may write their own.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_X86_SPEC_H
#define QCC_TARGET_X86_SPEC_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace qcc::x86 {

/// What an atom multiplies.
enum class AtomForm {
  Words,  ///< words of KR elements in the lanes of vectors
  Bytes,  ///< words of bytes, where no sum of two products can saturate
  Pairs,  ///< sums of words of two, by Winograd's formula (Atoms/Dot.h)
  Tiles,  ///< tiles in registers of their own
  Floats, ///< words of one f32, by a fused multiplication and addition
};

/// One instruction that multiplies int8 and accumulates in i32, or multiplies
/// and accumulates f32.
struct Atom {
  llvm::StringRef name;
  /// The LLVM features of which it needs one.
  std::array<llvm::StringRef, 2> features;
  /// Lanes of the accumulator register, of 32 bits each.
  unsigned lanes;
  /// Elements of K that one lane reduces in one instruction; a word of 32 bits
  /// of an operand holds that many of them.
  unsigned kr;
  /// Vector registers, and how many of them a multiplication needs besides its
  /// accumulator and the right operand.
  unsigned registers, temporaries;
  /// Elements of K that one step of the main loop reduces: packed operands are
  /// padded with zeros to a multiple of them.
  unsigned kStep;
  /// What explain says where it is not available.
  llvm::StringRef missing;
  AtomForm form = AtomForm::Words;

  bool hasTiles() const { return form == AtomForm::Tiles; }
  bool hasPairs() const { return form == AtomForm::Pairs; }
  bool hasFloats() const { return form == AtomForm::Floats; }
  /// The atom multiplies an element of the right operand exactly if the
  /// element, as it is stored, is at most this far from 0.
  int64_t largestRhs() const { return form == AtomForm::Bytes ? 64 : 128; }
  /// What is added to the elements of an operand as they are stored: words of
  /// four are multiplied as unsigned bytes by signed ones, but tiles can have
  /// either sign.
  int64_t lhsShift(bool isUnsigned) const {
    return kr == 4 && !hasTiles() && !isUnsigned ? 128 : 0;
  }
  int64_t rhsShift(bool isUnsigned) const {
    return kr == 4 && !hasTiles() && isUnsigned ? -128 : 0;
  }
};

/// At the end of a target's name: its kernels may use AMX, but run without it,
/// slowly and with the same results. For tests on hosts without AMX.
inline constexpr llvm::StringLiteral kEmulatedAMX = "+emulated-amx";

/// The feature by which tables of bytes are looked up. LLVM would use it for
/// shuffles of every function, and no function needs it but those that look
/// something up.
inline constexpr llvm::StringLiteral kPermutesBytes = "avx512vbmi";

/// How long what accompanies multiplications takes, in the time in which a core
/// starts a multiplication of vectors. The defaults are the times of Intel's
/// processors without AMX.
struct CoreTimes {
  /// 64 bytes of many that come from there.
  double fromL1 = 1, fromL2 = 2.5, fromL3 = 15, fromMemory = 26;
  /// An operation on a vector while others multiply.
  double operation = 0.65;
  /// The share of the shorter of two that overlap, computing and a stream from
  /// beyond the L2 cache, that adds to the longer.
  double besideFarStream = 0.05;
};

struct Spec {
  /// The name by which the target was asked for: an LLVM processor name or
  /// `native`, perhaps with kEmulatedAMX.
  std::string name;
  /// The processor that LLVM schedules for.
  std::string cpu;
  /// All features that code may use, LLVM's names, without signs.
  llvm::StringSet<> features;
  /// Whether AMX tiles become vectors.
  bool emulatesAMX = false;
  /// Width of the widest vector register that code should use.
  unsigned vectorBits = 256;
  CoreTimes times;
  /// Data caches of one core, in bytes.
  int64_t l1Bytes = 32 << 10, l2Bytes = 1 << 20;
  /// The atoms that the target has, the best first.
  llvm::SmallVector<Atom> atoms;

  bool has(llvm::StringRef feature) const { return features.contains(feature); }
  const Atom *findAtom(llvm::StringRef name) const;
  /// "+avx2,+fma,...", sorted, as LLVM's target machine takes features: with
  /// kPermutesBytes, if the target has it, only where `permutesBytes`.
  std::string featureString(bool permutesBytes) const;
  /// "avx2,fma,...": the features that generated code may use and a host must
  /// have, sorted.
  std::string requiredFeatures() const;

  /// The names that forCPU takes.
  static std::vector<std::string> knownCPUs();
  /// The table of an LLVM processor name. Fails for an unknown name, and for a
  /// processor below x86-64-v3, the baseline that exact code needs.
  static llvm::Expected<Spec> forCPU(llvm::StringRef name);
  /// The table of a host with these features.
  static llvm::Expected<Spec> forFeatures(llvm::StringRef name,
                                          llvm::ArrayRef<std::string> features);
};

/// How far apart, in bytes, rows of `bytes` bytes had best start: an odd number
/// of cache lines, so that they do not meet in the same sets of a cache.
inline int64_t spreadPitch(int64_t bytes) {
  return 64 * ((bytes + 63) / 64 | 1);
}

/// All atoms that qcc knows for x86, the best first.
llvm::ArrayRef<Atom> allAtoms();
/// The one of this name, or null.
const Atom *findAtom(llvm::StringRef name);

} // namespace qcc::x86

#endif // QCC_TARGET_X86_SPEC_H
