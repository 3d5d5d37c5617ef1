//===- PinConfigs.h - Contractions with configs by chance -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_FUZZ_PINCONFIGS_H
#define QCC_TOOLS_FUZZ_PINCONFIGS_H

#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/Target.h"
#include <functional>
#include <memory>

namespace mlir {
class PassInstrumentation;
} // namespace mlir

namespace qcc::fuzz {

/// Returns a number in [0, bound).
using Choose = std::function<unsigned(unsigned bound)>;

struct PinOptions {
  /// What chooses the config of a contraction, `number` of those of its
  /// function; empty where the cost model is to choose.
  std::function<Choose(kernel::ContractOp op, unsigned number)> choicesFor;
  /// Only tiles that little code is made of: compiling takes a fraction of the
  /// time.
  bool smallTiles = false;
  /// Called with each contraction that got a config; may be empty.
  std::function<void(kernel::ContractOp)> pinned = nullptr;
};

/// Gives contractions, before select-lowering-config sees them, a pinned config
/// that the cost model would hardly choose: any of the vector atoms of the
/// target, tiles from one row or one vector to more than there are registers,
/// small blocks, and lanes along K with any of the operands in place; on a
/// device small tiles in any number of stages, or none.
std::unique_ptr<mlir::PassInstrumentation> pinConfigs(const Target &target,
                                                      PinOptions options);

} // namespace qcc::fuzz

#endif // QCC_TOOLS_FUZZ_PINCONFIGS_H
