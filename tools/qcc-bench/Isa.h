//===- Isa.h - Instruction sets to measure ----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both sides of a comparison may use: qcc gets a target with these
// features, the peer is limited to the same.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_BENCH_ISA_H
#define QCC_TOOLS_QCC_BENCH_ISA_H

#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Target/Target.h"
#include "llvm/ADT/StringRef.h"

namespace qcc::bench {

enum class IsaKind { Amx, Avx512Vnni, AvxVnni, Avx512, Avx2 };

struct Isa {
  llvm::StringRef name;
  IsaKind kind;
  /// What a host needs for it, separated by commas.
  llvm::StringRef needs;
  /// Prefixes of the features that are above it and stay unused.
  llvm::StringRef excludes;
  /// Whether its dot product is exact for all 8-bit operands, in the peer too.
  bool exactDot;

  llvm::Expected<TargetRef> target(const rt::HostFeatures &host) const;
};

/// The instruction set of that name; `best` is the best of the host. Null where
/// there is no such name.
const Isa *findIsa(llvm::StringRef name, const rt::HostFeatures &host);

/// "amx-int8, avx512-vnni, ..."
std::string isaNames();

} // namespace qcc::bench

#endif // QCC_TOOLS_QCC_BENCH_ISA_H
