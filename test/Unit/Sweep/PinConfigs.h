//===- PinConfigs.h - Contractions with configs by chance -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_SWEEP_PINCONFIGS_H
#define QCC_TEST_UNIT_SWEEP_PINCONFIGS_H

#include "qcc/Target/TargetSpec.h"
#include <memory>

namespace mlir {
class PassInstrumentation;
} // namespace mlir

namespace qcc::sweep {

/// Gives each contraction, when it is formed, a pinned config that the cost
/// model would hardly choose: any of the vector atoms of the target, tiles from
/// one row or one vector to more than there are registers, small blocks, and
/// lanes along K with any of the operands in place. The same in every run.
std::unique_ptr<mlir::PassInstrumentation> pinConfigs(const TargetSpec &target);

} // namespace qcc::sweep

#endif // QCC_TEST_UNIT_SWEEP_PINCONFIGS_H
