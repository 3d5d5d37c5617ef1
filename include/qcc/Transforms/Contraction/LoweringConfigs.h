//===- LoweringConfigs.h - The ways to compute a contraction ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What select-lowering-config decides by, for those who measure or explain its
// decisions. Contractions may be packed or not, on tensors or on memrefs.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_CONTRACTION_LOWERINGCONFIGS_H
#define QCC_TRANSFORMS_CONTRACTION_LOWERINGCONFIGS_H

#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Target/TargetSpec.h"
#include <optional>
#include <string>

namespace qcc {

/// Notes the range of the elements of a constant right operand on `op`, where
/// the choice of an atom depends on it: it is known once the operand is packed.
void noteRhsRange(kernel::ContractOp op, const TargetSpec &target);

/// What the cost model takes for the best; its source is "model".
kernel::LoweringConfigAttr chooseConfig(kernel::ContractOp op,
                                        const TargetSpec &target);

/// At most `most` configs that may be the fastest, all different and of source
/// "tuned": the model's choice first, then by the time that the model expects.
/// Other tiles, blocks, ways to read the left operand and atoms take turns.
llvm::SmallVector<kernel::LoweringConfigAttr>
candidateConfigs(kernel::ContractOp op, const TargetSpec &target,
                 unsigned most);

/// Why `op` cannot be computed so on `target`, and a remedy: a sentence whose
/// subject is "lowering_config". Nothing if it can.
std::optional<std::string> refuseConfig(kernel::ContractOp op,
                                        kernel::LoweringConfigAttr config,
                                        const TargetSpec &target);

/// Likewise as an error of `op`.
llvm::LogicalResult checkConfig(kernel::ContractOp op,
                                kernel::LoweringConfigAttr config,
                                const TargetSpec &target);

/// The share of the peak of its atom that the model expects of a config that
/// fits, at most 1 but for atoms with pairs. Sizes that are not known count as
/// large.
double expectedShareOfPeak(kernel::ContractOp op,
                           kernel::LoweringConfigAttr config,
                           const TargetSpec &target);

/// Why `op`, which has a config or will have the model's choice, is not
/// computed by `atom`, one of x86Atoms(): for people, without a subject.
/// Nothing if it is.
std::optional<std::string> refuseAtom(kernel::ContractOp op, const Atom &atom,
                                      const TargetSpec &target);

} // namespace qcc

#endif // QCC_TRANSFORMS_CONTRACTION_LOWERINGCONFIGS_H
