//===- TunedConfigs.h - Tuned configs of a contraction ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_CONTRACTION_TUNEDCONFIGS_H
#define QCC_TRANSFORMS_CONTRACTION_TUNEDCONFIGS_H

#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/Target.h"
#include "qcc/Tuning/TuningDatabase.h"
#include <string>

namespace qcc {

/// String, on a contraction: why it has no tuned config, although there is a
/// database. Written by select-lowering-config.
inline constexpr llvm::StringLiteral kNotTunedAttr = "qcc.not_tuned";

struct TunedConfig {
  /// A config that fits the contraction and the target. Its source is `tuned`,
  /// or `pinned` if a person wrote this into the database. Null if the database
  /// has no such config.
  kernel::LoweringConfigAttrInterface config;
  /// Why there is no config.
  std::string reason;
  /// Whether the database has an entry that cannot be used.
  bool isDamaged = false;
};

/// Looks up a contraction whose operands are not packed.
TunedConfig findTunedConfig(kernel::ContractOp op, const Target &target,
                            const TuningDatabase &database);

/// The text of a config in a database; the parser can read it again.
std::string printConfig(kernel::LoweringConfigAttrInterface config);

} // namespace qcc

#endif // QCC_TRANSFORMS_CONTRACTION_TUNEDCONFIGS_H
